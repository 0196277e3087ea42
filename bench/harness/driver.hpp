/// \file
/// Repeats a workload's run, and writes what came of it: table, JSON, trace, picture.
#pragma once

#include <string>

#include "harness/queue_owner.hpp"
#include "harness/settings.hpp"
#include "harness/workload.hpp"

namespace mgws::bench {

/// \param command  the program's command line, for the JSON
/// \return an exit code. Errors of the workload are exceptions; see guarded.hpp.
int drive(workload& w, settings& s, const std::string& command);

/// Writes the trace of a run for Perfetto (Chrome's JSON trace format): a track a worker, with its
/// phases, and each steal as an arrow from a worker that owns the target queue to the thief.
/// \throws bad_configuration if the file cannot be written
void write_trace(const std::string& path, const run_report& report, queue_sharing sharing);

}  // namespace mgws::bench
