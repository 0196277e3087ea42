// Live runs: what a producer submits while workers look for work, and how the end is found.
#include "run_program.hpp"

namespace mgws::model_backend {

namespace {

constexpr scenario k_scenarios[] = {
    {"live", "2 workers; a producer submits 1 task, waits until it has ended, reads, closes",
     run_of<shape{.initial = 0, .tasks = 1, .submits = 1, .idles = true}>, 2},
    {"live-spawns",
     "the same, and the task spawns 1",
     run_of<shape{.initial = 0, .tasks = 2, .submits = 1, .idles = true}>,
     2,
     {milestone::steal}},
    {"live-full", "2 workers; 3 tasks through a ring of 1 slot",
     run_of<shape{.initial = 0, .tasks = 3, .submits = 3, .inbox = 1}>, 2},
    {"live-half", "1 worker; 6 tasks through a ring of 4 slots, of which it tells by twos",
     run_of<shape{.workers = {1, 0}, .initial = 0, .tasks = 6, .submits = 6, .inbox = 4}>, 3},
    {"live-closes",
     "2 workers; 2 tasks, the first spawns 1; closed at once",
     run_of<shape{.initial = 0, .tasks = 3, .submits = 2}>,
     2,
     {milestone::steal}},
    {"live-initial", "2 workers, 1 initial task; 1 is submitted, and all is waited for",
     run_of<shape{.initial = 1, .tasks = 2, .submits = 1, .idles = true}>, 2},
    {"live-sleeping",
     "2 workers that sleep when idle; 1 task that spawns 1, waited for",
     run_of<shape{.initial = 0, .tasks = 2, .sleeps = true, .submits = 1, .idles = true}>,
     1,
     {milestone::slept}},
    {"live-devices",
     "2 workers on 2 devices with an inbox each, scopes matter; 2 tasks, the first spawns 1",
     run_of<shape{.devices = 2,
                  .workers = {1, 1},
                  .initial = 0,
                  .tasks = 3,
                  .scopes = true,
                  .submits = 2,
                  .idles = true}>,
     1},
    {"live-full-devices", "2 workers on 2 devices, scopes matter; 3 tasks through rings of 1 slot",
     run_of<shape{.devices = 2,
                  .workers = {1, 1},
                  .initial = 0,
                  .tasks = 3,
                  .scopes = true,
                  .submits = 3,
                  .inbox = 1}>,
     1},
    {"live-3", "3 workers; 1 task, closed at once",
     run_of<shape{.workers = {3, 0}, .initial = 0, .tasks = 1, .submits = 1}>, 1},
};

}  // namespace

std::span<const scenario> live_scenarios() {
  return k_scenarios;
}

}  // namespace mgws::model_backend
