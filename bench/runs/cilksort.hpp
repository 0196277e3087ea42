/// \file
/// The runs of `cilksort`.
#pragma once

#include <cstdint>
#include <memory>

#include "runs/runs.hpp"
#include "workloads/cilksort.hpp"

namespace mgws::bench::cilksort {

struct variant {
  std::uint32_t keys = 0;
};
using results = accumulators<>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::cilksort
