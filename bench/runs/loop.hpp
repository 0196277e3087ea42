/// \file
/// The runs of `loop`.
#pragma once

#include <cstdint>
#include <memory>

#include "runs/runs.hpp"
#include "workloads/loop.hpp"

namespace mgws::bench::loop {

/// How a loop is put to the runtime.
enum class way : std::uint8_t {
  seed_n,  ///< one initial slot that stands for all units
  seeds,   ///< an initial slot for each
  spawn,   ///< one task that spawns all of them as one slot
  tree     ///< tasks that cut the range in two and spawn the halves
};

struct variant {
  std::uint32_t units = 0;
  loop::way way = way::seed_n;
  shape width = shape::lane;
  bool resumable = false;  ///< lane tasks, piece by piece
};
using results = accumulators<results_sum, instances_run>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::loop
