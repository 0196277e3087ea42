/// \file
/// Which of the ports runs a program's tasks.
#pragma once

#include <type_traits>

#include <mgws/options.hpp>

#include "runs/runs.hpp"

namespace mgws::bench {

/// The port of this program's GPUs; cpu if it has none.
using gpu_port = std::conditional_t<MGWS_BENCH_GPUS, ports::gpu, ports::cpu>;

/// Calls f.template operator()<Port>() for the port of the devices that the options name.
template <class F>
auto with_port(const options& o, F&& f) {
  check(o);
  if (!uses_gpus(o)) return f.template operator()<ports::cpu>();
  return f.template operator()<gpu_port>();
}

}  // namespace mgws::bench
