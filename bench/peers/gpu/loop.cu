// A loop of instances of different lengths without a runtime, in the ways that programs use.
#include <chrono>

#include "peers/gpu/device.hpp"

namespace mgws::bench::peers::gpu {

namespace {

constexpr int k_threads = 256;
constexpr unsigned k_whole_warp = ~0u;

/// Lane 0 has the sum. Called by all lanes of a warp.
__device__ unsigned long long sum_of_warp(unsigned long long x) {
  for (int away = 16; away != 0; away /= 2)
    x += __shfl_down_sync(k_whole_warp, x, away);
  return x;
}

/// One store a block: additions to one address would take longer than short instances do.
__device__ void store_sum_of_block(unsigned long long x, unsigned long long* sums) {
  __shared__ unsigned long long of_warps[k_threads / 32];
  x = sum_of_warp(x);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = x;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned long long all = 0;
    for (const unsigned long long of_warp : of_warps)
      all += of_warp;
    sums[blockIdx.x] = all;
  }
}

__global__ void __launch_bounds__(k_threads)
    take_from_counter(loop_work work, std::uint32_t chunk, unsigned long long* next,
                      unsigned long long* sums) {
  const unsigned lane = threadIdx.x % 32;
  unsigned long long sum = 0;
  for (;;) {
    unsigned long long first = 0;
    if (lane == 0) first = atomicAdd(next, chunk);
    first = __shfl_sync(k_whole_warp, first, 0);
    if (first >= work.costs.n) break;
    const unsigned long long rest = work.costs.n - first;
    const unsigned long long end = first + (rest < chunk ? rest : chunk);
    for (unsigned long long i = first + lane; i < end; i += 32)
      sum += run_chain(work, i);
    __syncwarp();
  }
  store_sum_of_block(sum, sums);
}

/// A lane whose instance is done takes the warp's next one while its neighbours go on with theirs,
/// as soon as a quarter of them wait.
__global__ void __launch_bounds__(k_threads)
    refilled_lanes(loop_work work, std::uint32_t chunk, std::uint32_t piece,
                   unsigned long long* next, unsigned long long* sums) {
  const unsigned lane = threadIdx.x % 32;
  unsigned long long sum = 0;
  unsigned long long first = 0;  // the rest of what the warp has taken
  unsigned long long end = 0;
  bool any_left = true;
  bool has_one = false;
  chain_state chain{};
  for (;;) {
    const unsigned idle = __ballot_sync(k_whole_warp, !has_one);
    if (__popc(idle) >= 8 && (any_left || first != end)) {
      if (first == end) {
        if (lane == 0) first = atomicAdd(next, chunk);
        first = __shfl_sync(k_whole_warp, first, 0);
        any_left = first < work.costs.n;
        if (!any_left) first = work.costs.n;
        const unsigned long long rest = work.costs.n - first;
        end = first + (rest < chunk ? rest : chunk);
      }
      const unsigned long long mine = first + __popc(idle & ((1u << lane) - 1));
      if (!has_one && mine < end) {
        chain = begin_chain(work, mine);
        has_one = true;
      }
      const unsigned long long taken = first + __popc(idle);
      first = taken < end ? taken : end;
    } else if (idle == k_whole_warp) {
      break;
    }
    if (has_one) {
      run_piece(chain, piece);
      if (chain.left == 0) {
        sum += chain.value;
        has_one = false;
      }
    }
    __syncwarp();
  }
  store_sum_of_block(sum, sums);
}

__global__ void __launch_bounds__(k_threads) one_each(loop_work work, unsigned long long* sums) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * k_threads + threadIdx.x;
  store_sum_of_block(i < work.costs.n ? run_chain(work, i) : 0, sums);
}

}  // namespace

std::string use_device(std::uint32_t index) {
  int n = 0;
  must(cudaGetDeviceCount(&n), "no GPU can be used");
  if (index >= static_cast<std::uint32_t>(n))
    throw std::runtime_error("this machine has " + std::to_string(n) + " GPUs");
  must(cudaSetDevice(static_cast<int>(index)), "the GPU");
  cudaDeviceProp properties{};
  must(cudaGetDeviceProperties(&properties, static_cast<int>(index)), "the GPU");
  return properties.name;
}

void warm_clocks(double seconds) {
  const loop_work work{.costs = {.n = std::uint64_t{1} << 22, .base = 4096, .grain = 32}};
  const auto blocks = static_cast<unsigned>(work.costs.n / k_threads);
  device_array<unsigned long long> sums(blocks);
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() <
         seconds) {
    one_each<<<blocks, k_threads>>>(work, sums.data());
    must(cudaDeviceSynchronize(), "the GPU");
  }
}

std::vector<loop_run> run_loop(const loop_work& work, loop_form form, std::uint32_t chunk,
                               std::uint32_t piece, repetitions times) {
  const std::uint64_t blocks =
      form == loop_form::counter    ? resident_blocks(take_from_counter, k_threads)
      : form == loop_form::refilled ? resident_blocks(refilled_lanes, k_threads)
                                    : (work.costs.n + k_threads - 1) / k_threads;
  device_array<unsigned long long> sums(blocks);
  device_array<unsigned long long> next(1);
  std::vector<unsigned long long> of_blocks;
  stopwatch watch;
  std::vector<loop_run> runs;
  for (std::uint32_t run = 0; run != times.warmup + times.repeat; ++run) {
    sums.zero();
    next.zero();
    const double seconds = watch.seconds_of([&] {
      const auto grid = static_cast<unsigned>(blocks);
      if (form == loop_form::counter) {
        take_from_counter<<<grid, k_threads>>>(work, chunk, next.data(), sums.data());
      } else if (form == loop_form::refilled) {
        refilled_lanes<<<grid, k_threads>>>(work, chunk, piece, next.data(), sums.data());
      } else {
        one_each<<<grid, k_threads>>>(work, sums.data());
      }
    });
    sums.download(of_blocks);
    std::uint64_t sum = 0;
    for (const unsigned long long of_block : of_blocks)
      sum += of_block;
    if (run >= times.warmup) runs.push_back({seconds, sum});
  }
  return runs;
}

}  // namespace mgws::bench::peers::gpu
