#include "picture/timeline.hpp"

#include <algorithm>
#include <span>

namespace mgws::bench {

namespace {

doing doing_of(trace_event::kind k) {
  switch (k) {
    case trace_event::kind::working:
      return doing::working;
    case trace_event::kind::searching:
      return doing::searching;
    case trace_event::kind::idle:
      return doing::idle;
    case trace_event::kind::stolen:
      return doing::stealing;
    case trace_event::kind::given:
      break;
  }
  return doing::unknown;
}

/// Adds the time from a to b to the parts that it is in. \param sign  -1: takes it away
void add(timeline& t, doing what, double a, double b, double sign = 1) {
  a = std::max(a, t.begin);
  b = std::min(b, t.end);
  if (!(a < b)) return;
  const double width = (t.end - t.begin) / static_cast<double>(t.parts.size());
  const auto part = [&](double at) {
    return std::min(static_cast<std::size_t>((at - t.begin) / width), t.parts.size() - 1);
  };
  const std::size_t last = part(b);
  for (std::size_t i = part(a); i <= last; ++i) {
    const double from = t.begin + static_cast<double>(i) * width;
    const double inside = std::min(b, from + width) - std::max(a, from);
    if (inside > 0) t.parts[i][static_cast<std::size_t>(what)] += sign * inside;
  }
}

void add_worker(timeline& t, const run_report& r, const worker_record& w) {
  double known = 0;  // until when
  // A steal is recorded before the search or the wait that it is within.
  std::size_t first_steal = 0;
  const std::span events(w.trace);
  for (std::size_t i = 0; i != events.size(); ++i) {
    const trace_event& e = events[i];
    if (e.what == trace_event::kind::stolen || e.what == trace_event::kind::given) continue;
    const doing what = doing_of(e.what);
    add(t, what, since_launch(r, e.begin_ns), since_launch(r, e.end_ns));
    for (const trace_event& steal : events.subspan(first_steal, i - first_steal)) {
      if (steal.what != trace_event::kind::stolen) continue;
      const double a = since_launch(r, steal.begin_ns);
      const double b = since_launch(r, steal.end_ns);
      add(t, doing::stealing, a, b);
      add(t, what, a, b, -1);
    }
    first_steal = i + 1;
    known = since_launch(r, e.end_ns);
  }
  if (w.trace_dropped != 0) add(t, doing::unknown, known, r.seconds);
}

}  // namespace

double since_launch(const run_report& r, std::uint64_t ns) {
  return ns < r.began_ns ? -static_cast<double>(r.began_ns - ns) * 1e-9
                         : static_cast<double>(ns - r.began_ns) * 1e-9;
}

timeline timeline_of(const run_report& r, std::uint32_t first, std::uint32_t workers, double begin,
                     double end, std::size_t parts) {
  timeline t{.begin = begin,
             .end = end,
             .parts = std::vector<time_by_doing>(parts),
             .room = (end - begin) / static_cast<double>(parts) * workers};
  for (const worker_record& w : std::span(r.records).subspan(first, workers))
    add_worker(t, r, w);
  return t;
}

left_out left_out_of(const run_report& r) {
  left_out n;
  for (const worker_record& w : r.records) {
    n.workers += w.trace_dropped != 0 ? 1 : 0;
    n.events += w.trace_dropped;
  }
  return n;
}

}  // namespace mgws::bench
