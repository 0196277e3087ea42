/// \file
/// The runs of `spawn-tree`.
#pragma once

#include <cstdint>
#include <memory>

#include "runs/runs.hpp"
#include "workloads/spawn_tree.hpp"

namespace mgws::bench::spawn_tree {

struct variant {
  std::uint32_t depth = 0;
  bool bulk = false;    ///< a task's children as one slot; lane tasks only
  bool finish = false;  ///< all below a finish; lane tasks only, not in bulk
  shape width = shape::lane;
};
using results = accumulators<visited>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::spawn_tree
