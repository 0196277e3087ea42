/// \file
/// `dijkstra` without phases: a task for each node to which a shorter way was found, in whatever
/// order they come. What order that is decides how often a node is visited before its distance is
/// final: by priority, the bucket that the distance lies in; the oldest first; or the newest first,
/// as tasks without a priority run.
#pragma once

#include <cstdint>

#include <mgws/atomic_ref.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

#include "workloads/dijkstra.hpp"

namespace mgws::bench::dijkstra {

/// A node that waits in no bucket.
inline constexpr std::uint32_t k_not_awaited = ~std::uint32_t{0};

/// A node to which a shorter way was found. In `awaited` stands the nearest bucket in which a task
/// waits that will visit it.
template <shape Width>
struct reach {
  static constexpr shape width = Width;
  static constexpr std::uint32_t priorities = 8;
  node v;
  std::uint32_t level;

  MGWS_FN std::uint32_t priority() const { return level; }

  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    bool awaited = true;
    // Whoever has written the bucket that is found there has written a distance before.
    if (worker.lane() == 0)
      awaited =
          mgws::atomic_ref(c.awaited[v]).exchange(k_not_awaited, order::acq_rel) != k_not_awaited;
    worker.sync();
    // Another task of the node has been here since: one that came later, but waited in a nearer
    // bucket.
    if (worker.any(!awaited)) return;
    const std::uint32_t distance = mgws::atomic_ref(c.distances[v]).load();
    const std::uint32_t bucket = c.bucket_of(distance);
    const std::uint64_t end = c.begin[v + 1];
    for (std::uint64_t i = c.begin[v] + worker.lane(); i < end; i += worker.lanes()) {
      const edge e = c.edges[i];
      worker.accumulate(relaxed{}, 1);
      const std::uint32_t found = distance + e.length;
      if (found >= mgws::atomic_ref(c.distances[e.to]).fetch_min(found)) continue;
      const std::uint32_t into = c.bucket_of(found);
      if (mgws::atomic_ref(c.awaited[e.to]).fetch_min(into, order::acq_rel) > into)
        worker.spawn(reach{e.to, level_of(c.tasks, into - bucket)});
    }
  }

  /// \param further  buckets that lie between, beside the one that the task is in
  MGWS_FN static std::uint32_t level_of(which tasks, std::uint32_t further) {
    if (tasks == which::newest) return 0;
    return tasks == which::oldest ? 1 : further;
  }
};

/// Node 0. \pre no distance is known, no node is awaited
template <shape Width>
struct start_reaching {
  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    mgws::atomic_ref(c.distances[0]).store(0);
    mgws::atomic_ref(c.awaited[0]).store(0);
    worker.spawn(reach<Width>{0, 0});
  }
};

template <shape Width>
using reaching = task_set<reach<Width>, start_reaching<Width>>;

}  // namespace mgws::bench::dijkstra
