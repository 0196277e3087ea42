/// \file
/// Schedules that are kept: those that once showed an error of core or of the checker, and those of
/// mutants that are hard to find. Each is replayed by every run of the tests.
#pragma once

#include <span>

namespace mgws::model_backend {

struct regression {
  const char* scenario;
  const char* mutant;  ///< the change that has the error; nullptr: core had it, and has it no more
  const char* schedule;
  const char* shows;  ///< how the violation begins
};

std::span<const regression> all_regressions();

}  // namespace mgws::model_backend
