/// \file
/// docs/verification.md, written from what a run of the checker saw.
#pragma once

#include <string>
#include <vector>

#include "litmus.hpp"
#include "mutants.hpp"
#include "scenario.hpp"

namespace mgws::model_backend {

struct explored {
  scenario what;
  findings found;
  bool random = false;
};

struct tried {
  mutant what;
  bool caught = false;
  const char* scenario = "";  ///< that caught it
  std::string seen{};
  std::string schedule{};
  unsigned scenarios = 0;  ///< explored in vain
  std::uint64_t states = 0;
};

struct run_report {
  std::vector<litmus> litmus_right;
  std::vector<explored> core;
  std::vector<tried> mutants;
};

[[nodiscard]] std::string verification_page(const run_report& r);

/// What the page and the run must agree on: for every mutant, its name and outcome. A page that
/// does not hold one of these lines is out of date.
[[nodiscard]] std::vector<std::string> outcome_lines(const run_report& r);

/// The schedules that a page records.
struct recorded {
  std::string mutant;
  std::string scenario;
  std::string schedule;
};
[[nodiscard]] std::vector<recorded> recorded_schedules(const std::string& page);

}  // namespace mgws::model_backend
