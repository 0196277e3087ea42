/// \file
/// What a run of the checker does: programs with a known answer, core as it is, every mutant, and
/// the schedules that were kept.
#pragma once

#include <string>

#include "report.hpp"

namespace mgws::model_backend {

struct options {
  bool longer = false;   ///< larger bounds, for hours if need be
  std::string scenario;  ///< only this one
  std::string mutant;    ///< only this one
  int bound = -2;        ///< preemptions, instead of the scenario's; -2: the scenario's
  bool any_old = false;  ///< old values are free in every scenario
  std::uint64_t seed = 1;
};

/// Each prints what it does, adds what it saw to the report, and returns whether it is as expected.
bool check_litmus(run_report& r);
bool explore_core(const options& o, run_report& r);
bool try_mutants(const options& o, run_report& r);
/// Whether every hazard, order, scope and barrier has a mutant or a reason. Knows of barriers that
/// ran, so call it last.
bool check_completeness();
/// Whether the page agrees with the run.
bool check_page(const std::string& path, const run_report& r);
/// Whether that comparison would see faults of the page.
bool check_page_itself(const std::string& path);
/// Replays the schedules of the page and those of regressions.cpp: each shows its violation with
/// its mutant, and none on core.
bool check_schedules(const std::string& path);

}  // namespace mgws::model_backend
