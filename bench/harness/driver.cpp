#include "harness/driver.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mgws/transports/queue.hpp>

#include "harness/command_line.hpp"
#include "harness/output.hpp"
#include "harness/output_file.hpp"
#include "mgws_version.hpp"
#include "picture/lengths.hpp"
#include "picture/page.hpp"
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
          {"slots_shown", c.slots_shown},
          {"shown_taken", c.shown_taken},
          {"slots_submitted", c.slots_submitted},
          {"slots_given", c.slots_given},
          {"answers", c.answers},
          {"slots_spilled", c.slots_spilled},
          {"finish_adds", c.finish_adds},
          {"times_idle", c.times_idle},
          {"sleeps", c.sleeps},
          {"steps", c.steps},
          {"lanes_used", c.lanes_used},
          {"working_seconds", static_cast<double>(c.working_ns) * 1e-9},
          {"stealing_seconds", static_cast<double>(c.stealing_ns) * 1e-9},
          {"searching_seconds", static_cast<double>(c.searching_ns) * 1e-9},
          {"idle_seconds", static_cast<double>(c.idle_ns) * 1e-9},
          {"answer_seconds", static_cast<double>(c.answer_ns) * 1e-9}};
}

/// How often something took so long, by powers of two of nanoseconds.
json to_json(const histogram& h) {
  json j{{"count", h.count},
         {"seconds", h.seconds},
         {"longest", h.longest},
         {"first", h.first},
         {"bins", json::array()}};
  for (const histogram::bin& b : h.bins)
    j["bins"].push_back(b.count);
  return j;
}

json to_json(const steals_from& s) {
  return {{"won", s.won},
          {"slots", s.slots},
          {"look_seconds", static_cast<double>(s.look_ns) * 1e-9},
          {"take_seconds", static_cast<double>(s.take_ns) * 1e-9},
          {"settle_seconds", static_cast<double>(s.settle_ns) * 1e-9}};
}

json to_json(const std::optional<double>& x) {
  return x ? json(*x) : json();
}

/// Adds a worker's numbers to those of the others.
void add_up(json& sum, const json& worker) {
  for (const auto& [name, value] : worker.items()) {
    if (name == "device") continue;
    if (!sum.contains(name)) {
      sum[name] = value;
    } else if (value.is_number_float()) {
      sum[name] = sum[name].get<double>() + value.get<double>();
    } else {
      sum[name] = sum[name].get<std::uint64_t>() + value.get<std::uint64_t>();
    }
  }
}

