/// \file
/// The runs of `quadrature`.
#pragma once

#include <memory>

#include "runs/runs.hpp"
#include "workloads/quadrature.hpp"

namespace mgws::bench::quadrature {

struct variant {
  bool join = true;  ///< or sum
  interval all{};
};
using results = accumulators<integral, estimated>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::quadrature
