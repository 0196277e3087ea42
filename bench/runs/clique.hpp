/// \file
/// The runs of `clique`.
#pragma once

#include <memory>

#include "runs/runs.hpp"
#include "workloads/clique.hpp"

namespace mgws::bench::clique {

struct variant {
  std::uint32_t vertices = 0;
  shape width = shape::lane;  ///< or warp
};
using results = accumulators<nodes>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::clique
