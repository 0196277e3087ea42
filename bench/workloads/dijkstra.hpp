/// \file
/// `dijkstra`: the distances from node 0 to all others, by tasks that relax edges under a finish,
/// as in Chatterjee et al. ("Dynamic Task Parallelism with a GPU Work-Stealing Runtime System",
/// LCPC 2011). In what order is what it takes: a node that is visited too early is visited again.
/// So they go from bucket to bucket (Meyer and Sanders, "Delta-stepping: a parallelizable shortest
/// path algorithm", Journal of Algorithms, 2003), each one range of distances, in one run: after
/// the finish of a bucket's short edges come its long ones, after theirs the next bucket.
#pragma once

#include <cstddef>
#include <cstdint>

#include <mgws/atomic_ref.hpp>
#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws::bench::dijkstra {

using node = std::uint32_t;

/// A distance that no node has: those are below 2^31. No delta of up to 2^31 has it in one of their
/// buckets.
inline constexpr std::uint32_t k_unreached = ~std::uint32_t{0};
inline constexpr std::uint64_t k_most_distance = std::uint64_t{1} << 31;

struct edge {
  node to;
  std::uint32_t length;
};

/// Nodes in a bucket's list: a cache line each, because all workers change them.
struct alignas(128) counter {
  std::uint32_t n;
};

/// In which order nodes are visited: by phases, a bucket each; or by tasks that are free to come in
/// any (relaxations.hpp).
enum class which : std::uint32_t { buckets, priority, oldest, newest };

struct context {
  const std::uint64_t* begin;  ///< edges of node v: from begin[v] on, before begin[v + 1]
  const edge* edges;           ///< of a node: by ascending length
  std::uint32_t* distances;
  std::uint32_t* awaited;  ///< 1: a task that visits the node has been spawned, and has not begun
  node* lists;             ///< of the buckets, each with room for all nodes
  counter* counts;         ///< of these
  std::uint32_t nodes;
  std::uint32_t delta;    ///< distances of a bucket; an edge that is not longer is short
  std::uint32_t buckets;  ///< lists: of so many buckets, one after the other, nodes can be known
  which tasks;

  [[nodiscard]] MGWS_FN std::uint32_t bucket_of(std::uint32_t distance) const {
    return distance / delta;
  }
  [[nodiscard]] MGWS_FN node* list(std::uint32_t bucket) const {
    return lists + static_cast<std::size_t>(bucket % buckets) * nodes;
  }
  [[nodiscard]] MGWS_FN std::uint32_t& count(std::uint32_t bucket) const {
    return counts[bucket % buckets].n;
  }
};

/// Edges that were relaxed, some more than once.
struct relaxed : sum<std::uint64_t> {};
/// Buckets that had a node.
struct phases : sum<std::uint64_t> {};

template <shape Width>
struct visit;

/// A way to the end of an edge, from where it begins.
template <shape Width>
MGWS_FN void relax(auto& worker, std::uint32_t bucket, std::uint32_t distance, const edge& e) {
  const context& c = worker.context();
  worker.accumulate(relaxed{}, 1);
  const std::uint32_t found = distance + e.length;
  const std::uint32_t before = mgws::atomic_ref(c.distances[e.to]).fetch_min(found);
  if (found >= before) return;
  const std::uint32_t into = c.bucket_of(found);
  // Distances only fall, so a node comes into a bucket once.
  if (into != c.bucket_of(before))
    c.list(into)[mgws::atomic_ref(c.count(into)).fetch_add(1)] = e.to;
  // The task that is awaited, if any, has not looked yet, and will see what was found.
  if (into == bucket && mgws::atomic_ref(c.awaited[e.to]).exchange(1, order::acq_rel) == 0)
    worker.spawn(visit<Width>{e.to, bucket});
}

/// The short edges of a node, which the task's lanes share.
template <shape Width>
MGWS_FN void relax_short(auto& worker, std::uint32_t bucket, node v) {
  const context& c = worker.context();
  const std::uint32_t distance = mgws::atomic_ref(c.distances[v]).load();
  const std::uint64_t end = c.begin[v + 1];
  for (std::uint64_t i = c.begin[v] + worker.lane(); i < end; i += worker.lanes()) {
    if (c.edges[i].length > c.delta) return;
    relax<Width>(worker, bucket, distance, c.edges[i]);
  }
}

