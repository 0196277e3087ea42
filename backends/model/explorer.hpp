/// \file
/// Walks through the states of a program on the machine: depth first, each state once, with or
/// without a bound on preemptions; by random priorities; or along one recorded schedule.
#pragma once

#include <cstdint>
#include <string>

#include <mgws/backends/model/machine.hpp>

namespace mgws::model_backend {

/// A program: sets up the machine (locations, watched memory, fibers); the explorer starts it.
using program = void (*)(machine&);

struct limits {
  int preemptions = -1;   ///< most preemptions of a run; -1: any number
  bool count_old = true;  ///< a load of an old value counts as one more
  std::uint64_t states = 40'000'000;
  double seconds = 1e9;
};

struct findings {
  bool violated = false;
  bool complete = false;  ///< every state within the bound was visited
  std::string what;       ///< the violation
  std::string schedule;   ///< how to get there, for replay()
  std::uint64_t states = 0;
  std::uint64_t steps = 0;
  std::uint64_t choices = 0;    ///< states that left a choice
  std::uint64_t runs = 0;       ///< runs followed to their end
  std::uint64_t longest = 0;    ///< steps of the longest run
  std::uint64_t forgotten = 0;  ///< stores that fell out of a location's history while visible
  std::uint64_t cut = 0;        ///< runs given up because they grew too long
  milestones furthest{};        ///< most of each that a run has reached
  double seconds = 0;
};

/// Depth first. Two ways into one state are one: after the second arrival nothing is left to see.
/// A run that can return to a state by its usual choices alone, each fiber having had its turn and
/// no load having been stale, never ends: that is the fair-cycle check, and it makes "from every
/// state the end can be reached" part of what is shown.
findings explore(program p, const limits& l);

/// Random priorities with a few changes (Burckhardt et al., ASPLOS 2010), for programs too large
/// to explore.
findings explore_at_random(program p, std::uint64_t seed, std::uint64_t runs, double seconds);

/// One schedule again. \param trace  if set, every step in words
findings replay(program p, const std::string& schedule, std::string* trace);

}  // namespace mgws::model_backend
