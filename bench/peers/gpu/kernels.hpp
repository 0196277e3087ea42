/// \file
/// mgws-peer-gpu: what its kernels' side, compiled by nvcc, offers to its command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loop/instance.hpp"
#include "mandelbrot/picture.hpp"

namespace mgws::bench::peers::gpu {

/// Makes it the one that everything below uses. \throws std::runtime_error
std::string use_device(std::uint32_t index);

struct repetitions {
  std::uint32_t warmup = 0;
  std::uint32_t repeat = 1;
};

/// Keeps the GPU busy for so long: one that was idle takes its time to come up.
void warm_clocks(double seconds);

struct loop_run {
  double seconds;
  std::uint64_t sum;  ///< of all instances' results
};

/// What a person who knows the GPU writes for a loop whose instances differ.
enum class loop_form : std::uint8_t {
  counter,  ///< as many warps as are resident; each takes the next piece from one counter
  plain,    ///< a thread an instance, and the GPU's own distribution of blocks
  refilled  ///< like `counter`, but each lane takes another one of the piece when its is done
};

/// \param chunk  instances that a warp takes at once, of `counter` and `refilled`
/// \param piece  iterations between two looks at which lanes are done, of `refilled`
std::vector<loop_run> run_loop(const loop_work& work, loop_form form, std::uint32_t chunk,
                               std::uint32_t piece, repetitions times);

enum class picture_form : std::uint8_t {
  plain_8x16,  ///< a thread a pixel, blocks of 8 by 16 pixels
  plain_32x1,  ///< blocks of 32 pixels in a row
  refilled     ///< resident warps, whose lanes each take a new pixel when theirs is done
};

/// \param counts  receives those of the last run, row by row
std::vector<double> run_mandelbrot(const picture& p, picture_form form, repetitions times,
                                   std::vector<std::uint32_t>& counts);

enum class fill_form : std::uint8_t {
  plain,     ///< a thread for each 16 bytes
  resident,  ///< the same by as many threads as are resident at once
  slots      ///< a thread a slot, which it reads and which says what element it is
};

struct fill_run {
  double seconds;
  std::uint64_t right;  ///< elements that are
};

/// Element x of n receives x.
std::vector<fill_run> run_fill(std::uint64_t n, fill_form form, repetitions times);

enum class queens_form : std::uint8_t {
  counter,  ///< each lane takes the next placement from one counter
  stride    ///< each has every so many-th
};

struct queens_run {
  double seconds;
  std::uint64_t placements;  ///< that were handed out
  std::uint64_t solutions;
};

/// \param n        from 4 to 27
/// \param rows     of the placements that are handed out, from 2 to n - 2
/// \param threads  of a block
std::vector<queens_run> run_queens(std::uint32_t n, queens_form form, std::uint32_t rows,
                                   std::uint32_t threads, repetitions times);

}  // namespace mgws::bench::peers::gpu
