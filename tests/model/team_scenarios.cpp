// Workers of two lanes: mgws::lane_worker over the groups that GPUs use, from the initial set to
// the detector's verdict, on one device or two.
#include <new>

#include <mgws/backends/model/team.hpp>
#include <mgws/core/lanes.hpp>
#include <mgws/core/termination/counting.hpp>
#include <mgws/transports/host.hpp>

#include "joins.hpp"
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
  bool hierarchical = false;  ///< the detector; else the counter
  bool devices = false;       ///< each worker on one of its own, and scopes matter
  bool far_counter = false;   ///< of initial tasks
  bool stops = false;         ///< the host asks the run to stop at any time
  unsigned finishes = 0;      ///< the one instance makes one, of 4 tasks, or two, of one each
  unsigned pieces = 0;        ///< of every third task, which all are resumable then
  std::uint32_t levels = 1;   ///< of priority: task i has level i modulo that
  bool late = false;          ///< the last instances spawn, not the first
  bool warps = false;         ///< each lane is a warp of its own
  passing time = passing::never;
};

template <shape_of_run S>
struct team_program {
  using layout = small_layout<4, 3, 3>;
  using P = protocol<layout>;
  using team = std::conditional_t<S.warps, several_warps, one_warp>;
  using B = team_backend<team>;
  using transport = host_transport<B, area>;
  using view = typename transport::view;

  static constexpr unsigned k_ring = 2;
  static constexpr unsigned k_spill = 4;  ///< enough for two levels of priority
  static constexpr unsigned k_tasks =
      S.instances + S.spawning + (S.finishes == 1 ? 5 : 2 * S.finishes);
  static constexpr unsigned k_initial = S.plain ? S.instances : 1;
  static constexpr unsigned k_devices = S.devices ? S.workers : 1;

  /// A task of two words, so that a slot can be torn.
  struct node {
    std::uint64_t base;
    std::uint64_t same;
    static constexpr mgws::shape width = S.width;
    static constexpr std::uint32_t priorities = S.levels;

    std::uint32_t priority() const { return static_cast<std::uint32_t>(base) % S.levels; }
    void operator()(auto& worker, task_index i) const requires(!S.plain) {
      run(worker, static_cast<unsigned>(base + i));
    }
    void operator()(auto& worker) const requires(S.plain) {
      run(worker, static_cast<unsigned>(base));
    }

    void run(auto& worker, unsigned id) const {
      if (base != same) the_machine().fail("a slot is torn");
      // Where lanes run it together, the first of them runs it and the last one spawns, before or
      // after it lets others take what it spawned.
      const unsigned nth = id - (S.late ? S.instances - S.spawning : 0);
      const bool spawns =
          id < S.instances && nth < S.spawning && worker.lane() == worker.lanes() - 1;
      const task child{S.instances + nth, S.instances + nth};
      if (worker.lane() == 0) {
        the_machine().call({.kind = op::act, .value = id});
        ghost_run(id);
      }
      if constexpr (S.finishes != 0)
        if (worker.lane() == 0) S.finishes == 1 ? finish_four(worker) : two_finishes(worker);
      if (spawns && (id == 0 || worker.lanes() == 1)) worker.spawn(child);
      if constexpr (S.width == mgws::shape::block) worker.release();
      if (spawns && id != 0 && worker.lanes() != 1) worker.spawn(child);
    }
  };
  /// The same piece by piece; the last one does what a node does.
  struct resumable_node {
    std::uint64_t base;
    std::uint64_t same;  ///< and how many pieces are done
    static constexpr mgws::shape width = S.width;

    progress operator()(auto& worker, task_index i) requires(!S.plain) {
      return go_on(worker, static_cast<unsigned>(base + i));
    }
    progress operator()(auto& worker) requires(S.plain) {
      return go_on(worker, static_cast<unsigned>(base));
    }

