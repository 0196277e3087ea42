// Lengths of a graph's edges and shortest paths by one thread, for the examples.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "rmat.hpp"

constexpr std::uint32_t k_far = ~std::uint32_t{0};

// Of the edge between two vertices, 1 to 255.
constexpr std::uint32_t length(vertex a, vertex b) {
  return (a * b ^ (a + b) * 2654435761u) % 255 + 1;
}

// From vertex 0 to each.
inline std::vector<std::uint32_t> dijkstra(const graph& g) {
  std::vector<std::uint32_t> distance(g.vertices(), k_far);
  using entry = std::pair<std::uint32_t, vertex>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> queue;
  queue.push({distance[0] = 0, 0});
  while (!queue.empty()) {
    const auto [d, v] = queue.top();
    queue.pop();
    if (d != distance[v]) continue;
    for (std::uint64_t e = g.begin[v]; e != g.begin[v + 1]; ++e)
      if (const vertex w = g.neighbours[e]; d + length(v, w) < distance[w])
        queue.push({distance[w] = d + length(v, w), w});
  }
  return distance;
}
