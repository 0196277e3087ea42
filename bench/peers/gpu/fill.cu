// Element x receives x, without a runtime: as fast as memory takes it, and as fast as it does where
// a slot that says which element is read for each.
#include "peers/gpu/device.hpp"

namespace mgws::bench::peers::gpu {

namespace {

constexpr int k_threads = 256;

/// As large as a slot of the runtime that stands for one task: the task, and how many it is.
struct alignas(16) element_slot {
  unsigned long long element;
  unsigned long long instances;
};

/// Two elements a store, the next one's the neighbour's.
__global__ void __launch_bounds__(k_threads) store_pairs(ulonglong2* pairs, std::uint64_t n) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * k_threads + threadIdx.x;
  if (i < n) pairs[i] = {2 * i, 2 * i + 1};
}

/// The same by the threads that are resident at once.
__global__ void __launch_bounds__(k_threads)
    store_pairs_in_turn(ulonglong2* pairs, std::uint64_t n) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * k_threads;
#pragma unroll 4
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * k_threads + threadIdx.x; i < n; i += threads)
    pairs[i] = {2 * i, 2 * i + 1};
}

__global__ void __launch_bounds__(k_threads) make_slots(element_slot* slots, std::uint64_t n) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * k_threads + threadIdx.x;
  if (i < n) slots[i] = {i, 1};
}

/// A slot a thread.
__global__ void __launch_bounds__(k_threads)
    store_by_slots(const element_slot* slots, unsigned long long* elements, std::uint64_t n) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * k_threads + threadIdx.x;
  if (i >= n) return;
  const auto slot = __ldcs(reinterpret_cast<const ulonglong2*>(slots) + i);
  for (unsigned long long k = 0; k != slot.y; ++k)
    elements[slot.x + k] = slot.x + k;
}

unsigned blocks_for(std::uint64_t threads) {
  const std::uint64_t blocks = (threads + k_threads - 1) / k_threads;
  if (blocks > 0x7fffffff) throw std::runtime_error("more elements than one grid has threads");
  return static_cast<unsigned>(blocks);
}

}  // namespace

std::vector<fill_run> run_fill(std::uint64_t n, fill_form form, repetitions times) {
  const std::uint64_t pairs = (n + 1) / 2;
  device_array<ulonglong2> data(pairs);
  device_array<element_slot> slots(form == fill_form::slots ? n : 1);
  if (form == fill_form::slots) make_slots<<<blocks_for(n), k_threads>>>(slots.data(), n);
  const auto resident = static_cast<unsigned>(resident_blocks(store_pairs_in_turn, k_threads));
  std::vector<ulonglong2> seen;
  stopwatch watch;
  std::vector<fill_run> runs;
  for (std::uint32_t run = 0; run != times.warmup + times.repeat; ++run) {
    data.set_bytes(0xff);
    const double seconds = watch.seconds_of([&] {
      if (form == fill_form::plain) {
        store_pairs<<<blocks_for(pairs), k_threads>>>(data.data(), pairs);
      } else if (form == fill_form::resident) {
        store_pairs_in_turn<<<resident, k_threads>>>(data.data(), pairs);
      } else {
        store_by_slots<<<blocks_for(n), k_threads>>>(
            slots.data(), reinterpret_cast<unsigned long long*>(data.data()), n);
      }
    });
    if (run < times.warmup) continue;
    data.download(seen);
    std::uint64_t right = 0;
    for (std::uint64_t i = 0; i != n; ++i)
      right += (i % 2 == 0 ? seen[i / 2].x : seen[i / 2].y) == i ? 1 : 0;
    runs.push_back({seconds, right});
  }
  return runs;
}

}  // namespace mgws::bench::peers::gpu