/// \param each  every worker by itself, or their sum
json statistics_of(const run_report& r, bool each) {
  json s{{"imbalance", r.imbalance()},
         {"recorded", r.statistics},
         {"busy", to_json(r.busy())},
         {"lanes", to_json(r.lanes())}};
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
    // Of those that asked, device by device; only a trace has it.
    if (std::ranges::any_of(r.records, [](const worker_record& w) { return !w.trace.empty(); }))
      for (std::uint32_t d = 0; d != r.devices.size(); ++d)
        s["answers_by_device"].push_back(to_json(lengths_of(r, d).answers));
  }
  for (std::size_t w = 0; w != r.workers.size(); ++w) {
    json worker{{"device", r.workers[w].device}, {"tasks", r.workers[w].tasks}};
    if (r.statistics) worker.update(to_json(r.records[w].counts));
    if (each) {
      s["workers"].push_back(std::move(worker));
    } else {
      add_up(s["sum"], worker);
    }
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

/// The counted runs of one variant.
struct measurement {
  std::vector<outcome> runs;
  spread seconds{};
  spread calls{};
  spread rate{};
  bool verified = false;

  explicit measurement(std::vector<outcome> all) : runs(std::move(all)) {
    std::vector<double> times;
    std::vector<double> of_calls;
    std::vector<double> rates;
    for (const auto& o : runs) {
      times.push_back(o.report.seconds);
      of_calls.push_back(o.report.call_seconds);
      rates.push_back(static_cast<double>(o.tasks) / std::max(o.report.seconds, 1e-9));
    }
    seconds = spread_of(std::move(times));
    calls = spread_of(std::move(of_calls));
    rate = spread_of(std::move(rates));
    verified = std::ranges::all_of(runs, &outcome::verified);
  }
};

/// How evenly the work was spread, as far as that was recorded.
std::string balance_of(const outcome& o) {
  const run_report& r = o.report;
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (const auto busy = r.busy()) add(fmt::format("busy {:.0f} %", *busy * 100));
  if (const auto lanes = r.lanes()) add(fmt::format("lanes {:.0f} %", *lanes * 100));
  double lanes = 0;
  double working = 0;
  for (const auto& d : r.devices)
    lanes += static_cast<double>(d.workers) * std::max(1u, d.footprint.lanes);
  for (const auto& worker : r.records)
    working += static_cast<double>(worker.counts.working_ns) * 1e-9;
  // No run is shorter than these. How long a task takes a lane among others nobody knows; how much
  // work it is, is known.
  for (const auto& [what, part] : {std::pair{"task", o.longest}, {"chain of tasks", o.chain}}) {
    if (part == 0) continue;
    if (working > 0 && lanes == static_cast<double>(r.workers.size()))
      add(fmt::format("the longest {} alone takes about {:.1f} % of the run", what,
                      100 * part * working / r.seconds));
    else
      add(fmt::format("the longest {} is {:.1f} % of a lane's equal share", what,
                      100 * part * lanes));
  }
  return text;
}

void print_table(const workload& w, const settings& s, const measurement& m) {
  const outcome& last = m.runs.back();
  const run_report& r = last.report;
  std::string devices;
  for (const auto& d : r.devices)
    devices += fmt::format("{}{} ({} workers)", devices.empty() ? "" : ", ", d.name, d.workers);
  fmt::print("{:<12}{}\n", "workload", w.name());
  fmt::print("{:<12}{}\n", "devices", devices);
  std::string processes;
  for (const process_report& p : r.processes)
    processes += fmt::format("{}{} ran {}", processes.empty() ? "" : ", ", p.process, p.tasks);
  if (!processes.empty()) fmt::print("{:<12}{}\n", "processes", processes);
  fmt::print("{:<12}{} transport, {} queues, {} termination, {}, steal {}, seed {}\n", "run",
             s.transport, transports::queue::k_name, s.termination,
             s.direct.empty() ? "balanced" : "direct " + s.direct, s.steal, r.seed);
  const memory_use& memory = r.memory;
  fmt::print(
      "{:<12}{} in all: spill areas {}, public queues {}, local queues {}, initial tasks {}\n",
      "memory", bytes(memory.total()), bytes(memory.spill_areas), bytes(memory.public_queues),
      bytes(memory.local_queues), bytes(memory.initial_tasks));
  fmt::print("{:<12}{}{}\n", "result", plain(last.result), m.verified ? " (right)" : " (WRONG)");
  for (const auto& [name, value] : last.details.items())
    if (!value.is_array()) fmt::print("{:<12}{} {}\n", "", name, plain(value));
  fmt::print("{:<12}{}\n", w.unit(), last.tasks);
  if (last.tasks != r.tasks) fmt::print("{:<12}{} tasks ran\n", "", r.tasks);
  fmt::print("{:<12}{:.6f} median of {}, {:.6f} to {:.6f}; with set-up and report {:.6f}\n",
             "seconds", m.seconds.median, m.runs.size(), m.seconds.min, m.seconds.max,
             m.calls.median);
  fmt::print("{:<12}{:.4g} million {} a second, {:.2f} ns each\n", "speed", m.rate.median / 1e6,
             w.unit(), last.tasks == 0 ? 0.0 : 1e9 / m.rate.median);
  if (const std::string balance = balance_of(last); !balance.empty())
    fmt::print("{:<12}{}\n", "balance", balance);
  if (!r.statistics) return;
  worker_counts sum;
  for (const auto& worker : r.records) {
    sum.steals_won += worker.counts.steals_won;
    sum.steals_tried += worker.counts.steals_tried;
    sum.slots_stolen += worker.counts.slots_stolen;
    sum.slots_spilled += worker.counts.slots_spilled;
  }
  fmt::print("{:<12}{} of {} attempts won {} slots; {} slots spilled; imbalance {:.3f}\n", "steals",
             sum.steals_won, sum.steals_tried, sum.slots_stolen, sum.slots_spilled, r.imbalance());
}

/// What one of several variants is, in a line.
void print_line(const workload& w, const measurement& m) {
  std::string what;
  const json parameters = w.parameters();
  for (const auto& [name, value] : parameters.items())
    what += fmt::format("{}{} {}", what.empty() ? "" : ", ", name, plain(value));
  std::string more = balance_of(m.runs.back());
  for (const auto& [name, value] : m.runs.back().details.items())
    if (!value.is_array()) more += fmt::format("; {} {}", name, plain(value));
  fmt::print("{}: {}\n  {:.6f} s median of {}, {:.6f} to {:.6f}, {}; {}\n", w.name(), what,
             m.seconds.median, m.runs.size(), m.seconds.min, m.seconds.max,
             m.verified ? "right" : "WRONG", more);
}

/// Slots of each worker's spill area, by how much memory all have.
std::uint64_t spill_of(const run_report& r) {
  return r.memory.spill_areas / (r.slot_bytes * r.workers.size());
}

json json_of(const workload& w, const settings& s, const std::string& command,
             const measurement& m) {
  const outcome& last = m.runs.back();
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
                                       {"scratch_bytes", f.scratch_bytes},
                                       {"local_bytes", f.local_bytes},
                                       {"resident", f.resident},
                                       {"resident_without_scratch", f.resident_without_scratch},
                                       {"multiprocessors", f.multiprocessors}};
  }
  j["transport"] = s.transport;
  if (uses_bridge(s.runtime)) j["domains"] = s.domains;
  for (const process_report& p : last.report.processes)
    j["processes"].push_back({{"process", p.process},
                              {"workers", p.workers},
                              {"tasks", p.tasks},
                              {"seconds", p.seconds}});
  j["tasks_in"] = s.tasks_in;
  if (s.remote_gpu) j["remote_gpu"] = *s.remote_gpu;
  j["termination"] = s.termination;
  j["overflow"] = s.overflow;
  j["steal"] = s.steal;
  j["direct"] = s.direct.empty() ? "off" : s.direct;
  j["owners"] = s.owners;
  j["queues"] = {{"protocol", transports::queue::k_name},
                 {"public", last.report.devices.front().public_queue},
                 {"local", last.report.devices.front().local_queue},
                 {"spill", spill_of(last.report)}};
  j["seed"] = last.report.seed;
  j["setup_seconds"] = last.report.setup_seconds;
  j["memory_bytes"] = memory_of(last.report.memory);
  for (const auto& o : m.runs)
    j["runs"].push_back({{"seconds", o.report.seconds},
                         {"call_seconds", o.report.call_seconds},
                         {"tasks", o.tasks},
                         {"verified", o.verified},
                         {"result", o.result},
                         {"seed", o.report.seed}});
  j["summary"] = {{"tasks", last.tasks},
                  {"unit", w.unit()},
                  {"tasks_run", last.report.tasks},
                  {"verified", m.verified},
                  {"result", last.result},
                  {"details", last.details},
                  {"seconds", to_json(m.seconds)},
                  {"call_seconds", to_json(m.calls)},
                  {"tasks_per_second", to_json(m.rate)}};
  // Of several variants the sums are enough: a GPU has thousands of workers.
  j["statistics"] = statistics_of(last.report, w.variants() == 1);
  return j;
}

