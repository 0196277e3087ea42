// The Mandelbrot set without a runtime: a thread a pixel, and lanes that are refilled.
#include "peers/gpu/device.hpp"

namespace mgws::bench::peers::gpu {

namespace {

constexpr int k_threads = 256;
constexpr unsigned k_whole_warp = ~0u;
/// Iterations between two looks at who is done: a look costs about as much as one of them.
constexpr std::uint32_t k_piece = 64;

__global__ void one_pixel_each(picture p, std::uint32_t* counts) {
  const std::uint32_t column = blockIdx.x * blockDim.x + threadIdx.x;
  const std::uint32_t row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < p.width && row < p.height)
    counts[std::uint64_t{row} * p.width + column] = p.escape(column, row);
}

/// A lane whose pixel is done takes the next one while its neighbours go on with theirs.
__global__ void __launch_bounds__(k_threads)
    refilled_lanes(picture p, tiles order, std::uint32_t numbers, std::uint32_t* counts,
                   std::uint32_t* next) {
  const unsigned lane = threadIdx.x % 32;
  const double side = 3.0 / p.width;
  double cx = 0;
  double cy = 0;
  double x = 0;
  double y = 0;
  std::uint32_t k = 0;
  std::uint64_t at = 0;
  bool has_pixel = false;
  bool any_left = true;
  for (;;) {
    const unsigned idle = __ballot_sync(k_whole_warp, !has_pixel);
    if (idle != 0 && any_left) {
      std::uint32_t first = 0;
      if (lane == 0) first = atomicAdd(next, __popc(idle));
      first = __shfl_sync(k_whole_warp, first, 0);
      any_left = first < numbers;
      if (!has_pixel) {
        const std::uint32_t number = first + __popc(idle & ((1u << lane) - 1));
        const std::uint32_t column = order.column(number);
        const std::uint32_t row = order.row(number);
        if (number < numbers && column < p.width && row < p.height) {
          has_pixel = true;
          at = std::uint64_t{row} * p.width + column;
          cx = rounded_product(column + 0.5, side) - 2.0;
          cy = rounded_product(row + 0.5 - 0.5 * p.height, side);
          x = y = 0;
          k = 0;
        }
      }
    } else if (idle == k_whole_warp) {
      return;
    }
    if (has_pixel) {
      std::uint32_t end = p.iterations - k;
      end = k + (end < k_piece ? end : k_piece);
      while (k != end && picture::advance(cx, cy, x, y))
        ++k;
      if (k != end || k == p.iterations) {
        counts[at] = k;
        has_pixel = false;
      }
    }
    __syncwarp();
  }
}

}  // namespace

std::vector<double> run_mandelbrot(const picture& p, picture_form form, repetitions times,
                                   std::vector<std::uint32_t>& counts) {
  device_array<std::uint32_t> pixels(p.pixels());
  device_array<std::uint32_t> next(1);
  const dim3 block = form == picture_form::plain_8x16 ? dim3(8, 16) : dim3(32, 1);
  const dim3 blocks((p.width + block.x - 1) / block.x, (p.height + block.y - 1) / block.y);
  const tiles order = tiles::of(p);
  const auto warps = static_cast<unsigned>(resident_blocks(refilled_lanes, k_threads));
  stopwatch watch;
  std::vector<double> seconds;
  for (std::uint32_t run = 0; run != times.warmup + times.repeat; ++run) {
    pixels.zero();
    next.zero();
    const double time = watch.seconds_of([&] {
      if (form == picture_form::refilled) {
        refilled_lanes<<<warps, k_threads>>>(p, order, static_cast<std::uint32_t>(order.numbers(p)),
                                             pixels.data(), next.data());
      } else {
        one_pixel_each<<<blocks, block>>>(p, pixels.data());
      }
    });
    if (run >= times.warmup) seconds.push_back(time);
  }
  pixels.download(counts);
  return seconds;
}

}  // namespace mgws::bench::peers::gpu
