// Graphs of few hubs and many leaves (R-MAT), for the examples.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

using vertex = std::uint32_t;

// The neighbours of vertex v are neighbours[begin[v]] to those before neighbours[begin[v + 1]], in
// ascending order, each once.
struct graph {
  std::vector<std::uint64_t> begin;
  std::vector<vertex> neighbours;
  [[nodiscard]] vertex vertices() const { return static_cast<vertex>(begin.size() - 1); }
};

// Each edge goes into one quarter of the matrix after the other; 57, 19, 19 and 5 of 100 do.
inline graph make_rmat(unsigned scale, std::uint64_t edges) {
  std::vector<std::pair<vertex, vertex>> all;
  std::uint64_t x = 1;
  for (std::uint64_t e = 0; e != edges; ++e) {
    vertex a = 0;
    vertex b = 0;
    for (unsigned bit = 0; bit != scale; ++bit) {
      x = x * 6364136223846793005 + 1442695040888963407;
      const std::uint64_t of_100 = (x >> 32) * 100 >> 32;
      const vertex quarter = of_100 < 57 ? 0 : of_100 < 76 ? 1 : of_100 < 95 ? 2 : 3;
      a = 2 * a + quarter / 2;
      b = 2 * b + quarter % 2;
    }
    if (a != b) all.insert(all.end(), {{a, b}, {b, a}});
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  graph g;
  g.begin.resize((std::size_t{1} << scale) + 1);
  for (const auto& [a, b] : all) {
    ++g.begin[a + 1];
    g.neighbours.push_back(b);
  }
  std::partial_sum(g.begin.begin(), g.begin.end(), g.begin.begin());
  return g;
}

// What larger neighbours each vertex has, if they are numbered by their degree.
inline graph upwards(const graph& g) {
  std::vector<vertex> order(g.vertices());
  std::vector<vertex> number(g.vertices());
  std::iota(order.begin(), order.end(), vertex{0});
  std::stable_sort(order.begin(), order.end(), [&](vertex a, vertex b) {
    return g.begin[a + 1] - g.begin[a] < g.begin[b + 1] - g.begin[b];
  });
  for (vertex i = 0; i != g.vertices(); ++i)
    number[order[i]] = i;
  graph up;
  up.begin.push_back(0);
  for (const vertex v : order) {
    for (std::uint64_t e = g.begin[v]; e != g.begin[v + 1]; ++e)
      if (const vertex w = number[g.neighbours[e]]; w > number[v]) up.neighbours.push_back(w);
    std::sort(up.neighbours.begin() + static_cast<std::ptrdiff_t>(up.begin.back()),
              up.neighbours.end());
    up.begin.push_back(up.neighbours.size());
  }
  return up;
}

// Of each edge, in their order, the vertex that has it.
inline std::vector<vertex> sources_of(const graph& g) {
  std::vector<vertex> sources;
  for (vertex v = 0; v != g.vertices(); ++v)
    sources.insert(sources.end(), g.begin[v + 1] - g.begin[v], v);
  return sources;
}
