/// \file
/// The runs of `fib`.
#pragma once

#include <cstdint>
#include <memory>

#include "runs/runs.hpp"
#include "workloads/fib.hpp"

namespace mgws::bench::fib {

struct variant {
  std::uint32_t n = 0;
};
using results = accumulators<result>;

template <class Port>
std::unique_ptr<runs<context, results>> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::fib
