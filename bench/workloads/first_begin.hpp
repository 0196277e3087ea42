/// \file
/// How long a run took to its best value: from when its first task began, by the device's clock, to
/// when the value was found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include <mgws/best.hpp>
#include <mgws/core/accumulators.hpp>
#include <mgws/report.hpp>

namespace mgws::bench {

/// Nanoseconds.
using first_begin = mgws::best<std::uint64_t, minimum>;

/// In seconds; nothing where several clocks would have to be compared.
[[nodiscard]] inline std::optional<double> seconds_to_best(const run_report& r,
                                                           std::uint64_t began_ns,
                                                           std::uint64_t found_ns) {
  const bool one_clock = r.devices.size() == 1 || std::ranges::all_of(r.devices, [](const auto& d) {
                           return d.kind == "cpu";
                         });
  if (!one_clock || found_ns < began_ns) return {};
  return static_cast<double>(found_ns - began_ns) * 1e-9;
}

}  // namespace mgws::bench
