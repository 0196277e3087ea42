// Workers of two lanes: mgws::lane_worker over the groups that GPUs use, from the initial set to
// the detector's verdict.
#include <new>

#include <mgws/backends/model/team.hpp>
#include <mgws/core/lanes.hpp>
#include <mgws/core/termination/counting.hpp>
#include <mgws/transports/host.hpp>

#include "scenario.hpp"
#include "world.hpp"

namespace mgws::model_backend {

namespace {

/// One initial slot stands for all instances, or there are as many of plain tasks; the first
/// `spawning` of them spawn one task each.
struct shape_of_run {
  unsigned workers = 2;
  unsigned instances = 3;
  unsigned spawning = 2;
  unsigned local = 4;
  mgws::shape width = mgws::shape::lane;
  bool plain = false;
};

template <shape_of_run S>
struct team_program {
  using layout = small_layout<4, 3, 3>;
  using P = protocol<layout>;
  using B = team_backend;
  using transport = host_transport<B, area>;
  using view = typename transport::view;

  static constexpr unsigned k_ring = 2;
  static constexpr unsigned k_spill = 4;
  static constexpr unsigned k_tasks = S.instances + S.spawning;
  static constexpr unsigned k_initial = S.plain ? S.instances : 1;

  /// A task of two words, so that a slot can be torn.
  struct node {
    std::uint64_t base;
    std::uint64_t same;
    static constexpr mgws::shape width = S.width;

    void operator()(auto& worker, task_index i) const requires(!S.plain) {
      run(worker, static_cast<unsigned>(base + i));
    }
    void operator()(auto& worker) const requires(S.plain) {
      run(worker, static_cast<unsigned>(base));
    }

   private:
    void run(auto& worker, unsigned id) const {
      if (base != same) the_machine().fail("a slot is torn");
      // Where lanes run it together, the first of them runs it and the last one spawns, before or
      // after it lets others take what it spawned.
      const bool spawns = id < S.spawning && worker.lane() == worker.lanes() - 1;
      const node child{S.instances + id, S.instances + id};
      if (worker.lane() == 0) {
        the_machine().call({.kind = op::act, .value = id});
        ghost_run(id);
      }
      if (spawns && (id == 0 || worker.lanes() == 1)) worker.spawn(child);
      if constexpr (S.width == mgws::shape::block) worker.release();
      if (spawns && id != 0 && worker.lanes() != 1) worker.spawn(child);
    }
  };
  using tasks = task_set<node>;
  using slot_type = slot<tasks>;
  using detector_type = counting_detector<P, view>;
  using config =
      configuration<P, view, tasks, accumulators<>, no_context, detector_type, no_statistics>;
  using worker_type = lane_worker<config>;

  struct world {
    slot_type local[S.workers][S.local];
    slot_type spill[S.workers][k_spill];
    slot_type initial[k_initial];
    accumulators<> results[S.workers];
  };
  static inline world* w;
  static inline transport* shared;
  static inline view workers_view;
  static inline run_parameters run;
  static inline device_range device;

  static void body(void* argument, unsigned lane) {
    const auto id = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(argument));
    worker_type me(workers_view, run, 0, id,
                   {.local = w->local[id],
                    .spill = w->spill[id],
                    .damping = nullptr,
                    .result = &w->results[id],
                    .statistics = nullptr});
    me.run(no_context{});
    if (lane == 0) ghost_over();
  }

  static const char* at_end() { return ghost->done == ghost->tasks ? nullptr : "a task never ran"; }

  static void setup(machine& m) {
    new_world(m, k_tasks);
    w = new (m.allocate<world>(1)) world{};
    for (std::uint64_t i = 0; i != k_initial; ++i)
      w->initial[i].write(node{i, i}, 0, S.instances / k_initial);
    device = {0, S.workers, 0, S.workers};
    run = {};
    run.workers = run.queues = S.workers;
    run.owners = run.devices = 1;
    run.device = &device;
    run.local_capacity = S.local;
    run.public_capacity = k_ring;
    run.spill_capacity = k_spill;
    run.max_batch = k_ring;
    run.initial_count = k_initial;
    run.slots_of_step = S.plain ? k_team_lanes : 1;

    delete shared;
    shared = new transport({.workers = S.workers,
                            .queues = S.workers,
                            .queue_bytes = k_ring * sizeof(slot_type),
                            .global_cells = detector_type::global_cells(1),
                            .device_cells = {detector_type::device_cells(S.workers)}});
    workers_view = shared->workers_view(w->initial);
    for (unsigned q = 0; q != S.workers; ++q) {
      track_queue<layout>(workers_view.head(q), q, false);
      m.watch(workers_view.slots(q), k_ring * sizeof(slot_type),
              "slots of queue " + std::to_string(q));
    }
    workers_view.initial_next(0).value.track("initial tasks");
    workers_view.global_cell(0).value.track("idle workers");
    m.lanes_matter = true;
    for (unsigned i = 0; i != S.workers; ++i) {
      prepare_team<lanes_leader<config>>(i, w->local[i]);
      m.spawn("worker " + std::to_string(i), 0, &body, reinterpret_cast<void*>(std::uintptr_t{i}),
              k_team_lanes);
    }
    m.at_end(&at_end);
  }
};

constexpr scenario k_scenarios[] = {
    {"team-alone", "a worker of 2 lanes: 3 instances of a bulk slot, 2 of which spawn",
     &team_program<shape_of_run{.workers = 1}>::setup},
    {"team-plain", "the same with 12 slots of plain tasks, the first 2 of which spawn",
     &team_program<shape_of_run{.workers = 1, .instances = 12, .plain = true}>::setup},
    {"team-spill", "the same with room for one local slot",
     &team_program<shape_of_run{.workers = 1, .instances = 2, .local = 1}>::setup},
    {"team-wide", "the same, both lanes running each of 2 instances together",
     &team_program<shape_of_run{.workers = 1, .instances = 2, .width = mgws::shape::block}>::setup},
    {"teams", "2 workers of 2 lanes: 3 instances of a bulk slot, 2 of which spawn",
     &team_program<shape_of_run{}>::setup},
    {"teams-wide", "2 workers of 2 lanes that run each of 2 instances together",
     &team_program<shape_of_run{.instances = 2, .width = mgws::shape::block}>::setup, 1},
    {"teams-fine", "2 workers of 2 lanes: 8 short instances of a bulk slot",
     &team_program<shape_of_run{.instances = 8, .spawning = 0}>::setup},
};

}  // namespace

std::span<const scenario> team_scenarios() {
  return k_scenarios;
}

}  // namespace mgws::model_backend
