// Coherence domains joined by a bridge: core's workers in each, and between them loads and stores
// of words with one writer. Tasks begin in the first domain; the others ask.
#include <algorithm>
#include <new>
#include <string>
#include <type_traits>

#include <mgws/core/affinity.hpp>
#include <mgws/core/bridge.hpp>
#include <mgws/core/homeward.hpp>
#include <mgws/core/termination/counting.hpp>
#include <mgws/core/worker.hpp>
#include <mgws/transports/host.hpp>

#include "board.hpp"
#include "joins.hpp"
#include "scenario.hpp"
#include "world.hpp"

namespace mgws::model_backend {

namespace {

struct bridge_shape {
  unsigned domains = 2;
  unsigned workers = 1;    ///< of the first domain
  unsigned elsewhere = 1;  ///< of each other one
  unsigned initial = 3;    ///< in the first domain
  unsigned tasks = 3;      ///< task i spawns those from initial + i * fanout on, if there are any
  unsigned fanout = 1;
  unsigned ring = 1;  ///< slots of a channel
  bool kinds =
      false;  ///< the others are of another kind, and what is spawned must run there, or back
  bool joins = false;     ///< task 0 joins tasks 1 and 2, whose results task 3 is given
  bool finishes = false;  ///< task 0 makes a finish of tasks 1 to 4, after which task 5 runs
  bool bulk = false;      ///< either is of tasks 1 to 4 as one slot, after which task 5 runs
  unsigned live = 0;      ///< so many domains have an inbox of 1 slot, into which a producer puts
                          ///< what would be initial, in turn
  bool waits = false;     ///< until all has ended, before it closes them
};

template <bridge_shape S>
struct bridge_program {
  using layout = small_layout<4, 3, 3>;
  using P = protocol<layout>;
  using B = backend;
  using transport = mgws::transport<placed_view<B, scope::system_t, 1, true>, area>;
  using view = typename transport::view;

  template <affinity A>
  struct node_of {
    static constexpr mgws::affinity affinity = A;
    std::uint16_t id;

    void operator()(auto& worker) const {
      the_machine().call({.kind = op::act, .value = id});
      ghost_run(id);
      if (A != mgws::affinity::none && !allows(A, kind_of(worker.device()))) misplaced = true;
      notes().in_task = 1;
      if constexpr (S.live != 0) write_below(id);
      if constexpr (S.bulk) {
        if constexpr (S.joins) {
          join_instances(worker);
        } else {
          finish_instances(worker);
        }
      } else if constexpr (S.joins) {
        join_two(worker, 0);
      } else if constexpr (S.finishes) {
        finish_four(worker);
      } else {
        spawn_next(worker);
      }
      notes().in_task = 0;
    }
    void spawn_next(auto& worker) const {
      const unsigned first = S.initial + id * S.fanout;
      for (unsigned i = first; i < std::min(first + S.fanout, S.tasks); ++i)
        worker.spawn(next{static_cast<std::uint16_t>(i)});
    }
    using next = node_of<A == affinity::none       ? affinity::none
                         : A == affinity::gpu_only ? affinity::cpu_only
                                                   : affinity::gpu_only>;
  };
  using node = node_of<S.kinds ? affinity::cpu_only : affinity::none>;
  using parts = std::conditional_t<S.bulk, task_set<node, instance_part, joined_instances>,
                                   task_set<node, joined_part, joined>>;
  using below = std::conditional_t<S.bulk, task_set<node, instance_below, finished>,
                                   task_set<node, below_finish, finished>>;
  using plain = std::conditional_t<S.kinds, task_set<node, typename node::next>, task_set<node>>;
  using tasks = with_way_home<
      std::conditional_t<S.joins, parts, std::conditional_t<S.finishes, below, plain>>>;
  static constexpr worker_kind kind_of(unsigned domain) {
    return domain == 0 ? worker_kind::cpu : worker_kind::gpu;
  }
  static inline bool misplaced;
  using slot_type = slot<tasks>;
  using worker_type = worker<configuration<P, view, tasks, accumulators<>, no_context,
                                           counting_detector<P, view>, no_statistics>>;

  static constexpr unsigned k_local = 4;
  static constexpr unsigned k_public = 2;
  static constexpr unsigned k_inbox = 1;
  static constexpr unsigned k_spill = S.kinds || tasks::has_frames ? 4 : 2;
  /// Of a worker. What has come below a finish of elsewhere is put below one of here, and may go
  /// back.
  static constexpr unsigned frames_of(unsigned domain) {
    if (domain == 0) return S.finishes ? 2 : 1;
    return S.finishes ? 1 : 0;
  }
  static constexpr unsigned k_channels = S.domains * S.domains;
  static constexpr unsigned k_workers = S.workers + (S.domains - 1) * S.elsewhere;

