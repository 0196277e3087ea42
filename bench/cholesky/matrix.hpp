/// \file
/// The matrix that `cholesky` factors, and how far from it the product of its factors is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "loop/pattern.hpp"
#include "workloads/cholesky.hpp"

namespace mgws::bench::cholesky {

/// As far as it is there: a tile's rows that the lower triangle has, by row; f(row, column,
/// element).
template <class F>
void for_each_of_lower(const tiled& m, std::uint32_t n, F&& f) {
  for (std::uint32_t row = 0; row != n; ++row)
    for (std::uint32_t column = 0; column <= row; ++column) {
      double* const tile = m.tile(row / m.side, column / m.side);
      f(row, column, tile[row % m.side * m.side + column % m.side]);
    }
}

/// Symmetric, its elements of [0, 1), but for the diagonal, on which n is added: each is larger
/// than all others of its row together, so the matrix is positive definite.
inline void fill(const tiled& m, std::uint32_t n, std::uint64_t seed) {
  for_each_of_lower(m, n, [&](std::uint32_t row, std::uint32_t column, double& element) {
    const std::uint64_t bits = split_mix_64(seed ^ (std::uint64_t{row} << 32 | column));
    element = static_cast<double>(bits >> 11) * 0x1p-53 + (row == column ? n : 0);
  });
}

/// How far L L^T is from A, by what both make of a vector: the largest element of L L^T x - A x, as
/// a multiple of n, the rounding error, and A's and x's largest norms. Below 30, by which LAPACK's
/// own tests call a factorization right, if it is; not a number if an element is none.
[[nodiscard]] inline double residual(const tiled& a, const tiled& l, std::uint32_t n) {
  std::vector<double> x(n), transposed(n), product(n), row_sums(n);
  for (std::uint32_t i = 0; i != n; ++i)
    x[i] = static_cast<double>(split_mix_64(i) >> 11) * 0x1p-53 + 0.5;
  for_each_of_lower(l, n, [&](std::uint32_t row, std::uint32_t column, double element) {
    transposed[column] += element * x[row];
  });
  for_each_of_lower(l, n, [&](std::uint32_t row, std::uint32_t column, double element) {
    product[row] += element * transposed[column];
  });
  for_each_of_lower(a, n, [&](std::uint32_t row, std::uint32_t column, double element) {
    product[row] -= element * x[column];
    row_sums[row] += std::abs(element);
    if (row == column) return;
    product[column] -= element * x[row];
    row_sums[column] += std::abs(element);
  });
  double largest = 0;
  for (const double r : product)
    largest = std::isnan(r) || std::isnan(largest) ? std::numeric_limits<double>::quiet_NaN()
                                                   : std::max(largest, std::abs(r));
  return largest / (n * std::numeric_limits<double>::epsilon() * std::ranges::max(row_sums) *
                    std::ranges::max(x));
}

}  // namespace mgws::bench::cholesky
