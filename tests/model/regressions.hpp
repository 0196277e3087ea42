/// \file
/// Schedules that are kept because they once showed an error. Each is replayed by every run of the
/// tests, and must show none; with the mutant that brings the error back, it must show it. (The
/// schedules of the other mutants are kept in docs/verification.md, and replayed likewise.)
#pragma once

#include <span>

namespace mgws::model_backend {

struct regression {
  const char* scenario;
  const char* mutant;  ///< brings the error back; nullptr: nothing does
  const char* schedule;
  const char* shows;  ///< how the violation begins
};

std::span<const regression> all_regressions();

}  // namespace mgws::model_backend
