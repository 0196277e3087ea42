/// \file
/// The remote transport: everything in the memory of a GPU that does not compute, on purpose: what
/// distance costs, for experiments.
#pragma once

#include <mgws/transports/row.hpp>

namespace mgws::transports {

inline constexpr transport_row remote{
    .kind = transport_kind::remote,
    .name = "remote",
    .queues = memory_of::apart,
    .slots = memory_of::apart,
    .counters = memory_of::apart,
    .signals = memory_of::apart,
    .most_devices = 1,
    .without_gpus = "the remote transport and remote initial tasks need a GPU that computes"};

}  // namespace mgws::transports
