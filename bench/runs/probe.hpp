/// \file
/// The probe of the port that compiles it.
#pragma once

#include <mgws/probe.hpp>

#include "runs/runs.hpp"

namespace mgws::bench {

/// As mgws::probe.
template <class Port>
probe_report run_probe(const probe_options& o);

}  // namespace mgws::bench
