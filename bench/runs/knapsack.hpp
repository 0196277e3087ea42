/// \file
/// The runs of `knapsack`.
#pragma once

#include <memory>

#include "runs/runs.hpp"
#include "workloads/knapsack.hpp"

namespace mgws::bench::knapsack {

struct variant {
  std::uint64_t capacity = 0;
  shape width = shape::lane;  ///< or warp
};
using results = accumulators<nodes>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::knapsack
