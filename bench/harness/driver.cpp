#include "harness/driver.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "harness/command_line.hpp"
#include "harness/output.hpp"
#include "mgws_version.hpp"
#include "runs/runs.hpp"

namespace mgws::bench {

namespace {

struct spread {
  double min = 0;
  double median = 0;
  double max = 0;
};

spread spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return {values.front(), n % 2 != 0 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2,
          values.back()};
}

json to_json(const spread& s) {
  return {{"min", s.min}, {"median", s.median}, {"max", s.max}};
}

json to_json(const worker_counts& c) {
  return {{"steals_tried", c.steals_tried},
          {"steals_won", c.steals_won},
          {"steals_empty", c.steals_empty},
          {"steals_lost", c.steals_lost},
          {"slots_stolen", c.slots_stolen},
          {"releases", c.releases},
          {"slots_released", c.slots_released},
          {"releases_postponed", c.releases_postponed},
          {"acquires", c.acquires},
          {"slots_acquired", c.slots_acquired},
          {"initial_slots", c.initial_slots},
          {"slots_spilled", c.slots_spilled},
          {"times_idle", c.times_idle},
          {"sleeps", c.sleeps},
          {"steps", c.steps},
          {"working_seconds", static_cast<double>(c.working_ns) * 1e-9},
          {"stealing_seconds", static_cast<double>(c.stealing_ns) * 1e-9},
          {"searching_seconds", static_cast<double>(c.searching_ns) * 1e-9},
          {"idle_seconds", static_cast<double>(c.idle_ns) * 1e-9}};
}

json to_json(const steals_from& s) {
  return {{"won", s.won},
          {"slots", s.slots},
          {"look_seconds", static_cast<double>(s.look_ns) * 1e-9},
          {"take_seconds", static_cast<double>(s.take_ns) * 1e-9},
          {"settle_seconds", static_cast<double>(s.settle_ns) * 1e-9}};
}

json statistics_of(const run_report& r) {
  json s{{"imbalance", r.imbalance()}, {"recorded", r.statistics}};
  for (const auto& d : r.devices) {
    s["tasks_by_device"].push_back(d.tasks);
    if (!r.statistics) continue;
    s["first_task_seconds"].push_back(d.first_task_seconds ? json(*d.first_task_seconds) : json());
    s["clock_error_seconds"].push_back(d.clock_error_seconds);
  }
  if (r.statistics) {
    s["slot_bytes"] = r.slot_bytes;
    for (const auto& row : r.steal_matrix) {
      s["steal_matrix"].emplace_back();
      s["steals"].emplace_back();
      for (const steals_from& from : row) {
        s["steal_matrix"].back().push_back(from.slots);
        s["steals"].back().push_back(to_json(from));
      }
    }
  }
  for (const auto& w : r.workers) {
    json worker{{"device", w.device}, {"tasks", w.tasks}};
    if (r.statistics) worker.update(to_json(w.counts));
    s["workers"].push_back(std::move(worker));
  }
  return s;
}

json memory_of(const memory_use& m) {
  return {{"local_queues", m.local_queues}, {"public_queues", m.public_queues},
          {"spill_areas", m.spill_areas},   {"initial_tasks", m.initial_tasks},
          {"control", m.control},           {"total", m.total()}};
}

std::string plain(const json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string bytes(std::size_t n) {
  if (n < 10'000) return fmt::format("{} B", n);
  if (n < 10'000'000) return fmt::format("{:.1f} kB", static_cast<double>(n) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(n) / 1e6);
}

void print_table(const workload& w, const settings& s, const std::vector<outcome>& runs,
                 const spread& seconds, const spread& calls, const spread& rate) {
  const outcome& last = runs.back();
  const run_report& r = last.report;
  std::string devices;
  for (const auto& d : r.devices)
    devices += fmt::format("{}{} ({} workers)", devices.empty() ? "" : ", ", d.name, d.workers);
  fmt::print("{:<12}{}\n", "workload", w.name());
  fmt::print("{:<12}{}\n", "devices", devices);
  fmt::print("{:<12}{} transport, {} termination, {}, steal {}, seed {}\n", "run", s.transport,
             s.termination, s.direct.empty() ? "balanced" : "direct " + s.direct, s.steal, r.seed);
  const memory_use& m = r.memory;
  fmt::print(
      "{:<12}{} in all: spill areas {}, public queues {}, local queues {}, initial tasks {}\n",
      "memory", bytes(m.total()), bytes(m.spill_areas), bytes(m.public_queues),
      bytes(m.local_queues), bytes(m.initial_tasks));
  const bool verified = std::ranges::all_of(runs, &outcome::verified);
  fmt::print("{:<12}{}{}\n", "result", plain(last.result), verified ? " (right)" : " (WRONG)");
  for (const auto& [name, value] : last.details.items())
    fmt::print("{:<12}{} {}\n", "", name, plain(value));
  fmt::print("{:<12}{}\n", w.unit(), last.tasks);
  fmt::print("{:<12}{:.6f} median of {}, {:.6f} to {:.6f}; with set-up and report {:.6f}\n",
             "seconds", seconds.median, runs.size(), seconds.min, seconds.max, calls.median);
  fmt::print("{:<12}{:.4g} million {} a second, {:.2f} ns each\n", "speed", rate.median / 1e6,
             w.unit(), last.tasks == 0 ? 0.0 : 1e9 / rate.median);
  if (!r.statistics) return;
  worker_counts sum;
  for (const auto& worker : r.workers) {
    sum.steals_won += worker.counts.steals_won;
    sum.steals_tried += worker.counts.steals_tried;
    sum.slots_stolen += worker.counts.slots_stolen;
    sum.slots_spilled += worker.counts.slots_spilled;
  }
  fmt::print("{:<12}{} of {} attempts won {} slots; {} slots spilled; imbalance {:.3f}\n", "steals",
             sum.steals_won, sum.steals_tried, sum.slots_stolen, sum.slots_spilled, r.imbalance());
}

}  // namespace

int drive(workload& w, settings& s, const std::string& command) {
  resolve(s);
  if (!s.trace.empty()) {
    if (!statistics::enabled)
      throw not_possible("--trace needs a build with statistics (-Dstatistics=true)");
    // Of thousands of workers, a few hundred events each are a large file already.
    s.runtime.trace_events = uses_gpus(s.runtime) ? 1u << 9 : 1u << 16;
    check_writable(s.trace, "trace");
  }
  const bool only_json = s.json == "-";
  if (!s.json.empty() && !only_json) check_writable(s.json, "JSON");
  progress_line progress;
  std::uint64_t at = 0;
  if (progress.shown())
    s.runtime.on_progress = [&](std::uint64_t tasks) {
      progress.update(
          fmt::format("{}: run {} of {}, {} tasks", w.name(), at + 1, s.warmup + s.repeat, tasks));
    };

  w.prepare(s.runtime);
  std::vector<outcome> runs;
  for (; at != s.warmup + s.repeat; ++at) {
    outcome o = w.run();
    if (at >= s.warmup || !o.verified) runs.push_back(std::move(o));
    if (!runs.empty() && !runs.back().verified) break;
  }
  progress.clear();

  std::vector<double> seconds;
  std::vector<double> calls;
  std::vector<double> rates;
  for (const auto& o : runs) {
    seconds.push_back(o.report.seconds);
    calls.push_back(o.report.call_seconds);
    rates.push_back(static_cast<double>(o.tasks) / std::max(o.report.seconds, 1e-9));
  }
  const spread time = spread_of(seconds);
  const spread call = spread_of(calls);
  const spread rate = spread_of(rates);
  const outcome& last = runs.back();
  const bool verified = std::ranges::all_of(runs, &outcome::verified);

  json j{{"schema", 1},         {"workload", w.name()},    {"parameters", w.parameters()},
         {"command", command},  {"version", MGWS_VERSION}, {"commit", MGWS_COMMIT},
         {"date", now_in_utc()}};
  for (const auto& d : last.report.devices) {
    j["devices"].push_back({{"name", d.kind == "cpu" ? d.name + ": " + processor() : d.name},
                            {"kind", d.kind},
                            {"workers", d.workers}});
    const worker_footprint& f = d.footprint;
    if (f.lanes != 0)
      j["devices"].back()["worker"] = {{"lanes", f.lanes},
                                       {"registers", f.registers},
                                       {"shared_bytes", f.shared_bytes},
                                       {"local_bytes", f.local_bytes},
                                       {"resident", f.resident},
                                       {"multiprocessors", f.multiprocessors}};
  }
  j["transport"] = s.transport;
  j["tasks_in"] = s.tasks_in;
  if (s.remote_gpu) j["remote_gpu"] = *s.remote_gpu;
  j["termination"] = s.termination;
  j["overflow"] = s.overflow;
  j["steal"] = s.steal;
  j["direct"] = s.direct.empty() ? "off" : s.direct;
  j["owners"] = s.owners;
  j["queues"] = {{"public", s.public_queue}, {"local", s.local_queue}, {"spill", s.spill}};
  j["seed"] = last.report.seed;
  j["setup_seconds"] = last.report.setup_seconds;
  j["memory_bytes"] = memory_of(last.report.memory);
  for (const auto& o : runs)
    j["runs"].push_back({{"seconds", o.report.seconds},
                         {"call_seconds", o.report.call_seconds},
                         {"tasks", o.tasks},
                         {"verified", o.verified},
                         {"result", o.result},
                         {"seed", o.report.seed}});
  j["summary"] = {{"tasks", last.tasks},
                  {"verified", verified},
                  {"result", last.result},
                  {"details", last.details},
                  {"seconds", to_json(time)},
                  {"call_seconds", to_json(call)},
                  {"tasks_per_second", to_json(rate)}};
  j["statistics"] = statistics_of(last.report);
  if (!s.json.empty()) write_json(s.json, j);
  if (!s.trace.empty()) write_trace(s.trace, last.report, s.runtime.owners);
  if (!only_json) print_table(w, s, runs, time, call, rate);
  if (verified) return k_right;
  fmt::print(stderr, "{}: wrong result: {}\n", program_name(), last.fault);
  return k_wrong;
}

}  // namespace mgws::bench
