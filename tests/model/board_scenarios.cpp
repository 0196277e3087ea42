// The board: one bulk slot that several workers take steps of. First by itself, shown twice over,
// then in whole runs, from the slot's spawn to the detector's verdict.
#include <new>

#include <mgws/core/bulk_board.hpp>
#include <mgws/core/termination/counting.hpp>
#include <mgws/core/termination/tree.hpp>
#include <mgws/core/worker.hpp>
#include <mgws/transports/host.hpp>

#include "board.hpp"
#include "scenario.hpp"
#include "world.hpp"

namespace mgws::model_backend {

namespace {

/// Two words, so that a slot can be torn.
struct pair_task {
  std::uint64_t base;
  std::uint64_t same;

  void operator()(auto& /*worker*/, task_index i) const { run(i); }
  void run(task_index i) const {
    if (base != same) the_machine().fail("a slot is torn");
    the_machine().call({.kind = op::act, .value = base + i});
    ghost_run(static_cast<unsigned>(base + i));
  }
};

// ---- By itself ----

/// \tparam Far  the takers are of another device, and scopes matter
template <bool Far>
struct alone {
  using B = backend;
  using P = protocol<small_layout<3, 2, 2>>;
  using transport = host_transport<B, area>;
  using slot_type = slot<task_set<pair_task>>;
  using view = transport::view;
  using board_type = bulk_board<P, view, slot_type>;
  static constexpr unsigned k_workers = 3;
  static constexpr unsigned k_wide = 2;    ///< instances of a slot, each a step
  static constexpr unsigned k_rounds = 2;  ///< slots that are shown

  struct world {
    slot_type local[k_workers][2];
  };
  static inline world* w;
  static inline transport* shared;
  static inline view workers_view;
  static inline run_parameters run;
  static inline device_range devices[2];

  static bool take(board_type& board, unsigned id) {
    const unsigned device = Far && id != 0 ? 1 : 0;
    local_queue<B, slot_type> local(w->local[id], 2);
    if (!board.take(
            workers_view, run, device, 0, local, 1, 1, [](std::uint32_t) { return 0u; }, [] {}))
      return false;
    const auto h = local.newest().read_header();
    const auto copy = local.newest().template read<pair_task>();
    for (unsigned i = 0; i != h.count(); ++i)
      copy.get().run(h.first() + i);
    return true;
  }

  static void shower(void*, unsigned) {
    board_type board;
    for (std::uint64_t round = 0; round != k_rounds; ++round) {
      slot_type s;
      s.write(pair_task{round * k_wide, round * k_wide}, 0, k_wide);
      // A board that is not free yet is no error; here it waits, to show all.
      for (B::backoff wait; !board.show(workers_view, 0, ring<slot_type>(&s, 1), 0, k_wide);)
        wait.pause();
      while (take(board, 0)) {
      }
    }
    for (B::backoff wait; !board.closed(workers_view, 0);)
      wait.pause();
    if (workers_view.board(0).taken.peek() != k_rounds * k_wide)
      the_machine().fail("the board is closed for one who showed what is not taken");
  }
  static void taker(void* argument, unsigned) {
    const auto id = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(argument));
    board_type board;
    for (unsigned i = 0; i != 2; ++i)
      take(board, id);
  }

  static const char* at_end() {
    if (ghost->done != ghost->tasks) return "a task never ran";
    if (workers_view.board(0).busy.peek() != 0) return "the board was never freed";
    return nullptr;
  }

  static void setup(machine& m) {
    new_world(m, k_rounds * k_wide);
    w = new (m.allocate<world>(1)) world{};
    devices[0] = {0, Far ? 1u : k_workers, 0, 1};
    devices[1] = {1, k_workers - 1, 1, 1};
    run = {};
    run.workers = k_workers;
    run.queues = run.owners = 1;
    run.devices = Far ? 2 : 1;
    run.device = devices;
    m.several_devices = Far;
    delete shared;
    shared = new transport({.workers = k_workers, .queues = 1, .queue_bytes = sizeof(slot_type)});
    workers_view = shared->workers_view(nullptr);
    track_board(m, workers_view, 0, sizeof(slot_type));
    m.spawn("shower", 0, &shower, nullptr);
    for (std::uintptr_t i = 1; i != k_workers; ++i)
      m.spawn("taker " + std::to_string(i), Far ? 1 : 0, &taker, reinterpret_cast<void*>(i));
    m.at_end(&at_end);
  }
};

// ---- Whole runs ----

struct shape {
  mgws::termination how = termination::counter;
  unsigned devices = 1;
  unsigned workers[2] = {2, 0};
  unsigned wide = 4;  ///< instances that the only initial task spawns as one slot
  bool sleeps = false;
  bool scopes = false;
};

template <shape S>
struct board_program {
  using layout = small_layout<4, 3, 3>;
  using P = protocol<layout>;
  using B = std::conditional_t<S.sleeps, sleeping_backend, backend>;
  using transport = host_transport<B, area>;
  using view = typename transport::view;

