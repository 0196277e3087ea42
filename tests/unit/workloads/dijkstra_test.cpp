#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "catch.hpp"
#include "dijkstra/graph.hpp"

namespace {

using namespace mgws::bench::dijkstra;

/// Bellman's and Ford's: relaxes all edges until nothing changes.
std::vector<std::uint32_t> by_rounds(const graph& g) {
  std::vector<std::uint32_t> found(g.begin.size() - 1, k_unreached);
  found[0] = 0;
  for (bool again = true; again;) {
    again = false;
    for (node v = 0; v != found.size(); ++v)
      for (std::uint64_t e = g.begin[v]; found[v] != k_unreached && e != g.begin[v + 1]; ++e)
        if (const auto [to, length] = g.edges[e]; found[v] + length < found[to]) {
          found[to] = found[v] + length;
          again = true;
        }
  }
  return found;
}

}  // namespace

TEST_CASE("dijkstra: graphs are as large as they are to be, and the same for a seed") {
  for (const std::string kind : {"random", "rmat"})
    for (const std::uint32_t nodes : {1u, 2u, 1000u}) {
      INFO(kind << ' ' << nodes);
      const graph g = make_graph(kind, nodes, 7, 50, 3);
      REQUIRE(g.begin.size() == nodes + 1);
      CHECK(g.begin.front() == 0);
      CHECK(g.begin.back() == g.edges.size());
      CHECK(g.edges.size() == 7 * nodes);
      CHECK(std::ranges::is_sorted(g.begin));
      std::uint32_t shortest = 50;
      std::uint32_t longest = 1;
      for (node v = 0; v != nodes; ++v)
        for (std::uint64_t e = g.begin[v]; e != g.begin[v + 1]; ++e) {
          CHECK(g.edges[e].to < nodes);
          if (e != g.begin[v]) CHECK(g.edges[e - 1].length <= g.edges[e].length);
          shortest = std::min(shortest, g.edges[e].length);
          longest = std::max(longest, g.edges[e].length);
        }
      CHECK(shortest >= 1);
      CHECK(longest <= 50);
      if (nodes == 1000) CHECK(longest - shortest == 49);
      CHECK(make_graph(kind, nodes, 7, 50, 3).begin == g.begin);
    }
  CHECK(make_graph("random", 1000, 7, 50, 4).begin != make_graph("random", 1000, 7, 50, 3).begin);
}

TEST_CASE("dijkstra: hubs") {
  const auto most = [](const graph& g) {
    std::uint64_t edges = 0;
    for (std::size_t v = 0; v + 1 != g.begin.size(); ++v)
      edges = std::max(edges, g.begin[v + 1] - g.begin[v]);
    return edges;
  };
  CHECK(most(make_graph("random", 1 << 12, 8, 9, 1)) < 40);
  CHECK(most(make_graph("rmat", 1 << 12, 8, 9, 1)) > 200);
}

TEST_CASE("dijkstra: distances by one thread") {
  // 0 -> 1 -> 2 is shorter than 0 -> 2, and nothing leads to 3.
  const graph g{{0, 2, 3, 3, 4}, {{1, 2}, {2, 9}, {2, 3}, {0, 1}}};
  CHECK(distances(g) == std::vector<std::uint32_t>{0, 2, 5, k_unreached});
  for (const std::string kind : {"random", "rmat"})
    for (const std::uint32_t degree : {1u, 2u, 8u}) {
      const graph some = make_graph(kind, 500, degree, 100, degree);
      CHECK(distances(some) == by_rounds(some));
    }
}
