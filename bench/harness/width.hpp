/// \file
/// The option of workloads that come in several widths.
#pragma once

#include <algorithm>
#include <string>

#include <CLI/CLI.hpp>

#include <mgws/core/task_set.hpp>
#include <mgws/report.hpp>

namespace mgws::bench {

/// --width: how many lanes run one task.
inline CLI::Option* add_width(CLI::App& command, std::string& width) {
  return command
      .add_option("--width", width,
                  "lanes of a GPU's worker that run one task: one, a warp, or all")
      ->type_name("lane|warp|block")
      ->check(CLI::IsMember({"lane", "warp", "block"}))
      ->capture_default_str();
}
[[nodiscard]] inline shape width_of(const std::string& width) {
  return width == "block" ? shape::block : width == "warp" ? shape::warp : shape::lane;
}
/// Whether each task had one lane: else several share its work.
[[nodiscard]] inline bool ran_by_one_lane(const std::string& width, const run_report& r) {
  return width == "lane" ||
         std::ranges::all_of(r.devices, [](const auto& d) { return d.footprint.lanes <= 1; });
}

}  // namespace mgws::bench
