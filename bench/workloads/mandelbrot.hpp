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
};

struct iterations_run : sum<std::uint64_t> {};

/// A pixel an instance, in the order of tiles or of rows.
struct pixels {
  std::uint32_t first;

  MGWS_FN void operator()(auto& worker, task_index i) const {
    const context& c = worker.context();
    const std::uint32_t number = first + i;
    std::uint32_t column = 0;
    std::uint32_t row = 0;
    if (c.tiled) {
      column = c.order.column(number);
      row = c.order.row(number);
      if (column >= c.of.width || row >= c.of.height) return;
    } else {
      column = number % c.of.width;
      row = number / c.of.width;
    }
    const std::uint32_t k = c.of.escape(column, row);
    *c.counts.at(0, std::uint64_t{row} * c.of.width + column) = k;
    worker.accumulate(iterations_run{}, k);
  }
};

/// Spawns all pixels at once.
struct root {
  std::uint32_t count;
  MGWS_FN void operator()(auto& worker) const { worker.spawn_n(pixels{0}, count); }
};

}  // namespace mgws::bench::mandelbrot
