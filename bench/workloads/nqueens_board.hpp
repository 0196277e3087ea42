/// \file
/// A partial placement of queens, one a row, as bit sets; and counting its completions without
/// tasks. Shared by the workload and the other runtimes it is compared with.
#pragma once

#include <bit>
#include <cstdint>

#include <mgws_port.hpp>

namespace mgws::bench::nqueens {

inline constexpr std::uint32_t k_max_n = 27;  ///< the largest for which the answer is known

struct board {
  std::uint32_t columns = 0;    ///< taken
  std::uint32_t diagonals = 0;  ///< attacked in the next row, going down to the left
  std::uint32_t antidiagonals = 0;
  std::uint32_t row = 0;  ///< queens placed

  [[nodiscard]] MGWS_FN constexpr std::uint32_t free_squares(std::uint32_t n) const {
    return ~(columns | diagonals | antidiagonals) & ((1u << n) - 1);
  }
  /// With a queen on a free square, given as one bit, in the next row.
  [[nodiscard]] MGWS_FN constexpr board place(std::uint32_t square) const {
    return {columns | square, (diagonals | square) << 1, (antidiagonals | square) >> 1, row + 1};
  }
};

// For processors one function, compiled by itself, so that all programs that are compared run the
// same code; in GPU code a call would be one more thing to measure.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define MGWS_BENCH_CALLED
#else
#define MGWS_BENCH_CALLED [[gnu::noinline]]
#endif

/// Completions of a board, depth first with a stack of at most n rows of free squares.
[[nodiscard]] MGWS_BENCH_CALLED MGWS_FN constexpr std::uint64_t count_completions(
    std::uint32_t n, const board& from) {
  if (from.row == n) return 1;
  std::uint64_t found = 0;
  board path[k_max_n];
  std::uint32_t open[k_max_n];
  std::uint32_t depth = 0;
  path[0] = from;
  open[0] = from.free_squares(n);
  for (;;) {
    if (open[depth] == 0) {
      if (depth == 0) return found;
      --depth;
      continue;
    }
    const std::uint32_t square = open[depth] & (~open[depth] + 1);
    open[depth] ^= square;
    const board next = path[depth].place(square);
    if (next.row == n) {
      ++found;
    } else if (const std::uint32_t squares = next.free_squares(n); squares != 0) {
      ++depth;
      path[depth] = next;
      open[depth] = squares;
    }
  }
}
#undef MGWS_BENCH_CALLED

/// Solutions of the n-queens problem for n in [1, 27] (OEIS A000170).
[[nodiscard]] constexpr std::uint64_t known_solutions(std::uint32_t n) {
  constexpr std::uint64_t known[] = {1,
                                     1,
                                     0,
                                     0,
                                     2,
                                     10,
                                     4,
                                     40,
                                     92,
                                     352,
                                     724,
                                     2680,
                                     14200,
                                     73712,
                                     365596,
                                     2279184,
                                     14772512,
                                     95815104,
                                     666090624,
                                     4968057848,
                                     39029188884,
                                     314666222712,
                                     2691008701644,
                                     24233937684440,
                                     227514171973736,
                                     2207893435808352,
                                     22317699616364044,
                                     234907967154122528};
  return known[n];
}

}  // namespace mgws::bench::nqueens
