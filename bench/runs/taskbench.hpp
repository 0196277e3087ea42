/// \file
/// The runs of `taskbench`.
#pragma once

#include <cstdint>
#include <memory>

#include "runs/runs.hpp"
#include "workloads/taskbench.hpp"

namespace mgws::bench::taskbench {

using results = accumulators<chains>;

/// Runs of a graph, and of chains without one.
class graph_runs : public runs<context, results> {
 public:
  /// n chains, none of which depends on another.
  virtual report<results> run_chains(std::uint64_t n, const context& c) = 0;
};

template <class Port>
std::unique_ptr<graph_runs> make_runs(const options& o, const grid::builder& plan);

}  // namespace mgws::bench::taskbench
