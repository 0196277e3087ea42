/// \file
/// mgws-sim WORKLOAD [options]: runs core's workers in virtual time on devices that are not there,
/// and says how well the work was balanced.
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "harness/command_line.hpp"
#include "harness/driver.hpp"
#include "harness/output.hpp"
#include "sim/output.hpp"
#include "sim/workloads.hpp"

namespace {

namespace sim = mgws::bench::sim;

struct arguments {
  sim::setup setup;
  std::string costs = "h200";
  bool assert_invariant = false;
  double excess_us = 0;
  bool exact = false;
  std::vector<std::string> changes;  ///< of the cost table: name=number
  std::string json;
  std::string trace;
};

/// Changes an entry of the cost table. \throws bad_configuration if there is none of that name
void change(mgws::sim::costs& c, const std::string& what) {
  const std::map<std::string, double*> entries{
      {"own.load", &c.own.load},
      {"own.modify", &c.own.modify},
      {"own.copy", &c.own.copy},
      {"own.copy_kib", &c.own.copy_kib},
      {"own.interval", &c.own.interval},
      {"own.load_interval", &c.own.load_interval},
      {"peer.load", &c.peer.load},
      {"peer.modify", &c.peer.modify},
      {"peer.copy", &c.peer.copy},
      {"acquire_device", &c.acquire_device},
      {"release_device", &c.release_device},
      {"acquire_system", &c.acquire_system},
      {"release_system", &c.release_system},
      {"now", &c.now},
      {"lead", &c.lead},
      {"longest_pause", &c.longest_pause},
      {"ghz", &c.ghz},
      {"iteration_latency", &c.iteration_latency},
      {"iteration_issue", &c.iteration_issue},
      {"step_latency", &c.step_latency},
      {"step_issue", &c.step_issue},
      {"slot_latency", &c.slot_latency},
      {"slot_issue", &c.slot_issue},
      {"instruction", &c.instruction},
      {"lead_issue", &c.lead_issue},
      {"modify_issue", &c.modify_issue},
      {"lock_issue", &c.lock_issue},
      {"unlike", &c.unlike},
      {"copy_issue", &c.copy_issue},
      {"search_issue", &c.search_issue},
      {"pause_part", &c.pause_part},
      {"launch", &c.launch},
      {"begin", &c.begin},
      {"apart", &c.apart},
      {"stagger", &c.stagger},
      {"jitter", &c.jitter},
      {"end", &c.end},
  };
  const auto equals = what.find('=');
  const auto found = entries.find(what.substr(0, equals));
  if (equals == std::string::npos || found == entries.end())
    throw mgws::bad_configuration("--cost takes NAME=NUMBER with a name of the cost table, not '" +
                                  what + "'");
  *found->second = std::stod(what.substr(equals + 1));
}

void add_options(CLI::App& app, arguments& a) {
  app.add_option("--devices", a.setup.devices, "devices")->capture_default_str();
  app.add_option("--workers", a.setup.workers, "workers of a device")->capture_default_str();
  app.add_option("--lanes", a.setup.lanes, "lanes of a worker: 32, 4 or 1")
      ->check(CLI::IsMember({32, 4, 1}))
      ->capture_default_str();
  app.add_option("--owners", a.setup.owners, "workers that share a queue: 1, 2 or 4")
      ->check(CLI::IsMember({1, 2, 4}))
      ->capture_default_str();
  app.add_option("--local-queue", a.setup.local_queue, "slots")->capture_default_str();
  app.add_option("--public-queue", a.setup.public_queue, "slots")->capture_default_str();
  app.add_option("--seed", a.setup.seed, "of the workers' random numbers")->capture_default_str();
  app.add_option("--steal", a.setup.steal, "from whom")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, mgws::steal_policy>{{"uniform", mgws::steal_policy::uniform},
                                                    {"bias", mgws::steal_policy::bias},
                                                    {"local", mgws::steal_policy::local},
                                                    {"none", mgws::steal_policy::none}}));
  app.add_option("--termination", a.setup.termination, "detector")
      ->transform(CLI::CheckedTransformer(std::map<std::string, mgws::termination>{
          {"counter", mgws::termination::counter},
          {"tree", mgws::termination::tree},
          {"hierarchical", mgws::termination::hierarchical}}));
  app.add_option("--costs", a.costs, "the cost table; a CPU's has a processor for each worker")
      ->check(CLI::IsMember({"h200", "h200-slower-chain", "cpu"}))
      ->capture_default_str();
  app.add_flag("--every-look", a.exact,
               "simulate also looks for work that can find none, as nothing has changed");
  app.add_flag("--assert-invariant", a.assert_invariant,
               "exit with 1 if a worker kept work to itself while another idled");
  app.add_option("--excess", a.excess_us,
                 "--assert-invariant: for so many microseconds longer than the invariant says")
      ->capture_default_str();
  app.add_option("--cost", a.changes, "NAME=NUMBER: another cost than the table's");
  app.add_option("--json", a.json, "write the result there; - for standard output")
      ->check(mgws::bench::file_name(true));
  app.add_option("--trace", a.trace, "write a trace for Perfetto there")
      ->check(mgws::bench::file_name());
}

