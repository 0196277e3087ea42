/// \file
/// The runs of `mandelbrot`.
#pragma once

#include <cstdint>
#include <memory>

#include "runs/runs.hpp"
#include "workloads/mandelbrot.hpp"

namespace mgws::bench::mandelbrot {

struct variant {
  std::uint32_t instances = 0;
  bool spawned = false;    ///< by one task; else the initial set is all of them
  bool resumable = false;  ///< piece by piece
};
using results = accumulators<iterations_run>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::mandelbrot
