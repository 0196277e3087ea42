/// \file
/// A partial placement of queens, one a row, as bit sets; and counting its completions without
/// tasks, so many steps at a time. Shared by the workload and the other runtimes it is compared
/// with.
///
/// Of the mirror images of each solution one is searched: the first row's queen is in the left
/// half, or in the middle column and the second row's in the left half.
#pragma once

#include <bit>
#include <cstdint>

#include <mgws_port.hpp>

namespace mgws::bench::nqueens {

inline constexpr std::uint32_t k_max_n = 27;  ///< the largest for which the answer is known

/// Queens in the first rows. The columns' highest five bits count them, in such a way that n - 1
/// queens set the highest bit: one addition sets the column and counts.
struct alignas(16) placement {
  std::uint32_t columns;    ///< taken
  std::uint32_t diagonals;  ///< attacked in the next row, going down to the left
  std::uint32_t antidiagonals;
  std::uint32_t open;  ///< free squares of the next row that are to be tried
};

inline constexpr std::uint32_t k_one_queen = 1u << 27;

/// Rows that a search fills at most, and how far below a placement it may begin.
inline constexpr std::uint32_t k_search_rows = 11;
/// Steps at once, between which nobody looks whether the search is over.
inline constexpr std::uint32_t k_steps_at_once = 2;
/// Places of a search's stack: a row without untried squares takes none, nor does the last row. One
/// above them says where it ends; those below are what a search goes on with that is over.
inline constexpr std::uint32_t k_stack_size = k_search_rows - 1 + k_steps_at_once + 1;

class board {
 public:
  MGWS_FN constexpr explicit board(std::uint32_t n) : n_(n) {}

  [[nodiscard]] MGWS_FN constexpr std::uint32_t n() const { return n_; }
  [[nodiscard]] MGWS_FN constexpr std::uint32_t squares() const { return (1u << n_) - 1; }

  /// No queen yet.
  [[nodiscard]] MGWS_FN constexpr placement empty() const {
    return {(17 - n_) * k_one_queen, 0, 0, (1u << (n_ + 1) / 2) - 1};
  }
  /// Queens placed.
  [[nodiscard]] MGWS_FN constexpr std::uint32_t rows(const placement& p) const {
    return ((p.columns >> 27) + n_ - 17) % 32;
  }
  /// What all solutions are, by those that were found.
  [[nodiscard]] MGWS_FN constexpr std::uint64_t with_mirrored(std::uint64_t found) const {
    return n_ == 1 ? found : 2 * found;
  }

  /// With a queen on a free square, given as one bit, in the next row.
  [[nodiscard]] MGWS_FN constexpr placement place(const placement& from,
                                                  std::uint32_t square) const {
    placement to = with(from, square);
    if (n_ % 2 != 0 && square == 1u << n_ / 2 && rows(from) == 0) to.open &= (1u << n_ / 2) - 1;
    return to;
  }
  /// The same below the first row.
  [[nodiscard]] MGWS_FN constexpr placement with(const placement& from,
                                                 std::uint32_t square) const {
    placement to{from.columns + square + k_one_queen, (from.diagonals | square) << 1,
                 (from.antidiagonals | square) >> 1, 0};
    to.open = free_squares(to);
    return to;
  }
  [[nodiscard]] MGWS_FN constexpr std::uint32_t free_squares(const placement& p) const {
    return ~(p.columns | p.diagonals | p.antidiagonals) & squares();
  }
  /// Queens to place by tasks where nobody asks for a number: the larger the board, the more rows a
  /// search may fill before it takes longer than all should wait for the last.
  [[nodiscard]] MGWS_FN constexpr std::uint32_t usual_cutoff() const {
    const std::uint32_t rows = n_ < 15 ? 8 : n_ < 18 ? n_ - 7 : k_search_rows;
    return search_from(n_ > rows ? n_ - rows : 0);
  }
  /// From how many queens on a search may begin (k_search_rows), where one is to begin from so many
  /// on.
  [[nodiscard]] MGWS_FN constexpr std::uint32_t search_from(std::uint32_t cutoff) const {
    const std::uint32_t least = n_ > k_search_rows + 2 ? n_ - k_search_rows : 2;
    return cutoff > least ? cutoff : least;
  }

