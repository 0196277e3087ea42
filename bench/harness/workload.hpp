/// \file
/// What a workload of mgws-bench is: a command with options, a preparation, and runs that each
/// verify their result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <mgws/options.hpp>
#include <mgws/report.hpp>

#include "harness/output.hpp"

namespace mgws::bench {

using json = nlohmann::ordered_json;

/// One run.
struct outcome {
  run_report report;
  /// In the workload's unit, for tasks_per_second; how many tasks ran for them says the report.
  std::uint64_t tasks = 0;
  json result;  ///< the workload's answer
  json details = json::object();
  bool verified = false;
  std::string fault;  ///< if not verified: what was expected
  /// Of the work that all tasks are, the longest task's part; 0 where that is not known.
  double longest = 0;
  /// The same of the longest chain of tasks each of which the one before spawned.
  double chain = 0;
};

class workload {
 public:
  virtual ~workload() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string description() const = 0;
  /// What a task is, in the plural: "nodes".
  [[nodiscard]] virtual std::string unit() const = 0;
  virtual void add_options(CLI::App& command) = 0;
  /// Slots of a GPU worker's spill area where nobody asks for a number; 0: the runtime's choice.
  [[nodiscard]] virtual std::uint64_t gpu_spill() const { return 0; }
  /// Builds input, reference result and runtime. \throws bad_configuration, not_possible, and what
  /// reading input throws
  virtual void prepare(const options& o) = 0;
  /// What the command line asks for may be several variants; after prepare() the first is chosen.
  [[nodiscard]] virtual std::size_t variants() const { return 1; }
  /// \pre prepare(), variant < variants()
  virtual void choose(std::size_t /*variant*/) {}
  /// Whether any process may run any of its tasks: they read what each has a copy of, and say all
  /// that they find by accumulators.
  [[nodiscard]] virtual bool over_processes() const { return false; }
  /// Files that its options name: those that it reads, and those that it writes.
  [[nodiscard]] virtual std::vector<named_file> reads() const { return {}; }
  [[nodiscard]] virtual std::vector<named_file> writes() const { return {}; }
  /// The workload's own parameters, for the JSON.
  [[nodiscard]] virtual json parameters() const = 0;
  /// One verified run. \pre prepare()
  virtual outcome run() = 0;
};

}  // namespace mgws::bench
