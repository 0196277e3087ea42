/// \file
/// The parts of a page that shows a run. Each is HTML; what a run does not tell is said in it.
#pragma once

#include <cstddef>
#include <string>

#include <mgws/report.hpp>

#include "harness/queue_owner.hpp"
#include "picture/html.hpp"

namespace mgws::bench {

/// Devices that are drawn by themselves; more are in tables.
inline constexpr std::size_t k_drawn_devices = 16;

/// As HTML: several may have one name.
[[nodiscard]] inline std::string name_of(const run_report& r, std::size_t device) {
  const std::string number = r.devices.size() > 1 ? std::to_string(device) + ": " : "";
  return number + html(r.devices[device].name);
}

/// What workers did over time, a chart a device.
[[nodiscard]] std::string section_of_utilisation(const run_report& r);
/// How much of their time devices and lanes were busy, and where the rest went.
[[nodiscard]] std::string section_of_time(const run_report& r);
/// Who stole from whom, and how long that took.
[[nodiscard]] std::string section_of_steals(const run_report& r, queue_sharing sharing);
/// How long work, steals and searches took each time.
[[nodiscard]] std::string section_of_lengths(const run_report& r);
/// When workers ended their last work.
[[nodiscard]] std::string section_of_end(const run_report& r);

}  // namespace mgws::bench
