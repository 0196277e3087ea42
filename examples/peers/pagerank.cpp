// PageRank of ../pagerank.cpp's graph, with oneTBB's parallel_reduce as a round.
#include "../pagerank.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include "peer.hpp"

std::vector<double> by_rounds(const graph& g) {
  struct sums {
    double change = 0;
    double dangling = 0;
  };
  const vertex n = g.vertices();
  ranking now = all_alike(g);
  ranking next = now;
  for (double change = 1; change > k_tolerance; std::swap(now, next)) {
    const double base = of_each(now.dangling, n);
    const sums of_round = tbb::parallel_reduce(
        tbb::blocked_range<vertex>(0, n), sums{},
        [&](const auto& range, sums mine) {
          for (vertex v = range.begin(); v != range.end(); ++v) {
            const auto degree = static_cast<double>(g.begin[v + 1] - g.begin[v]);
            const double rank = base + k_damping * given(g, now.shares, v);
            if (degree == 0) mine.dangling += rank;
            mine.change += std::abs(rank - now.ranks[v]);
            next.ranks[v] = rank;
            next.shares[v] = degree == 0 ? 0 : rank / degree;
          }
          return mine;
        },
        [](const sums& a, const sums& b) {
          return sums{a.change + b.change, a.dangling + b.dangling};
        });
    change = of_round.change;
    next.dangling = of_round.dangling;
  }
  return now.ranks;
}

int main(int argc, char** argv) {
  const unsigned long scale = argc > 1 ? std::stoul(argv[1]) : 16;
  const graph g = make_rmat(static_cast<unsigned>(scale), std::uint64_t{8} << scale);
  std::vector<double> expected, found;
  return compare([&] { expected = pagerank(g); }, [&] { found = by_rounds(g); },
                 [&] { return alike(found, expected); });
}
