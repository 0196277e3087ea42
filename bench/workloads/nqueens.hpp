/// \file
/// `nqueens`: all solutions of the n-queens problem. Tasks place the first queens; from a given
/// number of queens on, each searches below its placement by itself.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

#include "workloads/nqueens_board.hpp"

namespace mgws::bench::nqueens {

struct context {
  board squares;
  std::uint32_t cutoff;  ///< queens placed by tasks
  std::uint32_t piece;   ///< steps of a search between two looks around
};

struct solutions : sum<std::uint64_t> {};  ///< without the mirror images

/// The lanes of a task share the free squares of its next row.
template <shape Width>
struct extend {
  static constexpr shape width = Width;
  placement placed;

  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    const board& b = c.squares;
    std::uint32_t square = worker.lane();
    for (std::uint32_t open = placed.open; open != 0; open &= open - 1) {
      if (square-- != 0) continue;
      square = worker.lanes() - 1;
      const placement next = b.place(placed, open & (~open + 1));
      if (b.rows(next) == b.n()) {
        worker.accumulate(solutions{}, 1);
      } else if (b.rows(next) < c.cutoff) {
        if (next.open != 0) worker.spawn(extend{next});
      } else {
        worker.accumulate(solutions{}, count_completions(b, next));
      }
    }
  }
};

/// An instance for each square that is to be tried: a lane's. A search is done piece by piece, its
/// stack in the worker's scratch memory.
template <>
struct extend<shape::lane> {
  using scratch = std::array<placement, k_stack_size>;
  placement placed;
  std::uint64_t path = 0;  ///< of an instance whose search has begun, below `placed`

  MGWS_FN progress operator()(auto& worker, task_index i) {
    const context& c = worker.context();
    const board& b = c.squares;
    if (path == 0) {
      for (task_index before = 0; before != i; ++before)
        placed.open &= placed.open - 1;
      placed = b.place(placed, placed.open & (~placed.open + 1));
      if (b.rows(placed) == b.n()) {
        worker.accumulate(solutions{}, 1);
        return done;
      }
      if (placed.open == 0) return done;
      if (b.rows(placed) < c.cutoff) {
        worker.spawn_n(extend{placed}, std::popcount(placed.open));
        return done;
      }
    }
    search below(b, worker.scratch(*this).begin(), placed);
    if (path != 0) below.follow(path);
    worker.accumulate(solutions{}, below.run(c.piece));
    if (below.over()) return done;
    const auto [begin, way] = below.leave();
    placed = begin;
    path = way;
    return again;
  }
};

}  // namespace mgws::bench::nqueens
