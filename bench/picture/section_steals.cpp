#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "picture/chart.hpp"
#include "picture/html.hpp"
#include "picture/sections.hpp"
#include "picture/steals.hpp"
#include "picture/timeline.hpp"

namespace mgws::bench {

namespace {

constexpr std::uint32_t k_rows = 48;
constexpr int k_shades = 6;

/// Which workers a row is: 0, or 0-87.
std::string workers_of(const steals_of_workers& s, std::uint32_t row) {
  const std::uint32_t first = row * s.each;
  const std::uint32_t last = std::min(first + s.each, s.workers) - 1;
  return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

/// Slots by pair of devices; rows are thieves.
std::string by_device(const run_report& r) {
  table_row headings{"thief \\ from"};
  for (std::size_t d = 0; d != r.devices.size(); ++d)
    headings.push_back(name_of(r, d));
  std::vector<table_row> rows;
  for (std::size_t thief = 0; thief != r.steal_matrix.size(); ++thief) {
    rows.push_back({name_of(r, thief)});
    for (const steals_from& from : r.steal_matrix[thief])
      rows.back().push_back(std::to_string(from.slots));
  }
  return table("steal-matrix", headings, rows);
}

/// How long a steal took, by pair of devices.
std::string times(const run_report& r) {
  std::vector<table_row> rows;
  for (std::size_t thief = 0; thief != r.steal_matrix.size(); ++thief)
    for (std::size_t from = 0; from != r.steal_matrix[thief].size(); ++from) {
      const steals_from& s = r.steal_matrix[thief][from];
      if (s.won == 0) continue;
      const auto won = static_cast<double>(s.won);
      const auto each = [&](std::uint64_t ns) {
        return time_text(static_cast<double>(ns) * 1e-9 / won);
      };
      rows.push_back({name_of(r, thief) + " from " + name_of(r, from), std::to_string(s.won),
                      fmt::format("{:.1f}", static_cast<double>(s.slots) / won), each(s.look_ns),
                      each(s.take_ns), each(s.settle_ns)});
    }
  return table("steal-times", {"steals", "won", "slots each", "look", "take", "settle"}, rows);
}

/// Slots by pair of workers, or of some neighbouring ones.
std::string by_worker(const run_report& r, const steals_of_workers& s) {
  const double n = s.workers;
  chart c("steals-of-workers", "Slots that workers stole from others", {0, n}, {n, 0}, 392);
  const std::vector<tick> ticks = s.workers > 1 ? ticks_of(0, n, 6) : std::vector<tick>{{0, "0"}};
  c.y_axis(ticks);
  c.x_axis(ticks, "from worker");
  const std::uint64_t most = *std::ranges::max_element(s.slots);
  // A path a shade: a rectangle each would be most of the page.
  std::vector<std::string> shades(k_shades);
  for (std::uint32_t thief = 0; thief != s.rows; ++thief)
    for (std::uint32_t owner = 0; owner != s.rows; ++owner) {
      if (s.at(thief, owner) == 0) continue;
      const double part = static_cast<double>(s.at(thief, owner)) / static_cast<double>(most);
      const auto shade = static_cast<std::size_t>(std::ceil(part * k_shades)) - 1;
      const auto end = [&](std::uint32_t row) { return std::min<double>(n, (row + 1.0) * s.each); };
      const double left = c.x(1.0 * owner * s.each);
      const double top = c.y(1.0 * thief * s.each);
      shades[shade] += fmt::format("M{:.2f} {:.2f}H{:.2f}V{:.2f}H{:.2f}Z", left, top,
                                   c.x(end(owner)), c.y(end(thief)), left);
    }
  for (int i = 0; i != k_shades; ++i)
    c.add(fmt::format("<path class=\"shade\" style=\"fill-opacity:{:.2f}\" d=\"{}\"/>\n",
                      (i + 1.0) / k_shades, shades[static_cast<std::size_t>(i)]));
  for (const device_report& d : r.devices)
    if (d.first_worker != 0)
      c.add(fmt::format(
          "<path class=\"border\" d=\"M{0:.2f} {1:.2f}V{2:.2f}M{3:.2f} {4:.2f}H{5:.2f}\"/>\n",
          c.x(d.first_worker), c.y(0), c.y(n), c.x(0), c.y(d.first_worker), c.x(n)));
  std::string rows = s.each == 1 ? "worker" : fmt::format("{} neighbouring workers", s.each);
  std::string all = c.figure(fmt::format(
      "Slots by thief (down) and worker whose queue it was (across), by {}; the darkest are {} "
      "slots or nearly so.",
      rows, most));
  table_row headings{"thief \\ from"};
  std::vector<table_row> cells;
  for (std::uint32_t row = 0; row != s.rows; ++row) {
    headings.push_back(workers_of(s, row));
    cells.push_back({workers_of(s, row)});
    for (std::uint32_t owner = 0; owner != s.rows; ++owner)
      cells.back().push_back(std::to_string(s.at(row, owner)));
  }
  return all + "<details><summary>As a table</summary>\n" +
         table("steals-of-workers-table", headings, cells) + "</details>\n";
}

}  // namespace

std::string section_of_steals(const run_report& r, queue_sharing sharing) {
  std::string all = "<section id=\"steals\"><h2>Steals</h2>\n";
  worker_counts sum;
  for (const worker_record& w : r.records) {
    sum.steals_tried += w.counts.steals_tried;
    sum.steals_won += w.counts.steals_won;
    sum.steals_empty += w.counts.steals_empty;
    sum.steals_lost += w.counts.steals_lost;
    sum.slots_given += w.counts.slots_given;
  }
  all +=
      paragraph(fmt::format("{} of {} attempts won, {} found nothing, {} came too late.",
                            sum.steals_won, sum.steals_tried, sum.steals_empty, sum.steals_lost));
  if (sum.slots_given != 0)
    all += paragraph(fmt::format(
        "Between devices of different domains nothing is stolen: {} slots crossed by a bridge.",
        sum.slots_given));
  if (sum.steals_won == 0) return all + paragraph("Nothing was stolen.") + "</section>\n";
  all += paragraph("Slots that workers of one device stole from workers of another:");
  all += by_device(r);
  all += paragraph(
      "How long a steal took in the mean: choosing and looking, taking, and being counted as busy "
      "again:");
  all += times(r);
  const steals_of_workers s = steals_of(r, sharing, k_rows);
  if (s.all_slots == 0)
    return all + paragraph("No event of a steal had room: workers are not told apart.") +
           "</section>\n";
  if (const left_out out = left_out_of(r); out.workers != 0)
    all += paragraph(
        fmt::format("<strong>{} of {} steals are in the events that had room; only these are by "
                    "worker:</strong>",
                    s.steals, sum.steals_won));
  if (sharing.owners > 1)
    all += paragraph(
        fmt::format("{} workers share a queue, and the first stands for all from whom was stolen.",
                    sharing.owners));
  return all + by_worker(r, s) + "</section>\n";
}

}  // namespace mgws::bench
