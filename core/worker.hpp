/// \file
/// The worker: what a task sees of it, and the loop that each runs by itself. The loop is the same
/// on every device; no other agent schedules anything.
///
/// This file runs one task at a time, which is all that a worker of one lane can do; a backend with
/// more lanes adds a way to run lane tasks side by side and reuses the rest (CONTRACT.md, "Lanes").
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/granularity.hpp>
#include <mgws/core/initial_tasks.hpp>
#include <mgws/core/public_queue.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/spill_area.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws/core/target.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/core/termination/detector.hpp>
#include <mgws/core/transport.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// For tasks that need nothing shared.
struct no_context {};

/// What a run is made of.
template <class Protocol, transport_view View, class Tasks, class Accumulators, class Context,
          class Detector, class Statistics>
struct configuration {
  using protocol = Protocol;
  using view = View;
  using backend = typename View::backend;
  using tasks = Tasks;
  using accumulators = Accumulators;
  using context = Context;
  using detector = Detector;
  using statistics = Statistics;
};

/// Memory of one worker, handed to it at launch and used by it alone.
template <class Slot, class Accumulators>
struct worker_memory {
  Slot* local;             ///< run_parameters::local_capacity slots, the fastest memory there is
  Slot* spill;             ///< run_parameters::spill_capacity slots
  std::uint32_t* damping;  ///< damping_map::words(queues) zeroed words, or nullptr
  Accumulators* result;    ///< written when the worker ends
  statistics_record* statistics;
};

template <class C>
class worker {
  using P = typename C::protocol;
  using V = typename C::view;
  using B = typename C::backend;
  using tasks = typename C::tasks;
  using slot_type = slot<tasks>;
  using memory_type = worker_memory<slot_type, typename C::accumulators>;
  static_assert(termination_detector<typename C::detector, V>);

 public:
  /// How the worker treats queues: balanced with others, or on its own share of the initial set
  /// without public queues (the static baseline).
  enum class mode : std::uint8_t { balanced, direct };

  MGWS_FN worker(typename B::group& g, const V& view, const run_parameters& run,
                 const typename C::context& context, std::uint32_t device, std::uint32_t id,
                 const memory_type& memory, mode m = mode::balanced)
      : g_(g),
        view_(view),
        run_(run),
        context_(context),
        control_(view.control()),
        progress_(view.progress(id)),
        id_(id),
        device_(device),
        local_(memory.local, run.local_capacity),
        spill_(memory.spill, run.spill_capacity),
        queue_id_(queue_of(run, device, id)),
        public_(
            view.head(queue_id_),
            ring<slot_type>(static_cast<slot_type*>(view.slots(queue_id_)), run.public_capacity),
            owners_of(run, device, id), run.max_batch, V::queue_scope),
        initial_(view, run),
        targets_(run, device, queue_id_, id),
        damping_(memory.damping),
        detector_(view_, run, device, id),
        statistics_(memory.statistics),
        result_(memory.result),
        steals_(m == mode::balanced && targets_.any()),
        shares_(m == mode::balanced && run.workers > 1 &&
                (run.steal != steal_policy::none || owners_of(run, device, id) > 1)),
        granularity_(B::now(), shares_) {}

  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  // ---- What a task may call ----

  /// Adds a task to the run. Any lane of the task may call it, any number of times. A bulk task is
  /// added with one instance, number 0.
  template <class T>
  MGWS_FN void spawn(const T& t) {
    static_assert(tasks::template contains<T>,
                  "mgws: spawn of a task type that is not in the task_set");
    static_assert(
        plain_task<T, worker> || bulk_task<T, worker>,
        "mgws: a task type needs operator()(worker) const or operator()(worker, index) const");
    push(t, 0, 1);
  }

