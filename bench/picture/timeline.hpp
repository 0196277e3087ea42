/// \file
/// What workers did when, from the events of a run: time in equal intervals of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <mgws/report.hpp>

namespace mgws::bench {

/// What a worker does. Unknown: its events had no more room.
enum class doing : std::uint8_t { working, stealing, searching, idle, unknown };
inline constexpr std::size_t k_doings = 5;

/// Seconds of workers, by what they did.
using time_by_doing = std::array<double, k_doings>;

/// An interval of a run in equal parts; times are seconds since the launch.
struct timeline {
  double begin = 0;
  double end = 0;
  std::vector<time_by_doing> parts;

  /// What all workers could do in one part if each did nothing else: seconds.
  double room = 0;
};

/// Seconds since the launch. Clocks of devices are compared, so that it may be less than 0.
[[nodiscard]] double since_launch(const run_report& r, std::uint64_t ns);

/// What so many workers did from the first one on. Attempts to steal that won are no part of the
/// search that they ended.
[[nodiscard]] timeline timeline_of(const run_report& r, std::uint32_t first, std::uint32_t workers,
                                   double begin, double end, std::size_t parts);

/// Workers whose events had no more room, and how many events that were.
struct left_out {
  std::uint32_t workers = 0;
  std::uint64_t events = 0;
};
[[nodiscard]] left_out left_out_of(const run_report& r);

}  // namespace mgws::bench
