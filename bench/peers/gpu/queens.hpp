/// \file
/// The n-queens search of mgws-peer-gpu: a partial placement in four words, and what one step does.
#pragma once

#include <cstdint>
#include <vector>

#if defined(__CUDACC__)
#define MGWS_PEER_FN __host__ __device__ __forceinline__
#else
#define MGWS_PEER_FN inline
#endif

namespace mgws::bench::peers::gpu {

/// Queens in the first rows. The columns' highest five bits count them, so that one addition sets
/// the column and counts.
struct placement {
  std::uint32_t columns;    ///< taken
  std::uint32_t diagonals;  ///< attacked in the next row
  std::uint32_t antidiagonals;
  std::uint32_t open;  ///< free squares of the next row that are still to be tried
};
static_assert(sizeof(placement) == 16);

constexpr std::uint32_t k_one_queen = 1u << 27;

struct queens_board {
  std::uint32_t n;  ///< at most 27

  [[nodiscard]] MGWS_PEER_FN std::uint32_t squares() const { return (1u << n) - 1; }
  /// Columns that count n - 1 queens are at least this: one row is left.
  [[nodiscard]] MGWS_PEER_FN std::uint32_t last_row() const { return (n - 1) * k_one_queen; }

  /// Takes the first of the squares to be tried, and puts a queen there.
  [[nodiscard]] MGWS_PEER_FN placement place_next(placement& from) const {
    const std::uint32_t square = from.open & (0 - from.open);
    from.open ^= square;
    placement to;
    to.columns = from.columns + square + k_one_queen;
    to.diagonals = (from.diagonals | square) << 1;
    to.antidiagonals = (from.antidiagonals | square) >> 1;
    to.open = ~(to.columns | to.diagonals | to.antidiagonals) & squares();
    return to;
  }

  /// No queen yet, and of the first row the left half: the other solutions are the mirror images.
  /// In a board with a middle column a queen there leaves the second row's left half.
  [[nodiscard]] std::vector<placement> first_rows(std::uint32_t rows) const {
    std::vector<placement> all;
    placement root{0, 0, 0, (1u << n / 2) - 1};
    grow(root, rows, all);
    if (n % 2 != 0) {
      placement middle{0, 0, 0, 1u << n / 2};
      placement next = place_next(middle);
      next.open &= (1u << n / 2) - 1;
      grow(next, rows - 1, all);
    }
    return all;
  }

  /// How many placements of so many rows first_rows() would give.
  [[nodiscard]] std::uint64_t count_first_rows(std::uint32_t rows) const {
    std::uint64_t count = 0;
    for (placement p : first_rows(2))
      count += count_below(p, rows - 2);
    return count;
  }

 private:
  void grow(placement from, std::uint32_t rows, std::vector<placement>& all) const {
    if (rows == 0) {
      all.push_back(from);
      return;
    }
    while (from.open != 0)
      if (const placement next = place_next(from); next.open != 0) grow(next, rows - 1, all);
  }
  [[nodiscard]] std::uint64_t count_below(placement from, std::uint32_t rows) const {
    if (rows == 0) return 1;
    std::uint64_t count = 0;
    while (from.open != 0)
      if (const placement next = place_next(from); next.open != 0)
        count += count_below(next, rows - 1);
    return count;
  }
};

/// Depth first below one placement after the other, one queen a step. Only placements with squares
/// left to try are kept, in a stack that `Stack` has: void push(placement), bool pop(placement&).
/// \param take  bool take(placement&): the next one to search
/// \return solutions
template <class Stack, class Take>
[[nodiscard]] MGWS_PEER_FN std::uint64_t search_queens(const queens_board& board, Stack& stack,
                                                       Take&& take) {
  const std::uint32_t last_row = board.last_row();
  std::uint64_t solutions = 0;
  placement here;
  if (!take(here)) return 0;
  for (;;) {
    const placement next = board.place_next(here);
    const bool any = next.open != 0;
    const bool ends = next.columns >= last_row;
    // In the last row there is one square at most.
    solutions += any && ends ? 1 : 0;
    if (any && !ends) {
      if (here.open != 0) stack.push(here);
      here = next;
    } else if (here.open == 0 && !stack.pop(here) && !take(here)) {
      return solutions;
    }
    // Lanes meet here, whatever each of them has done: the compiler is not to make a way back of
    // each branch.
    asm volatile("");
  }
}

}  // namespace mgws::bench::peers::gpu
