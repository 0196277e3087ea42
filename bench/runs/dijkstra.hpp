/// \file
/// The runs of `dijkstra`.
#pragma once

#include <memory>

#include "runs/runs.hpp"
#include "workloads/dijkstra.hpp"

namespace mgws::bench::dijkstra {

struct variant {
  shape width = shape::lane;  ///< or warp
  bool phases = true;         ///< else without (relaxations.hpp)
};
using results = accumulators<relaxed, phases>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::dijkstra
