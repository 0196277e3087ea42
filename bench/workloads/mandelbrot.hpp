/// \file
/// `mandelbrot`: a lane a pixel. Pixels take from one iteration to all that are allowed, and
/// neighbours take about as many, except at the border of the set.
#pragma once

#include <cstdint>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/placement.hpp>
#include <mgws_port.hpp>

#include "mandelbrot/picture.hpp"

namespace mgws::bench::mandelbrot {

struct context {
  picture of;
  tiles order;  ///< of the instances, where they are tiled
  bool tiled;
  placed<std::uint32_t> counts;  ///< row by row
  std::uint32_t piece;           ///< iterations of a piece, of resumable pixels

  /// Where the pixel with this number is. \return false: outside
  MGWS_FN bool find(std::uint32_t number, std::uint32_t& column, std::uint32_t& row) const {
    column = tiled ? order.column(number) : number % of.width;
    row = tiled ? order.row(number) : number / of.width;
    return column < of.width && row < of.height;
  }
  MGWS_FN void ends(auto& worker, std::uint32_t column, std::uint32_t row,
                    std::uint32_t iterations) const;
};

struct iterations_run : sum<std::uint64_t> {};

MGWS_FN void context::ends(auto& worker, std::uint32_t column, std::uint32_t row,
                           std::uint32_t iterations) const {
  *counts.at(0, std::uint64_t{row} * of.width + column) = iterations;
  worker.accumulate(iterations_run{}, iterations);
}

/// A pixel an instance, in the order of tiles or of rows.
struct pixels {
  std::uint32_t first;

  MGWS_FN void operator()(auto& worker, task_index i) const {
    const context& c = worker.context();
    std::uint32_t column = 0;
    std::uint32_t row = 0;
    if (c.find(first + i, column, row)) c.ends(worker, column, row, c.of.escape(column, row));
  }
};

/// The same, piece by piece.
struct resumable_pixels {
  std::uint32_t first;
  picture::orbit at{};  ///< of a pixel that has begun

  MGWS_FN progress operator()(auto& worker, task_index i) {
    const context& c = worker.context();
    std::uint32_t column = 0;
    std::uint32_t row = 0;
    if (!c.find(first + i, column, row)) return done;
    const std::uint32_t left = c.of.iterations - at.iterations;
    const std::uint32_t most = left < c.piece ? left : c.piece;
    if (c.of.advance(at, column, row, most) && most != left) return again;
    c.ends(worker, column, row, at.iterations);
    return done;
  }
};

/// Spawns all pixels at once.
template <class Pixels>
struct root {
  std::uint32_t count;
  MGWS_FN void operator()(auto& worker) const { worker.spawn_n(Pixels{.first = 0}, count); }
};

}  // namespace mgws::bench::mandelbrot
