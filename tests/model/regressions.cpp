#include "regressions.hpp"

namespace mgws::model_backend {

namespace {

constexpr regression k_regressions[] = {
    // The bridge's first version gave away half of what a domain held, rounded up: two domains sent
    // the last task back and forth.
    {"mailbox-bridge", "mailbox-gives-last", "10:1", "livelock"},
    // A scan that believes a domain's old word ends a run too early.
    {"mailbox-bridge", "mailbox-idle-kept", "4:1,12:1", "a worker takes the run as over"},
};

}  // namespace

std::span<const regression> all_regressions() {
  return k_regressions;
}

}  // namespace mgws::model_backend
