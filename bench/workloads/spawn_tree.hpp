/// \file
/// `spawn-tree`: a tree of empty tasks, the pure cost of spawning and running.
#pragma once

#include <cstdint>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws::bench::spawn_tree {

struct context {
  std::uint32_t fanout;
};

struct visited : sum<std::uint64_t> {};

/// A node that spawns each child by itself, its lanes side by side.
template <shape Width>
struct branch {
  static constexpr shape width = Width;
  std::uint32_t levels;  ///< below this one
  MGWS_FN void operator()(auto& worker) const {
    if (worker.lane() == 0) worker.accumulate(visited{}, 1);
    if (levels == 0) return;
    for (std::uint32_t i = worker.lane(); i < worker.context().fanout; i += worker.lanes())
      worker.spawn(branch{levels - 1});
  }
};

/// A node that spawns its children as one bulk slot.
struct bulk_branch {
  std::uint32_t levels;
  MGWS_FN void operator()(auto& worker, task_index /*i*/) const {
    worker.accumulate(visited{}, 1);
    if (levels != 0) worker.spawn_n(bulk_branch{levels - 1}, worker.context().fanout);
  }
};

/// The whole tree below a finish: what that costs.
struct after_tree {
  static constexpr bool after_finish = true;
  MGWS_FN void operator()(auto& /*worker*/) const {}
};
struct finished_tree {
  std::uint32_t levels;
  MGWS_FN void operator()(auto& worker) const {
    worker.finish(after_tree{}, branch<shape::lane>{levels});
  }
};

}  // namespace mgws::bench::spawn_tree
