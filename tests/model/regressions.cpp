#include "regressions.hpp"

namespace mgws::model_backend {

namespace {

constexpr regression k_regressions[] = {
    // The windows between a completion and the idle count: seen by no random schedule in a million.
    {"run-counter", "no-quiet-check", "8:1,8:1,2:1", "a worker takes the run as over"},
    {"run-counter", "complete-before-idle", "8:1,10:1,3:1", "a worker takes the run as over"},
    {"run-shared", "idle-after-unlock", "5:1,27:1,10:1", "a worker takes the run as over"},
    {"run-tree-2-devices", "vote-not-sticky", "12:1,1:1,10:1", "a worker takes the run as over"},
};

}  // namespace

std::span<const regression> all_regressions() {
  return k_regressions;
}

}  // namespace mgws::model_backend
