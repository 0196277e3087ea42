/// \file
/// Chooses the runtime for the devices that the options name.
#pragma once

#include <memory>
#include <utility>

#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/runtime/cpu.hpp>
#include <mgws_devices.hpp>
#include <mgws_port.hpp>

namespace mgws {
inline namespace MGWS_PORT {

/// \throws bad_configuration, not_possible, device_error
template <class Tasks, class Accumulators, class Context, class Statistics>
std::unique_ptr<runtime_base<Tasks, Accumulators, Context>> make_runtime(options o) {
  check(o);
  if (!uses_gpus(o))
    return std::make_unique<cpu_runtime<Tasks, Accumulators, Context, Statistics>>(std::move(o));
  return port_devices::make<Tasks, Accumulators, Context, Statistics>(std::move(o));
}

}  // namespace MGWS_PORT
}  // namespace mgws
