/// \file
/// The runs of `bpc`.
#pragma once

#include <cstdint>
#include <memory>

#include "runs/runs.hpp"
#include "workloads/bpc.hpp"

namespace mgws::bench::bpc {

struct variant {
  std::uint32_t depth = 0;  ///< producers that spawn
};
using results = accumulators<produced, consumed>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::bpc
