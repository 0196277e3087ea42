/// \file
/// mgws-probe: finds out which devices of this machine may share queues on which memory, and what
/// operations there cost.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <mgws/errors.hpp>
#include <mgws/probe/domains.hpp>

#include "harness/command_line.hpp"
#include "harness/guarded.hpp"
#include "harness/output.hpp"
#include "harness/ports.hpp"
#include "mgws_version.hpp"
#include "probe/output.hpp"
#include "runs/probe.hpp"

namespace {

namespace bench = mgws::bench;

struct command_line {
  std::string devices = "all";
  bool quick = false;
  double timeout = 20;
  std::string json;
};

/// "cpu", "gpu:0", "cpu,gpu:1"; "all" is no list.
std::vector<mgws::device_choice> devices_of(const std::string& list) {
  std::vector<mgws::device_choice> devices;
  if (list == "all") return devices;
  std::string_view rest = list;
  for (;;) {
    const std::string_view device = rest.substr(0, rest.find(','));
    std::uint64_t index = 0;
    if (device == "cpu") {
      devices.push_back({});
    } else if (device.starts_with("gpu:") && bench::parse_whole_number(device.substr(4), index) &&
               index <= 1u << 20) {
      devices.push_back(
          {.kind = mgws::device_kind::gpu, .index = static_cast<std::uint32_t>(index)});
    } else {
      throw mgws::bad_configuration("'" + std::string(device) +
                                    "' is not a device: use cpu, gpu:I, a list of them, or all");
    }
    if (device.size() == rest.size()) return devices;
    rest.remove_prefix(device.size() + 1);
  }
}

int probe(const command_line& asked, const std::string& command) {
  mgws::probe_options o;
  o.devices = devices_of(asked.devices);
  o.quick = asked.quick;
  if (!(asked.timeout > 0 && std::isfinite(asked.timeout)))
    throw mgws::bad_configuration("the timeout must be a number of seconds above 0");
  o.timeout = std::chrono::duration<double>(asked.timeout);
  const bool only_json = asked.json == "-";
  if (!asked.json.empty() && !only_json) bench::check_writable(asked.json, "JSON");
  bench::progress_line progress;
  o.on_progress = [&](const std::string& what) {
    progress.update(bench::program_name() + (": " + what));
  };
  mgws::probe_report r = bench::run_probe<bench::gpu_port>(o);
  progress.clear();
  for (mgws::probed_device& d : r.devices)
    if (d.kind == mgws::device_kind::cpu) d.name = bench::processor();

  if (!asked.json.empty()) {
    nlohmann::ordered_json j{{"schema", 1},
                             {"command", command},
                             {"version", MGWS_VERSION},
                             {"commit", MGWS_COMMIT},
                             {"date", bench::now_in_utc()}};
    j.update(bench::findings_as_json(r));
    bench::write_json(asked.json, j);
  }
  if (!only_json) bench::print_findings(r);
  const std::string fault = mgws::fault_of(r);
  if (fault.empty()) return bench::k_right;
  std::fflush(stdout);
  fmt::print(stderr, "{}: {}\n", bench::program_name(), fault);
  return bench::k_wrong;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Finds out by litmus runs which devices of this machine may share queues on which memory, "
      "and what operations there cost."};
  app.set_version_flag("--version", std::string(bench::program_name()) + " " + MGWS_VERSION + " (" +
                                        MGWS_COMMIT + ")");
  app.footer(
      "Exit code: 0 the findings are there, 1 a device is not coherent with itself or a "
      "participant never appeared, 2 bad usage, 3 not possible here.");
  command_line asked;
  app.add_option("--devices", asked.devices, "cpu, gpu:I, a list of them, or all: what is there")
      ->type_name("LIST")
      ->capture_default_str();
  app.add_flag("--quick", asked.quick, "litmus runs only, and fewer rounds of them");
  app.add_option("--timeout", asked.timeout, "most time for the end of a kernel")
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--json", asked.json, "write the findings as JSON; - for standard output")
      ->type_name("FILE")
      ->check(bench::file_name(true));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return bench::written(app.exit(e));
    std::fprintf(stderr, "%s: %s\n", bench::program_name(), bench::complaint(app, e).c_str());
    return bench::k_bad_usage;
  }
  return bench::guarded([&] { return probe(asked, bench::quoted(argc, argv)); });
}
