/// \file
/// Work from warps that have some to warps that have none: who has none draws a number and waits at
/// that place; who has some looks whether anybody waits, draws a number too, and puts some there.
/// The run ends when all wait.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <cuda/atomic>

#include "peers/gpu/families.hpp"

namespace mgws::bench::peers::gpu {

/// A place: up to 32 families. A number n is at place n modulo their number, and its turn is n
/// divided by it: the state is 2 turns while empty and 2 turns + 1 when filled.
struct handover_view {
  using word = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;
  using state = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

  unsigned long long* drawn;  ///< low half: by those who wait; high half: by those who gave
  unsigned* states;
  unsigned* counts;
  uint4* families;
  unsigned places;  ///< a power of two, at least four times the warps
  unsigned warps;

  /// Before the run: a piece at number i, which handover::reset has drawn.
  __device__ void preset(unsigned i, const family& f) const {
    families[std::uint64_t{i} * 64] = f.first_half();
    families[std::uint64_t{i} * 64 + 1] = f.second_half();
    counts[i] = 1;
    states[i] = 1;
  }

  [[nodiscard]] __device__ bool someone_waits() const {
    const unsigned long long seen = word(*drawn).load(cuda::memory_order_relaxed);
    return static_cast<int>(static_cast<unsigned>(seen) - static_cast<unsigned>(seen >> 32)) > 0;
  }

  /// Half of what a warp has, the older half.
  __device__ void give(family_ring& ring) const {
    const unsigned n = min((ring.size() + 1) / 2, 32u);
    unsigned number = 0;
    if (threadIdx.x % 32 == 0)
      number = static_cast<unsigned>(
          word(*drawn).fetch_add(1ull << 32, cuda::memory_order_relaxed) >> 32);
    number = __shfl_sync(k_whole_warp, number, 0);
    const unsigned place = number % places;
    const unsigned empty = 2 * (number / places);
    // What was here a turn ago has long been taken, as a rule.
    while (state(states[place]).load(cuda::memory_order_acquire) != empty)
      __nanosleep(100);
    ring.move_oldest(n, families + std::uint64_t{place} * 64);
    if (threadIdx.x % 32 == 0) {
      counts[place] = n;
      state(states[place]).store(empty + 1, cuda::memory_order_release);
    }
    __syncwarp();
  }

  /// Waits for work. \return families received, lane i the i-th; 0 when all warps wait
  __device__ unsigned receive(family& mine) const {
    const unsigned lane = threadIdx.x % 32;
    unsigned long long before = 0;
    // Who comes last changes states that all others have changed before.
    if (lane == 0) before = word(*drawn).fetch_add(1, cuda::memory_order_acq_rel);
    before = __shfl_sync(k_whole_warp, before, 0);
    const auto number = static_cast<unsigned>(before);
    const auto given = static_cast<unsigned>(before >> 32);
    if (number + 1 - given == warps) {  // the last one: nobody is left who could give
      for (unsigned i = lane; i < warps; i += 32)
        state(states[(given + i) % places]).store(k_end, cuda::memory_order_relaxed);
      return 0;
    }
    const unsigned place = number % places;
    const unsigned filled = 2 * (number / places) + 1;
    unsigned seen = 0;
    for (unsigned wait = 64;; wait = min(2 * wait, 1024u)) {
      // Without an order: each acquire would empty the cache that others work with.
      if (lane == 0) seen = state(states[place]).load(cuda::memory_order_relaxed);
      seen = __shfl_sync(k_whole_warp, seen, 0);
      if (seen == k_end) return 0;
      if (seen == filled) break;
      __nanosleep(wait);
    }
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    const unsigned n = counts[place];
    if (lane < n)
      mine = family::of(families[std::uint64_t{place} * 64 + 2 * lane],
                        families[std::uint64_t{place} * 64 + 2 * lane + 1]);
    __syncwarp();
    if (lane == 0) state(states[place]).store(filled + 1, cuda::memory_order_release);
    return n;
  }

 private:
  static constexpr unsigned k_end = ~0u;
};

class handover {
 public:
  explicit handover(unsigned warps)
      : warps_(warps),
        places_(std::bit_ceil(4 * warps)),
        drawn_(1),
        states_(places_),
        counts_(places_),
        families_(std::size_t{places_} * 64) {}

  /// \param given  pieces that are preset
  void reset(unsigned given) {
    states_.zero();
    const unsigned long long drawn = std::uint64_t{given} << 32;
    drawn_.upload(&drawn, 1);
  }
  [[nodiscard]] handover_view view() const {
    return {drawn_.data(), states_.data(), counts_.data(), families_.data(), places_, warps_};
  }

 private:
  unsigned warps_;
  unsigned places_;
  device_array<unsigned long long> drawn_;
  device_array<unsigned> states_;
  device_array<unsigned> counts_;
  device_array<uint4> families_;
};

}  // namespace mgws::bench::peers::gpu
