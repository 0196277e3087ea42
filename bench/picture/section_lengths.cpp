#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "picture/chart.hpp"
#include "picture/html.hpp"
#include "picture/lengths.hpp"
#include "picture/sections.hpp"
#include "picture/timeline.hpp"

namespace mgws::bench {

namespace {

/// Powers of ten on an axis of powers of two.
std::vector<tick> decades(const histogram& h) {
  constexpr std::array<std::string_view, 12> names = {"1 ns",  "10 ns",  "0.1 µs", "1 µs",
                                                      "10 µs", "0.1 ms", "1 ms",   "10 ms",
                                                      "0.1 s", "1 s",    "10 s",   "100 s"};
  std::vector<tick> all;
  const double last = h.first + static_cast<double>(h.bins.size());
  for (std::size_t i = 0; i != names.size(); ++i)
    if (const double at = static_cast<double>(i) * std::log2(10); at >= h.first && at <= last)
      all.push_back({at, std::string(names[i])});
  // Less than a decade may have none.
  if (all.empty())
    for (const double at : {1.0 * h.first, last})
      all.push_back({at, time_text(std::exp2(at) * 1e-9)});
  return all;
}

std::string chart_of(const histogram& h, const std::string& id, const std::string& what) {
  if (h.count == 0) return {};
  double most = 0;
  for (const histogram::bin& b : h.bins)
    most = std::max({most, static_cast<double>(b.count) / static_cast<double>(h.count),
                     h.seconds > 0 ? b.seconds / h.seconds : 0});
  chart c(id, what, {static_cast<double>(h.first), h.first + static_cast<double>(h.bins.size())},
          {0, most});
  c.y_axis(ticks_of(0, most, 4, 0.01));
  for (std::size_t i = 0; i != h.bins.size(); ++i) {
    const histogram::bin& b = h.bins[i];
    const double at = h.first + static_cast<double>(i);
    const double count = static_cast<double>(b.count) / static_cast<double>(h.count);
    const double time = h.seconds > 0 ? b.seconds / h.seconds : 0;
    const std::string tip = fmt::format(
        "{} to {}: {} of {} ({}), {} of the time", time_text(std::exp2(at) * 1e-9),
        time_text(std::exp2(at + 1) * 1e-9), b.count, h.count, percent(count), percent(time));
    c.bar("count", {at + 0.08, at + 0.5}, {0, count}, tip);
    c.bar("part", {at + 0.5, at + 0.92}, {0, time}, tip);
  }
  c.x_axis(decades(h), "took so long");
  return c.figure(fmt::format("{}: {} times, {} in the mean, {} at most", what, h.count,
                              time_text(h.seconds / static_cast<double>(h.count)),
                              time_text(h.longest)));
}

/// No clock is read for a task; what a worker's took in the mean is known.
std::string mean_tasks(const run_report& r) {
  std::vector<double> means;
  for (std::size_t w = 0; w != r.records.size(); ++w)
    if (r.workers[w].tasks != 0)
      means.push_back(static_cast<double>(r.records[w].counts.working_ns) * 1e-9 /
                      static_cast<double>(r.workers[w].tasks));
  if (means.empty()) return paragraph("No task has run.");
  std::ranges::sort(means);
  return paragraph(fmt::format(
      "No clock is read for a single task, so that there is no histogram of tasks. A worker's time "
      "at work, divided by the number of its tasks, is {} to {}, and {} in the median of the "
      "workers; where lanes run side by side, they share that time.",
      time_text(means.front()), time_text(means.back()), time_text(means[means.size() / 2])));
}

}  // namespace

std::string section_of_lengths(const run_report& r) {
  const lengths l = lengths_of(r);
  std::string all = "<section id=\"lengths\"><h2>How long it took each time</h2>\n" + mean_tasks(r);
  if (const left_out out = left_out_of(r); out.workers != 0)
    all += paragraph(
        fmt::format("<strong>{} events had no room and are missing here.</strong>", out.events));
  if (l.steps.count == 0)
    all += paragraph("Workers of one lane have no steps: only those of several lanes count them.");
  all +=
      "<p class=\"legend\"><span class=\"key count\"></span>% of the times "
      "<span class=\"key part\"></span>% of their time</p>\n<div class=\"charts\">\n";
  all += chart_of(l.working, "lengths-working", "Work, from getting some until it is done");
  all += chart_of(l.steps, "lengths-steps", "Steps, each as the mean of its time at work");
  all += chart_of(l.stealing, "lengths-stealing", "Steals that won");
  all += chart_of(l.searching, "lengths-searching", "Searches, with the steals that ended them");
  all += chart_of(l.idle, "lengths-idle", "Waits, idle");
  all += chart_of(l.answers, "lengths-answers", "Questions to another domain, until answered");
  return all + "</div></section>\n";
}

}  // namespace mgws::bench
