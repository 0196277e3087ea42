/// \file
/// mgws::probe: finds out, by litmus runs instead of by claims, which devices of this machine may
/// share queues on which memory, and what operations there cost.
///
///     const mgws::probe_report r = mgws::probe();
///     for (const mgws::device_group& g : mgws::domains_of(r).p2p) ...
///
/// What it finds depends on the port that the include path chooses, as with mgws::runtime.
#pragma once

// clang-format off
#include <mgws/headers_begin.hpp>  // before all others
// clang-format on

#include <mgws/probe/domains.hpp>
#include <mgws/probe/findings.hpp>
#include <mgws/runtime/probe/prober.hpp>
#include <mgws_devices.hpp>
#include <mgws_port.hpp>

namespace mgws {

inline namespace MGWS_PORT {

/// Not thread-safe, and not while the devices do anything else: the litmus runs need them at once,
/// the costs need them alone. The litmus runs take some hundredths of a second a pair and memory,
/// and a second or more where it is not coherent, because participants then wait for their bounds;
/// the costs take some seconds a GPU.
/// \throws bad_configuration  a device is named twice
/// \throws not_possible       a device is not there
/// \throws device_error       a call or a kernel failed: that GPU is lost to the process
/// \throws no_progress        a kernel did not end within the timeout: leave by std::_Exit
[[nodiscard]] inline probe_report probe(const probe_options& o = {}) {
  return probe_devices<port_devices>(o);
}

}  // namespace MGWS_PORT
}  // namespace mgws

// clang-format off
#include <mgws/headers_end.hpp>  // behind all others
// clang-format on
