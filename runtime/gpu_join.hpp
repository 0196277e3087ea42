/// \file
/// The GPUs that options name, opened and joined by the options' transport, or why they cannot be.
#pragma once

#include <memory>
#include <vector>

#include <mgws/backends/gpu/device.hpp>
#include <mgws/options.hpp>
#include <mgws/runtime/gpu_peers.hpp>
#include <mgws/runtime/gpu_remote.hpp>

namespace mgws {

template <class Api>
struct joined_gpus {
  std::vector<std::shared_ptr<gpu::device<Api>>> gpus;
  bool reached = true;                         ///< each GPU's memory by the others
  std::shared_ptr<gpu::device<Api>> remote{};  ///< if anything lies in the memory of one that does
                                               ///< not compute
};

/// \tparam Port  as gpu_litmus
/// \pre    check(o) passed, and all devices are GPUs
/// \throws bad_configuration, not_possible, no_progress, device_error
template <class Port>
[[nodiscard]] joined_gpus<typename Port::api> join_gpus(const options& o) {
  joined_gpus<typename Port::api> all;
  for (const device_choice& d : o.devices)
    all.gpus.push_back(std::make_shared<gpu::device<typename Port::api>>(d.index));
  all.reached = join_peers<Port>(all.gpus, o.transport);
  if (uses_remote_memory(o)) all.remote = join_remote<Port>(all.gpus.front(), o);
  return all;
}

}  // namespace mgws
