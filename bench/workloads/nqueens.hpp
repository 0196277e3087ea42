/// \file
/// `nqueens`: all solutions of the n-queens problem. A task is a partial placement; from a given
/// number of queens on it counts its completions by itself.
#pragma once

#include <cstdint>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

#include "workloads/nqueens_board.hpp"

namespace mgws::bench::nqueens {

struct context {
  std::uint32_t n;
  std::uint32_t cutoff;  ///< queens placed by tasks, at least 1
};

struct solutions : sum<std::uint64_t> {};

struct extend {
  board placed;

  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    if (placed.row >= c.cutoff || placed.row == c.n) {
      worker.accumulate(solutions{}, count_completions(c.n, placed));
      return;
    }
    for (std::uint32_t open = placed.free_squares(c.n); open != 0; open &= open - 1)
      worker.spawn(extend{placed.place(open & (~open + 1))});
  }
};

}  // namespace mgws::bench::nqueens
