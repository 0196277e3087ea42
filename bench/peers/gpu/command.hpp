/// \file
/// What the workloads of mgws-peer-gpu have in common on the command line, and their report.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "harness/command_line.hpp"
#include "peers/gpu/kernels.hpp"

namespace mgws::bench::peers::gpu {

using json = nlohmann::ordered_json;

struct common {
  std::uint64_t device = 0;
  std::uint64_t repeat = 5;
  std::uint64_t warmup = 1;
  double busy = 0.5;
  std::string to;
  std::string command;
  std::string gpu;

  void add_to(CLI::App& app);
  /// Behind whatever took long on the host, in front of what is measured.
  void warm() const { warm_clocks(busy); }
  [[nodiscard]] repetitions times() const {
    return {static_cast<std::uint32_t>(warmup), static_cast<std::uint32_t>(repeat)};
  }
};

/// The runs of one variant.
struct measured {
  json parameters;
  std::uint64_t tasks = 0;
  std::uint64_t result = 0;
  std::uint64_t bytes = 0;  ///< that a run reads or writes; 0 where that is not what counts
  std::string fault;        ///< empty if all runs were right
  std::vector<double> seconds;
};

/// A workload: it adds its options to the subcommand of its name when it is made.
class workload {
 public:
  virtual ~workload() = default;
  /// Of options that are right by themselves whether they are together, before a GPU is asked for.
  /// \throws bad_configuration
  virtual void check() const {}
  /// All variants that the options ask for.
  virtual std::vector<measured> run(const common& c) const = 0;
};

std::unique_ptr<workload> make_loop(CLI::App& app);
std::unique_ptr<workload> make_mandelbrot(CLI::App& app);
std::unique_ptr<workload> make_contains(CLI::App& app);
std::unique_ptr<workload> make_crypt(CLI::App& app);
std::unique_ptr<workload> make_fill(CLI::App& app);
std::unique_ptr<workload> make_md(CLI::App& app);
std::unique_ptr<workload> make_nqueens(CLI::App& app);
std::unique_ptr<workload> make_uts(CLI::App& app);

/// Prints what was measured, or writes it as JSON. \return the program's exit code
int report(const common& c, const std::string& workload, const std::vector<measured>& all);

}  // namespace mgws::bench::peers::gpu
