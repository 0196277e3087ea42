#include "workloads/invocation.hpp"

#include <algorithm>
#include <sstream>

#include "harness/command_line.hpp"
#include "mgws_version.hpp"
#include "workloads/all.hpp"

namespace mgws::bench {

invocation::invocation(int argc, const char* const* argv)
    : app_("Runs a workload on all workers of this machine and verifies its result.") {
  app_.set_version_flag(
      "--version", std::string(program_name()) + " " + MGWS_VERSION + " (" + MGWS_COMMIT + ")");
  app_.require_subcommand(1);
  app_.footer(
      std::string(program_name()) +
      " WORKLOAD --help lists a workload's options.\n"
      "Exit code: 0 right result, 1 wrong result or failed run, 2 bad usage, 3 not possible here.");

  workloads_.push_back(make_memset());
  workloads_.push_back(make_contains());
  workloads_.push_back(make_uts());
  workloads_.push_back(make_bpc());
  workloads_.push_back(make_nqueens());
  workloads_.push_back(make_spawn_tree());
  workloads_.push_back(make_loop());
  workloads_.push_back(make_mandelbrot());
  workloads_.push_back(make_fib());
  workloads_.push_back(make_cilksort());
  workloads_.push_back(make_quicksort());
  workloads_.push_back(make_quadrature());
  workloads_.push_back(make_crypt());
  workloads_.push_back(make_dijkstra());
  workloads_.push_back(make_clique());
  workloads_.push_back(make_knapsack());
  workloads_.push_back(make_md());
  workloads_.push_back(make_live());
  workloads_.push_back(make_taskbench());
  workloads_.push_back(make_cholesky());

  const std::vector<std::string> words(argv, argv + argc);
  std::string names;
  for (const auto& w : workloads_) {
    names += (names.empty() ? "" : ", ") + w->name();
    CLI::App* const command = app_.add_subcommand(w->name(), w->description());
    // Twenty times forty options take longer than a short run.
    if (std::ranges::find(words, w->name()) == words.end()) continue;
    // -h alone would take the letter from workloads that have one.
    command->set_help_flag("--help", "print this and exit");
    w->add_options(*command);
    add_options(*command, settings_);
    command->callback([this, w = w.get()] { chosen_ = w; });
  }

  const bool named = argc > 1 && std::ranges::any_of(workloads_, [&](const auto& w) {
                       return w->name() == words[1];
                     });
  if (argc < 2 || (!words[1].starts_with('-') && !named)) {
    fault_ = (argc < 2 ? "a workload is needed" : "'" + words[1] + "' is not a workload") +
             ": use one of " + names + ", or --help";
    return;
  }
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) {
      fault_ = complaint(app_, e);
      return;
    }
    std::ostringstream text;
    app_.exit(e, text);
    answer_ = text.str();
  }
}

}  // namespace mgws::bench
