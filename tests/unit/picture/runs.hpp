/// \file
/// Reports of runs that were not: what is drawn of them is known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <mgws/report.hpp>

namespace picture_test {

/// Launched at so many nanoseconds of the host's clock.
constexpr std::uint64_t k_launch = 1'000'000;

using kind = mgws::trace_event::kind;

/// In nanoseconds since the launch.
inline mgws::trace_event event(kind what, std::uint64_t begin, std::uint64_t end,
                               std::uint32_t queue = 0, std::uint32_t n = 0) {
  return {k_launch + begin, k_launch + end, what, queue, n};
}

/// Devices of so many workers each, which have done nothing yet in a run of so many nanoseconds.
inline mgws::run_report run_of(const std::vector<std::uint32_t>& workers, std::uint64_t ns) {
  mgws::run_report r;
  r.statistics = true;
  r.began_ns = k_launch;
  r.seconds = static_cast<double>(ns) * 1e-9;
  for (const std::uint32_t n : workers) {
    mgws::device_report d;
    d.name = "device " + std::to_string(r.devices.size());
    d.kind = "cpu";
    d.first_worker = static_cast<std::uint32_t>(r.workers.size());
    d.workers = n;
    for (std::uint32_t w = 0; w != n; ++w)
      r.workers.emplace_back().device = static_cast<std::uint32_t>(r.devices.size());
    r.records.resize(r.workers.size());
    r.devices.push_back(d);
  }
  r.steal_matrix.assign(r.devices.size(), std::vector<mgws::steals_from>(r.devices.size()));
  return r;
}

/// A worker that works, searches with a steal at the search's end, and so on until the end.
inline void let_work(mgws::run_report& r, std::uint32_t w, std::uint64_t work, std::uint64_t search,
                     std::uint64_t steal) {
  mgws::worker_record& worker = r.records[w];
  const auto end = static_cast<std::uint64_t>(r.seconds * 1e9 + 0.5);
  const auto queues = static_cast<std::uint32_t>(r.workers.size());
  for (std::uint64_t t = 0; t < end;) {
    const std::uint64_t worked = std::min(end, t + work);
    worker.trace.push_back(event(kind::working, t, worked, 0, 3));
    worker.counts.working_ns += worked - t;
    ++r.workers[w].tasks;
    t = worked;
    if (t + search > end) break;
    const std::uint32_t from = (w + 1 + static_cast<std::uint32_t>(t % 7)) % queues;
    worker.trace.push_back(event(kind::stolen, t + search - steal, t + search, from, 2));
    worker.trace.push_back(event(kind::searching, t, t + search));
    worker.counts.stealing_ns += steal;
    worker.counts.searching_ns += search - steal;
    ++worker.counts.steals_won;
    t += search;
  }
}

}  // namespace picture_test