  /// Adds n instances of a bulk task, run as task(worker, i) for i in [0, n), as one slot.
  /// n may be 0; n above slot::max_instances (2^32 - 1 for a set of one type, at least 2^28 - 1)
  /// ends the run with an error.
  template <class T>
  MGWS_FN void spawn_n(const T& t, task_index n) {
    static_assert(tasks::template contains<T>,
                  "mgws: spawn of a task type that is not in the task_set");
    static_assert(bulk_task<T, worker>,
                  "mgws: spawn_n needs a bulk task, with operator()(worker, index) const");
    if (n == 0) return;
    if constexpr (slot_type::max_instances < ~task_index{0}) {
      if (n > slot_type::max_instances) return fail_with(failure::too_many_instances, n);
    }
    push(t, 0, n);
  }

  /// Reduces a value into this lane's accumulator A. Never touches shared memory.
  template <class A>
  MGWS_FN void accumulate(typename A::value_type v) {
    accumulated_.template add<A>(v);
  }
  /// The same with the accumulator as an argument: no `template` keyword in generic code.
  template <class A>
  MGWS_FN void accumulate(A /*which*/, typename A::value_type v) {
    accumulated_.template add<A>(v);
  }

  /// What the run was given for all tasks to read.
  [[nodiscard]] MGWS_FN const typename C::context& context() const { return context_; }

  /// This worker's number, its device's number, and how many workers there are.
  [[nodiscard]] MGWS_FN std::uint32_t id() const { return id_; }
  [[nodiscard]] MGWS_FN std::uint32_t device() const { return device_; }
  [[nodiscard]] MGWS_FN std::uint32_t workers() const { return run_.workers; }
  /// The calling lane among the lanes that run this task, and their number: (0, 1) on a CPU.
  [[nodiscard]] MGWS_FN std::uint32_t lane() const { return 0; }
  [[nodiscard]] MGWS_FN std::uint32_t lanes() const { return 1; }

  /// For tasks that run long: makes everything this worker holds stealable and tells the watchdog
  /// that the task is alive.
  MGWS_FN void release() {
    heartbeat();
    if (shares_) release_all();
  }
  /// For tasks that run long: tells the watchdog that the task is alive.
  MGWS_FN void heartbeat() { B::store(progress_.beats, ++beats_, P::beat, scope::system); }
  /// For tasks that run long: whether the run was cancelled or has failed, so that the task may end
  /// early. Checked by the loop between tasks anyway.
  [[nodiscard]] MGWS_FN bool stopping() const {
    return B::load(control_.stop, P::stop, scope::system) != 0;
  }
  /// Ends the run with an error: the first code reported reaches the caller of run(). The task goes
  /// on until it returns.
  MGWS_FN void fail(std::uint64_t code) { fail_with(failure::task, code); }

  /// The device's clock in nanoseconds, for tasks that measure or wait.
  [[nodiscard]] MGWS_FN std::uint64_t now() const { return B::now(); }

  // ---- The loop ----

  /// Runs tasks until the run is over or stopped.
  MGWS_FN void run() {
    for (;;) {
      const found f = find_work();
      if (f != found::work) break;
      enter(phase::working);
      if (!drain()) break;
    }
    finish();
  }