   private:
    progress go_on(auto& worker, unsigned id) {
      if (worker.lane() == 0) {
        the_machine().call({.kind = op::act, .value = id});
        if (w->pieces[id]++ != same - base) the_machine().fail("a piece is lost, or ran twice");
      }
      if (++same - base != (id % 3 == 0 ? S.pieces : 1)) return again;
      node{base, base}.run(worker, id);
      return done;
    }
  };
  using task = std::conditional_t<S.pieces != 0, resumable_node, node>;
  using tasks =
      std::conditional_t<S.finishes != 0, task_set<node, below_finish, finished>, task_set<task>>;
  using slot_type = slot<tasks>;
  using detector_type = counting_detector<P, view>;
  using config =
      configuration<P, view, tasks, accumulators<>, no_context, detector_type, no_statistics>;
  using worker_type = lane_worker<config>;

  struct world {
    unsigned pieces[k_tasks];  ///< that are done
    slot_type local[S.workers][S.local];
    slot_type spill[S.workers][k_spill];
    slot_type initial[k_initial];
    accumulators<> results[S.workers];
  };
  static inline world* w;
  static inline transport* shared;
  static inline view workers_view;
  static inline run_parameters run;
  static inline device_range device[k_devices];

  static unsigned frames_of(unsigned worker) { return worker == 0 ? S.finishes : 0; }
  static unsigned device_of(unsigned worker) { return S.devices ? worker : 0; }
  static bool stopped() { return workers_view.control(0).stop.peek() != 0; }

  static void host(void*, unsigned) { shared->stop(0, stop_reason::cancelled); }

