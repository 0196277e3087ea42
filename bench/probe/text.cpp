#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mgws/probe/domains.hpp>

#include "probe/output.hpp"

namespace mgws::bench {

namespace {

/// Rows and columns in the order in which they first appear; empty cells are dashes.
class matrix {
 public:
  /// \param width  of the row's names
  explicit matrix(std::string title, std::size_t width) : title_(std::move(title)), width_(width) {}

  void put(const std::string& row, const std::string& column, const std::string& cell) {
    const std::size_t r = position(rows_, row);
    const std::size_t c = position(columns_, column);
    cells_.resize(rows_.size());
    cells_[r].resize(std::max(cells_[r].size(), c + 1));
    cells_[r][c] = cell;
  }
  void print() const {
    if (rows_.empty()) return;
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c != columns_.size(); ++c) {
      widths.push_back(columns_[c].size());
      for (const auto& row : cells_)
        if (c < row.size()) widths.back() = std::max(widths.back(), row[c].size());
    }
    fmt::print("\n{:<{}}", title_, width_);
    for (std::size_t c = 0; c != columns_.size(); ++c)
      fmt::print("  {:>{}}", columns_[c], widths[c]);
    fmt::print("\n");
    for (std::size_t r = 0; r != rows_.size(); ++r) {
      fmt::print("{:<{}}", rows_[r], width_);
      for (std::size_t c = 0; c != columns_.size(); ++c)
        fmt::print("  {:>{}}", c < cells_[r].size() && !cells_[r][c].empty() ? cells_[r][c] : "-",
                   widths[c]);
      fmt::print("\n");
    }
  }

 private:
  static std::size_t position(std::vector<std::string>& names, const std::string& name) {
    const auto at = std::ranges::find(names, name);
    if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
    names.push_back(name);
    return names.size() - 1;
  }

  std::string title_;
  std::size_t width_;
  std::vector<std::string> rows_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> cells_;
};

std::string size_name(std::uint64_t bytes) {
  if (bytes < 1u << 10) return fmt::format("{} B", bytes);
  if (bytes < 1u << 20) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{} MiB", bytes >> 20);
}

std::string time(double ns) {
  return fmt::format("{:.{}f}", ns, ns < 100 ? 1 : 0);
}

std::string cell_of(const litmus_outcome& o) {
  switch (o.verdict) {
    case litmus_verdict::passed:
      return "ok";
    case litmus_verdict::wrong:
      return fmt::format("WRONG {} of {}", o.wrong, o.operations);
    default:
      return name_of(o.verdict);
  }
}

std::string row_of(const std::string& who, const std::string& memory, const char* scope) {
  return fmt::format("{:<14} {:<7} {}", who, memory, scope);
}
constexpr std::size_t k_row = 30;

std::string where(const probe_report& r, const cost_finding& f) {
  return f.what == measured::chase_local ? "local" : r.label_of(f.memory);
}

void print_litmus(const probe_report& r) {
  matrix m(row_of("litmus runs of", "on", "scope"), k_row);
  for (const litmus_finding& f : r.litmus) {
    const std::string row = row_of(r.devices[f.a].label() + ", " + r.devices[f.b].label(),
                                   r.label_of(f.memory), f.system_scope ? "system" : "device");
    m.put(row, name_of(f.what), cell_of(f.outcome));
    if (f.claim.has_value()) m.put(row, "driver says", *f.claim ? "coherent" : "no");
    if (f.what == litmus::message && f.outcome.operations != 0)
      m.put(row, "there and back, ns",
            time(2.0 * static_cast<double>(f.outcome.nanoseconds) /
                 static_cast<double>(f.outcome.operations)));
  }
  m.print();
}

void print_groups(const probe_report& r, const char* what, const std::vector<device_group>& all) {
  std::string text;
  for (const device_group& g : all) {
    std::string members;
    for (const std::uint32_t d : g) {
      if (!members.empty()) members += ' ';
      members += r.devices[d].label();
    }
    text += fmt::format("{}{{{}}}", text.empty() ? "" : "  ", members);
  }
  fmt::print("{:<34}{}\n", what, text.empty() ? "none" : text);
}

void print_domains(const probe_report& r) {
  const coherence_domains d = domains_of(r);
  fmt::print("\nDevices in braces may share:\n");
  print_groups(r, "queues in GPUs' memory (p2p)", d.p2p);
  print_groups(r, "queues in host memory (host)", d.host);
  print_groups(r, "messages in host memory", d.messages);
  for (const litmus_finding& f : disagreements(r))
    fmt::print("The driver and a litmus run disagree: {} of {} and {} on {}: {}.\n",
               name_of(f.what), r.devices[f.a].label(), r.devices[f.b].label(),
               r.label_of(f.memory),
               f.outcome.verdict == litmus_verdict::passed
                   ? "it is coherent, and the driver says that it is not"
                   : "it is not coherent, and the driver says that it is");
}

void print_costs(const probe_report& r) {
  matrix latencies(row_of("one operation, ns", "on", "scope"), k_row);
  for (const cost_finding& f : r.latencies)
    latencies.put(row_of(r.devices[f.device].label(), r.label_of(f.memory),
                         f.system_scope ? "system" : "device"),
                  name_of(f.what), time(f.median));
  latencies.print();
  matrix copies(row_of("one copy, ns", "from", ""), k_row);
  for (const cost_finding& f : r.copies)
    copies.put(row_of(r.devices[f.device].label(), r.label_of(f.memory), ""), size_name(f.bytes),
               time(f.median));
  copies.print();
  // Sizes in order, whatever was measured first.
  auto rungs = r.ladder;
  std::ranges::stable_sort(rungs, {}, &cost_finding::bytes);
  matrix ladder(row_of("dependent read, ns", "in", ""), k_row);
  for (const cost_finding& f : rungs)
    ladder.put(row_of(r.devices[f.device].label(), where(r, f), ""), size_name(f.bytes),
               time(f.median));
  ladder.print();
}

}  // namespace

void print_findings(const probe_report& r) {
  for (const probed_device& d : r.devices)
    fmt::print("{:<8}{}\n", d.label(), d.name);
  if (!r.no_gpu.empty()) fmt::print("no GPU: {}\n", r.no_gpu);
  print_litmus(r);
  print_domains(r);
  print_costs(r);
}

}  // namespace mgws::bench