  struct node : pair_task {
    void operator()(auto& worker, task_index i) const {
      run(i);
      if (base == 0) worker.spawn_n(node{{1, 1}}, S.wide);
    }
  };
  using tasks = task_set<node>;
  using slot_type = slot<tasks>;
  using detector_type = std::conditional_t<S.how == termination::tree, tree_detector<P, view>,
                                           counting_detector<P, view>>;
  using worker_type = worker<
      configuration<P, view, tasks, accumulators<>, no_context, detector_type, no_statistics>>;
  static constexpr unsigned k_workers = S.workers[0] + S.workers[1];
  static constexpr unsigned k_capacity = 4;

  struct world {
    slot_type local[k_workers][k_capacity];
    slot_type spill[k_workers][k_capacity];
    slot_type initial[1];
    accumulators<> results[k_workers];
  };
  static inline world* w;
  static inline transport* shared;
  static inline view workers_view;
  static inline run_parameters run;
  static inline device_range devices[2];

  static void body(void* argument, unsigned) {
    const auto id = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(argument));
    notes().own_queue = 1 + id;
    const no_context context;
    const worker_memory<slot_type, accumulators<>> memory{.local = w->local[id],
                                                          .spill = w->spill[id],
                                                          .damping = nullptr,
                                                          .result = &w->results[id],
                                                          .statistics = nullptr};
    worker_type me(workers_view, run, context, id < S.workers[0] ? 0 : 1, id, memory);
    me.run();
    ghost_over();
  }

  static const char* at_end() {
    if (ghost->done != ghost->tasks) return "a task never ran";
    std::uint64_t taken = 0;
    for (unsigned d = 0; d != S.devices; ++d)
      taken += workers_view.board(d).taken.peek();
    if (taken == 0) return "nothing was shown: the scenario is vacuous";
    return nullptr;
  }

  static void setup(machine& m) {
    new_world(m, 1 + S.wide);
    w = new (m.allocate<world>(1)) world{};
    w->initial[0].write(node{{0, 0}}, 0, 1);
    run = {};
    run.termination = S.how;
    for (unsigned d = 0; d != S.devices; ++d) {
      devices[d] = {run.workers, S.workers[d], run.queues, S.workers[d]};
      run.workers += S.workers[d];
      run.queues += S.workers[d];
    }
    run.owners = 1;
    run.devices = S.devices;
    run.device = devices;
    run.local_capacity = run.public_capacity = run.spill_capacity = run.max_batch = k_capacity;
    run.initial_count = 1;
    run.steal = steal_policy::uniform;
    transport_request request{.workers = run.workers,
                              .queues = run.queues,
                              .queue_bytes = k_capacity * sizeof(slot_type),
                              .global_cells = detector_type::global_cells(S.devices)};
    for (unsigned d = 0; d != S.devices; ++d)
      request.device_cells.push_back(detector_type::device_cells(S.workers[d]));
    delete shared;
    shared = new transport(request);
    workers_view = shared->workers_view(w->initial);
    for (unsigned q = 0; q != run.queues; ++q) {
      track_queue<layout>(workers_view.head(q), q, false);
      m.watch(workers_view.slots(q), k_capacity * sizeof(slot_type),
              "slots of queue " + std::to_string(q));
    }
    for (unsigned d = 0; d != S.devices; ++d) {
      track_board(m, workers_view, d, sizeof(slot_type));
      workers_view.initial_next(d).value.track("initial tasks of device " + std::to_string(d));
      for (unsigned i = 0; i != request.device_cells[d]; ++i)
        workers_view.device_cell(d, i).value.track("cell " + std::to_string(i) + " of device " +
                                                   std::to_string(d));
    }
    for (unsigned d = 0; d != S.devices && S.devices != 1; ++d)
      workers_view.control(0).spent[d].track("word that device " + std::to_string(d) +
                                             "'s initial tasks are claimed");
    for (unsigned i = 0; i != request.global_cells; ++i)
      workers_view.global_cell(i).value.track("global cell " + std::to_string(i));
    workers_view.parking().track();
    random_ways = 1;
    m.several_devices = S.scopes;
    for (unsigned i = 0; i != run.workers; ++i)
      m.spawn("worker " + std::to_string(i), i < S.workers[0] ? 0 : 1, &body,
              reinterpret_cast<void*>(std::uintptr_t{i}));
    m.at_end(&at_end);
  }
};

template <shape S>
constexpr program run_of = &board_program<S>::setup;

constexpr scenario k_scenarios[] = {
    {"board", "a board on which 2 slots of 2 steps are shown in turn, its shower and 2 takers",
     &alone<false>::setup, 3},
    {"board-scopes", "the same with the takers on another device, scopes matter",
     &alone<true>::setup, 3},
    {"board-run", "2 workers, counter, 1 initial task that spawns a slot of 4 instances",
     run_of<shape{}>, 3},
    {"board-run-tree", "the same, tree", run_of<shape{.how = termination::tree}>, 3},
    {"board-run-sleeping", "2 workers that sleep when idle, counter", run_of<shape{.sleeps = true}>,
     2},
    {"board-run-devices", "2 workers on 2 devices, hierarchical, scopes matter",
     run_of<shape{.how = termination::hierarchical,
                  .devices = 2,
                  .workers = {1, 1},
                  .wide = 3,
                  .scopes = true}>,
     3},
};

}  // namespace

std::span<const scenario> board_scenarios() {
  return k_scenarios;
}

}  // namespace mgws::model_backend