  static void body(void* argument, unsigned lane) {
    const auto id = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(argument));
    notes().now = &workers_view.progress(id).now;
    worker_type me(workers_view, run, device_of(id), id,
                   {.local = w->local[id],
                    .spill = w->spill[id],
                    .damping = nullptr,
                    .result = &w->results[id],
                    .statistics = nullptr});
    me.run(no_context{});
    if (lane == 0 && !stopped()) ghost_over();
  }

  static const char* at_end() {
    for (unsigned q = 0; q != S.workers; ++q) {
      const auto& head = workers_view.head(q);
      const auto f = layout::decode(head.word.peek());
      if (f.lock) return "the run ended with a queue that is locked";
      for (std::uint32_t e = 0; e != 2; ++e)
        if (head.completed[e].peek() != head.claimed[e].peek() + (f.epoch == e ? f.claimed() : 0))
          return "claims and completions do not agree at the end";
    }
    if constexpr (S.finishes != 0)
      if (!all_frames_free(workers_view, S.workers, &frames_of)) return "a frame is not free";
    return stopped() || ghost->done == ghost->tasks ? nullptr : "a task never ran";
  }

  static void setup(machine& m) {
    new_world(m, k_tasks);
    w = new (m.allocate<world>(1)) world{};
    for (std::uint64_t i = 0; i != k_initial; ++i)
      w->initial[i].write(task{i, i}, 0, S.instances / k_initial);
    for (unsigned d = 0; d != k_devices; ++d)
      device[d] = {d, S.workers / k_devices, d, S.workers / k_devices};
    run = {};
    run.workers = run.queues = S.workers;
    run.termination = S.hierarchical ? termination::hierarchical : termination::counter;
    run.owners = 1;
    run.devices = k_devices;
    run.device = device;
    run.far_counter = S.far_counter;
    run.local_capacity = S.local;
    run.public_capacity = k_ring;
    run.spill_capacity = k_spill;
    run.max_batch = k_ring;
    run.initial_count = k_initial;
    run.pieces_of_step = pieces_of_step = S.plain ? k_team_lanes : 1;

    delete shared;
    transport_request request{.workers = S.workers,
                              .queues = S.workers,
                              .queue_bytes = k_ring * sizeof(slot_type),
                              .global_cells = detector_type::global_cells(k_devices)};
    if constexpr (S.finishes != 0) {
      run.log_frames = k_log_frames;
      request.frame_bytes = sizeof(frame<B, slot_type>) << k_log_frames;
      request.frame_lines = free_frames<B>::lines(1u << k_log_frames);
    }
    for (unsigned d = 0; d != k_devices; ++d)
      request.device_cells.push_back(detector_type::device_cells(device[d].workers));
    shared = new transport(request);
    workers_view = shared->workers_view(w->initial);
    for (unsigned q = 0; q != S.workers; ++q) {
      track_queue<layout>(workers_view.head(q), q, false, device_of(q));
      m.watch(workers_view.slots(q), k_ring * sizeof(slot_type),
              "slots of queue " + std::to_string(q));
    }
    if constexpr (S.finishes != 0) {
      for (unsigned i = 0; i != S.workers; ++i)
        track_frames<slot_type>(m, workers_view, i, frames_of(i));
      watch_written(m, k_tasks);
    }
    auto& control = workers_view.control(0);
    for (unsigned d = 0; d != k_devices; ++d) {
      const std::string of = " of device " + std::to_string(d);
      workers_view.initial_next(d).value.track("initial tasks" + of);
      if (S.devices) control.spent[d].track("word that they are claimed" + of);
      if (S.hierarchical) workers_view.device_cell(d, 0).value.track("idle workers" + of);
    }
    workers_view.global_cell(0).value.track("all that are idle");
    if (S.stops) control.stop.track("request to stop");
    m.lanes_matter = true;
    m.time = S.time;
    m.several_devices = S.devices;
    for (unsigned i = 0; i != S.workers; ++i) {
      prepare_team<team, lanes_leader<config>, accumulators<>>(i, w->local[i]);
      m.spawn("worker " + std::to_string(i), static_cast<std::uint8_t>(device_of(i)), &body,
              reinterpret_cast<void*>(std::uintptr_t{i}), k_team_lanes);
    }
    if (S.stops) m.spawn("host", 0, &host, nullptr);
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
    {"team-rounds", "the same with 8 instances, the last 2 of which spawn",
     &team_program<shape_of_run{.workers = 1, .instances = 8, .late = true}>::setup},
    {"team-rounds-end", "the same, the first 4 of which spawn",
     &team_program<shape_of_run{.workers = 1, .instances = 8, .spawning = 4}>::setup},
    {"team-warps",
     "a worker of 2 lanes, each a warp of its own: 7 instances, the last 2 of which spawn",
     &team_program<shape_of_run{
         .workers = 1, .instances = 7, .late = true, .warps = true, .time = passing::either}>::
         setup},
    {"team-warps-plain", "the same with 6 slots of plain tasks, the first 2 of which spawn",
     &team_program<shape_of_run{
         .workers = 1, .instances = 6, .plain = true, .warps = true}>::setup},
    {"teams-warps",
     "2 workers of 2 lanes, each a warp of its own: 6 instances, one of which spawns",
     &team_program<shape_of_run{.instances = 6, .spawning = 1, .late = true, .warps = true}>::setup,
     1,
     {milestone::steal}},
    {"team-wide", "a worker of 2 lanes that run each of 2 instances together",
     &team_program<shape_of_run{.workers = 1, .instances = 2, .width = mgws::shape::block}>::setup},
    {"team-levels", "team-alone with two levels of priority",
     &team_program<shape_of_run{.workers = 1, .levels = 2}>::setup},
    {"team-finish", "a worker of 2 lanes: a finish of 4 tasks",
     &team_program<shape_of_run{
         .workers = 1, .instances = 1, .spawning = 0, .finishes = 1}>::setup},
    {"team-finishes", "a worker of 2 lanes: two finishes of a task each, side by side",
     &team_program<shape_of_run{
         .workers = 1, .instances = 1, .spawning = 0, .finishes = 2}>::setup},
    {"teams", "2 workers of 2 lanes: 3 instances of a bulk slot, 2 of which spawn",
     &team_program<shape_of_run{}>::setup},
    {"teams-levels",
     "the same, what is spawned of two levels of priority",
     &team_program<shape_of_run{.levels = 2}>::setup,
     1,
     {milestone::steal}},
    {"teams-wide", "2 workers of 2 lanes that run each of 2 instances together",
     &team_program<shape_of_run{.instances = 2, .width = mgws::shape::block}>::setup, 1},
    {"teams-fine", "2 workers of 2 lanes: 8 short instances of a bulk slot",
     &team_program<shape_of_run{.instances = 8, .spawning = 0}>::setup},
    {"teams-finish",
     "2 workers of 2 lanes: a task of both lanes makes a finish of 4 tasks",
     &team_program<shape_of_run{
         .instances = 1, .spawning = 0, .width = mgws::shape::block, .finishes = 1}>::setup,
     1,
     {milestone::steal}},
    {"teams-finish-devices",
     "the same on 2 devices, hierarchical, scopes matter",
     &team_program<shape_of_run{.instances = 1,
                                .spawning = 0,
                                .width = mgws::shape::block,
                                .hierarchical = true,
                                .devices = true,
                                .finishes = 1}>::setup,
     1,
     {milestone::far_steal}},
    {"team-pieces", "a worker of 2 lanes: 3 instances, of 2 pieces and of one, 2 of which spawn",
     &team_program<shape_of_run{.workers = 1, .pieces = 2, .time = passing::either}>::setup},
    {"team-pieces-dealt", "a worker of 2 lanes: 7 instances, of 2 pieces and of one",
     &team_program<shape_of_run{
         .workers = 1, .instances = 7, .spawning = 0, .pieces = 2, .time = passing::either}>::
         setup},
    {"team-pieces-even", "the same with 8 instances",
     &team_program<shape_of_run{
         .workers = 1, .instances = 8, .spawning = 0, .pieces = 2, .time = passing::either}>::
         setup},
    {"teams-pieces",
     "2 workers of 2 lanes: 4 instances, of 3 pieces and of one",
     &team_program<shape_of_run{
         .instances = 4, .spawning = 0, .pieces = 3, .time = passing::always}>::setup,
     1,
     {milestone::steal}},
    {"teams-pieces-devices",
     "the same on 2 devices, hierarchical, scopes matter, in no time",
     &team_program<shape_of_run{
         .instances = 4, .spawning = 0, .hierarchical = true, .devices = true, .pieces = 3}>::setup,
     1,
     {milestone::far_steal}},
    {"teams-pieces-steal",
     "2 workers of 2 lanes: 6 instances, of 3 pieces and of one",
     &team_program<shape_of_run{
         .instances = 6, .spawning = 0, .pieces = 3, .time = passing::always}>::setup,
     1,
     {milestone::steal}},
    {"teams-pieces-stopped",
     "2 workers of 2 lanes: 4 instances, of 2 pieces and of one; the host asks them to stop at any "
     "time",
     &team_program<shape_of_run{
         .instances = 4, .spawning = 0, .stops = true, .pieces = 2, .time = passing::always}>::
         setup,
     1,
     {milestone::stop_working, milestone::stop_searching, milestone::stop_idle}},
    {"teams-hierarchical",
     "2 workers of 2 lanes on 1 device, hierarchical",
     &team_program<shape_of_run{.hierarchical = true}>::setup,
     1,
     {milestone::steal}},
    {"teams-devices",
     "2 workers of 2 lanes on 2 devices, counter, scopes matter",
     &team_program<shape_of_run{.devices = true}>::setup,
     1,
     {milestone::far_steal}},
    {"teams-devices-hierarchical",
     "the same, hierarchical",
     &team_program<shape_of_run{.hierarchical = true, .devices = true}>::setup,
     1,
     {milestone::far_steal, milestone::idle_device}},
    {"teams-far-counter",
     "the same with 8 slots of plain tasks, each claiming all that falls to it",
     &team_program<shape_of_run{.instances = 8,
                                .spawning = 1,
                                .local = 8,
                                .plain = true,
                                .hierarchical = true,
                                .devices = true,
                                .far_counter = true}>::setup,
     1,
     {milestone::wide_claim}},
    {"teams-stopped",
     "2 workers of 2 lanes, counter, the host asks them to stop at any time",
     &team_program<shape_of_run{.stops = true}>::setup,
     1,
     {milestone::stop_working, milestone::stop_searching, milestone::stop_idle}},
    {"teams-stopped-devices",
     "the same on 2 devices, hierarchical, scopes matter",
     &team_program<shape_of_run{.hierarchical = true, .devices = true, .stops = true}>::setup,
     1,
     {milestone::stop_working, milestone::stop_searching, milestone::stop_idle,
      milestone::far_steal}},
};

}  // namespace

std::span<const scenario> team_scenarios() {
  return k_scenarios;
}

}  // namespace mgws::model_backend
