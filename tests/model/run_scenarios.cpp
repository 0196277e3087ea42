// Whole runs: mgws::worker as a program uses it, on the host transport, from the initial set to the
// detector's verdict.
#include <new>

#include <mgws/core/termination/counting.hpp>
#include <mgws/core/termination/tree.hpp>
#include <mgws/core/worker.hpp>
#include <mgws/transports/host.hpp>

#include "scenario.hpp"
#include "world.hpp"

namespace mgws::model_backend {

namespace {

/// What spawns what: task i spawns the tasks whose parent it is. The first `initial` have none.
struct shape {
  mgws::termination how = termination::counter;
  unsigned devices = 1;
  unsigned workers[2] = {2, 0};
  unsigned owners = 1;
  unsigned initial = 1;
  unsigned tasks = 2;
  unsigned fanout = 1;  ///< of every task, until all tasks are spawned
  unsigned ring = 2;
  unsigned local = 2;
  unsigned spill = 2;
  bool sleeps = false;
  bool damping = false;
  bool scopes = false;  ///< devices differ in what they see of narrow scopes
  bool far = false;     ///< the detector is asked seldom, and who hears of the end says so
  bool waits = false;   ///< task 0 goes on until task 1 has run elsewhere
  unsigned ways = 1;    ///< targets to choose from
  unsigned bits = 3;    ///< of the word's two large fields
};

template <shape S>
struct run_program {
  using layout = small_layout<S.bits + 1, S.bits, S.bits>;
  using P = protocol<layout>;
  using B = std::conditional_t<S.sleeps, sleeping_backend, backend>;
  using transport = host_transport<B, area>;
  using view = typename transport::view;

  struct node {
    std::uint16_t id;

    void operator()(auto& worker) const {
      the_machine().call({.kind = op::act, .value = id});
      ghost_run(id);
      notes().in_task = 1;
      for (unsigned child = first_child(id); child < first_child(id + 1u); ++child)
        worker.spawn(node{static_cast<std::uint16_t>(child)});
      if (S.waits && id == 0)
        for (typename B::backoff wait; ghost->ran[1] == 0;)
          wait.pause();
      notes().in_task = 0;
    }
    static unsigned first_child(unsigned parent) {
      return std::min(S.initial + parent * S.fanout, S.tasks);
    }
  };
  using tasks = task_set<node>;
  using slot_type = slot<tasks>;

  /// The tree detector with the mutant that forgets what was stolen.
  struct forgetful_tree : tree_detector<P, view> {
    using base = tree_detector<P, view>;
    using base::base;
    bool out_of_work(std::uint64_t given) {
      return base::out_of_work(changed(behaviour::vote_not_sticky) ? 0 : given);
    }
  };
  using detector_type =
      std::conditional_t<S.how == termination::tree, forgetful_tree, counting_detector<P, view>>;
  using worker_type = worker<
      configuration<P, view, tasks, accumulators<>, no_context, detector_type, no_statistics>>;

  static constexpr unsigned k_workers = S.workers[0] + S.workers[1];
  static constexpr unsigned queues_of(unsigned device) {
    return (S.workers[device] + S.owners - 1) / S.owners;
  }

  struct world {
    slot_type local[k_workers][S.local];
    slot_type spill[k_workers][S.spill];
    slot_type initial[S.initial];
    std::uint32_t damping[k_workers];
    accumulators<> results[k_workers];
    std::uint8_t gone[k_workers];  ///< the worker has returned
  };
  static inline world* w;
  static inline transport* shared;
  static inline view workers_view;
  static inline run_parameters run;
  static inline device_range devices[2];

  static void body(void* argument, unsigned) {
    const auto id = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(argument));
    notes().own_queue = 1 + id / S.owners;
    const no_context context;
    const worker_memory<slot_type, accumulators<>> memory{
        .local = w->local[id],
        .spill = w->spill[id],
        .damping = S.damping ? &w->damping[id] : nullptr,
        .result = &w->results[id],
        .statistics = nullptr};
    worker_type me(workers_view, run, context, id < S.workers[0] ? 0 : 1, id, memory);
    me.run();
    ghost_over();
    if (changed(behaviour::queue_freed_early)) the_machine().retire(retired_by(id));
  }
  static std::uint16_t retired_by(unsigned id) {
    return workers_view.head(id / S.owners).word.location();
  }

  static const char* at_end() {
    if (ghost->done != ghost->tasks) return "a task never ran";
    for (std::uint32_t q = 0; q != run.queues; ++q) {
      const auto& head = workers_view.head(q);
      const auto f = layout::decode(head.word.peek());
      if (f.lock || f.remaining() != 0) return "the run ended with a queue that is not empty";
      for (std::uint32_t e = 0; e != 2; ++e)
        if (head.completed[e].peek() != head.claimed[e].peek() + (f.epoch == e ? f.claimed() : 0))
          return "claims and completions do not agree at the end";
    }
    return nullptr;
  }

