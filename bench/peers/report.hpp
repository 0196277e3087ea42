/// \file
/// What a program found, in the JSON of mgws-bench (schema 1) and as a short text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mgws_version.hpp"
#include "options.hpp"
#include "peer.hpp"

namespace mgws::bench::peers {

struct run_record {
  double seconds = 0;
  std::uint64_t tasks = 0;
  bool verified = false;
  std::uint64_t result = 0;
  std::uint32_t depth = 0;  ///< uts only, as the next
  std::uint64_t leaves = 0;
};

struct spread {
  double min, median, max;
};

/// \pre not empty
[[nodiscard]] inline spread spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return {values.front(), median, values.back()};
}

inline void to_json(nlohmann::ordered_json& out, const spread& s) {
  out = {{"min", s.min}, {"median", s.median}, {"max", s.max}};
}

[[nodiscard]] inline std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (const auto colon = line.find(": ");
        line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "cpu";
}

/// Tasks of a run over its time; a run too short for the clock counts as a nanosecond.
[[nodiscard]] inline double tasks_per_second(const run_record& run) {
  return static_cast<double>(run.tasks) / std::max(run.seconds, 1e-9);
}

[[nodiscard]] inline nlohmann::ordered_json parameters_json(const options& o) {
  nlohmann::ordered_json p;
  switch (o.what) {
    case workload::uts:
      if (!o.tree_name.empty()) p["tree"] = o.tree_name;
      p.update({{"t", o.tree.t},
                {"a", o.tree.a},
                {"d", o.tree.d},
                {"b", o.tree.b},
                {"r", o.tree.r},
                {"q", o.tree.q},
                {"m", o.tree.m},
                {"f", o.tree.f},
                {"g", o.tree.g},
                {"hash", o.sha_instructions ? "x86" : "portable"}});
      break;
    case workload::nqueens:
      p = {{"n", o.n}, {"cutoff", o.cutoff}};
      break;
    case workload::memset:
      p = {{"tasks", o.elements}};
      break;
    case workload::spawn_tree:
      p = {{"depth", o.depth}, {"fanout", o.fanout}};
      break;
    case workload::fib:
      p = {{"n", o.fib}};
      break;
    case workload::loop:
      p = o.loop.parameters(o.loop.pattern, answer_of(o.loop.work(o.loop.pattern)));
      p["chunk"] = o.chunk;
      break;
    case workload::crypt:
      p = {{"size", o.crypt.size}, {"grain", o.crypt.grain}, {"text_seed", o.crypt.text_seed}};
      break;
    case workload::md:
      p = o.md.parameters();
  }
  if (o.has_form) p["form"] = o.how == form::range ? "range" : "each";
  return p;
}

[[nodiscard]] inline nlohmann::ordered_json run_json(const run_record& run, workload what) {
  nlohmann::ordered_json out{{"seconds", run.seconds},
                             {"tasks", run.tasks},
                             {"verified", run.verified},
                             {"result", run.result}};
  if (what == workload::uts) out["details"] = {{"depth", run.depth}, {"leaves", run.leaves}};
  return out;
}

struct summary {
  spread seconds;
  spread rate;
  bool verified;
};

[[nodiscard]] inline summary summarise(const std::vector<run_record>& runs) {
  std::vector<double> seconds;
  std::vector<double> rates;
  for (const run_record& run : runs) {
    seconds.push_back(run.seconds);
    rates.push_back(tasks_per_second(run));
  }
  return {spread_of(seconds), spread_of(rates), std::ranges::all_of(runs, &run_record::verified)};
}

[[nodiscard]] inline nlohmann::ordered_json report_json(const options& o,
                                                        const peer_description& who,
                                                        const std::vector<run_record>& runs) {
  const summary all = summarise(runs);
  nlohmann::ordered_json result = run_json(runs.back(), o.what);
  result.erase("seconds");
  result["verified"] = all.verified;
  result["seconds"] = all.seconds;
  result["tasks_per_second"] = all.rate;

  nlohmann::ordered_json out{
      {"schema", 1},
      {"workload", o.workload_name},
      {"parameters", parameters_json(o)},
      {"command", o.command},
      {"version", MGWS_VERSION},
      {"commit", MGWS_COMMIT},
      {"devices", {{{"name", processor_name()}, {"kind", "cpu"}, {"workers", o.workers}}}},
      {"transport", "none"},
      {"termination", "none"},
      {"seed", 0},
      {"runtime", who.runtime}};
  for (const run_record& run : runs) {
    out["runs"].push_back(run_json(run, o.what));
  }
  out["summary"] = std::move(result);
  return out;
}

[[nodiscard]] inline std::string report_text(const options& o, const peer_description& who,
                                             const std::vector<run_record>& runs) {
  const summary all = summarise(runs);
  const run_record& last = runs.back();
  const double ns = all.seconds.median * 1e9 / static_cast<double>(last.tasks);
  std::string out = fmt::format("{} on {}, {} worker{}\n", o.workload_name, who.runtime, o.workers,
                                o.workers == 1 ? "" : "s");
  out += fmt::format("result   {}{}\n", last.result, all.verified ? "" : "  WRONG");
  if (o.what == workload::uts) {
    out += fmt::format("depth    {}\nleaves   {}\n", last.depth, last.leaves);
  }
  out += fmt::format("tasks    {}\n", last.tasks);
  out += fmt::format("seconds  {:.6f}  (from {:.6f} to {:.6f})\n", all.seconds.median,
                     all.seconds.min, all.seconds.max);
  return out + fmt::format("per task {:.2f} ns\n", ns);
}

}  // namespace mgws::bench::peers
