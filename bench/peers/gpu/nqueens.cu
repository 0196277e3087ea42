// All solutions of the n-queens problem without a runtime: placements of the first rows are handed
// out to lanes, each of which searches below its own with a stack in shared memory.
#include <algorithm>

#include <cooperative_groups.h>

#include "peers/gpu/device.hpp"
#include "peers/gpu/queens.hpp"

namespace mgws::bench::peers::gpu {

namespace {

/// Rows that the host places; a few thousand placements at most.
constexpr std::uint32_t k_host_rows = 3;
constexpr int k_threads_of_expand = 256;

/// A level in all stacks of a block lies side by side: no two lanes meet in a bank.
class lane_stack {
 public:
  __device__ explicit lane_stack(uint4* first) : bottom_(first), top_(first) {}
  __device__ __forceinline__ void push(const placement& p) {
    *top_ = {p.columns, p.diagonals, p.antidiagonals, p.open};
    top_ += blockDim.x;
  }
  __device__ __forceinline__ bool pop(placement& p) {
    if (top_ == bottom_) return false;
    top_ -= blockDim.x;
    const uint4 v = *top_;
    p = {v.x, v.y, v.z, v.w};
    return true;
  }

 private:
  uint4* bottom_;
  uint4* top_;
};

/// Adds a row: each placement's successors, at the end of `to`.
__global__ void __launch_bounds__(k_threads_of_expand)
    expand(queens_board board, const uint4* from, const unsigned* from_size, uint4* to,
           unsigned* to_size) {
  const unsigned n = *from_size;
  for (unsigned i = blockIdx.x * k_threads_of_expand + threadIdx.x; i < n;
       i += gridDim.x * k_threads_of_expand) {
    const uint4 v = from[i];
    placement here{v.x, v.y, v.z, v.w};
    unsigned count = 0;
    for (placement p = here; p.open != 0;)
      count += board.place_next(p).open != 0 ? 1 : 0;
    unsigned at = atomicAdd(to_size, count);
    while (here.open != 0)
      if (const placement next = board.place_next(here); next.open != 0)
        to[at++] = {next.columns, next.diagonals, next.antidiagonals, next.open};
  }
}

template <bool Counted>
__global__ void search(queens_board board, const uint4* placements, const unsigned* size,
                       unsigned* next, unsigned long long* sum) {
  namespace cg = cooperative_groups;
  extern __shared__ uint4 stacks[];
  lane_stack stack(stacks + threadIdx.x);
  const unsigned n = *size;
  unsigned mine = blockIdx.x * blockDim.x + threadIdx.x;
  const auto take = [&](placement& p) {
    unsigned i = mine;
    if (Counted) {
      // One addition for the lanes that are done at the same time.
      const auto lanes = cg::coalesced_threads();
      unsigned first = 0;
      if (lanes.thread_rank() == 0) first = atomicAdd(next, lanes.size());
      i = lanes.shfl(first, 0) + lanes.thread_rank();
    } else {
      mine += gridDim.x * blockDim.x;
    }
    if (i >= n) return false;
    const uint4 v = placements[i];
    p = {v.x, v.y, v.z, v.w};
    return true;
  };
  std::uint64_t solutions = search_queens(board, stack, take);
  __syncwarp();
  for (int away = 16; away != 0; away /= 2)
    solutions += __shfl_down_sync(~0u, solutions, away);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, static_cast<unsigned long long>(solutions));
}

}  // namespace

std::vector<queens_run> run_queens(std::uint32_t n, queens_form form, std::uint32_t rows,
                                   std::uint32_t threads, repetitions times) {
  const queens_board board{n};
  const std::uint32_t host_rows = std::min(rows, k_host_rows);
  const std::vector<placement> begin = board.first_rows(host_rows);
  const std::uint64_t placements = board.count_first_rows(rows);
  std::uint64_t most = placements;  // of a row; deep down there are fewer in each
  for (std::uint32_t row = host_rows + 1; row < rows; ++row)
    most = std::max(most, board.count_first_rows(row));
  if (most > 0x7fffffff) throw std::runtime_error("too many placements of the first rows");
  // A size for each row; behind them the counter of those handed out.
  device_array<uint4> first(begin.size());
  device_array<uint4> other[2] = {device_array<uint4>(std::max<std::size_t>(most, 1)),
                                  device_array<uint4>(std::max<std::size_t>(most, 1))};
  device_array<unsigned> sizes(rows + 2);
  device_array<unsigned long long> sum(1);
  static_assert(sizeof(uint4) == sizeof(placement));
  first.upload(reinterpret_cast<const uint4*>(begin.data()), begin.size());
  const auto host_size = static_cast<unsigned>(begin.size());

  const auto kernel = form == queens_form::counter ? search<true> : search<false>;
  // Each row below the first ones leaves at most one placement to go on with, the last two none.
  const std::size_t shared = sizeof(uint4) * threads * (n - rows > 2 ? n - rows - 2 : 1);
  must(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            static_cast<int>(shared)),
       "shared memory for the stacks: more rows or fewer threads need less");
  const auto blocks =
      static_cast<unsigned>(resident_blocks(kernel, static_cast<int>(threads), shared));
  const auto expanding = static_cast<unsigned>(resident_blocks(expand, k_threads_of_expand));
  std::vector<unsigned long long> after;
  stopwatch watch;
  std::vector<queens_run> runs;
  for (std::uint32_t run = 0; run != times.warmup + times.repeat; ++run) {
    sizes.zero();
    sizes.upload(&host_size, 1);
    sum.zero();
    const double seconds = watch.seconds_of([&] {
      const uint4* from = first.data();
      const unsigned* size = sizes.data();
      unsigned* following = sizes.data() + 1;
      for (std::uint32_t row = host_rows; row != rows; ++row) {
        uint4* const to = other[row % 2].data();
        expand<<<expanding, k_threads_of_expand>>>(board, from, size, to, following);
        from = to;
        size = following++;
      }
      kernel<<<blocks, threads, shared>>>(board, from, size, following, sum.data());
    });
    sum.download(after);
    if (run >= times.warmup) runs.push_back({seconds, placements, 2 * after[0]});
  }
  return runs;
}

}  // namespace mgws::bench::peers::gpu
