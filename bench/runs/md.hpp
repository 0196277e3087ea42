/// \file
/// The runs of `md`.
#pragma once

#include <cstdint>
#include <memory>

#include "runs/runs.hpp"
#include "workloads/md.hpp"

namespace mgws::bench::md {

struct variant {
  std::uint32_t tasks = 0;
  shape width = shape::lane;
  std::uint32_t fed = 0;  ///< tasks that the host submits at once while the run goes on; 0: none
};
using results = accumulators<atoms_done, neighbours_met>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::md