  struct world {
    slot_type local[k_workers][k_local];
    slot_type spill[k_workers][k_spill];
    slot_type initial[S.initial + 1];
    accumulators<> results[k_workers];
    channel_head<B> heads[k_channels];
    slot_type rings[k_channels][S.ring];
    bridge_channel channels[k_channels];
  };
  static inline world* w;

  /// A domain's own.
  struct domain_type {
    transport* shared = nullptr;
    view workers_view;
    run_parameters run;
    device_range device;
  };
  static inline domain_type domains[S.domains];

  static constexpr unsigned domain_of(unsigned id) {
    return id < S.workers ? 0 : 1 + (id - S.workers) / S.elsewhere;
  }
  static constexpr unsigned first_of(unsigned d) {
    return d == 0 ? 0 : S.workers + (d - 1) * S.elsewhere;
  }
  static constexpr unsigned workers_of(unsigned d) { return d == 0 ? S.workers : S.elsewhere; }

  static void body(void* argument, unsigned) {
    const auto id = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(argument));
    const unsigned d = domain_of(id);
    const unsigned rank = id - first_of(d);
    notes().own_queue = 1 + id;
    notes().now = &domains[d].workers_view.progress(rank).now;
    const no_context context;
    const worker_memory<slot_type, accumulators<>> memory{.local = w->local[id],
                                                          .spill = w->spill[id],
                                                          .damping = nullptr,
                                                          .result = &w->results[id],
                                                          .statistics = nullptr};
    worker_type me(domains[d].workers_view, domains[d].run, context, 0, rank, memory);
    me.run();
    ghost_over();
  }

  static void producer(void*, unsigned) {
    const auto inbox_of = [](unsigned d) {
      return inbox_writer<P, view, slot_type>(domains[d].workers_view, 0, 0, k_inbox);
    };
    inbox_writer<P, view, slot_type> inboxes[] = {inbox_of(0), inbox_of(S.live - 1)};
    for (unsigned i = 0; i != S.initial; ++i) {
      slot_type one;
      one.write(node{static_cast<std::uint16_t>(i)}, 0, 1);
      for (B::backoff wait; !inboxes[i % S.live].put([&](slot_type& to) {
             copy_slots<B>(ring<slot_type>(&to, 1), 0, ring<slot_type>(&one, 1), 0, 1);
           });)
        wait.pause();
    }
    if (S.waits) {
      for (unsigned d = 0; d != S.live; ++d)
        for (B::backoff wait; !inboxes[d].ended(inboxes[d].written());)
          wait.pause();
      if (ghost->done != ghost->tasks) the_machine().fail("what is said to have ended has not");
      read_after(0, S.tasks);
    }
    for (unsigned d = 0; d != S.live; ++d)
      inboxes[d].close();
  }

  static const char* at_end() {
    if (ghost->done != ghost->tasks) return "a task never ran";
    if (misplaced) return "a task ran where it cannot";
    for (unsigned c = 0; c != k_channels; ++c)
      if (const unsigned to = c % S.domains; to != c / S.domains) {
        const auto& gate = domains[to].workers_view.bridge_gate(c).gate;
        if (w->heads[c].inbox.written.peek() >> 1 != gate.taken.peek() / k_gate_opened)
          return "a slot in a channel was never taken";
      }
    if constexpr (tasks::has_frames)
      for (unsigned d = 0; d != S.domains; ++d)
        if (frames_of(d) != 0 &&
            !all_frames_free(domains[d].workers_view, workers_of(d),
                             [d](unsigned /*worker*/) { return frames_of(d); }))
          return "a frame is not free";
    return nullptr;
  }

  static void setup(machine& m) {
    new_world(m, S.tasks);
    w = new (m.allocate<world>(1)) world{};
    misplaced = false;
    for (unsigned i = 0; i != S.initial; ++i)
      w->initial[i].write(node{static_cast<std::uint16_t>(i)}, 0, 1);
    for (unsigned c = 0; c != k_channels; ++c) {
      const unsigned from = c / S.domains;
      const unsigned to = c % S.domains;
      w->channels[c] = {&w->heads[c], w->rings[c]};
      if (from == to) continue;
      const std::string of = " from " + std::to_string(from) + " to " + std::to_string(to);
      const auto giver = static_cast<std::uint8_t>(from);
      const auto taker = static_cast<std::uint8_t>(to);
      w->heads[c].inbox.written.track("written" + of, giver);
      w->heads[c].inbox.read.track("read" + of, taker);
      w->heads[c].inbox.ended.track("ended" + of, taker);
      w->heads[c].asked.track("question" + of, taker);
      m.watch(w->rings[c], sizeof w->rings[c], "slots" + of);
    }
    for (unsigned d = 0; d != S.domains; ++d)
      make_domain(m, d);
    if constexpr (S.finishes || S.bulk || S.live != 0) watch_written(m, S.tasks);
    m.several_devices = true;
    m.at_end(&at_end);
    for (unsigned id = 0; id != k_workers; ++id)
      m.spawn("worker " + std::to_string(id), static_cast<std::uint8_t>(domain_of(id)), &body,
              reinterpret_cast<void*>(std::uintptr_t{id}), 1,
              static_cast<std::uint8_t>(domain_of(id)));
    if constexpr (S.live != 0)
      m.spawn("producer", S.domains, &producer, nullptr, 1, static_cast<std::uint8_t>(S.domains));
  }