/// A node to which a shorter way was found within its bucket.
template <shape Width>
struct visit {
  static constexpr shape width = Width;
  node v;
  std::uint32_t bucket;

  MGWS_FN void operator()(auto& worker) const {
    // Whoever finds 1 there has written a distance before, which is seen after this.
    if (worker.lane() == 0)
      mgws::atomic_ref(worker.context().awaited[v]).exchange(0, order::acq_rel);
    worker.sync();
    relax_short<Width>(worker, bucket, v);
  }
};

/// The nodes that are in a bucket when it begins, unless a shorter way has led to an earlier one.
template <shape Width>
struct short_edges {
  static constexpr shape width = Width;
  std::uint32_t bucket;

  MGWS_FN void operator()(auto& worker, task_index i) const {
    const context& c = worker.context();
    const node v = c.list(bucket)[i];
    if (c.bucket_of(mgws::atomic_ref(c.distances[v]).load()) == bucket)
      relax_short<Width>(worker, bucket, v);
  }
};

/// The long edges of the nodes whose distances are in a bucket, and are final: they lead to later
/// ones.
template <shape Width>
struct long_edges {
  static constexpr shape width = Width;
  std::uint32_t bucket;

  MGWS_FN void operator()(auto& worker, task_index i) const {
    const context& c = worker.context();
    const node v = c.list(bucket)[i];
    const std::uint32_t distance = mgws::atomic_ref(c.distances[v]).load();
    if (c.bucket_of(distance) != bucket) return;
    // From the longest one on.
    const std::uint64_t end = c.begin[v + 1];
    const std::uint64_t all = end - c.begin[v];
    for (std::uint64_t back = worker.lane(); back < all; back += worker.lanes()) {
      const edge& e = c.edges[end - 1 - back];
      if (e.length <= c.delta) return;
      relax<Width>(worker, bucket, distance, e);
    }
  }
};

/// A bucket is done: begins with the next one that has nodes, if there is any.
template <shape Width>
struct next_bucket {
  static constexpr bool after_finish = true;
  std::uint32_t bucket;
  MGWS_FN void operator()(auto& worker) const;
};

/// No short edge leads to a shorter way within a bucket any more.
template <shape Width>
struct settled {
  static constexpr bool after_finish = true;
  std::uint32_t bucket;
  MGWS_FN void operator()(auto& worker) const {
    worker.finish_n(next_bucket<Width>{bucket}, long_edges<Width>{bucket},
                    mgws::atomic_ref(worker.context().count(bucket)).load());
  }
};

template <shape Width>
MGWS_FN void begin_bucket(auto& worker, std::uint32_t bucket, std::uint32_t nodes) {
  worker.accumulate(phases{}, 1);
  worker.finish_n(settled<Width>{bucket}, short_edges<Width>{bucket}, nodes);
}

template <shape Width>
MGWS_FN void next_bucket<Width>::operator()(auto& worker) const {
  const context& c = worker.context();
  mgws::atomic_ref(c.count(bucket)).store(0);
  for (std::uint32_t i = 1; i != c.buckets; ++i)
    if (const std::uint32_t n = mgws::atomic_ref(c.count(bucket + i)).load(); n != 0)
      return begin_bucket<Width>(worker, bucket + i, n);
}

/// Node 0 is where all begins. \pre no distance is known, no node is in a list, none is awaited
template <shape Width>
struct start {
  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    mgws::atomic_ref(c.distances[0]).store(0);
    mgws::atomic_ref(c.count(0)).store(1);
    c.list(0)[0] = 0;
    begin_bucket<Width>(worker, 0, 1);
  }
};

template <shape Width>
using tasks = task_set<visit<Width>, short_edges<Width>, long_edges<Width>, settled<Width>,
                       next_bucket<Width>, start<Width>>;

}  // namespace mgws::bench::dijkstra