 private:
  std::uint32_t n_;
};

/// A depth-first search below a placement, one queen a step. What is to be gone back to lies in a
/// stack, one placement for each row with untried squares.
///
/// A step has no branch: a processor would guess wrong every other time, and neighbouring lanes of
/// a GPU would wait for each other. \tparam Iterator  to the stack's k_stack_size placements, of
/// random access
template <class Iterator>
class search {
 public:
  /// \pre rows(begin) >= search_from(0), and all free squares of its next row are to be tried
  MGWS_FN constexpr search(const board& b, Iterator stack, const placement& begin)
      : board_(b), bottom_(stack + (k_steps_at_once - 1)), top_(bottom_), here_(begin) {
    for (std::uint32_t i = 0; i != k_steps_at_once; ++i)
      stack[i] = {k_one_queen - 1, 0, 0, 0};
  }

  /// So many steps, a multiple of k_steps_at_once, or until it is over. \return solutions found
  MGWS_FN constexpr std::uint32_t run(std::uint32_t steps) {
    const std::uint32_t outside = ~board_.squares();
    placement here = here_;
    Iterator top = top_;
    std::uint32_t found = 0;
    do {
      for (std::uint32_t i = 0; i != k_steps_at_once; ++i) {
        const std::uint32_t square = here.open & (0 - here.open);
        here.open ^= square;
        found += here.columns >> 31;  // there was a square in the last row
        const std::uint32_t columns = here.columns + square + k_one_queen;
        const std::uint32_t diagonals = (here.diagonals | square) << 1;
        const std::uint32_t antidiagonals = (here.antidiagonals | square) >> 1;
        const std::uint32_t open = ~(columns | diagonals | antidiagonals | outside);
        const bool goes_on = open != 0;
        if (goes_on && here.open != 0) *++top = here;
        const bool goes_back = !goes_on && here.open == 0;
        if (goes_on) here = {columns, diagonals, antidiagonals, open};
        if (goes_back) here = *top--;
      }
      steps -= k_steps_at_once;
    } while (here.open != 0 && steps != 0);
    here_ = here;
    top_ = top;
    return found;
  }
  [[nodiscard]] MGWS_FN constexpr bool over() const { return here_.open == 0; }

  /// What another search needs to go on here.
  struct position {
    placement begin;
    /// The columns of the queens since and the next one to be tried, five bits each, and a bit
    /// above them.
    std::uint64_t path;
  };
  /// Leaves the search.
  ///
  /// Squares are tried from the lowest one on. So the queen of a row is on the last free square
  /// below the untried ones, and on the last of all where the stack has nothing of that row.
  [[nodiscard]] MGWS_FN constexpr position leave() const {
    placement begin = top_ == bottom_ ? here_ : bottom_[1];
    begin.open = board_.free_squares(begin);
    Iterator entry = bottom_ + 1;
    top_[1].columns = 0;  // of no row of the search
    placement at = begin;
    std::uint64_t path = 0;
    std::uint32_t bits = 0;
    for (; (at.columns ^ here_.columns) >> 27 != 0; bits += 5) {
      std::uint32_t tried = at.open;
      if ((entry->columns ^ at.columns) >> 27 == 0) {
        tried &= (entry->open & (0 - entry->open)) - 1;
        ++entry;
      }
      const std::uint32_t column = column_of(tried);
      path |= std::uint64_t{column} << bits;
      at = board_.with(at, 1u << column);
    }
    const std::uint32_t next = column_of(here_.open & (0 - here_.open));
    return {begin, path | std::uint64_t{next | 1u << 5} << bits};
  }
  /// Goes on where another search was left that began where this one begins.
  MGWS_FN constexpr void follow(std::uint64_t path) {
    for (; path >> 6 != 0; path >>= 5) {
      const std::uint32_t square = 1u << (path % 32);
      const placement next = board_.with(here_, square);
      here_.open &= 0 - 2 * square;
      if (here_.open != 0) *++top_ = here_;
      here_ = next;
    }
    here_.open &= 0 - (1u << (path % 32));
  }

 private:
  /// Of the highest square.
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t column_of(std::uint32_t squares) {
    return static_cast<std::uint32_t>(std::bit_width(squares)) - 1;
  }

  board board_;
  Iterator bottom_;
  Iterator top_;
  placement here_;
};

// For processors one function, compiled by itself, so that all programs that are compared run the
// same code; in GPU code a call would be one more thing to measure.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define MGWS_BENCH_CALLED
#else
#define MGWS_BENCH_CALLED [[gnu::noinline]]
#endif

/// Completions of a placement, without the mirror images. \pre rows(from) >= search_from(0)
[[nodiscard]] MGWS_BENCH_CALLED MGWS_FN constexpr std::uint64_t count_completions(
    const board& b, const placement& from) {
  placement stack[k_stack_size];
  std::uint64_t found = 0;
  search all(b, &stack[0], from);
  while (!all.over())
    found += all.run(1u << 20);
  return found;
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
