#include "harness/settings.hpp"

#include <charconv>
#include <span>
#include <string_view>
#include <vector>

#include <mgws/runtime/plan.hpp>
#include <mgws/transports/table.hpp>

#include "harness/command_line.hpp"
#include "harness/ports.hpp"
#include "harness/transports.hpp"
#include "runs/devices.hpp"

namespace mgws::bench {

namespace {

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::uint32_t count(const char* name, std::uint64_t n) {
  if (n > k_max_workers)
    throw bad_configuration("at most " + std::to_string(k_max_workers) + " " + name +
                            " fit the queue word, not " + std::to_string(n));
  return static_cast<std::uint32_t>(n);
}

/// The names of a part of the placement table, in its order.
std::vector<std::string> names_of(std::span<const transport_row> rows) {
  std::vector<std::string> all;
  for (const transport_row& row : rows)
    all.emplace_back(row.name);
  return all;
}

/// The number behind "cpu:" or "gpu:".
std::uint64_t number_of(std::string_view device, std::uint64_t least, const char* what) {
  std::uint64_t n = 0;
  if (!parse_whole_number(device.substr(4), n) || n < least)
    throw bad_configuration("'" + std::string(device) + "' needs " + what);
  return n;
}

/// Asks for a GPU only if one is named: a program without a driver must find the CPU.
std::uint32_t gpu(std::string_view device) {
  const std::uint64_t index = number_of(device, 0, "the number of a GPU, as in gpu:0");
  std::string why;
  const auto all = gpus<gpu_port>(why);
  if (all.empty()) throw not_possible("'" + std::string(device) + "' cannot be used: " + why);
  if (index >= all.size())
    throw not_possible("'" + std::string(device) + "' cannot be used: this machine has " +
                       std::to_string(all.size()) + (all.size() == 1 ? " GPU" : " GPUs"));
  return static_cast<std::uint32_t>(index);
}

/// "cpu", "cpu:2", "cpu:2,cpu:2", "gpu:0", "gpus": all of them, or without any the CPU; "all": the
/// CPU, and beside it all GPUs, where one run can have both.
std::vector<device_choice> devices_of(const settings& s) {
  std::vector<device_choice> devices;
  for (const std::string_view device : split(s.devices, ',')) {
    if (device.starts_with("cpu:")) {
      const auto n = number_of(device, 1, "a number of workers of 1 or more, as in cpu:2");
      devices.push_back({.workers = count("cpu workers", n)});
    } else if (device.starts_with("gpu:")) {
      devices.push_back({.kind = device_kind::gpu, .index = gpu(device)});
    } else if (device == "cpu") {
      devices.push_back({});
    } else if (device == "gpus" || device == "all") {
      std::string why;
      const auto n = static_cast<std::uint32_t>(gpus<gpu_port>(why).size());
      if (n != 0 && device == "all" && MGWS_BENCH_TOGETHER) devices.push_back({});
      for (std::uint32_t i = 0; i != n; ++i)
        devices.push_back({.kind = device_kind::gpu, .index = i});
      if (n == 0) devices.push_back({});
    } else {
      throw bad_configuration(
          "'" + std::string(device) +
          "' is not a device: use cpu, cpu:N, gpu:I, a list of them, gpus or all");
    }
  }
  return devices;
}

transport_kind kind_of(std::string_view transport) {
  for (const transport_row& row : transports::k_all)
    if (row.name == transport) return row.kind;
  return transport_kind::automatic;
}

/// What joins the GPUs that the options name. Tries are kept by the process: a run that comes to
/// the same does not try again.
std::string transport_for(const settings& s) {
  return first_that_serves(
      names_of(transports::k_built), [&](const std::string& name) -> std::string {
        options o = s.runtime;
        // What is to be joined: the GPUs that share queues.
        std::erase_if(o.devices, [](const device_choice& d) { return d.kind == device_kind::cpu; });
        if (o.domains == domain_split::each) o.devices.resize(1);
        o.transport = kind_of(name);
        if (uses_remote_memory(o) && s.remote_gpu)
          o.remote_gpu = static_cast<std::uint32_t>(*s.remote_gpu);
        if (uses_remote_memory(o) && o.devices.size() > 1) return "it is for one computing GPU";
        return why_not_joined<gpu_port>(o);
      });
}

}  // namespace

void add_options(CLI::App& command, settings& s) {
  const auto option = [&](const char* name, auto& value, const char* what, const char* type) {
    return command.add_option(name, value, what)
        ->type_name(type)
        ->capture_default_str()
        ->group("Run");
  };
  option(
      "--devices", s.devices,
      "who works: cpu, cpu:N, gpu:I, a list (cpu:2,gpu:0), gpus: all of them, without any the "
      "CPU, or all: CPU workers beside the GPUs, if built with -Dbench_together=true; a GPU that "
      "a list names twice works as two",
      "LIST");
  option("--workers", s.workers, "workers of a device that names none [all that fit]", "N")
      ->check(whole_number(1, k_max_workers))
      ->default_str("");
  option("--domains", s.domains,
         "what shares queues: the devices of a kind, or none of them (each); work crosses between "
         "domains by a bridge",
         "kind|each")
      ->check(CLI::IsMember({"kind", "each"}));
  option("--bridge-slots", s.bridge_slots, "tasks on their way from one domain to another", "N")
      ->check(power_of_two(1, k_most_inbox_slots));
  auto* const join =
      command
          .add_option("--join", s.join,
                      "share the run with other processes, that name the same group and otherwise "
                      "the same options but for devices")
          ->type_name("NAME")
          ->group("Run");
  auto* const rank = option("--rank", s.rank, "which of them this one is, from 0 on", "R")
                         ->check(whole_number(0, k_most_domains - 1))
                         ->needs(join);
  auto* const ranks = option("--ranks", s.ranks, "how many they are", "N")
                          ->check(whole_number(2, k_most_domains))
                          ->needs(join)
                          ->default_str("");
  join->needs(rank)->needs(ranks);
  option("--transport", s.transport,
         "where stealable queues live: host memory, (p2p) the GPUs' own, or (remote) another GPU's "
         "[the first that serves the devices]",
         "NAME")
      ->check(CLI::IsMember(names_of(transports::k_all)))
      ->default_str("");
  option("--termination", s.termination, "how the run's end is found", "NAME")
      ->check(CLI::IsMember({"counter", "tree", "hierarchical"}));
  option("--overflow", s.overflow,
         "probe: look at a queue before each attempt; damping: only at those found empty", "NAME")
      ->check(CLI::IsMember({"probe", "damping"}));
  option("--steal", s.steal, "whom to steal from: bias=0.75, uniform, local, none", "POLICY");
  command
      .add_option("--direct", s.direct,
                  "static assignment without queues: one task at a time, or loaded in bulk")
      ->type_name("one|bulk")
      ->expected(0, 1)
      ->default_str("one")
      ->check(CLI::IsMember({"one", "bulk"}))
      ->group("Run");
  option("--tasks-in", s.tasks_in, "where the initial tasks lie [with the workers]",
         "host|device|remote")
      ->check(CLI::IsMember({"host", "device", "remote"}))
      ->default_str("");
  command
      .add_option("--remote-gpu", s.remote_gpu,
                  "which GPU's memory --transport remote and --tasks-in remote use [the next one]")
      ->type_name("I")
      ->check(whole_number(0, 1'000))
      ->group("Run");
  option("--public-queue", s.public_queue, "slots of a public queue", "N")
      ->check(power_of_two(2, k_most_queue))
      ->default_str(std::to_string(k_cpu_queue) + ", of a GPU's " + std::to_string(k_gpu_queue) +
                    " for each lane");
  option("--local-queue", s.local_queue, "slots of a local queue", "N")
      ->check(power_of_two(2, k_most_queue))
      ->default_str(std::to_string(k_cpu_queue) + ", of a GPU's at most " +
                    std::to_string(k_gpu_queue) + " for each lane");
  option("--spill", s.spill, "slots of a worker's spill area", "N")
      ->check(power_of_two(1, k_most_spill))
      ->default_str("of a CPU's what its memory has room for, of a GPU's " +
                    std::to_string(k_gpu_spill) + " for each lane, of some workloads more");
  option("--frames", s.frames, "joins and finishes that a worker can have open", "N")
      ->check(power_of_two(k_least_frames, k_most_frames))
      ->default_str(std::to_string(k_cpu_frames) + ", of a GPU's " + std::to_string(k_gpu_frames) +
                    " for each lane");
  option("--owners", s.owners, "workers that share a public queue: 1, 2 or 4", "N")
      ->check(CLI::IsMember({1, 2, 4}));
  option("--repeat", s.repeat, "counted runs", "N")->check(whole_number(1, 1'000'000));
  option("--warmup", s.warmup, "runs before them", "N")->check(whole_number(0, 1'000'000));
  option("--busy", s.busy,
         "runs before all others for so long: idle processors take time to come up", "SECONDS")
      ->check(CLI::Range(0.0, 3600.0));
  option("--seed", s.seed, "seed of target selection [a fresh one for each run]", "S")
      ->check(whole_number())
      ->default_str("");
  option("--timeout", s.timeout, "stop a run in which no task ends for this long; 0: never",
         "SECONDS");
  command.add_flag("--pin", s.pin, "bind each worker to a processor")->group("Run");
  option("--json", s.json, "write the result as JSON; - for standard output", "FILE")
      ->check(file_name(true));
  option("--trace", s.trace, "write a trace of the last run for Perfetto", "FILE")
      ->check(file_name());
  option("--report", s.report, "write a picture of the last run, a page for a browser", "FILE")
      ->check(file_name());
}

bool asks_for_gpus(const settings& s) {
  mgws::options o;
  o.devices = devices_of(s);
  return uses_gpus(o);
}

void resolve(settings& s) {
  mgws::options& o = s.runtime;
  o.devices = devices_of(s);
  o.workers = static_cast<std::uint32_t>(s.workers);
  o.pin = s.pin;
  o.termination = s.termination == "tree"           ? mgws::termination::tree
                  : s.termination == "hierarchical" ? mgws::termination::hierarchical
                                                    : mgws::termination::counter;
  o.domains = s.domains == "each" ? domain_split::each : domain_split::by_kind;
  o.bridge_slots = static_cast<std::uint32_t>(s.bridge_slots);
  o.overflow = s.overflow == "damping" ? overflow_policy::damping : overflow_policy::probe;
  if (s.steal == "uniform") {
    o.steal = steal_policy::uniform;
  } else if (s.steal == "local") {
    o.steal = steal_policy::local;
  } else if (s.steal == "none") {
    o.steal = steal_policy::none;
  } else if (s.steal == "bias") {
    o.steal = steal_policy::bias;
  } else if (s.steal.starts_with("bias=")) {
    o.steal = steal_policy::bias;
    const char* const end = s.steal.data() + s.steal.size();
    const auto r = std::from_chars(s.steal.data() + 5, end, o.own_device_bias);
    if (r.ec != std::errc() || r.ptr != end)
      throw bad_configuration("'" + s.steal + "' needs a probability, as in bias=0.75");
  } else {
    throw bad_configuration("'" + s.steal +
                            "' is not a steal policy: use uniform, bias=0.75, local or none");
  }
  o.direct = s.direct.empty()    ? direct_mode::off
             : s.direct == "one" ? direct_mode::one
                                 : direct_mode::bulk;
  const bool on_gpus = uses_gpus(o);
  o.processes = {.name = s.join,
                 .rank = static_cast<std::uint32_t>(s.rank),
                 .ranks = static_cast<std::uint32_t>(s.ranks)};
  if ((uses_bridge(o) || is_of_group(o)) && !MGWS_BENCH_TOGETHER)
    throw not_possible(
        "CPU workers beside a GPU, domains of their own for devices, and several processes are not "
        "in this program: build with -Dbench_together=true");
  if (s.transport.empty()) s.transport = on_gpus ? transport_for(s) : transport_of(o).name;
  o.transport = kind_of(s.transport);
  if (built_transport(o.transport).without_gpus != nullptr && !on_gpus)
    throw not_possible("--transport " + s.transport +
                       " needs a GPU, and this run has CPU workers only");
  if (s.tasks_in.empty()) s.tasks_in = on_gpus ? "device" : "host";
  if (s.tasks_in != "host" && !on_gpus)
    throw not_possible("--tasks-in " + s.tasks_in +
                       " needs a GPU, and this run has CPU workers only");
  o.initial_tasks = s.tasks_in == "device"   ? task_memory::device
                    : s.tasks_in == "remote" ? task_memory::remote
                                             : task_memory::host;
  if (uses_remote_memory(o) && o.devices.size() == 1 && !s.remote_gpu) {
    std::string why;
    // With one GPU there is no next one, which the runtime says.
    if (const auto all = gpus<gpu_port>(why).size(); all > 1)
      s.remote_gpu = (o.devices.front().index + 1) % all;
  }
  if (s.remote_gpu) o.remote_gpu = static_cast<std::uint32_t>(*s.remote_gpu);
  o.public_queue = static_cast<std::uint32_t>(s.public_queue);
  o.local_queue = static_cast<std::uint32_t>(s.local_queue);
  // Where nothing is said, CPU workers have what the machine's memory has room for, also beside
  // GPUs; but where a workload wants more than usual on these, as much as they.
  o.spill = static_cast<std::uint32_t>(s.spill);
  if (s.spill == 0 && on_gpus) o.spill = static_cast<std::uint32_t>(s.gpu_spill);
  o.frames = static_cast<std::uint32_t>(s.frames);
  o.owners = static_cast<std::uint32_t>(s.owners);
  o.seed = s.seed;
  o.timeout = std::chrono::duration<double>(s.timeout);
  check(o);
}

}  // namespace mgws::bench
