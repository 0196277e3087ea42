/// \file
/// The command line of mgws-bench: which workload it names, and with which options.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "harness/settings.hpp"
#include "harness/workload.hpp"

namespace mgws::bench {

/// What one command line asks for: a run of chosen(), or to be told something.
class invocation {
 public:
  /// Nothing is printed, opened or run.
  invocation(int argc, const char* const* argv);
  invocation(const invocation&) = delete;
  invocation& operator=(const invocation&) = delete;

  /// What is wrong with the command line, in one sentence; empty if nothing is.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  /// What the user wants to read, such as the help; empty if a workload is to run.
  [[nodiscard]] const std::string& answer() const { return answer_; }

  /// \pre fault() and answer() are empty
  [[nodiscard]] workload& chosen() const { return *chosen_; }
  /// As typed, with what was left out at its default.
  [[nodiscard]] settings& run_settings() { return settings_; }

 private:
  settings settings_;
  std::vector<std::unique_ptr<workload>> workloads_;
  CLI::App app_;
  workload* chosen_ = nullptr;
  std::string fault_;
  std::string answer_;
};

}  // namespace mgws::bench
