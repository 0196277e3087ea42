/// \file
/// The runs of `nqueens`.
#pragma once

#include <memory>

#include "runs/runs.hpp"
#include "workloads/nqueens.hpp"

namespace mgws::bench::nqueens {

struct variant {
  board squares;
  shape width = shape::lane;
};
using results = accumulators<solutions>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::nqueens
