// Shortest paths in ../sssp.cpp's graph: by Dijkstra, and by delta-stepping on oneTBB.
#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for_each.h>

#include "../dijkstra.hpp"
#include "../rmat.hpp"
#include "peer.hpp"

constexpr std::uint32_t k_delta = 8, k_buckets = 255 / k_delta + 2;

// Keeps the smaller one and returns what was there.
std::uint32_t fetch_min(std::uint32_t& x, std::uint32_t v) {
  const std::atomic_ref ref(x);
  std::uint32_t before = ref.load(std::memory_order_relaxed);
  while (v < before && !ref.compare_exchange_weak(before, v, std::memory_order_relaxed)) {
  }
  return before;
}

void delta_stepping(const graph& g, std::vector<std::uint32_t>& distance) {
  std::vector<std::uint32_t> queued(g.vertices(), 0);
  using buckets = std::array<std::vector<vertex>, k_buckets>;
  tbb::enumerable_thread_specific<buckets> filled;  // each thread has its own
  std::vector<vertex> list;
  filled.local()[0] = {0};
  distance[0] = 0;
  std::uint32_t empty = 0;
  for (std::uint32_t bucket = 0; empty != k_buckets; ++bucket) {
    list.clear();
    for (buckets& mine : filled) {
      std::vector<vertex>& from = mine[bucket % k_buckets];
      for (const vertex v : from)
        if (distance[v] / k_delta == bucket) list.push_back(v);
      from.clear();
    }
    empty = list.empty() ? empty + 1 : 0;
    tbb::parallel_for_each(list, [&](vertex v, tbb::feeder<vertex>& feeder) {
      buckets& mine = filled.local();
      std::atomic_ref(queued[v]).exchange(0, std::memory_order_acq_rel);
      const std::uint32_t at = std::atomic_ref(distance[v]).load(std::memory_order_relaxed);
      for (std::uint64_t e = g.begin[v]; e != g.begin[v + 1]; ++e) {
        const vertex w = g.neighbours[e];
        const std::uint32_t d = at + length(v, w);
        const std::uint32_t before = fetch_min(distance[w], d);
        if (d >= before) continue;
        if (d / k_delta != bucket) {
          if (d / k_delta != before / k_delta) mine[d / k_delta % k_buckets].push_back(w);
        } else if (std::atomic_ref(queued[w]).exchange(1, std::memory_order_acq_rel) == 0) {
          feeder.add(w);
        }
      }
    });
  }
}

int main(int argc, char** argv) {
  const unsigned long scale = argc > 1 ? std::stoul(argv[1]) : 16;
  const graph g = make_rmat(static_cast<unsigned>(scale), std::uint64_t{8} << scale);
  std::vector<std::uint32_t> expected, found(g.vertices(), k_far);
  return compare([&] { expected = dijkstra(g); }, [&] { delta_stepping(g, found); },
                 [&] { return found == expected; });
}
