/// \file
/// The host transport: queues in host memory, for the workers of one coherence domain: the CPU
/// alone; one GPU; or several whose atomics on host memory are coherent with each other.
///
/// What GPU workers and host tell each other has no part in the algorithm, and the detector's cells
/// of a GPU are read by no other one: these are on the GPU all the same. So are the counters of
/// initial tasks if the GPUs reach each other.
#pragma once

#include <mgws/core/order.hpp>
#include <mgws/transports/row.hpp>
#include <mgws/transports/transport.hpp>
#include <mgws/transports/view.hpp>

namespace mgws {

namespace transports {

inline constexpr transport_row host{.kind = transport_kind::host,
                                    .name = "host",
                                    .queues = memory_of::host,
                                    .slots = memory_of::host,
                                    .counters = memory_of::reached,
                                    .signals = memory_of::reached,
                                    .most_devices = 0,
                                    .without_gpus = nullptr};

}  // namespace transports

/// For workers that are threads of the host: however many devices they count as, all of them meet
/// in one memory.
template <backend B, transport_area Area, bool Bridged = false>
using host_transport = transport<placed_view<B, scope::system_t, 1, Bridged>, Area>;

}  // namespace mgws
