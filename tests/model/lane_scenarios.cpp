// One worker of two lanes by itself: what its lanes move between their queues, the spill area and
// the initial set must be ordered by barriers, not by luck.
#include <new>

#include <mgws/core/initial_tasks.hpp>
#include <mgws/core/spill_area.hpp>
#include <mgws/transports/host.hpp>

#include "scenario.hpp"
#include "world.hpp"

namespace mgws::model_backend {

namespace {

using B = backend;
using P = protocol<small_layout<3, 2, 2>>;
using transport = host_transport<B, area>;

struct alignas(16) slot_type {
  std::uint64_t content[4];
};
constexpr unsigned k_tasks = 4;

struct world {
  slot_type initial[k_tasks];
  slot_type local[2];
  slot_type spill[2];
};
world* w = nullptr;
transport* shared = nullptr;
transport::view workers_view;
run_parameters run;

/// Runs the newest task and puts a new one in its place, as a task that spawns would.
void replace_newest(group& g, local_queue<B, slot_type>& local, std::uint64_t with) {
  g.once([&] {
    slot_type& s = local.newest();
    for (unsigned word = 0; word != 2; ++word) {
      the_machine().access(&s.content[2 * word], false);
      the_machine().access(&s.content[2 * word], true);
      s.content[2 * word] = with;
    }
    return 0;
  });
  g.sync();
}

void body(void*, unsigned lane) {
  group g(lane, 2);
  local_queue<B, slot_type> local(w->local, 2);
  spill_area<B, slot_type> spill(w->spill, 2);
  initial_tasks<P, transport::view, slot_type> initial(workers_view, run, 0);
  while (initial.claim(g, 1, 1, 2)) {
    initial.load(g, local);
    replace_newest(g, local, 7);
    if (spill.room() != 0) {
      // Into the spill area, and something else where it was; then back.
      spill.take_from(g, local, 1);
      (void)local.push();
      (void)local.push();
      replace_newest(g, local, 8);
      local.took_oldest(local.size());
      spill.refill(g, local);
    }
    replace_newest(g, local, 9);
    local.took_oldest(local.size());
  }
  g.once([] {
    ghost->done = ghost->tasks;
    return 0;
  });
}

void setup(machine& m) {
  new_world(m, k_tasks);
  w = new (m.allocate<world>(1)) world{};
  static device_range device;
  device = {0, 1, 0, 1};
  run = {};
  run.workers = run.queues = run.owners = run.devices = 1;
  run.device = &device;
  run.initial_count = k_tasks;
  delete shared;
  shared = new transport({.workers = 1, .queues = 1, .queue_bytes = sizeof(slot_type)});
  workers_view = shared->workers_view(w->initial);
  workers_view.initial_next(0).value.track("initial tasks");
  m.watch(w->local, sizeof w->local, "local slots");
  m.watch(w->spill, sizeof w->spill, "spill area");
  m.spawn("worker", 0, &body, nullptr, 2);
}

constexpr scenario k_scenarios[] = {
    {"worker-of-2-lanes", "a worker of two lanes with its spill area and the initial set", &setup},
};

}  // namespace

std::span<const scenario> lane_scenarios() {
  return k_scenarios;
}

}  // namespace mgws::model_backend
