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

/// Who asks the run to stop before its end.
enum class stopper : std::uint8_t {
  nobody,
  host,  ///< at any time
  tasks  ///< all of them, by worker.fail()
};

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
  bool scopes = false;       ///< devices differ in what they see of narrow scopes
  bool far = false;          ///< the detector is asked seldom, and who hears of the end says so
  bool waits = false;        ///< task 0 goes on until task 1 has run elsewhere
  bool far_counter = false;  ///< of initial tasks
  bool asks = false;         ///< a thief's sign that it found nothing is seen late, if at all
  bool apart = false;        ///< each device has its own memory
  stopper stops = stopper::nobody;
  unsigned ways = 1;  ///< targets to choose from
  unsigned bits = 3;  ///< of the word's two large fields
};

template <shape S>
struct run_program {
  using layout = small_layout<S.bits + 1, S.bits, S.bits>;
  using P = protocol<layout>;
  using B = std::conditional_t<S.sleeps, sleeping_backend, backend>;
  /// Each device's objects in its own memory, or all side by side.
  static constexpr unsigned k_memories = S.apart ? 2 : 1;
  using transport = mgws::transport<placed_view<B, scope::system_t, k_memories>, area>;
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
      if (S.stops == stopper::tasks) {
        w->runner[id] = static_cast<std::uint8_t>(worker.id());
        worker.fail(id);
      }
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
  /// A counting detector with the mutant that takes each device for one of one worker.
  struct hasty_counting : counting_detector<P, view> {
    hasty_counting(const view& v, const run_parameters& r, std::uint32_t device, std::uint32_t id)
        : counting_detector<P, view>(v, changed(behaviour::one_idle_speaks) ? hasty_run : r, device,
                                     id) {}
  };
  using detector_type =
      std::conditional_t<S.how == termination::tree, forgetful_tree, hasty_counting>;
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
    std::uint8_t runner[S.tasks];  ///< the worker that ran a task, where tasks fail
  };
  static inline world* w;
  static inline transport* shared;
  static inline view workers_view;
  static inline run_parameters run;
  static inline device_range devices[2];
  static inline run_parameters hasty_run;
  static constexpr device_range hasty_devices[2] = {{0, 1, 0, 1}, {1, 1, 1, 1}};

  static constexpr unsigned device_of(unsigned id) { return id < S.workers[0] ? 0 : 1; }
  static constexpr unsigned queue_of(unsigned id) {
    return device_of(id) == 0 ? id / S.owners : queues_of(0) + (id - S.workers[0]) / S.owners;
  }

  /// Whether somebody has asked the run to stop.
  static bool stopped() {
    return workers_view.control(0).stop.peek() != 0 ||
           workers_view.control(k_memories - 1).stop.peek() != 0;
  }

  static void host(void*, unsigned) {
    for (unsigned d = 0; d != (changed(behaviour::stop_one_device) ? 1 : k_memories); ++d) {
      if (changed(behaviour::cancel_wakes_nobody)) {
        B::store(workers_view.control(d).stop, 1u, order::relaxed, scope::system);
      } else {
        shared->stop(d, stop_reason::cancelled);
      }
    }
  }

  static void body(void* argument, unsigned) {
    const auto id = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(argument));
    notes().own_queue = 1 + queue_of(id);
    notes().now = &workers_view.progress(id).now;
    const no_context context;
    const worker_memory<slot_type, accumulators<>> memory{
        .local = w->local[id],
        .spill = w->spill[id],
        .damping = S.damping ? &w->damping[id] : nullptr,
        .result = &w->results[id],
        .statistics = nullptr};
    worker_type me(workers_view, run, context, device_of(id), id, memory);
    me.run();
    if (!stopped()) ghost_over();
    if (changed(behaviour::queue_freed_early)) the_machine().retire(retired_by(id));
  }
  static std::uint16_t retired_by(unsigned id) {
    return workers_view.head(queue_of(id)).word.location();
  }

  /// The record is the first failure's, whole.
  static const char* wrong_record() {
    const auto& first = workers_view.control(0);
    const std::uint64_t id = first.detail.peek();
    if (first.failures.peek() != ghost->done || id >= S.tasks || ghost->ran[id] == 0)
      return "a failure that nobody reported";
    if (first.worker.peek() != w->runner[id]) return "the record of two failures";
    return nullptr;
  }

  static const char* at_end() {
    if (!stopped() && ghost->done != ghost->tasks) return "a task never ran";
    if (S.stops == stopper::tasks)
      if (const char* wrong = wrong_record()) return wrong;
    for (std::uint32_t q = 0; q != run.queues; ++q) {
      const auto& head = workers_view.head(q);
      const auto f = layout::decode(head.word.peek());
      if (f.lock) return "the run ended with a queue that is locked";
      if (!stopped() && f.remaining() != 0) return "the run ended with a queue that is not empty";
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
    run.far_counter = S.far_counter;
    hasty_run = run;
    hasty_run.device = hasty_devices;
    run.looks_between_questions = S.far && S.how != termination::tree ? 2 : 0;
    run.overflow = S.damping ? overflow_policy::damping : overflow_policy::probe;

    transport_request request{.workers = run.workers,
                              .queues = run.queues,
                              .queue_bytes = S.ring * sizeof(slot_type),
                              .global_cells = detector_type::global_cells(S.devices)};
    for (unsigned d = 0; d != S.devices; ++d)
      request.device_cells.push_back(detector_type::device_cells(S.workers[d]));
    if (S.apart) request.devices.assign(devices, devices + S.devices);
    delete shared;
    shared = new transport(request);
    workers_view = shared->workers_view(w->initial);

    for (unsigned q = 0; q != run.queues; ++q) {
      track_queue<layout>(workers_view.head(q), q, S.owners > 1, q < queues_of(0) ? 0 : 1);
      if (S.asks) workers_view.head(q).asked.track("sign at queue " + std::to_string(q));
      m.watch(workers_view.slots(q), S.ring * sizeof(slot_type),
              "slots of queue " + std::to_string(q));
    }
    for (unsigned d = 0; d != S.devices; ++d)
      workers_view.initial_next(d).value.track(
          d == 0 ? "initial tasks" : "initial tasks of device " + std::to_string(d));
    for (unsigned i = 0; i != request.global_cells; ++i)
      workers_view.global_cell(i).value.track("global cell " + std::to_string(i));
    for (unsigned d = 0; d != S.devices; ++d)
      for (unsigned i = 0; i != request.device_cells[d]; ++i)
        workers_view.device_cell(d, i).value.track("cell " + std::to_string(i) + " of device " +
                                                   std::to_string(d));
    for (unsigned memory = 0; memory != k_memories; ++memory) {
      auto& control = workers_view.control(memory);
      const std::string of = S.apart ? " on device " + std::to_string(memory) : "";
      for (unsigned d = 0; d != S.devices && S.devices != 1; ++d)
        control.spent[d].track("word that device " + std::to_string(d) +
                               "'s initial tasks are claimed" + of);
      if (S.far) control.over.track("word that the run is over" + of);
      if (S.stops != stopper::nobody) control.stop.track("request to stop" + of);
    }
    if (S.stops == stopper::tasks) {
      auto& first = workers_view.control(0);
      first.failures.track("failures");
      first.worker.track("worker that failed");
      first.detail.track("code of the failure");
    }
    workers_view.parking().track();
    random_ways = S.ways;
    m.several_devices = S.scopes;
    for (unsigned i = 0; i != run.workers; ++i)
      m.spawn("worker " + std::to_string(i), static_cast<std::uint8_t>(device_of(i)), &body,
              reinterpret_cast<void*>(std::uintptr_t{i}));
    if (S.stops == stopper::host) m.spawn("host", 0, &host, nullptr);
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
    {"run-far-waiting-task",
     "the same; task 0 spawns task 1 and ends after it",
     run_of<shape{.devices = 2, .workers = {1, 1}, .scopes = true, .far = true, .waits = true}>,
     -1,
     {milestone::far_steal, milestone::heard_over}},
    {"run-far-counter",
     "2 workers, counter, 4 initial tasks, of which each claims all that falls to it",
     run_of<shape{.initial = 4, .tasks = 4, .far_counter = true}>,
     -1,
     {milestone::wide_claim}},
    {"run-far-counter-devices",
     "the same on 2 devices, hierarchical, scopes matter",
     run_of<shape{.how = termination::hierarchical,
                  .devices = 2,
                  .workers = {1, 1},
                  .initial = 4,
                  .tasks = 4,
                  .scopes = true,
                  .far_counter = true}>,
     3,
     {milestone::wide_claim, milestone::far_steal}},
    {"run-hierarchical-1-device",
     "2 workers on 1 device, hierarchical",
     run_of<shape{.how = termination::hierarchical}>,
     -1,
     {milestone::steal}},
    {"run-asking",
     "2 workers on 2 devices, counter, a thief's sign is seen late, scopes matter",
     run_of<shape{
         .devices = 2, .workers = {1, 1}, .tasks = 3, .fanout = 2, .scopes = true, .asks = true}>,
     3,
     {milestone::sign_seen}},
    {"run-stopped",
     "2 workers, counter, the host asks them to stop at any time",
     run_of<shape{.stops = stopper::host}>,
     -1,
     {milestone::stop_working, milestone::stop_searching, milestone::stop_idle}},
    {"run-stopped-tree",
     "the same, tree",
     run_of<shape{.how = termination::tree, .stops = stopper::host}>,
     4,
     {milestone::stop_working, milestone::stop_searching, milestone::stop_idle}},
    {"run-stopped-devices",
     "the same on 2 devices, hierarchical, scopes matter",
     run_of<shape{.how = termination::hierarchical,
                  .devices = 2,
                  .workers = {1, 1},
                  .scopes = true,
                  .stops = stopper::host}>,
     3,
     {milestone::stop_working, milestone::stop_searching, milestone::stop_idle,
      milestone::far_steal}},
    {"run-stopped-far",
     "the same, counter, asked seldom; who hears that the run is over says so",
     run_of<shape{
         .devices = 2, .workers = {1, 1}, .scopes = true, .far = true, .stops = stopper::host}>,
     3,
     {milestone::stop_idle, milestone::heard_over}},
    {"run-stopped-sleeping",
     "2 workers that sleep when idle, counter, the host asks them to stop",
     run_of<shape{.sleeps = true, .stops = stopper::host}>,
     3,
     {milestone::slept, milestone::stop_idle}},
    {"run-failing",
     "2 workers, counter, 2 initial tasks, the first spawns 1, all fail",
     run_of<shape{.initial = 2, .tasks = 3, .stops = stopper::tasks}>,
     -1,
     {milestone::stop_working}},
    {"run-failing-devices",
     "the same on 2 devices, hierarchical, scopes matter",
     run_of<shape{.how = termination::hierarchical,
                  .devices = 2,
                  .workers = {1, 1},
                  .initial = 2,
                  .tasks = 3,
                  .scopes = true,
                  .stops = stopper::tasks}>,
     3,
     {milestone::stop_working}},
    {"run-apart",
     "2 workers on 2 devices, each with its own memory, hierarchical, asked seldom, scopes matter",
     run_of<shape{.how = termination::hierarchical,
                  .devices = 2,
                  .workers = {1, 1},
                  .initial = 2,
                  .tasks = 3,
                  .scopes = true,
                  .far = true,
                  .apart = true}>,
     3,
     {milestone::far_steal, milestone::heard_over}},
    {"run-apart-stopped",
     "the same with 1 initial task, the host asks both devices to stop",
     run_of<shape{.how = termination::hierarchical,
                  .devices = 2,
                  .workers = {1, 1},
                  .scopes = true,
                  .far = true,
                  .apart = true,
                  .stops = stopper::host}>,
     2,
     {milestone::stop_working, milestone::stop_searching, milestone::stop_idle,
      milestone::far_steal}},
    {"run-apart-failing",
     "the same with 2 initial tasks, all tasks fail",
     run_of<shape{.how = termination::hierarchical,
                  .devices = 2,
                  .workers = {1, 1},
                  .initial = 2,
                  .tasks = 3,
                  .scopes = true,
                  .apart = true,
                  .stops = stopper::tasks}>,
     2,
     {milestone::stop_working}},
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
    {"run-3-scopes-hierarchical",
     "the same, hierarchical",
     run_of<shape{.how = termination::hierarchical,
                  .devices = 2,
                  .workers = {2, 1},
                  .scopes = true,
                  .ways = 2}>,
     2,
     {milestone::idle_device, milestone::far_steal}},
    {"run-3-hierarchical-1-device",
     "3 workers on 1 device, hierarchical",
     run_of<shape{.how = termination::hierarchical, .workers = {3, 0}, .ways = 2}>,
     2,
     {milestone::steal}},
    {"run-3-shared", "3 workers on 2 queues of up to 2 owners, counter",
     run_of<shape{.workers = {3, 0}, .owners = 2}>, 2},
    {"run-3-shared-scopes",
     "3 workers on 2 devices, the first 2 of which share a queue, hierarchical, scopes matter",
     run_of<shape{.how = termination::hierarchical,
                  .devices = 2,
                  .workers = {2, 1},
                  .owners = 2,
                  .scopes = true}>,
     2,
     {milestone::far_steal}},
    {"run-3-shared-far",
     "the same, counter, asked seldom; task 0 spawns task 1 and ends after it",
     run_of<shape{
         .devices = 2, .workers = {2, 1}, .owners = 2, .scopes = true, .far = true, .waits = true}>,
     2,
     {milestone::far_steal, milestone::heard_over}},
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
