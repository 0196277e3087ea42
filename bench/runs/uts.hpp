/// \file
/// The runs of `uts`.
#pragma once

#include <memory>

#include "runs/runs.hpp"
#include "workloads/uts.hpp"

namespace mgws::bench::uts {

struct variant {
  node root;
  std::uint32_t children = 0;  ///< of the root, which is no task
  bool sha_instructions = false;
  bool finish = false;  ///< all below a finish; lane tasks only
  shape width = shape::lane;
};
using results = accumulators<nodes, leaves, deepest>;

template <class Port>
std::unique_ptr<runs<tree, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::uts
