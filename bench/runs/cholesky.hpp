/// \file
/// The runs of `cholesky`.
#pragma once

#include <cstdint>
#include <memory>

#include "runs/runs.hpp"
#include "workloads/cholesky.hpp"

namespace mgws::bench::cholesky {

struct variant {
  std::uint32_t rows = 0;  ///< of tiles
  shape width = shape::lane;
};
using results = accumulators<>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::cholesky
