/// \file
/// `cholesky`: the Cholesky factorization of a matrix in tiles, A = L L^T (Buttari et al., A class
/// of parallel tiled linear algebra algorithms for multicore architectures, 2009). Which tile waits
/// for which is a graph that stands ready before the run. Tasks are of any width: their lanes share
/// the rows of a tile, or its blocks.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/graph.hpp>
#include <mgws_port.hpp>

namespace mgws::bench::cholesky {

/// A matrix of which the tiles on the diagonal and below it are there, one behind the other by
/// rows of tiles; within a tile by rows. What lies above the diagonal in a tile is not used.
struct tiled {
  double* elements;
  std::uint32_t side;  ///< of a tile; a multiple of k_block

  [[nodiscard]] MGWS_FN double* tile(std::uint32_t row, std::uint32_t column) const {
    return elements + (std::size_t{row} * (row + 1) / 2 + column) * side * side;
  }
};

struct context {
  tiled matrix;
};

/// Elements that a lane updates at once are a square of this side.
inline constexpr std::uint32_t k_block = 4;

/// The tile (k, k) becomes its own factor.
template <shape Width>
struct factor {
  static constexpr shape width = Width;
  std::uint32_t k;

  MGWS_FN void operator()(auto& worker) const {
    const tiled& m = worker.context().matrix;
    const std::uint32_t n = m.side;
    double* const a = m.tile(k, k);
    for (std::uint32_t c = 0; c != n; ++c) {
      const double pivot = std::sqrt(a[c * n + c]);
      worker.sync();  // all have read it
      if (worker.lane() == 0) a[c * n + c] = pivot;
      for (std::uint32_t r = c + 1 + worker.lane(); r < n; r += worker.lanes())
        a[r * n + c] /= pivot;
      worker.sync();
      for (std::uint32_t r = c + 1 + worker.lane(); r < n; r += worker.lanes())
        for (std::uint32_t i = c + 1; i <= r; ++i)
          a[r * n + i] -= a[r * n + c] * a[i * n + c];
      worker.sync();
    }
  }
};

/// The tile (i, k) becomes what gives it when multiplied by the factor's transpose.
template <shape Width>
struct solve {
  static constexpr shape width = Width;
  std::uint32_t i;
  std::uint32_t k;

  MGWS_FN void operator()(auto& worker) const {
    const tiled& m = worker.context().matrix;
    const std::uint32_t n = m.side;
    const double* const l = m.tile(k, k);
    double* const x = m.tile(i, k);
    for (std::uint32_t r = worker.lane(); r < n; r += worker.lanes())
      for (std::uint32_t c = 0; c != n; ++c) {
        double rest = x[r * n + c];
        for (std::uint32_t before = 0; before != c; ++before)
          rest -= x[r * n + before] * l[c * n + before];
        x[r * n + c] = rest / l[c * n + c];
      }
  }
};

/// The tile (i, j) loses the product of (i, k) and the transpose of (j, k).
template <shape Width>
struct update {
  static constexpr shape width = Width;
  std::uint32_t i;
  std::uint32_t j;
  std::uint32_t k;

  MGWS_FN void operator()(auto& worker) const {
    const tiled& m = worker.context().matrix;
    const std::uint32_t n = m.side;
    const std::uint32_t blocks = n / k_block;
    const double* const a = m.tile(i, k);
    const double* const b = m.tile(j, k);
    double* const c = m.tile(i, j);
    for (std::uint32_t at = worker.lane(); at < blocks * blocks; at += worker.lanes()) {
      const std::uint32_t row = at / blocks * k_block;
      const std::uint32_t column = at % blocks * k_block;
      if (i == j && column > row) continue;  // above the diagonal
      double sum[k_block][k_block] = {};
      for (std::uint32_t t = 0; t != n; ++t)
        for (std::uint32_t r = 0; r != k_block; ++r)
          for (std::uint32_t s = 0; s != k_block; ++s)
            sum[r][s] += a[(row + r) * n + t] * b[(column + s) * n + t];
      for (std::uint32_t r = 0; r != k_block; ++r)
        for (std::uint32_t s = 0; s != k_block; ++s)
          c[(row + r) * n + column + s] -= sum[r][s];
    }
  }
};

template <shape Width>
using factorization = mgws::graph<factor<Width>, solve<Width>, update<Width>>;

/// Tasks of a matrix that has so many rows of tiles.
[[nodiscard]] constexpr std::uint64_t tasks_of(std::uint64_t rows) {
  return rows + rows * (rows - 1) / 2 + (rows + 1) * rows * (rows - 1) / 6;
}

/// What each task waits for follows from what they read and write, in the order of one thread.
template <shape Width>
[[nodiscard]] typename factorization<Width>::builder plan_of(std::uint32_t rows) {
  typename factorization<Width>::builder plan;
  // Who wrote a tile last, by rows; nobody yet: none.
  constexpr node_id none = ~node_id{0};
  std::vector<node_id> writers(std::size_t{rows} * (rows + 1) / 2, none);
  const auto writer = [&](std::size_t row, std::size_t column) -> node_id& {
    return writers[row * (row + 1) / 2 + column];
  };
  const auto after = [&](node_id before, node_id n) {
    if (before != none) plan.precede(before, n);
  };
  for (std::uint32_t k = 0; k != rows; ++k) {
    const node_id diagonal = plan.add(factor<Width>{k});
    after(std::exchange(writer(k, k), diagonal), diagonal);
    for (std::uint32_t i = k + 1; i != rows; ++i) {
      const node_id below = plan.add(solve<Width>{i, k});
      after(std::exchange(writer(i, k), below), below);
      after(diagonal, below);
    }
    for (std::uint32_t i = k + 1; i != rows; ++i)
      for (std::uint32_t j = k + 1; j <= i; ++j) {
        const node_id rest = plan.add(update<Width>{i, j, k});
        after(std::exchange(writer(i, j), rest), rest);
        after(writer(i, k), rest);
        if (i != j) after(writer(j, k), rest);
      }
  }
  return plan;
}

}  // namespace mgws::bench::cholesky
