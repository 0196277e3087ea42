/// \file
/// A picture of a run: one HTML file that needs no other and no network.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <mgws/report.hpp>

#include "harness/queue_owner.hpp"

namespace mgws::bench {

/// The page as text.
/// \param result  what is written as JSON of the same run
/// \param unit    what the workload calls its tasks
/// \pre r.statistics
[[nodiscard]] std::string page_of(const nlohmann::ordered_json& result, const std::string& unit,
                                  const run_report& r, queue_sharing sharing);

}  // namespace mgws::bench
