/// \file
/// What mgws-sim prints of a simulated run.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "sim/workloads.hpp"

namespace mgws::bench::sim {

/// A few lines for people.
[[nodiscard]] std::string text_of(const setup& s, const result& r);

/// The same and more, for programs.
[[nodiscard]] nlohmann::ordered_json json_of(const setup& s, const result& r);

}  // namespace mgws::bench::sim
