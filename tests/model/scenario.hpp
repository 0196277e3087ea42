/// \file
/// The programs that the checker explores.
#pragma once

#include <cstdint>
#include <span>

#include <mgws/backends/model/explorer.hpp>

namespace mgws::model_backend {

/// How a scenario is explored.
enum class effort : std::uint8_t {
  always,   ///< in every run of the checker
  extended  ///< only with --long
};

struct scenario {
  const char* name;
  const char* about;
  program setup;
  /// What core is explored with: this bound, or none. Mutants try small bounds first.
  int preemptions = -1;
  effort when = effort::always;
  /// Whether mutants are tried on it (the small ones).
  bool for_mutants = true;
};

/// Parts of core: a queue, its owners, its thieves.
std::span<const scenario> queue_scenarios();
/// One worker of two lanes.
std::span<const scenario> lane_scenarios();
/// Whole runs of mgws::worker.
std::span<const scenario> run_scenarios();
/// Larger runs, for random schedules.
std::span<const scenario> random_scenarios();

}  // namespace mgws::model_backend