/// Turns on what a trace or a picture is made of.
void record_events(settings& s) {
  for (const auto& [option, path] : {std::pair{"--trace", &s.trace}, {"--report", &s.report}})
    if (!path->empty() && !statistics::enabled)
      throw not_possible(std::string(option) +
                         " needs a build with statistics (-Dstatistics=true)");
  if (!s.trace.empty()) check_writable(s.trace, "trace");
  if (!s.report.empty()) check_writable(s.report, "report");
  // Of thousands of workers, a few hundred events each are a large file already. A picture stays
  // small, and shows the end only where all events have room.
  if (!s.trace.empty()) {
    s.runtime.trace_events = uses_gpus(s.runtime) ? 1u << 9 : 1u << 16;
  } else if (!s.report.empty()) {
    s.runtime.trace_events = uses_gpus(s.runtime) ? 1u << 12 : 1u << 16;
  }
}

}  // namespace

int drive(workload& w, settings& s, const std::string& command) {
  s.gpu_spill = w.gpu_spill();
  resolve(s);
  if (is_of_group(s.runtime)) {
    if (!w.over_processes())
      throw not_possible("the tasks of " + w.name() +
                         " write into memory of their own process: --join is for workloads whose "
                         "tasks any process can run");
    if (s.busy != 0)
      throw bad_configuration(
          "--busy makes as many runs as there is time for, which is not the same number in every "
          "process of a group: use --warmup");
  }
  std::vector<named_file> results_go = w.writes();
  results_go.push_back({"--json", s.json});
  results_go.push_back({"--trace", s.trace});
  results_go.push_back({"--report", s.report});
  check_apart(w.reads(), results_go);
  record_events(s);
  const bool only_json = s.json == "-";
  if (!s.json.empty() && !only_json) check_writable(s.json, "JSON");
  progress_line progress;
  std::uint64_t at = 0;
  std::uint64_t in_all = s.warmup + s.repeat;
  if (progress.shown())
    s.runtime.on_progress = [&](std::uint64_t tasks) {
      progress.update(fmt::format("{}: run {} of {}, {} tasks", w.name(), at + 1, in_all, tasks));
    };

  w.prepare(s.runtime);
  const std::size_t variants = w.variants();
  for (const auto& [option, path] : {std::pair{"--trace", &s.trace}, {"--report", &s.report}})
    if (variants > 1 && !path->empty())
      throw bad_configuration(std::string(option) + " is for one variant, and these are " +
                              std::to_string(variants));
  in_all *= variants;
  std::vector<json> results;
  bool right = true;
  std::string fault;
  for (std::size_t variant = 0; variant != variants && right; ++variant) {
    if (variant != 0) w.choose(variant);
    std::vector<outcome> runs;
    // What each worker did is a megabyte a run for thousands of them: only the last one's is shown,
    // and memory that is used again is not waited for.
    const auto keep = [&](outcome o) {
      if (!runs.empty()) {
        runs.back().report.workers = {};
        runs.back().report.records = {};
      }
      runs.push_back(std::move(o));
    };
    const auto wrong = [&] { return !runs.empty() && !runs.back().verified; };
    const auto began = std::chrono::steady_clock::now();
    const std::chrono::duration<double> busy(variant == 0 ? s.busy : 0);
    while (std::chrono::steady_clock::now() - began < busy && !wrong())
      if (outcome o = w.run(); !o.verified) keep(std::move(o));
    for (std::uint64_t i = 0; i != s.warmup + s.repeat && !wrong(); ++i, ++at) {
      outcome o = w.run();
      if (i >= s.warmup || !o.verified) keep(std::move(o));
    }
    progress.clear();
    const measurement m(std::move(runs));
    if (!s.json.empty() || !s.report.empty()) results.push_back(json_of(w, s, command, m));
    const run_report& last = m.runs.back().report;
    const queue_sharing sharing{s.runtime.owners, s.runtime.domains};
    if (!s.trace.empty()) write_trace(s.trace, last, sharing);
    if (!s.report.empty()) {
      output_file page(s.report);
      page.write(page_of(results.back(), w.unit(), last, sharing));
      page.close();
    }
    if (!only_json && variants == 1) print_table(w, s, m);
    if (!only_json && variants > 1) print_line(w, m);
    right = m.verified;
    fault = m.runs.back().fault;
  }
  if (!s.json.empty())
    write_json(s.json, variants == 1 ? results.front()
                                     : json{{"schema", 1},
                                            {"workload", w.name()},
                                            {"command", command},
                                            {"variants", std::move(results)}});
  if (right) return k_right;
  fmt::print(stderr, "{}: wrong result: {}\n", program_name(), fault);
  return k_wrong;
}

}  // namespace mgws::bench
