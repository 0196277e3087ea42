/// \file
/// mgws-bench WORKLOAD [options]: runs a workload, verifies its result and says how long it took.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "harness/command_line.hpp"
#include "harness/driver.hpp"
#include "harness/guarded.hpp"
#include "harness/output.hpp"
#include "harness/settings.hpp"
#include "mgws_version.hpp"
#include "workloads/all.hpp"

namespace {

namespace bench = mgws::bench;

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Runs a workload on all workers of this machine and verifies its result."};
  app.set_version_flag("--version", std::string(bench::program_name()) + " " + MGWS_VERSION + " (" +
                                        MGWS_COMMIT + ")");
  app.require_subcommand(1);
  app.footer(
      std::string(bench::program_name()) +
      " WORKLOAD --help lists a workload's options.\n"
      "Exit code: 0 right result, 1 wrong result or failed run, 2 bad usage, 3 not possible here.");

  bench::settings settings;
  std::vector<std::unique_ptr<bench::workload>> workloads;
  workloads.push_back(bench::make_memset());
  workloads.push_back(bench::make_contains());
  workloads.push_back(bench::make_uts());
  workloads.push_back(bench::make_bpc());
  workloads.push_back(bench::make_nqueens());
  workloads.push_back(bench::make_spawn_tree());
  workloads.push_back(bench::make_loop());
  workloads.push_back(bench::make_mandelbrot());
  workloads.push_back(bench::make_fib());
  workloads.push_back(bench::make_cilksort());
  workloads.push_back(bench::make_quicksort());
  workloads.push_back(bench::make_clique());
  workloads.push_back(bench::make_knapsack());
  workloads.push_back(bench::make_live());
  workloads.push_back(bench::make_taskbench());
  workloads.push_back(bench::make_cholesky());

  bench::workload* chosen = nullptr;
  for (const auto& w : workloads) {
    CLI::App* const command = app.add_subcommand(w->name(), w->description());
    // -h alone would take the letter from workloads that have one.
    command->set_help_flag("--help", "print this and exit");
    w->add_options(*command);
    bench::add_options(*command, settings);
    command->callback([&chosen, w = w.get()] { chosen = w; });
  }

  std::string names;
  bool named = false;
  for (const auto& w : workloads) {
    names += (names.empty() ? "" : ", ") + w->name();
    named = named || (argc > 1 && w->name() == argv[1]);
  }
  if (argc < 2 || (argv[1][0] != '-' && !named)) {
    std::fprintf(stderr, "%s: %s: use one of %s, or --help\n", bench::program_name(),
                 argc < 2 ? "a workload is needed"
                          : ("'" + std::string(argv[1]) + "' is not a workload").c_str(),
                 names.c_str());
    return bench::k_bad_usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return bench::written(app.exit(e));
    std::fprintf(stderr, "%s: %s\n", bench::program_name(), bench::complaint(app, e).c_str());
    return bench::k_bad_usage;
  }
  return bench::guarded([&] { return bench::drive(*chosen, settings, bench::quoted(argc, argv)); });
}
