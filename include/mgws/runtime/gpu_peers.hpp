/// \file
/// Lets the GPUs of a run reach each other's memory, or says why they cannot.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <mgws/backends/gpu/device.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/transports/p2p/transport.hpp>

namespace mgws {

/// Work stealing needs more than access: read-modify-writes there that are the memory's own.
/// \throws bad_configuration, not_possible, which names the pair, the memory and the operation
template <class Api>
void join_peers(const std::vector<std::shared_ptr<gpu::device<Api>>>& gpus,
                transport_kind transport) {
  const auto number = [](const auto& gpu) { return "GPU " + std::to_string(gpu->index()); };
  if (gpus.size() == 1) return;
  if (gpus.size() > k_most_gpus)
    throw bad_configuration("at most " + std::to_string(k_most_gpus) + " GPUs can share a run");
  for (const auto& from : gpus)
    for (const auto& to : gpus)
      if (from != to && from->index() == to->index())
        throw bad_configuration(number(from) + " is named twice");

  if (transport == transport_kind::host) {
    for (std::size_t d = 1; d != gpus.size(); ++d)
      if (!gpus[0]->properties().host_atomics || !gpus[d]->properties().host_atomics)
        throw not_possible(number(gpus[0]) + " and " + number(gpus[d]) +
                           " lose each other's fetch_add on host memory: over several GPUs use "
                           "the p2p transport, or name one GPU");
    return;
  }
  for (const auto& from : gpus) {
    Api::use(from->index());
    for (const auto& to : gpus) {
      if (from == to) continue;
      const gpu::peer_properties can = Api::peers(from->index(), to->index());
      if (!can.access || !can.atomics)
        throw not_possible(number(from) + " has no " + (can.access ? "fetch_add on" : "access to") +
                           " the memory of " + number(to) +
                           ", which stealing between them needs: name one GPU");
      Api::enable_peer(to->index());
    }
  }
}

}  // namespace mgws
