// PageRank by one thread, and what its forms have in common.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <mgws/mgws.hpp>

#include "rmat.hpp"

constexpr double k_damping = 0.85;
constexpr double k_tolerance = 1e-9;  // by how much all ranks together change in the last round

// What each of n vertices has besides what its neighbours give it.
MGWS_FN inline double of_each(double dangling, vertex n) {
  return (1 - k_damping + k_damping * dangling) / n;
}

struct ranking {
  std::vector<double> ranks;
  std::vector<double> shares;  // what a vertex gives to each neighbour
  double dangling = 0;         // ranks of vertices without a neighbour

  void set(const graph& g, vertex v, double rank) {
    const auto degree = static_cast<double>(g.begin[v + 1] - g.begin[v]);
    if (degree == 0) dangling += rank;
    ranks[v] = rank;
    shares[v] = degree == 0 ? 0 : rank / degree;
  }
};
inline ranking all_alike(const graph& g) {
  const vertex n = g.vertices();
  ranking r{std::vector<double>(n), std::vector<double>(n)};
  for (vertex v = 0; v != n; ++v)
    r.set(g, v, 1.0 / n);
  return r;
}
inline double given(const graph& g, const std::vector<double>& shares, vertex v) {
  double sum = 0;
  for (std::uint64_t e = g.begin[v]; e != g.begin[v + 1]; ++e)
    sum += shares[g.neighbours[e]];
  return sum;
}

inline std::vector<double> pagerank(const graph& g) {
  const vertex n = g.vertices();
  ranking now = all_alike(g);
  ranking next = now;
  for (double change = 1; change > k_tolerance; std::swap(now, next)) {
    change = next.dangling = 0;
    const double base = of_each(now.dangling, n);
    for (vertex v = 0; v != n; ++v) {
      next.set(g, v, base + k_damping * given(g, now.shares, v));
      change += std::abs(next.ranks[v] - now.ranks[v]);
    }
  }
  return now.ranks;
}

// Sums in another order differ a little, and so may the last round.
inline bool alike(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0;
  for (std::size_t v = 0; v != a.size(); ++v)
    difference += std::abs(a[v] - b[v]);
  return a.size() == b.size() && difference < 10 * k_tolerance;
}
