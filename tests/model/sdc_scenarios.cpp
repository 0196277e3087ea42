// Queues with a lock (sdc_queue.hpp), with their owners and their thieves.
#include "queue_program.hpp"
#include "scenario.hpp"

namespace mgws::model_backend {

namespace {

template <queue_shape S>
using sdc_program = queue_program<S, queues::sdc>;

constexpr scenario k_scenarios[] = {
    {"sdc-one-thief", "queue with a lock: owner and thief, ring of 2, 4 tasks, 3 attempts",
     &sdc_program<queue_shape{.tasks = 4, .attempts = 3}>::setup},
    {"sdc-stalled-thief", "the same, and the thief may stop for good at any step",
     &sdc_program<queue_shape{.tasks = 4, .attempts = 2, .stalls = true}>::setup},
    {"sdc-two-devices", "the same on different devices; scopes matter",
     &sdc_program<queue_shape{.tasks = 4, .attempts = 3, .devices = true}>::setup},
    {"sdc-hands-over", "the same on different devices; the owner waits for the thief to take all",
     &sdc_program<queue_shape{
         .tasks = 2, .attempts = 2, .devices = true, .hands_over = true}>::setup},
    {"sdc-large-ring", "the same, ring of 8 and local queues of 2",
     &sdc_program<queue_shape{.tasks = 8, .attempts = 2, .ring = 8}>::setup, 1},
    {"sdc-two-thieves", "the same with two thieves, 3 tasks, 2 attempts each",
     &sdc_program<queue_shape{.thieves = 2, .tasks = 3, .attempts = 2}>::setup, 3},
    {"sdc-two-owners", "two owners that share it, and a thief; 3 tasks, 2 attempts",
     &sdc_program<queue_shape{.owners = 2, .tasks = 3, .attempts = 2}>::setup, 3},
    {"sdc-two-owners-hand-over", "the same with 5 tasks, all of which the thief takes",
     &sdc_program<queue_shape{.owners = 2, .tasks = 5, .attempts = 5, .hands_over = true}>::setup,
     1},
    {"sdc-two-owners-scopes", "two owners on one device, a thief on another; scopes matter",
     &sdc_program<queue_shape{.owners = 2, .tasks = 2, .attempts = 2, .devices = true}>::setup, 2},
};

}  // namespace

std::span<const scenario> sdc_scenarios() {
  return k_scenarios;
}

}  // namespace mgws::model_backend
