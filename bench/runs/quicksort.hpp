/// \file
/// The runs of `quicksort`.
#pragma once

#include <cstdint>
#include <memory>

#include "runs/runs.hpp"
#include "workloads/quicksort.hpp"

namespace mgws::bench::quicksort {

struct variant {
  std::uint32_t keys = 0;
};
using results = accumulators<looked, wrong>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::quicksort
