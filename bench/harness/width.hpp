/// \file
/// The option of workloads that come in several widths.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include <mgws/core/task_set.hpp>

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

}  // namespace mgws::bench
