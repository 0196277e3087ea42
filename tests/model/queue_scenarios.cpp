// Public queues with their owners and their thieves.
#include "queue_program.hpp"
#include "scenario.hpp"

namespace mgws::model_backend {

namespace {

using shape = queue_shape;

constexpr scenario k_scenarios[] = {
    {"one-thief", "owner and thief, ring of 2, 5 tasks, 4 attempts",
     &queue_program<shape{.tasks = 5}>::setup},
    {"one-thief-longer",
     "owner and thief, ring of 2, 7 tasks, 5 attempts",
     &queue_program<shape{.tasks = 7, .attempts = 5}>::setup,
     -1,
     {},
     effort::extended},
    {"one-thief-short", "owner and thief, ring of 2, 4 tasks, 3 attempts",
     &queue_program<shape{.tasks = 4, .attempts = 3}>::setup},
    {"stalled-thief", "owner and a thief that may stop for good at any step",
     &queue_program<shape{.tasks = 4, .attempts = 3, .stalls = true}>::setup},
    {"two-devices", "owner and thief on different devices; scopes matter",
     &queue_program<shape{.tasks = 4, .attempts = 3, .devices = true}>::setup},
    {"ring-of-4", "owner and thief, ring of 4, blocks of 2",
     &queue_program<shape{.tasks = 4, .attempts = 3, .ring = 4, .field_bits = 3}>::setup},
    {"large-ring", "owner and thief, ring of 8 and local queues of 2",
     &queue_program<shape{.tasks = 8, .attempts = 2, .ring = 8, .field_bits = 4}>::setup, 1},
    {"few-attempts", "owner and thief, attempts counted in 2 bits",
     &queue_program<shape{.tasks = 3, .attempts = 6, .attempt_bits = 2}>::setup},
    {"two-thieves",
     "owner and two thieves, 3 tasks, 2 attempts each",
     &queue_program<shape{.thieves = 2, .tasks = 3, .attempts = 2}>::setup,
     4,
     {},
     effort::always,
     true},
    {"two-owners", "two owners that share a queue, and a thief; 3 tasks, 2 attempts",
     &queue_program<shape{.owners = 2, .tasks = 3, .attempts = 2}>::setup, 4},
    {"two-owners-scopes", "two owners on one device, a thief on another; scopes matter",
     &queue_program<shape{.owners = 2, .tasks = 2, .attempts = 2, .devices = true}>::setup, 2},
};

}  // namespace

std::span<const scenario> queue_scenarios() {
  return k_scenarios;
}

}  // namespace mgws::model_backend
