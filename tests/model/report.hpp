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
  std::vector<const char*> in_vain{};  ///< scenarios
  std::uint64_t states = 0;
};

struct run_report {
  std::vector<litmus> litmus_right;
  std::vector<explored> core;
  std::vector<tried> mutants;
};

/// What a run has reached, in words.
[[nodiscard]] const char* name_of(milestone m);

[[nodiscard]] std::string verification_page(const run_report& r);

/// How the line begins that says by what build a page's sizes are.
inline constexpr const char* k_built_by = "Sizes and schedules are those of a build by";

/// Where a page and a fresh one disagree, line by line; empty if they agree. If both are by the
/// same build, in anything at all. If not, sizes of explorations may differ a little, and another
/// schedule may show an error of the same kind.
[[nodiscard]] std::vector<std::string> differences(const std::string& page,
                                                   const std::string& fresh);
/// Plants faults in copies of the page, and prints which ones differences() overlooks.
[[nodiscard]] bool check_comparison(const std::string& page);

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