int finish(const arguments& a, const sim::result& r, const std::string& command) {
  if (a.json != "-") std::fputs(sim::text_of(a.setup, r).c_str(), stdout);
  if (!a.json.empty()) {
    auto j = sim::json_of(a.setup, r);
    j["command"] = command;
    mgws::bench::write_json(a.json, j);
  }
  if (!a.trace.empty())
    mgws::bench::write_trace(a.trace, r.outcome.report, {.owners = a.setup.owners});
  const bool broken =
      a.assert_invariant && r.outcome.worst.excess > mgws::sim::from_ns(1000 * a.excess_us);
  return r.verified && !broken ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Runs mgws's workers in virtual time and says how well the work was balanced."};
  app.require_subcommand(1);
  arguments a;
  std::function<sim::result()> chosen;
  const auto add = [&](const char* name, const char* what, auto&& run) {
    CLI::App* const c = app.add_subcommand(name, what);
    add_options(*c, a);
    c->callback([&chosen, run] { chosen = run; });
    return c;
  };

  mgws::bench::loop_costs costs{mgws::bench::loop_pattern::uniform, 1u << 19, 1024, 32};
  std::string pattern = "uniform";
  sim::loop_way way = sim::loop_way::seed_n;
  mgws::shape width = mgws::shape::lane;
  std::uint32_t leaf = 1;
  CLI::App* const loop = add("loop", "a loop whose instances take differently long", [&] {
    const auto p = mgws::bench::find_loop_pattern(pattern);
    if (!p) throw mgws::bad_configuration("there is no pattern '" + pattern + "'");
    return sim::simulate_loop(a.setup, {*p, costs.n, costs.base, costs.grain}, way, width, leaf);
  });
  loop->add_option("--n", costs.n, "instances")->capture_default_str();
  loop->add_option("--base", costs.base, "iterations of an instance, about the mean")
      ->capture_default_str();
  loop->add_option("--grain", costs.grain, "neighbours that are equally long")
      ->capture_default_str();
  loop->add_option("--pattern", pattern, "how the instances' lengths vary")->capture_default_str();
  loop->add_option("--leaf", leaf, "tree: instances that are no longer cut in two")
      ->capture_default_str();
  loop->add_option("--way", way, "how the loop is put: seed_n, seeds, spawn, tree or nested")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, sim::loop_way>{{"seed_n", sim::loop_way::seed_n},
                                               {"seeds", sim::loop_way::seeds},
                                               {"spawn", sim::loop_way::spawn},
                                               {"tree", sim::loop_way::tree},
                                               {"nested", sim::loop_way::nested}}));
  loop->add_option("--width", width, "lanes of an instance: lane or warp")
      ->transform(CLI::CheckedTransformer(std::map<std::string, mgws::shape>{
          {"lane", mgws::shape::lane}, {"warp", mgws::shape::warp}}));

  std::string tree = "T1";
  std::uint64_t node = 170;
  CLI::App* const uts =
      add("uts", "unbalanced tree search", [&] { return sim::simulate_uts(a.setup, tree, node); });
  uts->add_option("--tree", tree, "T1, T3, ...")->capture_default_str();
  uts->add_option("--iterations", node, "of a node")->capture_default_str();

  std::uint32_t tasks = 1u << 20;
  bool bulk = false;
  std::uint64_t iterations = 10;
  CLI::App* const set = add("memset", "tasks that store a number each",
                            [&] { return sim::simulate_memset(a.setup, tasks, bulk, iterations); });
  set->add_option("--tasks", tasks, "how many")->capture_default_str();
  set->add_flag("--bulk", bulk, "one bulk seed");
  set->add_option("--iterations", iterations, "of a task")->capture_default_str();

  std::uint32_t depth = 10;
  std::uint32_t fanout = 4;
  CLI::App* const spawn = add("spawn-tree", "a tree of empty tasks", [&] {
    return sim::simulate_spawn_tree(a.setup, depth, fanout, bulk, iterations);
  });
  spawn->add_option("--depth", depth, "of the tree")->capture_default_str();
  spawn->add_option("--fanout", fanout, "children of a node")->capture_default_str();
  spawn->add_flag("--bulk", bulk, "children as one slot");
  spawn->add_option("--iterations", iterations, "of a task")->capture_default_str();

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return mgws::bench::written(app.exit(e));
  } catch (const CLI::ParseError& e) {
    std::fprintf(stderr, "mgws-sim: %s\n", mgws::bench::complaint(app, e).c_str());
    return mgws::bench::k_bad_usage;
  }
  a.setup.skips_looks = !a.exact;
  if (!a.trace.empty()) a.setup.trace_events = 1u << 12;
  if (a.costs == "h200-slower-chain") a.setup.costs = mgws::sim::costs::gpu_slower_chain();
  if (a.costs == "cpu" || a.setup.lanes == 1) a.setup.costs = mgws::sim::costs::cpu();
  try {
    for (const std::string& what : a.changes)
      change(a.setup.costs, what);
    const mgws::bench::named_file results[] = {{"--json", a.json}, {"--trace", a.trace}};
    mgws::bench::check_apart({}, results);
    if (!a.json.empty() && a.json != "-") mgws::bench::check_writable(a.json, "JSON");
    if (!a.trace.empty()) mgws::bench::check_writable(a.trace, "trace");
    return mgws::bench::written(finish(a, chosen(), mgws::bench::quoted(argc, argv)));
  } catch (const mgws::not_possible& e) {
    std::fprintf(stderr, "mgws-sim: %s\n", e.what());
    return 3;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mgws-sim: %s\n", e.what());
    return 2;
  }
}
