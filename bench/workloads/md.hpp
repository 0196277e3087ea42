/// \file
/// `md`: the forces of a step of molecular dynamics, as Chen, Villa, Krishnamoorthy and Gao measure
/// their task queues with ("Dynamic load balancing on single- and multi-GPU systems", IPDPS 2010):
/// a task is so many atoms that are stored side by side, and where they are dense it is long.
#pragma once

#include <cstdint>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

#include "md/forces.hpp"

namespace mgws::bench::md {

struct context {
  neighbourhood all;
  const atom* targets;  ///< the atoms in the order of the tasks
  pull* pulls;          ///< what each receives
  std::uint32_t atoms;
  std::uint32_t grain;  ///< atoms of a task
};

/// Atoms whose forces were computed, and atoms that did something to them.
struct atoms_done : sum<std::uint64_t> {};
struct neighbours_met : sum<std::uint64_t> {};

/// An instance is a task's atoms, which its lanes share.
template <shape Width>
struct some_atoms {
  static constexpr shape width = Width;
  std::uint32_t task;  ///< of the first instance

  MGWS_FN void operator()(auto& worker, task_index i) const {
    const context& c = worker.context();
    const std::uint32_t first = (task + i) * c.grain;
    const std::uint32_t end = c.atoms - first < c.grain ? c.atoms : first + c.grain;
    std::uint32_t done = 0;
    std::uint64_t met = 0;
    for (std::uint32_t a = first + worker.lane(); a < end; a += worker.lanes(), ++done) {
      std::uint32_t pairs = 0;
      c.pulls[a] = c.all.on(c.targets[a], pairs);
      met += pairs;
    }
    worker.accumulate(atoms_done{}, done);
    worker.accumulate(neighbours_met{}, met);
  }
};

}  // namespace mgws::bench::md
