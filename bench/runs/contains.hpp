/// \file
/// The runs of `contains`.
#pragma once

#include <cstdint>
#include <memory>

#include "runs/runs.hpp"
#include "workloads/contains.hpp"

namespace mgws::bench::contains {

struct variant {
  std::uint64_t batches = 0;
  bool bulk = false;  ///< initial slots that stand for many batches each
  shape width = shape::lane;
};
using results = accumulators<matches>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::contains
