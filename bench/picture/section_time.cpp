#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "picture/chart.hpp"
#include "picture/html.hpp"
#include "picture/sections.hpp"
#include "picture/timeline.hpp"

namespace mgws::bench {

namespace {

constexpr std::size_t k_parts = 200;

/// In the order in which they are stacked; the names are also those of their colours.
constexpr std::array<std::string_view, k_doings> k_names = {"working", "stealing", "searching",
                                                            "idle", "unknown"};

std::string legend(bool unknown) {
  std::string all = "<p class=\"legend\">";
  for (std::size_t i = 0; i != k_doings; ++i)
    if (unknown || k_names[i] != "unknown")
      all += fmt::format("<span class=\"key {}\"></span>{} ", k_names[i], k_names[i]);
  return all + "</p>\n";
}

std::string utilisation_of(const run_report& r, std::size_t device, bool unknown) {
  const device_report& d = r.devices[device];
  const timeline t = timeline_of(r, d.first_worker, d.workers, 0, r.seconds, k_parts);
  chart c(fmt::format("utilisation-{}", device), "What the workers of " + d.name + " did over time",
          {0, r.seconds}, {0, 1});
  // Each over what is behind it: all of it that comes up to there.
  for (std::size_t last = unknown ? k_doings : k_doings - 1; last-- != 0;) {
    std::vector<double> tops;
    for (const time_by_doing& part : t.parts) {
      double sum = 0;
      for (std::size_t i = 0; i <= last; ++i)
        sum += part[i];
      tops.push_back(t.room > 0 ? std::clamp(sum / t.room, 0.0, 1.0) : 0);
    }
    c.steps(k_names[last], tops);
  }
  const time_unit unit = unit_of(r.seconds);
  c.y_axis(std::array<tick, 3>{{{0, "0"}, {0.5, "50 %"}, {1, "100 %"}}});
  c.x_axis(ticks_of(0, r.seconds, 6, unit.seconds), unit.name);
  return c.figure(
      fmt::format("{}, {} worker{}", name_of(r, device), d.workers, d.workers == 1 ? "" : "s"));
}

/// Of some workers, what they did with so many seconds each.
struct time_spent {
  std::uint64_t workers = 0;
  std::uint64_t tasks = 0;
  std::array<double, 4> seconds{};  ///< by doing
  double rest = 0;
  double lanes_used = 0;
  double lanes_there = 0;

  void add(const run_report& r, std::size_t w) {
    const worker_counts& c = r.records[w].counts;
    const std::array<std::uint64_t, 4> ns = {c.working_ns, c.stealing_ns, c.searching_ns,
                                             c.idle_ns};
    double sum = 0;
    for (std::size_t i = 0; i != ns.size(); ++i) {
      seconds[i] += static_cast<double>(ns[i]) * 1e-9;
      sum += static_cast<double>(ns[i]) * 1e-9;
    }
    ++workers;
    tasks += r.workers[w].tasks;
    rest += std::max(0.0, r.seconds - sum);
    lanes_used += static_cast<double>(c.lanes_used);
    lanes_there += static_cast<double>(c.steps) * r.devices[r.workers[w].device].footprint.lanes;
  }

  [[nodiscard]] table_row row(const std::string& name, double run) const {
    const double all = std::max(run * static_cast<double>(workers), 1e-9);
    table_row cells{name, std::to_string(workers), std::to_string(tasks), percent(seconds[0] / all),
                    lanes_there > 0 ? percent(lanes_used / lanes_there) : "one each"};
    for (const double s : seconds)
      cells.push_back(time_text(s));
    cells.push_back(time_text(rest));
    return cells;
  }
};

/// A bar a device, of what its workers did.
std::string shares(const run_report& r, const std::vector<time_spent>& devices) {
  const auto n = static_cast<double>(devices.size());
  chart c("shares", "What the workers of each device did with their time", {0, 1}, {n, 0},
          24 * n + 44);
  std::vector<tick> names;
  for (std::size_t d = 0; d != devices.size(); ++d)
    names.push_back({static_cast<double>(d) + 0.5, std::to_string(d)});
  c.y_axis(names);
  c.x_axis(std::array<tick, 3>{{{0, "0"}, {0.5, "50 %"}, {1, "100 %"}}},
           "of the time of a device's workers");
  for (std::size_t d = 0; d != devices.size(); ++d) {
    const auto row = static_cast<double>(d);
    const double all = std::max(r.seconds * static_cast<double>(devices[d].workers), 1e-9);
    double at = 0;
    for (std::size_t i = 0; i != devices[d].seconds.size(); ++i) {
      const double share = devices[d].seconds[i] / all;
      c.bar(k_names[i], {at, std::min(1.0, at + share)}, {row + 0.85, row + 0.15},
            fmt::format("{}: {} {}", r.devices[d].name, k_names[i], percent(share)));
      at = std::min(1.0, at + share);
    }
  }
  return c.figure("By device, in the order of the table.");
}

}  // namespace

std::string section_of_utilisation(const run_report& r) {
  std::string all = "<section id=\"utilisation\"><h2>Utilisation over time</h2>\n";
  const left_out out = left_out_of(r);
  all += paragraph(
      fmt::format("Each column is a {}th of the run: {}. What is left white is before a worker "
                  "began and after it ended.",
                  k_parts, time_text(r.seconds / k_parts)));
  if (out.workers != 0)
    all += paragraph(
        fmt::format("<strong>Of {} of {} workers not all events had room: {} were left out. What "
                    "these workers did from there on is unknown.</strong>",
                    out.workers, r.workers.size(), out.events));
  all += legend(out.workers != 0) + "<div class=\"charts\">\n";
  for (std::size_t d = 0; d != std::min(r.devices.size(), k_drawn_devices); ++d)
    all += utilisation_of(r, d, out.workers != 0);
  all += "</div>\n";
  if (r.devices.size() > k_drawn_devices)
    all += paragraph(
        fmt::format("Of {} devices the first {} are drawn.", r.devices.size(), k_drawn_devices));
  return all + "</section>\n";
}

std::string section_of_time(const run_report& r) {
  std::vector<time_spent> devices(r.devices.size());
  time_spent sum;
  for (std::size_t w = 0; w != r.records.size(); ++w) {
    devices[r.workers[w].device].add(r, w);
    sum.add(r, w);
  }
  std::vector<table_row> rows;
  for (std::size_t d = 0; d != devices.size(); ++d)
    rows.push_back(devices[d].row(name_of(r, d), r.seconds));
  if (devices.size() > 1) rows.push_back(sum.row("all", r.seconds));
  std::string all = "<section id=\"time\"><h2>Where the time of workers went</h2>\n";
  all += paragraph(
      "Seconds of all workers of a device together, as each counted them. <i>Busy</i> is the part "
      "of the run in which they worked, <i>lanes</i> the part of a worker's lanes that had an "
      "instance in the mean step. Stealing are attempts that won, searching those that did not; "
      "the rest is before a worker began and after it ended.");
  if (devices.size() <= k_drawn_devices) all += legend(false) + shares(r, devices);
  all += table("time-table",
               {"device", "workers", "tasks", "busy", "lanes", "working", "stealing", "searching",
                "idle", "rest"},
               rows);
  return all + "</section>\n";
}

}  // namespace mgws::bench
