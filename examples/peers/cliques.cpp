// The triangles and cliques of four of ../cliques.cpp's graph: edge by edge, and as oneTBB's sum
// over the edges.
#include <cstdint>
#include <string>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include "../rmat.hpp"
#include "peer.hpp"

struct numbers {
  std::uint64_t triangles = 0, fours = 0;
  bool operator==(const numbers&) const = default;
};

// A sorted list, and what stands in two of them.
struct list {
  const vertex *at, *end;
  bool skip_to(vertex v) {
    while (at != end && *at < v)
      ++at;
    return at != end && *at == v;
  }
};
void common(list a, list b, auto&& f) {
  for (; a.at != a.end && b.at != b.end; ++a.at)
    if (b.skip_to(*a.at)) f(a, b, *a.at);
}

void count_edge(const graph& g, vertex from, vertex to, numbers& n) {
  const auto larger = [&](vertex v) {
    return list{&g.neighbours[0] + g.begin[v], &g.neighbours[0] + g.begin[v + 1]};
  };
  common(larger(from), larger(to), [&](list in_a, list in_b, vertex v) {
    ++n.triangles;
    common(in_a, larger(v), [&](list, list, vertex w) { n.fours += in_b.skip_to(w) ? 1 : 0; });
  });
}

int main(int argc, char** argv) {
  const unsigned long scale = argc > 1 ? std::stoul(argv[1]) : 13;
  const graph g = upwards(make_rmat(static_cast<unsigned>(scale), std::uint64_t{8} << scale));
  const std::vector<vertex> from = sources_of(g);
  numbers expected, found;
  return compare(
      [&] {
        for (std::size_t e = 0; e != from.size(); ++e)
          count_edge(g, from[e], g.neighbours[e], expected);
      },
      [&] {
        found = tbb::parallel_reduce(
            tbb::blocked_range<std::size_t>(0, from.size()), numbers{},
            [&](const auto& edges, numbers n) {
              for (std::size_t e = edges.begin(); e != edges.end(); ++e)
                count_edge(g, from[e], g.neighbours[e], n);
              return n;
            },
            [](const numbers& a, const numbers& b) {
              return numbers{a.triangles + b.triangles, a.fours + b.fours};
            });
      },
      [&] { return found == expected; });
}
