/// \file
/// Whole runs under check: mgws::worker as a program uses it, on the host transport, from the
/// initial set to the detector's verdict. What differs between scenarios is a `shape`.
#pragma once

#include <algorithm>
#include <new>
#include <string>
#include <type_traits>

#include <mgws/core/termination/counting.hpp>
#include <mgws/core/termination/tree.hpp>
#include <mgws/core/worker.hpp>
#include <mgws/transports/host.hpp>

#include "joins.hpp"
#include "scenario.hpp"
#include "world.hpp"

namespace mgws::model_backend {

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
  bool joins = false;        ///< task 0 joins tasks 1 and 2, whose results task 3 is given
  bool finishes = false;     ///< task 0 makes a finish of tasks 1 and 2, after which task 3 runs
  bool nested = false;       ///< and task 1 one of task 2: then tasks 3 and 4 run
  unsigned submits = 0;      ///< tasks that a producer submits, besides the initial ones
  unsigned inbox = 2;        ///< slots of each inbox
  bool idles = false;        ///< it waits until all has ended before it closes, and looks at it
  std::uint32_t levels = 1;  ///< of priority: task i has level i modulo that
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
    static constexpr std::uint32_t priorities = S.levels;
    std::uint16_t id;

    std::uint32_t priority() const { return id % S.levels; }

    void operator()(auto& worker) const {
      the_machine().call({.kind = op::act, .value = id});
      ghost_run(id);
      notes().in_task = 1;
      if constexpr (S.joins) {
        join_two(worker, 0);
        return;
      }
      if constexpr (S.finishes) {
        finish_two(worker, S.nested);
        return;
      }
      if constexpr (S.submits != 0) write_below(id);
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
      return std::min(S.initial + S.submits + parent * S.fanout, S.tasks);
    }
  };
  using tasks = std::conditional_t<
      S.joins, task_set<node, joined_part, joined>,
      std::conditional_t<S.finishes, task_set<node, below_finish, finished>, task_set<node>>>;
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
    slot_type initial[S.initial + 1];
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

  /// Task by task into the inboxes in turn.
  static void producer(void*, unsigned) {
    using writer = inbox_writer<P, view, slot_type>;
    writer inboxes[2] = {{workers_view, 0, 0, S.inbox}, {workers_view, S.devices - 1, 0, S.inbox}};
    const auto wakes = [] {
      if (!changed(behaviour::submit_wakes_nobody)) workers_view.parking().notify_all();
    };
    for (unsigned i = 0; i != S.submits; ++i) {
      slot_type one;
      one.write(node{static_cast<std::uint16_t>(S.initial + i)}, 0, 1);
      for (typename B::backoff wait; !inboxes[i % S.devices].put([&](slot_type& to) {
             copy_slots<B>(ring<slot_type>(&to, 1), 0, ring<slot_type>(&one, 1), 0, 1);
           });)
        wait.pause();
      wakes();
    }
    if (S.idles) {
      for (unsigned d = 0; d != S.devices; ++d)
        for (typename B::backoff wait; !inboxes[d].ended(inboxes[d].written());)
          wait.pause();
      if (ghost->done != ghost->tasks) the_machine().fail("what is said to have ended has not");
      read_after(0, S.tasks);
    }
    for (unsigned d = 0; d != S.devices; ++d)
      inboxes[d].close();
    wakes();
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

  /// Enough wherever the second finish is made.
  static unsigned frames_of(unsigned id) { return one_frame(id) + (S.nested ? 1 : 0); }

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
    if constexpr (tasks::has_frames)
      if (!stopped() && !all_frames_free(workers_view, run.workers, &frames_of))
        return "a frame is not free";
    if constexpr (tasks::has_frames && k_returns<view>)
      for (unsigned d = 0; !stopped() && d != S.devices; ++d)
        if (workers_view.returns(d).newest.peek() != 0 ||
            workers_view.returns(d).pending.peek() != 0)
          return "the run ended with a frame that came back and was not taken";
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
    if (S.submits != 0) {
      run.inboxes = 1;
      run.inbox_capacity = S.inbox;
    }
    hasty_run = run;
    hasty_run.device = hasty_devices;
    run.looks_between_questions = S.far && S.how != termination::tree ? 2 : 0;
    run.overflow = S.damping ? overflow_policy::damping : overflow_policy::probe;

    transport_request request{.workers = run.workers,
                              .queues = run.queues,
                              .queue_bytes = S.ring * sizeof(slot_type),
                              .global_cells = detector_type::global_cells(S.devices)};
    if (S.submits != 0) {
      request.inboxes = 1;
      request.inbox_bytes = S.inbox * sizeof(slot_type);
    }
    if constexpr (tasks::has_frames) {
      run.log_frames = k_log_frames;
      request.frame_bytes = sizeof(frame<B, slot_type>) << k_log_frames;
      request.frame_lines = free_frames<B>::lines(1u << k_log_frames);
    }
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
    for (unsigned d = 0; S.submits != 0 && d != S.devices; ++d) {
      const std::string of = " of inbox " + std::to_string(d);
      auto& head = workers_view.inbox(d, 0);
      head.written.track("written" + of);
      head.read.track("read" + of);
      if (S.idles) head.ended.track("ended" + of);
      auto& gate = workers_view.inbox_gate(d, 0);
      gate.taken.track("gate" + of);
      gate.written.track("seen" + of);
      m.watch(workers_view.inbox_slots(d, 0), S.inbox * sizeof(slot_type), "slots" + of);
    }
    known_inbox = S.submits != 0 ? &workers_view.inbox(0, 0).written : nullptr;
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
    if constexpr (tasks::has_frames)
      for (unsigned i = 0; i != run.workers; ++i)
        track_frames<slot_type>(m, workers_view, i, frames_of(i));
    if constexpr (tasks::has_frames)
      for (unsigned d = 0; d != S.devices; ++d)
        track_returns(workers_view, d);
    if constexpr (S.finishes || S.submits != 0) watch_written(m, S.tasks);
    workers_view.parking().track();
    random_ways = S.ways;
    m.several_devices = S.scopes;
    for (unsigned i = 0; i != run.workers; ++i)
      m.spawn("worker " + std::to_string(i), static_cast<std::uint8_t>(device_of(i)), &body,
              reinterpret_cast<void*>(std::uintptr_t{i}));
    if (S.stops == stopper::host) m.spawn("host", 0, &host, nullptr);
    // Beside all devices: what it sees has system scope.
    if constexpr (S.submits != 0) m.spawn("producer", 2, &producer, nullptr);
    m.at_end(&at_end);
  }
};

template <shape S>
constexpr program run_of = &run_program<S>::setup;

}  // namespace mgws::model_backend
