/// \file
/// The p2p transport: each GPU keeps the queues, cells and progress of its own workers in its own
/// memory, with the counter of its part of the initial tasks, and every worker reaches all of them.
/// Of the termination detector's counters for all GPUs there is one, on the first GPU; what
/// everybody reads (where things are) every GPU has for itself. On one GPU this is the plain
/// device-memory configuration.
#pragma once

#include <mgws/transports/row.hpp>

namespace mgws::transports {

inline constexpr transport_row p2p{
    .kind = transport_kind::p2p,
    .name = "p2p",
    .queues = memory_of::device,
    .slots = memory_of::device,
    .counters = memory_of::device,
    .signals = memory_of::device,
    .most_devices = 0,
    .without_gpus =
        "the p2p transport keeps queues in the memory of GPUs, and this run has CPU workers only:"
        " use the host transport"};

}  // namespace mgws::transports
