#include "picture/ending.hpp"

#include <algorithm>
#include <cmath>

#include "picture/timeline.hpp"

namespace mgws::bench {

double ending::ended(double part) const {
  const auto n = static_cast<std::size_t>(std::ceil(part * static_cast<double>(last.size())));
  return last[std::clamp<std::size_t>(n, 1, last.size()) - 1];
}

std::uint32_t ending::left(double time) const {
  return static_cast<std::uint32_t>(last.end() - std::ranges::upper_bound(last, time));
}

double ending::begin_of_end(double seconds) const {
  constexpr double margin = 1.25;
  constexpr double least = 0.02;
  const double span = std::max(margin * (seconds - ended(0.1)), least * seconds);
  return std::max(0.0, seconds - span);
}

ending ending_of(const run_report& r) {
  ending e;
  for (const worker_record& w : r.records) {
    double first = 0;
    double last = 0;
    double working = 0;
    bool worked = false;
    for (const trace_event& event : w.trace) {
      if (event.what != trace_event::kind::working) continue;
      // As in a timeline: what the clocks' comparison moves out of the run is not counted.
      const double begin = std::clamp(since_launch(r, event.begin_ns), 0.0, r.seconds);
      const double end = std::clamp(since_launch(r, event.end_ns), 0.0, r.seconds);
      if (!worked) first = begin;
      worked = true;
      last = end;
      working += end - begin;
    }
    if (!worked) {
      ++e.never;
      e.without += r.seconds;
      continue;
    }
    e.last.push_back(last);
    e.before += first;
    e.between += last - first - working;
    e.after += r.seconds - last;
  }
  std::ranges::sort(e.last);
  return e;
}

}  // namespace mgws::bench
