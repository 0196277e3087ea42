/// \file
/// A probe's findings as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include <mgws/probe/findings.hpp>

namespace mgws::bench {

/// Prints matrices to standard output: litmus runs, domains, costs.
void print_findings(const probe_report& r);

/// The same, with everything that was counted; times in nanoseconds.
nlohmann::ordered_json findings_as_json(const probe_report& r);

}  // namespace mgws::bench
