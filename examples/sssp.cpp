// Shortest paths from one vertex by delta-stepping: a run a bucket of distances. Within its bucket
// a vertex is a task that others spawn; one that belongs to a later bucket is put into its list.
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <mgws/mgws.hpp>

#include "dijkstra.hpp"
#include "rmat.hpp"

// So many buckets can be filled at once: no edge is longer than 255.
constexpr std::uint32_t k_delta = 8, k_buckets = 255 / k_delta + 2;

// How many stand in a bucket's list: a cache line each, as all workers change them.
struct alignas(64) counter {
  vertex n = 0;
};
struct context {
  std::uint32_t vertices;
  const std::uint64_t* begin;
  const vertex* neighbours;
  std::uint32_t* distance;
  std::uint32_t* queued;  // 1: a task that will visit the vertex has been spawned
  vertex* lists;          // of the buckets, each with room for all
  counter* counts;        // of these
  std::uint32_t bucket;   // whose run this is
};

struct visit {
  static constexpr auto width = mgws::shape::warp;
  vertex v;
  MGWS_FN void operator()(auto& worker) const {
    // Who finds 1 there has improved the distance before this, and it is seen below.
    if (worker.lane() == 0)
      mgws::atomic_ref(worker.context().queued[v]).exchange(0, mgws::order::acq_rel);
    worker.sync();
    relax(worker, v);
  }
  // Who improves v's distance meanwhile spawns a visit.
  MGWS_FN static void relax(auto& worker, vertex v) {
    const context c = worker.context();
    const std::uint32_t distance = mgws::atomic_ref(c.distance[v]).load();
    if (distance / k_delta != c.bucket) return;  // a shorter path has put it into an earlier one
    const std::uint64_t end = c.begin[v + 1];
    for (std::uint64_t e = c.begin[v] + worker.lane(); e < end; e += worker.lanes()) {
      const vertex w = c.neighbours[e];
      const std::uint32_t d = distance + length(v, w);
      const std::uint32_t before = mgws::atomic_ref(c.distance[w]).fetch_min(d);
      if (d >= before) continue;
      const std::uint32_t bucket = d / k_delta, in_ring = bucket % k_buckets;
      if (bucket != c.bucket) {
        if (bucket != before / k_delta)  // otherwise it stands there
          c.lists[in_ring * std::size_t{c.vertices} +
                  mgws::atomic_ref(c.counts[in_ring].n).fetch_add(1)] = w;
        // Unless one is on its way that will see what this task has done.
      } else if (mgws::atomic_ref(c.queued[w]).exchange(1, mgws::order::acq_rel) == 0) {
        worker.spawn(visit{w});
      }
    }
  }
};
struct begin_with {
  static constexpr auto width = mgws::shape::warp;
  MGWS_FN void operator()(auto& worker, mgws::task_index i) const {
    const context& c = worker.context();
    visit::relax(worker, c.lists[c.bucket % k_buckets * std::size_t{c.vertices} + i]);
  }
};

int main(int argc, char** argv) {
  const unsigned long scale = argc > 1 ? std::stoul(argv[1]) : 16;
  const graph g = make_rmat(static_cast<unsigned>(scale), std::uint64_t{8} << scale);
  const vertex n = g.vertices();

  mgws::options o;
  std::string why;
  if (!mgws::gpu_names(why).empty()) o.devices = {{.kind = mgws::device_kind::gpu}};
  mgws::runtime<mgws::task_set<begin_with, visit>, mgws::accumulators<>, context> rt(o);
  mgws::array<std::uint64_t> begin(rt, n + 1);
  mgws::array<vertex> neighbours(rt, g.neighbours.size());
  mgws::array<std::uint32_t> distance(rt, n), queued(rt, n);
  mgws::array<vertex> lists(rt, k_buckets * std::size_t{n});
  mgws::array<counter> counts(rt, k_buckets);
  begin.upload(g.begin);
  neighbours.upload(g.neighbours);
  queued.fill(0);
  distance.fill(0xff);
  const vertex zero = 0;
  distance.upload({&zero, 1});
  lists.upload({&zero, 1});

  std::vector<counter> left(k_buckets);
  left[0].n = 1;
  double seconds = 0;
  std::uint32_t bucket = 0, runs = 0;
  for (std::uint32_t empty = 0; empty != k_buckets; ++bucket) {
    const vertex count = std::exchange(left[bucket % k_buckets].n, 0);
    empty = count == 0 ? empty + 1 : 0;
    if (count == 0) continue;
    ++runs;
    counts.upload(left);
    rt.seed_n(begin_with{}, count);
    seconds += rt.run({n, begin.data(), neighbours.data(), distance.data(), queued.data(),
                       lists.data(), counts.data(), bucket})
                   .seconds;
    counts.download(left);
  }
  std::vector<std::uint32_t> found(n);
  distance.download(found);

  const bool right = found == dijkstra(g);
  std::printf("%zu edges, %u runs, %.4f s: %s\n", g.neighbours.size(), runs, seconds,
              right ? "right" : "WRONG");
  return right ? 0 : 1;
}
