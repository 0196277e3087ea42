#include <mgws/backends/sim/costs.hpp>

namespace mgws::sim {

costs costs::gpu() {
  return {
      .own = {.load = 135,
              .next_look = 10,
              .store = 10,
              .modify = 178,
              .copy = 350,
              .copy_kib = 111,
              .load_interval = 0.74,
              .interval = 1.8},
      .peer = {.load = 870,
               .next_look = 10,
               .store = 10,
               .modify = 925,
               .copy = 810,
               .copy_kib = 346,
               .load_interval = 2.04,
               .interval = 2.04},
      .host = {.load = 984,
               .next_look = 10,
               .store = 10,
               .modify = 1005,
               .copy = 978,
               .copy_kib = 473,
               .load_interval = 4,
               .interval = 1000},
      .acquire_device = 20,
      .release_device = 187,
      .acquire_system = 10,
      .release_system = 584,
      .now = 10,
      .lead = 50,
      .shortest_pause = 32,
      .pause_growth = 1.25,
      .longest_pause = 16384,
      .patience = 1024,
      .multiprocessors = 132,
      .schedulers = 4,
      .ghz = 1.98,
      .iteration_latency = 4.58,
      .iteration_issue = 2.26,
      .step_latency = 2500,
      .step_issue = 700,
      .slot_latency = 0,
      .slot_issue = 0,
      .instruction = 4.5,
      .lead_issue = 250,
      .modify_issue = 250,
      .copy_issue = 200,
      .search_issue = 900,
      .launch = 4000,
      .begin = 1000,
      .apart = 1,
      .stagger = 400,
      .end = 2000,
  };
}

costs costs::gpu_slower_chain() {
  costs c = gpu();
  c.iteration_latency = 7.75;
  c.iteration_issue = 3.6;
  return c;
}

costs costs::cpu() {
  constexpr memory_costs cache{.load = 1.5,
                               .next_look = 1.5,
                               .store = 1,
                               .modify = 6,
                               .copy = 5,
                               .copy_kib = 20,
                               .load_interval = 0,
                               .interval = 6};
  constexpr memory_costs other{.load = 70,
                               .next_look = 10,
                               .store = 1,
                               .modify = 80,
                               .copy = 80,
                               .copy_kib = 100,
                               .load_interval = 0,
                               .interval = 25};
  return {
      .own = cache,
      .peer = other,
      .host = other,
      .acquire_device = 0,
      .release_device = 0,
      .acquire_system = 0,
      .release_system = 0,
      .now = 20,
      .lead = 0,
      .shortest_pause = 40,
      .pause_growth = 2,
      .longest_pause = 8192,
      .patience = 8192,
      .multiprocessors = 0,
      .schedulers = 0,
      .ghz = 3,
      .iteration_latency = 4,
      .iteration_issue = 4,
      .step_latency = 20,
      .step_issue = 20,
      .slot_latency = 0,
      .slot_issue = 0,
      .instruction = 0,
      .lead_issue = 0,
      .modify_issue = 0,
      .copy_issue = 0,
      .search_issue = 0,
      .launch = 5000,
      .begin = 200,
      .apart = 0,
      .stagger = 0,
      .end = 1000,
  };
}

}  // namespace mgws::sim
