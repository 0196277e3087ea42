/// \file
/// Graphs of `dijkstra`, by a seed, and the distances in them by one thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "workloads/dijkstra.hpp"

namespace mgws::bench::dijkstra {

/// Of node v, edges[begin[v]] to those before edges[begin[v + 1]] lead away, by ascending length.
struct graph {
  std::vector<std::uint64_t> begin;
  std::vector<edge> edges;
};

/// \param kind    random: from any node to any node; rmat: recursively into one quarter of the
///                matrix, with probabilities of 0.57, 0.19, 0.19 and 0.05 (Chakrabarti, Zhan,
///                Faloutsos, "R-MAT", SDM 2004), which makes few hubs and many leaves
/// \param degree  edges a node, in the mean
/// \param longest edges are of length 1 to this
/// \pre 0 < nodes, 0 < longest
[[nodiscard]] inline graph make_graph(const std::string& kind, std::uint32_t nodes,
                                      std::uint32_t degree, std::uint32_t longest,
                                      std::uint64_t seed) {
  // SplitMix64 (Steele, Lea, Flood).
  const auto next = [&seed](std::uint32_t below) {
    std::uint64_t x = seed += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return static_cast<std::uint32_t>((x ^ x >> 31) % below);
  };
  struct known {
    node from;
    edge to;
  };
  std::vector<known> all(std::size_t{nodes} * degree);
  for (known& e : all) {
    node ends[2] = {next(nodes), next(nodes)};
    if (kind == "rmat") do {
        ends[0] = ends[1] = 0;
        for (auto level = std::bit_width(nodes - 1); level != 0; --level) {
          const std::uint32_t of_100 = next(100);
          const std::uint32_t quarter = of_100 < 57 ? 0 : of_100 < 76 ? 1 : of_100 < 95 ? 2 : 3;
          ends[0] = 2 * ends[0] + quarter / 2;
          ends[1] = 2 * ends[1] + quarter % 2;
        }
      } while (ends[0] >= nodes || ends[1] >= nodes);
    e = {ends[0], {ends[1], 1 + next(longest)}};
  }
  std::ranges::sort(all, {}, [](const known& e) { return std::pair(e.from, e.to.length); });
  graph made;
  made.begin.resize(std::size_t{nodes} + 1);
  for (const known& e : all) {
    ++made.begin[e.from + 1];
    made.edges.push_back(e.to);
  }
  std::partial_sum(made.begin.begin(), made.begin.end(), made.begin.begin());
  return made;
}

/// From node 0 to each; k_unreached where there is no way (Dijkstra, 1959, with a heap).
[[nodiscard]] inline std::vector<std::uint32_t> distances(const graph& g) {
  std::vector<std::uint32_t> found(g.begin.size() - 1, k_unreached);
  using entry = std::pair<std::uint32_t, node>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> reached;
  reached.push({found[0] = 0, 0});
  while (!reached.empty()) {
    const auto [distance, v] = reached.top();
    reached.pop();
    if (distance != found[v]) continue;
    for (std::uint64_t e = g.begin[v]; e != g.begin[v + 1]; ++e) {
      const auto [to, length] = g.edges[e];
      if (distance + length < found[to]) reached.push({found[to] = distance + length, to});
    }
  }
  return found;
}

}  // namespace mgws::bench::dijkstra