  static void make_domain(machine& m, unsigned d) {
    domain_type& here = domains[d];
    const unsigned n = workers_of(d);
    here.device = {0, n, 0, n};
    run_parameters& run = here.run;
    run = {};
    run.workers = run.queues = n;
    run.owners = 1;
    run.devices = 1;
    run.device = &here.device;
    run.local_capacity = k_local;
    run.public_capacity = k_public;
    run.spill_capacity = k_spill;
    run.max_batch = k_public;
    run.initial_count = d == 0 && S.live == 0 ? S.initial : 0;
    run.inboxes = d < S.live ? 1 : 0;
    run.inbox_capacity = k_inbox;
    run.steal = steal_policy::uniform;
    run.overflow = overflow_policy::probe;
    run.termination = termination::counter;
    run.domains = S.domains;
    run.domain = d;
    run.first_device = d;
    if constexpr (S.kinds) {
      run.kind = kind_of(d);
      run.other_kind = d == 0 ? (1u << S.domains) - 2 : 1;
    }
    run.bridge = w->channels;
    run.bridge_capacity = S.ring;
    transport_request request{.workers = n,
                              .queues = n,
                              .queue_bytes = k_public * sizeof(slot_type),
                              .global_cells = counting_detector<P, view>::global_cells(1),
                              .device_cells = {1},
                              .channels = k_channels};
    request.inboxes = run.inboxes;
    request.inbox_bytes = k_inbox * sizeof(slot_type);
    if constexpr (tasks::has_frames) {
      run.log_frames = k_log_frames;
      request.frame_bytes = sizeof(frame<B, slot_type>) << k_log_frames;
      request.frame_lines = free_frames<B>::lines(1u << k_log_frames);
    }
    delete here.shared;
    here.shared = new transport(request);
    here.workers_view = here.shared->workers_view(w->initial);
    const view& v = here.workers_view;
    const std::string in = " of domain " + std::to_string(d);
    const auto me = static_cast<std::uint8_t>(d);
    for (unsigned q = 0; q != n; ++q) {
      track_queue<layout>(v.head(q), first_of(d) + q, false, d, me);
      m.watch(v.slots(q), k_public * sizeof(slot_type),
              "slots of queue " + std::to_string(first_of(d) + q));
    }
    if constexpr (tasks::has_frames)
      for (unsigned i = 0; i != n; ++i)
        if (frames_of(d) != 0) track_frames<slot_type>(m, v, i, frames_of(d), me);
    if (S.bulk && n > 1) track_board(m, v, 0, sizeof(slot_type), me);
    if (d < S.live) {
      auto& inbox = v.inbox(0, 0);
      inbox.written.track("written to inbox" + in, static_cast<std::uint8_t>(S.domains));
      inbox.read.track("read of inbox" + in, me);
      if (S.waits) inbox.ended.track("ended of inbox" + in, me);
      m.watch(v.inbox_slots(0, 0), k_inbox * sizeof(slot_type), "slots of inbox" + in);
    }
    if (d == 0 && S.live == 0) v.initial_next(0).value.track("initial tasks", me);
    v.global_cell(0).value.track("idle workers" + in, me);
    for (unsigned c = 0; c != k_channels && n > 1; ++c) {
      const unsigned from = c / S.domains;
      const unsigned to = c % S.domains;
      if (from == to || (from != d && to != d)) continue;
      const std::string of = " from " + std::to_string(from) + " to " + std::to_string(to) + in;
      auto& gate = v.bridge_gate(c);
      gate.gate.taken.track("gate" + of, me);
      gate.gate.written.track("seen" + of, me);
    }
  }
};

template <bridge_shape S>
constexpr auto bridge_of = &bridge_program<S>::setup;

constexpr scenario k_scenarios[] = {
    {"bridge",
     "2 domains of 1 worker, channels of 1 slot; 3 initial tasks in the first",
     bridge_of<bridge_shape{}>,
     -1,
     {milestone::given}},
    {"bridge-again",
     "the same with 6",
     bridge_of<bridge_shape{.initial = 6, .tasks = 6}>,
     4,
     {milestone::given}},
    {"bridge-spawns",
     "the same with 2, each of which spawns 1",
     bridge_of<bridge_shape{.initial = 2, .tasks = 4}>,
     4,
     {milestone::given}},
    {"bridge-2-to-1",
     "2 workers and 1; 3 initial tasks with the two",
     bridge_of<bridge_shape{.workers = 2}>,
     2,
     {milestone::given}},
    {"bridge-1-to-2",
     "1 worker and 2; 3 initial tasks with the one",
     bridge_of<bridge_shape{.elsewhere = 2}>,
     2,
     {milestone::given}},
    {"bridge-3",
     "3 domains of 1 worker; 4 initial tasks in the first",
     bridge_of<bridge_shape{.domains = 3, .initial = 4, .tasks = 4}>,
     2,
     {milestone::given}},
    {"bridge-live",
     "2 domains of 1 worker, the first with an inbox; 1 task that spawns 2, submitted, waited for",
     bridge_of<bridge_shape{.initial = 1, .tasks = 3, .fanout = 2, .live = 1, .waits = true}>,
     2,
     {milestone::given}},
    {"bridge-live-both",
     "the same with 2 inboxes and 2 tasks, of which one spawns",
     bridge_of<bridge_shape{.initial = 2, .tasks = 4, .fanout = 2, .live = 2, .waits = true}>,
     2,
     {milestone::given}},
    {"bridge-live-closes",
     "the same, closed at once",
     bridge_of<bridge_shape{.initial = 2, .tasks = 4, .fanout = 2, .live = 2}>,
     2,
     {milestone::given}},
    {"bridge-kinds",
     "2 domains of 1 worker each, of two kinds, channels of 1 slot; 2 initial tasks in the first, "
     "each of which spawns 1 that can only run in the second, and that 1 that can only run in the "
     "first",
     bridge_of<bridge_shape{.initial = 2, .tasks = 6, .kinds = true}>,
     4,
     {milestone::given}},
    {"bridge-kinds-2",
     "the same with 2 workers of the second kind, and 1 initial task",
     bridge_of<bridge_shape{.elsewhere = 2, .initial = 1, .tasks = 3, .kinds = true}>,
     2,
     {milestone::given}},
    {"bridge-kinds-3",
     "the same with 2 domains of the second kind, of 1 worker each",
     bridge_of<bridge_shape{.domains = 3, .initial = 2, .tasks = 4, .kinds = true}>,
     2,
     {milestone::given}},
    {"bridge-join",
     "2 domains of 1 worker, channels of 1 slot; 1 initial task in the first, which joins 2 parts",
     bridge_of<bridge_shape{.initial = 1, .tasks = 4, .joins = true}>,
     -1,
     {milestone::given}},
    {"bridge-join-2",
     "the same with 2 workers of the second domain",
     bridge_of<bridge_shape{.elsewhere = 2, .initial = 1, .tasks = 4, .joins = true}>,
     2,
     {milestone::given}},
    {"bridge-join-3",
     "the same with 3 domains of 1 worker",
     bridge_of<bridge_shape{.domains = 3, .initial = 1, .tasks = 4, .joins = true}>,
     2,
     {milestone::given}},
    {"bridge-join-bulk",
     "1 worker and 2, channels of 1 slot; 1 initial task with the one, which joins 4 instances of "
     "one slot",
     bridge_of<bridge_shape{.elsewhere = 2, .initial = 1, .tasks = 6, .joins = true, .bulk = true}>,
     2,
     {milestone::given}},
    {"bridge-finish-bulk",
     "the same with a finish",
     bridge_of<bridge_shape{
         .elsewhere = 2, .initial = 1, .tasks = 6, .finishes = true, .bulk = true}>,
     2,
     {milestone::given}},
    {"bridge-finish",
     "2 domains of 1 worker, channels of 1 slot; 1 initial task in the first, which makes a finish "
     "of 3 tasks, the first of which spawns 1",
     bridge_of<bridge_shape{.initial = 1, .tasks = 6, .finishes = true}>,
     -1,
     {milestone::given}},
    {"bridge-finish-2",
     "the same with 2 workers of the second domain",
     bridge_of<bridge_shape{.elsewhere = 2, .initial = 1, .tasks = 6, .finishes = true}>,
     2,
     {milestone::given}},
};

}  // namespace

std::span<const scenario> bridge_scenarios() {
  return k_scenarios;
}

}  // namespace mgws::model_backend