  /// The static baseline: runs the initial slots [begin, end) and what they spawn, without public
  /// queues. \param one_at_a_time  each slot straight from the set, or loaded in batches
  MGWS_FN void run_direct(std::uint64_t begin, std::uint64_t end, bool one_at_a_time) {
    enter(phase::working);
    const auto* set = static_cast<const slot_type*>(view_.initial_slots());
    const std::uint32_t batch = one_at_a_time ? 1 : local_.capacity() / 2;
    for (bool going = true; going && begin < end;) {
      const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(batch, end - begin));
      for (std::uint32_t i = 0; i != n; ++i)
        local_.push() = set[begin + n - 1 - i];
      begin += n;
      statistics_.loaded_initial(n);
      do {
        going = drain();
      } while (going && !spill_.empty() && spill_.refill(g_, local_) != 0);
    }
    finish();
  }

 private:
  enum class found : std::uint8_t { work, over, stopped };

  MGWS_FN static std::uint32_t rank_of(const run_parameters& run, std::uint32_t device,
                                       std::uint32_t id) {
    return id - run.device[device].first_worker;
  }
  MGWS_FN static std::uint32_t queue_of(const run_parameters& run, std::uint32_t device,
                                        std::uint32_t id) {
    return run.device[device].first_queue + rank_of(run, device, id) / run.owners;
  }
  /// The last queue of a device may have fewer owners than the others.
  MGWS_FN static std::uint32_t owners_of(const run_parameters& run, std::uint32_t device,
                                         std::uint32_t id) {
    const std::uint32_t first = rank_of(run, device, id) / run.owners * run.owners;
    return std::min(run.owners, run.device[device].workers - first);
  }

  template <class T>
  MGWS_FN void push(const T& t, task_index first, std::uint32_t count) {
    if (local_.full() && !make_room()) return;
    local_.push().template write<T>(t, first, count);
    if (!shares_) return;
    // Hazard 29: the task that spawns may run for long. Where tasks have been coarse, or nothing is
    // known of them yet, what it spawns is stealable at once; a mass of it only on request. Where
    // they have been short, a few are kept even then: handing out tiny tasks one by one costs more
    // than running them.
    if (granularity_.coarse() && eager_releases_ != 0) {
      --eager_releases_;
      release_all();
    } else if (public_.wanted(g_) && (local_.size() >= k_pieces || count >= k_pieces)) {
      release_half();
    }
  }

  /// Runs tasks, newest first, until the local queue is empty. \return false if the run stops
  MGWS_FN bool drain() {
    while (!local_.empty()) {
      if (stopping()) return false;
      run_newest();
      if (granularity_.after_task()) {
        granularity_.tick(&B::now);
        if (granularity_.coarse()) eager_releases_ = k_eager_releases;
      }
      publish_executed();
    }
    return true;
  }

  MGWS_FN void publish_executed() {
    B::store(progress_.executed, granularity_.executed(), P::beat, scope::system);
  }

  MGWS_FN void run_newest() {
    slot_type& s = local_.newest();
    const auto h = s.read_header();
    tasks::with_type(h.type(), [&]<class T>() {
      const auto copy = s.template read<T>();
      // A branch on purpose: computed, the next slot's place would wait for this slot's header.
      if (h.count() == 1) {
        local_.pop_newest();
      } else {
        s.write_header(h.without_first());
      }
      if (shares_ && !local_.empty()) share();
      if constexpr (bulk_task<T, worker>) {
        copy.get()(*this, h.first());
      } else {
        copy.get()(*this);
      }
    });
  }

  /// Before each task: keeps the public queue stocked.
  MGWS_FN void share() {
    if (granularity_.coarse()) {
      release_all();
    } else if (public_.wanted(g_)) {
      release_half();
    } else if (public_.looks_empty(g_)) {
      if (local_.size() > 1 || local_.oldest().read_header().count() > 1 || !spill_.empty())
        release_half();
    }
  }

  /// Slots that a release should have at least, so that several thieves find something.
  static constexpr std::uint32_t k_pieces = 8;
  /// Spawns of one coarse task that are released one by one.
  static constexpr std::uint32_t k_eager_releases = 256;

  MGWS_FN void release_half() {
    if (!spill_.empty()) return release_spilled((spill_.size() + 1) / 2);
    if (local_.empty()) return;
    split();
    release_local(std::max(local_.size() / 2, 1u));
  }
  MGWS_FN void release_all() {
    while (!spill_.empty()) {
      const std::uint32_t before = spill_.size();
      release_spilled(before);
      if (spill_.size() == before) return;
    }
    if (local_.empty()) return;
    split();
    release_local(local_.size());
  }
  MGWS_FN void split() {
    if (local_.size() < k_pieces) local_.split_oldest(k_pieces);
  }
  MGWS_FN void release_local(std::uint32_t n) {
    local_.took_oldest(release_from(local_.slots(), local_.tail(), n));
  }
  MGWS_FN void release_spilled(std::uint32_t n) {
    spill_.took_oldest(release_from(spill_.slots(), spill_.tail(), n));
  }
  MGWS_FN std::uint32_t release_from(ring<slot_type> from, std::uint32_t position,
                                     std::uint32_t n) {
    const auto done = public_.release(g_, from, position, n);
    statistics_.released(done.slots);
    if (done.slots != 0) {
      public_.clear_wanted(g_);
      if (done.was_empty) wake();
    }
    return done.slots;
  }

  /// One sleeper is enough where any may take the work; where not, the right one is among all.
  MGWS_FN void wake() {
    if (run_.steal == steal_policy::uniform || run_.steal == steal_policy::bias) {
      view_.parking().notify_one();
    } else {
      view_.parking().notify_all();
    }
  }

  /// Empties part of a full local queue: into the public queue if that has run out, else into the
  /// spill area. Never waits for a thief (hazard 26). \return false if there is no room anywhere
  MGWS_FN bool make_room() {
    const std::uint32_t half = std::max(local_.capacity() / 2, 1u);
    if (shares_ && spill_.empty() && public_.looks_empty(g_)) release_local(half);
    if (!local_.full()) return true;
    const std::uint32_t spilled = spill_.take_from(g_, local_, half);
    statistics_.spilled(spilled);
    if (spilled != 0) return true;
    if (shares_) {
      release_spilled(half);
      if (spill_.take_from(g_, local_, half) != 0) return true;
    }
    fail_with(failure::out_of_space, std::uint64_t{run_.spill_capacity} + 1);
    return false;
  }

  /// Looks for work until there is some, the run is over, or it stops.
  MGWS_FN found find_work() {
    bool passive = false;
    const auto regained = [&] {
      if (passive) detector_.regained_work(g_);
      passive = false;
    };
    std::uint64_t searching_since = 0;
    publish_holdings();
    for (typename B::backoff wait;;) {
      if (stopping()) return found::stopped;
      if (!spill_.empty()) {
        spill_.refill(g_, local_);
        return found::work;
      }
      bool postponed = false;
      if (shares_) {
        const auto got = public_.acquire(g_, local_, granularity_.coarse(), regained);
        if (got.slots != 0) {
          statistics_.acquired(got.slots);
          return resume(searching_since);
        }
        postponed = got.postponed;
      }
      if (const auto n = initial_.load(g_, local_); n != 0) {
        statistics_.loaded_initial(n);
        return resume(searching_since);
      }
      enter(passive ? phase::idle : phase::searching);
      if (shares_ && searching_since == 0) searching_since = B::now();
      if (steals_ && try_steal(regained)) return resume(searching_since);
      if (!passive && !postponed) {
        std::uint64_t given = 0;
        if (public_.quiet(g_, given)) {
          passive = true;
          detector_.out_of_work(g_, given);
        }
      }
      if (passive) {
        const verdict v = detector_.ask(g_);
        if (v != verdict::running) view_.parking().notify_all();
        if (v == verdict::over) return found::over;
        if (v == verdict::progressed) continue;
        if (wait.exhausted() && sleep()) {
          wait = {};
          continue;
        }
      }
      wait.pause();
    }
  }

  MGWS_FN found resume(std::uint64_t searching_since) {
    if (searching_since != 0) granularity_.exclude(B::now() - searching_since);
    return found::work;
  }

  template <class Regained>
  MGWS_FN bool try_steal(Regained&& regained) {
    const std::uint32_t target = g_.once([&] { return targets_.next(); });
    B::store(progress_.target, target, P::beat, scope::system);
    const bool look = damping_.look_first(target);
    std::uint32_t slots = 0;
    statistics_.attempt_begins(&B::now);
    const steal_result r = steal<P, B, slot_type>(
        g_, view_.head(target),
        ring<slot_type>(static_cast<slot_type*>(view_.slots(target)), run_.public_capacity), local_,
        V::queue_scope, look, regained, slots);
    const bool won = r == steal_result::won;
    statistics_.attempt_ends(won, r == steal_result::empty, target, device_of(target), slots,
                             &B::now);
    if (won) {
      damping_.had_work(target);
    } else {
      damping_.had_nothing(target);
    }
    return won;
  }

  MGWS_FN std::uint32_t device_of(std::uint32_t queue) const {
    std::uint32_t d = 0;
    while (queue >= run_.device[d].first_queue + run_.device[d].queues)
      ++d;
    return d;
  }

  /// Sleeps until somebody publishes something, unless a last look shows that they did.
  /// \return whether it slept
  MGWS_FN bool sleep() {
    if constexpr (B::parking::sleeps) {
      const auto ticket = view_.parking().prepare();
      const verdict v = detector_.ask(g_);
      if (v != verdict::running) view_.parking().notify_all();
      if (v != verdict::running || stopping() || work_in_sight()) {
        view_.parking().cancel(ticket);
        return false;
      }
      statistics_.sleeps();
      view_.parking().wait(ticket);
      return true;
    } else {
      return false;
    }
  }

  /// Looks at every queue this worker could get work from, and asks those that are empty.
  MGWS_FN bool work_in_sight() {
    if (shares_ && !public_.looks_empty(g_)) return true;
    if (!steals_) return false;
    const device_range& here = run_.device[device_];
    const bool everywhere = run_.steal != steal_policy::local;
    const std::uint32_t begin = everywhere ? 0 : here.first_queue;
    const std::uint32_t end = everywhere ? run_.queues : here.first_queue + here.queues;
    for (std::uint32_t q = begin; q != end; ++q) {
      if (q == queue_id_) continue;
      auto& head = view_.head(q);
      if (P::layout::available(B::load(head.word, P::look, V::queue_scope)) != 0) return true;
      if (B::load(head.wanted, P::hint, V::queue_scope) == 0)
        B::store(head.wanted, 1, P::hint, V::queue_scope);
    }
    return false;
  }

  MGWS_FN void fail_with(failure kind, std::uint64_t detail) {
    g_.once([&] {
      if (B::fetch_add(control_.failures, 1u, order::relaxed, scope::system) == 0) {
        B::store(control_.kind, static_cast<std::uint32_t>(kind), P::beat, scope::system);
        B::store(control_.worker, id_, P::beat, scope::system);
        B::store(control_.detail, detail, P::beat, scope::system);
      }
      // Relaxed is enough: the host reads the record after all workers have ended.
      B::store(control_.stop, static_cast<std::uint32_t>(stop_reason::failed), P::stop,
               scope::system);
      return 0;
    });
    view_.parking().notify_all();
  }

  MGWS_FN void enter(phase p) {
    statistics_.enter(p, &B::now);
    if (p == phase_) return;
    phase_ = p;
    B::store(progress_.now, static_cast<std::uint32_t>(p), P::beat, scope::system);
  }
  MGWS_FN void publish_holdings() {
    publish_executed();
    B::store(progress_.local, local_.size(), P::beat, scope::system);
    B::store(progress_.spilled, spill_.size(), P::beat, scope::system);
  }
  MGWS_FN void finish() {
    publish_holdings();
    enter(phase::finished);
    *result_ = accumulated_;
  }

  typename B::group& g_;
  const V& view_;
  const run_parameters& run_;
  const typename C::context& context_;
  run_control<B>& control_;
  worker_progress<B>& progress_;
  std::uint32_t id_;
  std::uint32_t device_;
  local_queue<B, slot_type> local_;
  spill_area<B, slot_type> spill_;
  std::uint32_t queue_id_;
  public_queue<P, B, slot_type, std::remove_cv_t<decltype(V::queue_scope)>> public_;
  initial_tasks<P, V, slot_type> initial_;
  target_selection<typename B::random> targets_;
  damping_map damping_;
  typename C::detector detector_;
  typename C::statistics statistics_;
  typename C::accumulators* result_;
  typename C::accumulators accumulated_{};
  bool steals_;
  bool shares_;
  granularity granularity_;
  std::uint32_t eager_releases_ = k_eager_releases;
  phase phase_ = phase::starting;
  std::uint64_t beats_ = 0;
};

}  // namespace mgws
