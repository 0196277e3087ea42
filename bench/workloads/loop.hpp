/// \file
/// `loop`: the instances of a loop whose lengths vary, put to the runtime in each way that there is
/// to put a loop to it.
///
/// Of lane tasks each runs one instance. A wider one runs a group of `grain` of them, which its
/// lanes share: the groups are then what is counted as "units" here.
#pragma once

#include <cstdint>
#include <type_traits>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

#include "loop/instance.hpp"

namespace mgws::bench::loop {

struct context {
  loop_work work;
  std::uint32_t leaf;   ///< units that a range no longer cuts in two
  std::uint32_t piece;  ///< iterations of a piece, of resumable instances
};

struct results_sum : sum<std::uint64_t> {};
struct instances_run : sum<std::uint64_t> {};

MGWS_FN void run_instance_of(auto& worker, std::uint64_t i) {
  worker.accumulate(results_sum{}, run_chain(worker.context().work, i));
  worker.accumulate(instances_run{}, 1);
}

template <shape Width>
MGWS_FN void run_unit(auto& worker, std::uint32_t unit) {
  if constexpr (Width == shape::lane) {
    run_instance_of(worker, unit);
  } else {
    const loop_costs& costs = worker.context().work.costs;
    const std::uint64_t first = std::uint64_t{unit} * costs.grain;
    const std::uint64_t rest = costs.n - first;
    const std::uint64_t end = first + (rest < costs.grain ? rest : costs.grain);
    for (std::uint64_t i = first + worker.lane(); i < end; i += worker.lanes())
      run_instance_of(worker, i);
  }
}

/// A unit for each instance of the task.
template <shape Width>
struct units {
  static constexpr shape width = Width;
  std::uint32_t first;
  MGWS_FN void operator()(auto& worker, task_index i) const { run_unit<Width>(worker, first + i); }
};

/// An instance for each of the task, piece by piece.
struct resumable_units {
  std::uint32_t first;
  chain_state at{};  ///< of an instance that has begun

  MGWS_FN progress operator()(auto& worker, task_index i) {
    const context& c = worker.context();
    if (at.left == 0) at = begin_chain(c.work, first + i);
    run_piece(at, c.piece);
    if (at.left != 0) return again;
    worker.accumulate(results_sum{}, at.value);
    worker.accumulate(instances_run{}, 1);
    return done;
  }
};

/// One unit.
struct unit {
  std::uint32_t number;
  MGWS_FN void operator()(auto& worker) const { run_unit<shape::lane>(worker, number); }
};

/// Cuts a range of units in two until it is short, and spawns those that are left as one slot: the
/// range of all units at once where none is to be cut.
/// \tparam Units  the type of their tasks
template <class Units>
struct range {
  std::uint32_t first;
  std::uint32_t count;
  MGWS_FN void operator()(auto& worker) const {
    const std::uint32_t leaf = worker.context().leaf;
    if (count > leaf) {
      const std::uint32_t half = count / 2;
      worker.spawn(range{first, half});
      worker.spawn(range{first + half, count - half});
    } else {
      if constexpr (std::is_same_v<Units, units<shape::lane>>)
        if (leaf == 1) return run_unit<shape::lane>(worker, first);
      worker.spawn_n(Units{.first = first}, count);
    }
  }
};

}  // namespace mgws::bench::loop
