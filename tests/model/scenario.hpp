/// \file
/// The programs that the checker explores.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <mgws/backends/model/explorer.hpp>

namespace mgws::model_backend {

/// When a scenario is explored.
enum class effort : std::uint8_t {
  always,   ///< in every run of the checker
  extended  ///< only with --long
};

struct scenario {
  const char* name;
  const char* about;
  program setup;
  /// Most preemptions of a run of core as it is; -1: any number. Mutants try small bounds first.
  int preemptions = -1;
  /// What at least one run must reach: without it the scenario would not explore what it is for.
  std::array<milestone, 4> reaches{};
  effort when = effort::always;
  /// Old values are free. If not, an old value that a load returns counts as a preemption.
  bool any_old = false;
};

/// Parts of core: a queue, its owners, its thieves.
std::span<const scenario> queue_scenarios();
/// The same with the queue that has a lock.
std::span<const scenario> sdc_scenarios();
/// Two queues, whose co-owners steal from each other.
std::span<const scenario> crossing_scenarios();
/// Workers of several lanes.
std::span<const scenario> team_scenarios();
/// Whole runs of mgws::worker.
std::span<const scenario> run_scenarios();
/// A board, and runs that use it.
std::span<const scenario> board_scenarios();
/// Joins: frames by themselves, and runs that use them.
std::span<const scenario> join_scenarios();
/// Finishes: tokens by themselves, and runs that use them.
std::span<const scenario> finish_scenarios();
/// Live runs: tasks that a producer submits meanwhile.
std::span<const scenario> live_scenarios();
/// Several coherence domains and what goes between them.
std::span<const scenario> bridge_scenarios();
/// Larger runs, for random schedules.
std::span<const scenario> random_scenarios();

/// All of them but the random ones.
std::vector<scenario> all_scenarios();
/// Whatever has this name: a scenario, a random one, or a litmus program; nullptr if nothing has.
program program_named(const std::string& name);

}  // namespace mgws::model_backend
