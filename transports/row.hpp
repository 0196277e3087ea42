/// \file
/// One row of the placement table: in whose memory a transport keeps what workers share, and who
/// may join it. Each transport is a row in a file of its own, and table.hpp lists them; the layout,
/// the views and the host's side (view.hpp, transport.hpp) are the same for all.
///
/// Scope: device where all workers are on one GPU, wherever the memory is, else system; but for a
/// frame's word, which only workers of its device reach (core/returns.hpp). That follows from who
/// works, and is the view's to say, not the row's.
#pragma once

#include <cstdint>

#include <mgws/options.hpp>

namespace mgws {

/// In whose memory an area lies.
enum class memory_of : std::uint8_t {
  host,     ///< the host's, which the run's workers all reach
  device,   ///< each device's own, or the first one's for what is there once
  reached,  ///< the device's own if all devices reach each other's memory, else the host's
  apart     ///< that of a GPU which does not compute
};

/// The areas are those of docs/transports.md. The slots of initial tasks lie where an
/// option says, and what a worker has to itself with the worker.
struct transport_row {
  transport_kind kind;
  const char* name;

  memory_of queues;    ///< the public queues' heads, and the detector's cells for all
  memory_of slots;     ///< the public queues' and the boards'
  memory_of counters;  ///< of initial tasks, with the boards' words: as the queues or the signals
  memory_of signals;   ///< control, progress, and the detector's cells of each device

  std::uint32_t most_devices;  ///< that may join; 0: any number
  const char* without_gpus;    ///< why CPU workers may not join; nullptr: they may
};

}  // namespace mgws
