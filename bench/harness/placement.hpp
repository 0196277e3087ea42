/// \file
/// The option of workloads whose data can lie in several places.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include <mgws/placement.hpp>

namespace mgws::bench {

/// --data: where the data of the tasks lies.
inline CLI::Option* add_placement(CLI::App& command, std::string& data) {
  return command
      .add_option("--data", data,
                  "where the tasks' data lies: on the first device, a copy on each, a range on "
                  "each, in host memory, or in pages that move to whoever touches them")
      ->type_name("main|replicated|partitioned|host|managed")
      ->check(CLI::IsMember({"main", "replicated", "partitioned", "host", "managed"}));
}
[[nodiscard]] inline placement placement_of(const std::string& data) {
  return data == "host"          ? placement::host
         : data == "managed"     ? placement::managed
         : data == "replicated"  ? placement::replicated
         : data == "partitioned" ? placement::partitioned
                                 : placement::main;
}

}  // namespace mgws::bench
