#include "sim/output.hpp"

#include <fmt/format.h>

namespace mgws::bench::sim {

namespace {

/// Where the workers' time went, in parts of all of it.
struct parts {
  double working;
  double stealing;
  double searching;
  double idle;

  explicit parts(const outcome& o) {
    const worker_counts& c = o.counts;
    const double all = o.makespan_ns * static_cast<double>(o.report.workers.size());
    const auto part = [&](std::uint64_t ns) { return static_cast<double>(ns) / all; };
    working = part(c.working_ns);
    stealing = part(c.stealing_ns);
    searching = part(c.searching_ns);
    idle = part(c.idle_ns);
  }
};

}  // namespace

std::string text_of(const setup& s, const result& r) {
  const outcome& o = r.outcome;
  const bounds b(s, r.work);
  const parts p(o);
  const worker_counts& c = o.counts;
  std::string text = fmt::format(
      "makespan   {:.4f} ms, {:.2f} times the largest bound (work {:.4f}, longest task {:.4f}, "
      "longest chain {:.4f})\n",
      o.makespan_ns / 1e6, o.makespan_ns / b.largest(), b.work / 1e6, b.longest / 1e6,
      b.chain / 1e6);
  text += fmt::format(
      "instances  {}, {}; steps {}, lanes filled {:.1f}%, slowest lane / mean {:.2f}\n",
      o.instances, r.verified ? "verified" : "WRONG RESULT", o.steps, 100 * o.lanes_filled,
      o.iterations == 0
          ? 1.0
          : static_cast<double>(o.slowest) * s.lanes / static_cast<double>(o.iterations));
  text += fmt::format(
      "time       in steps {:.1f}%; working {:.1f}%, stealing {:.1f}%, searching {:.1f}%, idle "
      "{:.1f}%\n",
      100 * o.busy, 100 * p.working, 100 * p.stealing, 100 * p.searching, 100 * p.idle);
  text += fmt::format(
      "sharing    steals {} ({} slots; {} empty, {} lost), releases {} ({} slots), acquires {} ({} "
      "slots), initial slots {}\n",
      c.steals_won, c.slots_stolen, c.steals_empty, c.steals_lost, c.releases, c.slots_released,
      c.acquires, c.slots_acquired, c.initial_slots);
  if (o.violations == 0) {
    text += "invariant  held\n";
  } else {
    const auto& w = o.worst;
    text += fmt::format(
        "invariant  broken {} times; worst by {:.1f} us: worker {} held {} instances privately "
        "from {:.1f} to {:.1f} us\n",
        o.violations, static_cast<double>(w.excess) / 1e6, w.worker, w.held,
        static_cast<double>(w.begin) / 1e6, static_cast<double>(w.end) / 1e6);
  }
  if (!o.consistent)
    text += "           the count of who holds what was inconsistent: take that with care\n";
  text += fmt::format("simulated  in {:.2f} s, {} events, {} looks passed over\n", o.host_seconds,
                      o.events, o.looks_skipped);
  return text;
}

nlohmann::ordered_json json_of(const setup& s, const result& r) {
  const outcome& o = r.outcome;
  const bounds b(s, r.work);
  const parts p(o);
  const worker_counts& c = o.counts;
  return {
      {"devices", s.devices},
      {"workers", s.workers},
      {"lanes", s.lanes},
      {"owners", s.owners},
      {"seed", s.seed},
      {"verified", r.verified},
      {"makespan_ns", o.makespan_ns},
      {"bounds_ns", {{"work", b.work}, {"longest", b.longest}, {"chain", b.chain}}},
      {"times_bound", o.makespan_ns / b.largest()},
      {"instances", o.instances},
      {"iterations", o.iterations},
      {"steps", o.steps},
      {"leads", o.leads},
      {"busy", o.busy},
      {"lanes_filled", o.lanes_filled},
      {"time",
       {{"working", p.working},
        {"stealing", p.stealing},
        {"searching", p.searching},
        {"idle", p.idle}}},
      {"steals",
       {{"won", c.steals_won},
        {"slots", c.slots_stolen},
        {"empty", c.steals_empty},
        {"lost", c.steals_lost}}},
      {"releases", {{"done", c.releases}, {"slots", c.slots_released}}},
      {"acquires", {{"done", c.acquires}, {"slots", c.slots_acquired}}},
      {"initial_slots", c.initial_slots},
      {"slots_shown", c.slots_shown},
      {"shown_taken", c.shown_taken},
      {"slots_spilled", c.slots_spilled},
      {"invariant",
       {{"violations", o.violations},
        {"excess_ns", static_cast<double>(o.worst.excess) / 1000},
        {"worker", o.worst.worker},
        {"held", o.worst.held},
        {"begin_ns", static_cast<double>(o.worst.begin) / 1000},
        {"end_ns", static_cast<double>(o.worst.end) / 1000},
        {"consistent", o.consistent}}},
      {"simulation",
       {{"seconds", o.host_seconds}, {"events", o.events}, {"looks_skipped", o.looks_skipped}}},
  };
}

}  // namespace mgws::bench::sim
