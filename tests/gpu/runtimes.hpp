/// \file
/// Runtimes of GPU workers of two sizes, for checks that take one as a template.
#pragma once

#include <mgws/runtime.hpp>

namespace gpu_test {

template <class Tasks, class Accumulators, class Context>
using runtime_of_warps =
    mgws::runtime<Tasks, Accumulators, Context, mgws::no_statistics, 32, mgws::compiled_for::gpus>;
/// Workers of several warps.
template <class Tasks, class Accumulators, class Context>
using runtime_of_blocks =
    mgws::runtime<Tasks, Accumulators, Context, mgws::no_statistics, 128, mgws::compiled_for::gpus>;
/// Of these beside CPU workers, or of several domains.
template <class Tasks, class Accumulators, class Context>
using runtime_over_domains = mgws::runtime<Tasks, Accumulators, Context, mgws::no_statistics,
                                           mgws::k_gpu_lanes<Tasks>, mgws::compiled_for::together>;

}  // namespace gpu_test
