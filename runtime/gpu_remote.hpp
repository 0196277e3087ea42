/// \file
/// The remote transport's memory: another GPU's than the one that computes, or why there is none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <mgws/backends/gpu/device.hpp>
#include <mgws/core/order.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/runtime/gpu_peers.hpp>

namespace mgws {

/// Opens the GPU in whose memory a computing GPU's workers meet, or read their initial tasks, and
/// lets them reach it. Whether two of them are right there, litmus runs decide, whatever the driver
/// claims; of what is only read, access is enough.
/// \tparam Port  as gpu_litmus
/// \param o  options that use remote memory; without remote_gpu it is the one behind the computing
///           one, in their order
/// \throws bad_configuration, not_possible, no_progress, device_error
template <class Port>
[[nodiscard]] std::shared_ptr<gpu::device<typename Port::api>> join_remote(
    const std::shared_ptr<gpu::device<typename Port::api>>& computing, const options& o) {
  using api = typename Port::api;
  const std::string self = "GPU " + std::to_string(computing->index());
  std::string why;
  const auto all = static_cast<std::uint32_t>(api::count(why));
  if (!o.remote_gpu && all < 2)
    throw not_possible("the memory of another GPU than " + self +
                       ", which computes, was asked for, and this machine has no other");
  const auto here = static_cast<std::uint32_t>(computing->index());
  const std::uint32_t there = o.remote_gpu.value_or((here + 1) % std::max(all, 1u));
  if (there == here)
    throw bad_configuration("the remote GPU must be another one than " + self + ", which computes");
  const auto remote = std::make_shared<gpu::device<api>>(there);
  const std::string instead = ": name another remote GPU, or use the p2p transport";
  api::use(computing->index());
  if (!api::peers(computing->index(), remote->index()).access)
    throw not_possible(self + " has no access to the memory of GPU " + std::to_string(there) +
                       instead);
  api::enable_peer(remote->index());
  if (o.transport == transport_kind::remote) {
    const std::vector<std::shared_ptr<gpu::device<api>>> both{computing, remote};
    // The transport's scope: all who meet there are workers of the one that computes.
    const std::string against = peer_litmus<Port>(both).template against<scope::device_t>(0, 0, 1);
    if (!against.empty()) throw not_possible(against + instead);
  }
  return remote;
}

}  // namespace mgws
