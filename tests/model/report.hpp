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

/// Where a page and a fresh one disagree: in anything but sizes, which depend a little on the
/// compiler, and in which schedule shows an error. Empty if they agree.
[[nodiscard]] std::vector<std::string> differences(const std::string& page,
                                                   const std::string& fresh);

/// The schedules that a page records.
struct recorded {
  std::string mutant;
  std::string scenario;
  std::string schedule;
  std::string shows;  ///< how the violation begins
};
[[nodiscard]] std::vector<recorded> recorded_schedules(const std::string& page);

/// Whether two violations are of one kind, whatever slot or task they name.
[[nodiscard]] bool same_kind(const std::string& a, const std::string& b);

}  // namespace mgws::model_backend
