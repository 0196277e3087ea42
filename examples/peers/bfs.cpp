// Breadth-first search of ../bfs.cpp's graph: by a queue, and by levels on oneTBB.
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "../rmat.hpp"
#include "peer.hpp"

constexpr vertex k_none = ~vertex{0};

void by_queue(const graph& g, std::vector<vertex>& level) {
  std::vector<vertex> queue{0};
  level[0] = 0;
  for (std::size_t i = 0; i != queue.size(); ++i)
    for (std::uint64_t e = g.begin[queue[i]]; e != g.begin[queue[i] + 1]; ++e)
      if (const vertex w = g.neighbours[e]; level[w] == k_none) {
        level[w] = level[queue[i]] + 1;
        queue.push_back(w);
      }
}

void by_levels(const graph& g, std::vector<vertex>& level) {
  std::vector<vertex> frontier(g.vertices()), next(g.vertices());
  std::size_t left = 1;
  level[0] = frontier[0] = 0;
  for (vertex number = 1; left != 0; ++number) {
    std::atomic<std::size_t> count{0};
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, left), [&](const auto& range) {
      std::vector<vertex> mine;  // so that the counter changes once a range
      for (std::size_t i = range.begin(); i != range.end(); ++i)
        for (std::uint64_t e = g.begin[frontier[i]]; e != g.begin[frontier[i] + 1]; ++e) {
          const std::atomic_ref reached(level[g.neighbours[e]]);
          vertex expected = k_none;
          if (reached.load(std::memory_order_relaxed) == k_none &&
              reached.compare_exchange_strong(expected, number, std::memory_order_relaxed))
            mine.push_back(g.neighbours[e]);
        }
      std::size_t at = count.fetch_add(mine.size(), std::memory_order_relaxed);
      for (const vertex v : mine)
        next[at++] = v;
    });
    std::swap(frontier, next);
    left = count;
  }
}

int main(int argc, char** argv) {
  const unsigned long scale = argc > 1 ? std::stoul(argv[1]) : 16;
  const graph g = make_rmat(static_cast<unsigned>(scale), std::uint64_t{8} << scale);
  std::vector<vertex> expected(g.vertices(), k_none), found = expected;
  return compare([&] { by_queue(g, expected); }, [&] { by_levels(g, found); },
                 [&] { return found == expected; });
}
