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

/// The lanes of a task share the free squares of its next row.
template <shape Width>
struct extend {
  static constexpr shape width = Width;
  board placed;

  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    if (placed.row == c.n) {
      if (worker.lane() == 0) worker.accumulate(solutions{}, 1);
      return;
    }
    const bool spawns = placed.row < c.cutoff;
    if (!spawns && worker.lanes() == 1) {
      worker.accumulate(solutions{}, count_completions(c.n, placed));
      return;
    }
    std::uint32_t square = worker.lane();
    for (std::uint32_t open = placed.free_squares(c.n); open != 0; open &= open - 1) {
      if (square-- != 0) continue;
      square = worker.lanes() - 1;
      const board next = placed.place(open & (~open + 1));
      if (spawns) {
        worker.spawn(extend{next});
      } else {
        worker.accumulate(solutions{}, count_completions(c.n, next));
      }
    }
  }
};

}  // namespace mgws::bench::nqueens
