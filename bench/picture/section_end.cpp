#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "picture/chart.hpp"
#include "picture/ending.hpp"
#include "picture/html.hpp"
#include "picture/sections.hpp"
#include "picture/timeline.hpp"

namespace mgws::bench {

namespace {

constexpr std::size_t k_parts_of_end = 200;

std::string chart_of(const run_report& r, const ending& e) {
  const double begin = e.begin_of_end(r.seconds);
  const auto workers = static_cast<std::uint32_t>(r.workers.size());
  const timeline t = timeline_of(r, 0, workers, begin, r.seconds, k_parts_of_end);
  chart c("end-of-run", "Workers that work, and workers that will work again, until the end",
          {begin, r.seconds}, {0, static_cast<double>(workers)}, 210);
  std::vector<double> working;
  for (const time_by_doing& part : t.parts)
    working.push_back(part[static_cast<std::size_t>(doing::working)] / t.room * workers);
  c.steps("working", working);
  std::vector<double> left;
  const double width = (r.seconds - begin) / k_parts_of_end;
  for (std::size_t i = 0; i <= k_parts_of_end; ++i)
    left.push_back(e.left(begin + width * static_cast<double>(i)));
  c.line("left", left);
  const time_unit unit = unit_of(r.seconds);
  c.y_axis(ticks_of(0, workers, workers > 4 ? 4 : static_cast<int>(workers)));
  c.x_axis(ticks_of(begin, r.seconds, 5, unit.seconds), unit.name);
  c.mark(e.ended(0.5), "half", 0);
  c.mark(e.ended(0.95), "95 %", 1);
  c.mark(e.ended(1), "all", 2);
  return c.figure(fmt::format("The last {} of the run", time_text(r.seconds - begin)));
}

}  // namespace

std::string section_of_end(const run_report& r) {
  std::string all = "<section id=\"end\"><h2>Where the end of the run was lost</h2>\n";
  if (const left_out out = left_out_of(r); out.workers != 0)
    return all +
           paragraph(fmt::format("Unknown: of {} of {} workers not all events had room, and when "
                                 "these ended their last work is not among them.",
                                 out.workers, r.workers.size())) +
           "</section>\n";
  const ending e = ending_of(r);
  if (e.last.empty()) return all + paragraph("No worker had any work.") + "</section>\n";
  all += paragraph(fmt::format("{} worker{} had work; {} never had any.", e.last.size(),
                               e.last.size() == 1 ? "" : "s", e.never));
  all +=
      "<p class=\"legend\"><span class=\"key working\"></span>working "
      "<span class=\"key left\"></span>not done with their last work</p>\n";
  all += chart_of(r, e);
  std::vector<table_row> rows;
  for (const auto& [name, part] : {std::pair{"half", 0.5}, {"95 %", 0.95}, {"all", 1.0}})
    rows.push_back({name, time_text(e.ended(part)), time_text(r.seconds - e.ended(part))});
  rows.push_back({"end of the run", time_text(r.seconds), time_text(0)});
  all += table("end-table", {"ended their last work", "after", "before the end"}, rows);
  const double room = std::max(r.seconds * static_cast<double>(r.workers.size()), 1e-9);
  rows.clear();
  for (const auto& [name, seconds] : {std::pair{"before a worker's first work", e.before},
                                      {"between its first work and its last", e.between},
                                      {"after its last work", e.after},
                                      {"of workers that had none", e.without}})
    rows.push_back({name, time_text(seconds), percent(seconds / room)});
  all += paragraph(
      "What of the workers' time was no work, in seconds of all of them together and as a part of "
      "all their time:");
  all += table("lost", {"no work", "time", "part"}, rows);
  return all + "</section>\n";
}

}  // namespace mgws::bench