  static void setup(machine& m) {
    new_world(m, S.tasks);
    w = new (m.allocate<world>(1)) world{};
    for (unsigned i = 0; i != S.initial; ++i)
      w->initial[i].write(node{static_cast<std::uint16_t>(i)}, 0, 1);
    run = {};
    run.termination = S.how;
    for (unsigned d = 0; d != S.devices; ++d) {
      devices[d] = {run.workers, S.workers[d], run.queues, queues_of(d)};
      run.workers += S.workers[d];
      run.queues += queues_of(d);
    }
    run.owners = S.owners;
    run.devices = S.devices;
    run.device = devices;
    run.local_capacity = S.local;
    run.public_capacity = S.ring;
    run.spill_capacity = S.spill;
    run.max_batch = std::min(S.ring, 2 * S.local);
    run.initial_count = S.initial;
    run.steal = steal_policy::uniform;
    run.far_detector = S.far;
    run.looks_between_questions = S.far && S.how != termination::tree ? 2 : 0;
    run.overflow = S.damping ? overflow_policy::damping : overflow_policy::probe;

    transport_request request{.workers = run.workers,
                              .queues = run.queues,
                              .queue_bytes = S.ring * sizeof(slot_type),
                              .global_cells = detector_type::global_cells(S.devices)};
    for (unsigned d = 0; d != S.devices; ++d)
      request.device_cells.push_back(detector_type::device_cells(S.workers[d]));
    delete shared;
    shared = new transport(request);
    workers_view = shared->workers_view(w->initial);

    for (unsigned q = 0; q != run.queues; ++q) {
      track_queue<layout>(workers_view.head(q), q, S.owners > 1);
      m.watch(workers_view.slots(q), S.ring * sizeof(slot_type),
              "slots of queue " + std::to_string(q));
    }
    for (unsigned d = 0; d != S.devices; ++d)
      workers_view.initial_next(d).value.track(
          d == 0 ? "initial tasks" : "initial tasks of device " + std::to_string(d));
    for (unsigned d = 0; d != S.devices && S.devices != 1; ++d)
      workers_view.control(0).spent[d].track("word that device " + std::to_string(d) +
                                             "'s initial tasks are claimed");
    for (unsigned i = 0; i != request.global_cells; ++i)
      workers_view.global_cell(i).value.track("global cell " + std::to_string(i));
    for (unsigned d = 0; d != S.devices; ++d)
      for (unsigned i = 0; i != request.device_cells[d]; ++i)
        workers_view.device_cell(d, i).value.track("cell " + std::to_string(i) + " of device " +
                                                   std::to_string(d));
    if (S.far) workers_view.control(0).over.track("word that the run is over");
    workers_view.parking().track();
    random_ways = S.ways;
    m.several_devices = S.scopes;
    for (unsigned i = 0; i != run.workers; ++i)
      m.spawn("worker " + std::to_string(i), i < S.workers[0] ? 0 : 1, &body,
              reinterpret_cast<void*>(std::uintptr_t{i}));
    m.at_end(&at_end);
  }
};

template <shape S>
constexpr program run_of = &run_program<S>::setup;

constexpr scenario k_scenarios[] = {
    {"run-counter", "2 workers, counter, 1 initial task that spawns 1", run_of<shape{}>},
    {"run-tree", "2 workers, tree, 1 initial task that spawns 1",
     run_of<shape{.how = termination::tree}>},
    {"run-hierarchical", "2 workers on 2 devices, hierarchical, 1 initial task that spawns 1",
     run_of<shape{.how = termination::hierarchical, .devices = 2, .workers = {1, 1}}>},
    {"run-tree-2-devices", "2 workers on 2 devices, tree, 1 initial task that spawns 1",
     run_of<shape{.how = termination::tree, .devices = 2, .workers = {1, 1}}>},
    {"run-initial", "2 workers, counter, 2 initial tasks, the first spawns 1",
     run_of<shape{.initial = 2, .tasks = 3}>},
    {"run-initial-devices",
     "2 workers on 2 devices, counter, 2 initial tasks, one a device, the first spawns 1",
     run_of<shape{.devices = 2, .workers = {1, 1}, .initial = 2, .tasks = 3}>},
    {"run-fanout", "2 workers, counter, 1 initial task that spawns 2",
     run_of<shape{.tasks = 3, .fanout = 2}>},
    {"run-fanout-tree", "2 workers, tree, 1 initial task that spawns 2",
     run_of<shape{.how = termination::tree, .tasks = 3, .fanout = 2}>},
    {"run-fanout-hierarchical",
     "2 workers on 2 devices, hierarchical, 1 initial task that spawns 2",
     run_of<shape{.how = termination::hierarchical,
                  .devices = 2,
                  .workers = {1, 1},
                  .tasks = 3,
                  .fanout = 2}>},
    {"run-sleeping", "2 workers that sleep when idle, counter, 1 initial task that spawns 1",
     run_of<shape{.sleeps = true}>},
    {"run-sleeping-tree", "2 workers that sleep when idle, tree",
     run_of<shape{.how = termination::tree, .sleeps = true}>},
    {"run-sleeping-waiting-task", "2 workers that sleep; task 0 spawns task 1 and ends after it",
     run_of<shape{.sleeps = true, .waits = true}>},
    {"run-damping", "2 workers, counter, steal damping",
     run_of<shape{.initial = 2, .tasks = 3, .damping = true}>},
    {"run-waiting-task", "2 workers; task 0 spawns task 1 and ends after it",
     run_of<shape{.waits = true}>},
    {"run-far", "2 workers, counter, asked seldom; who hears that the run is over tells the others",
     run_of<shape{.far = true}>},
    {"run-far-hierarchical", "the same on 2 devices, hierarchical",
     run_of<shape{.how = termination::hierarchical, .devices = 2, .workers = {1, 1}, .far = true}>},
    {"run-far-tree", "the same, tree", run_of<shape{.how = termination::tree, .far = true}>},
    {"run-far-devices", "the same on 2 devices, counter, scopes matter",
     run_of<shape{.devices = 2, .workers = {1, 1}, .scopes = true, .far = true}>},
    {"run-scopes", "2 workers on 2 devices, counter, scopes matter",
     run_of<shape{.devices = 2, .workers = {1, 1}, .scopes = true}>},
    {"run-scopes-hierarchical", "2 workers on 2 devices, hierarchical, scopes matter",
     run_of<shape{
         .how = termination::hierarchical, .devices = 2, .workers = {1, 1}, .scopes = true}>},
    {"run-scopes-tree", "2 workers on 2 devices, tree, scopes matter",
     run_of<shape{.how = termination::tree, .devices = 2, .workers = {1, 1}, .scopes = true}>},
    {"run-scopes-waiting-task", "2 workers on 2 devices; task 0 spawns task 1 and ends after it",
     run_of<shape{.devices = 2, .workers = {1, 1}, .scopes = true, .waits = true}>},
    {"run-shared", "2 workers that share a queue, counter, 1 initial task that spawns 1",
     run_of<shape{.owners = 2}>},
    {"run-shared-tree", "2 workers that share a queue, tree",
     run_of<shape{.how = termination::tree, .owners = 2}>},
    {"run-3-counter", "3 workers, counter, 1 initial task that spawns 1",
     run_of<shape{.workers = {3, 0}, .ways = 2}>, 3},
    {"run-3-tree", "3 workers, tree, 1 initial task that spawns 1",
     run_of<shape{.how = termination::tree, .workers = {3, 0}, .ways = 2}>, 3},
    {"run-3-hierarchical", "3 workers on 2 devices, hierarchical, 1 initial task that spawns 1",
     run_of<shape{.how = termination::hierarchical, .devices = 2, .workers = {2, 1}, .ways = 2}>,
     3},
    {"run-3-scopes", "3 workers on 2 devices, counter, scopes matter",
     run_of<shape{.devices = 2, .workers = {2, 1}, .scopes = true, .ways = 2}>, 2},
    {"run-3-shared", "3 workers on 2 queues of up to 2 owners, counter",
     run_of<shape{.workers = {3, 0}, .owners = 2}>, 2},
};

constexpr scenario k_random[] = {
    {"large-counter", "3 workers, counter, 40 tasks, rings of 4",
     run_of<shape{
         .workers = {3, 0}, .initial = 3, .tasks = 40, .fanout = 2, .ring = 4, .ways = 2}>},
    {"large-tree", "4 workers on 2 devices, tree, 40 tasks",
     run_of<shape{.how = termination::tree,
                  .devices = 2,
                  .workers = {2, 2},
                  .initial = 3,
                  .tasks = 40,
                  .fanout = 3,
                  .ring = 4,
                  .ways = 3}>},
    {"large-fine", "3 workers, hierarchical, 300 tasks, enough for them to count as fine",
     run_of<shape{.how = termination::hierarchical,
                  .devices = 2,
                  .workers = {2, 1},
                  .initial = 4,
                  .tasks = 300,
                  .fanout = 8,
                  .ring = 16,
                  .local = 16,
                  .spill = 64,
                  .ways = 2,
                  .bits = 5}>},
    {"large-shared", "4 workers that share 2 queues, tree, 60 tasks, sleeping when idle",
     run_of<shape{.how = termination::tree,
                  .workers = {4, 0},
                  .owners = 2,
                  .initial = 3,
                  .tasks = 60,
                  .fanout = 3,
                  .ring = 4,
                  .spill = 8,
                  .sleeps = true}>},
};

}  // namespace

std::span<const scenario> run_scenarios() {
  return k_scenarios;
}
std::span<const scenario> random_scenarios() {
  return k_random;
}

}  // namespace mgws::model_backend
