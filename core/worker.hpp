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
#include <mgws/core/holdings.hpp>
#include <mgws/core/place.hpp>
#include <mgws/core/policy.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/search.hpp>
#include <mgws/core/signals.hpp>
#include <mgws/core/statistics.hpp>
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
  using V = typename C::view;
  using B = typename V::backend;
  using tasks = typename C::tasks;
  using slot_type = slot<tasks>;
  using memory_type = worker_memory<slot_type, typename C::accumulators>;

 public:
  /// How the worker treats queues: balanced with others, or on its own share of the initial set
  /// without public queues (the static baseline).
  enum class mode : std::uint8_t { balanced, direct };

  MGWS_FN worker(const V& view, const run_parameters& run, const typename C::context& context,
                 std::uint32_t device, std::uint32_t id, const memory_type& memory,
                 mode m = mode::balanced)
      : view_(view),
        run_(run),
        context_(context),
        place_(run, device, id),
        statistics_(memory.statistics),
        host_(view, run, place_, statistics_),
        mine_(view, run, place_, memory.local, memory.spill, m == mode::balanced, statistics_),
        search_(view, run, place_, memory.damping, mine_, host_, statistics_),
        result_(memory.result) {}

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
        "mgws: a task type needs operator()(worker) const, operator()(worker, index) const or "
        "operator()(worker, first, end) const");
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
      if (n > slot_type::max_instances) return host_.report(failure::too_many_instances, n);
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
  [[nodiscard]] MGWS_FN std::uint32_t id() const { return place_.id; }
  [[nodiscard]] MGWS_FN std::uint32_t device() const { return place_.device; }
  [[nodiscard]] MGWS_FN std::uint32_t workers() const { return run_.workers; }
  /// The calling lane among the lanes that run this task, and their number: (0, 1) on a CPU.
  [[nodiscard]] MGWS_FN std::uint32_t lane() const { return 0; }
  [[nodiscard]] MGWS_FN std::uint32_t lanes() const { return 1; }

  /// For tasks that run long: makes everything this worker holds stealable and tells the watchdog
  /// that the task is alive.
  MGWS_FN void release() {
    heartbeat();
    close_chunk();
    leave_place();
    mine_.release_all();
  }
  /// For tasks that run long: tells the watchdog that the task is alive.
  MGWS_FN void heartbeat() { host_.heartbeat(); }
  /// For tasks that run long: whether the run was cancelled or has failed, so that the task may end
  /// early. Checked by the loop between tasks anyway.
  [[nodiscard]] MGWS_FN bool stopping() const { return host_.asked_to_stop(); }
  /// Ends the run with an error: the first code reported reaches the caller of run(). The task goes
  /// on until it returns.
  MGWS_FN void fail(std::uint64_t code) { host_.report(failure::task, code); }

  /// The device's clock in nanoseconds, for tasks that measure or wait.
  [[nodiscard]] MGWS_FN std::uint64_t now() const { return B::now(); }

  // ---- The loop ----

  /// Runs tasks until the run is over or stopped.
  MGWS_FN void run() {
    mine_.pace().begins(B::now());
    for (;;) {
      publish_holdings();
      if (search_.find_work() != search<C>::found::work) break;
      host_.enter(phase::working);
      bool going = drain();
      while (going && mine_.claim_in_place() && !host_.stopping()) {
        run_in_place();
        going = drain();
      }
      if (!going) break;
    }
    finish();
  }

  /// The static baseline: runs the initial slots [begin, end) and what they spawn, without public
  /// queues. \param one_at_a_time  each slot straight from the set, or loaded in batches
  MGWS_FN void run_direct(std::uint64_t begin, std::uint64_t end, bool one_at_a_time) {
    host_.enter(phase::working);
    const auto* set = static_cast<const slot_type*>(view_.initial_slots());
    auto& local = mine_.local();
    const std::uint32_t batch = one_at_a_time ? 1 : local.capacity() / 2;
    for (bool going = true; going && begin < end;) {
      const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(batch, end - begin));
      for (std::uint32_t i = 0; i != n; ++i)
        local.push() = set[begin + n - 1 - i];
      begin += n;
      statistics_.loaded_initial(n);
      do {
        going = drain();
      } while (going && mine_.refill());
    }
    finish();
  }

 private:
  template <class T>
  MGWS_FN void push(const T& t, task_index first, std::uint32_t count) {
    if (mine_.watched()) return push_watched(t, first, count);
    mine_.local().push().template write<T>(t, first, count);
  }
  /// What a spawn does that may have to make room or to share. Takes the task by value: a reference
  /// would put each task into memory on its way to the slot, also where this is not called.
  template <class T>
  [[gnu::noinline]] MGWS_FN void push_watched(T t, task_index first, std::uint32_t count) {
    auto& local = mine_.local();
    if (local.room() < 2) {  // one is the open chunk's
      close_chunk();
      if (local.full() && !mine_.make_room())
        return host_.report(failure::out_of_space, std::uint64_t{run_.spill_capacity} + 1);
    }
    local.push().template write<T>(t, first, count);
    if (mine_.grown()) {
      close_chunk();
      leave_place();
      end_burst();
      mine_.share_grown();
    }
  }

  /// Runs tasks, newest first, until the local queue is empty: in bursts, between which the worker
  /// shares and looks whether it has to stop. \return false if the run stops
  MGWS_FN bool drain() {
    auto& pace = mine_.pace();
    while (!mine_.local().empty()) {
      if (host_.stopping()) return false;
      const bool coarse = pace.coarse();
      if (!coarse) {
        mine_.share_before_burst();
        if (mine_.local().empty()) break;  // it is on the board
      }
      left_ = pace.full();
      after_burst_ += left_;
      do {
        run_newest(coarse);
      } while (left_ != 0 && !mine_.local().empty() && !mine_.asked());
      end_burst();
      measure();
    }
    return true;
  }

  /// Tells the pace what ran since the last time, if that is a burst or enough of it.
  MGWS_FN void measure() {
    const std::uint64_t n = executed() - measured_;
    if (n < std::min(mine_.pace().full(), policy::k_window)) return;
    measured_ = executed();
    mine_.pace().ran(static_cast<std::uint32_t>(std::min<std::uint64_t>(n, ~std::uint32_t{0})),
                     B::now());
  }

  /// Instances that have begun.
  [[nodiscard]] MGWS_FN std::uint64_t executed() const { return after_burst_ - left_; }

  /// Lets the burst end after the task that runs.
  MGWS_FN void end_burst() {
    after_burst_ -= left_;
    left_ = 0;
  }

  /// Runs the newest task, or as many instances of it as the burst still allows.
  /// \param alone  one instance, and everything else is shared first
  MGWS_FN void run_newest(bool alone) {
    slot_type& s = mine_.local().newest();
    const auto h = s.read_header();
    tasks::with_type(h.type(), [&]<class T>() {
      const auto copy = s.template read<T>();
      if constexpr (range_task<T, worker>) {
        if (!alone && h.count() <= policy::k_instances_a_sign &&
            h.count() <= left_ + mine_.pace().full() / policy::k_longer_by)
          return run_whole(copy.get(), h);
      }
      if constexpr (bulk_task<T, worker>) {
        if (!alone) return run_chunk(copy.get(), h);
      }
      // A branch on purpose: computed, the next slot's place would wait for this slot's header.
      if (h.count() == 1) {
        mine_.local().pop_newest();
      } else {
        s.write_header(h.without_first());
      }
      --left_;
      if (alone) mine_.share_before_burst();
      if constexpr (bulk_task<T, worker>) {
        run_instance(copy.get(), *this, h.first());
      } else {
        copy.get()(*this);
      }
      if (left_ % policy::k_tasks_a_sign == 0) host_.executed(executed());
    });
  }

  /// A burst of claimed initial slots, straight from the set, which ends early when one of them
  /// spawns: what is newer comes first, and then the others of the claim must be stealable too.
  MGWS_FN void run_in_place() {
    left_ = std::min(mine_.pace().full(), mine_.claimed_slots());
    after_burst_ += left_;
    placed_from_ = executed();
    in_place_ = true;
    const slot_type* s = mine_.claimed_begin();
    while (left_ != 0 && in_place_ && mine_.local().empty() && !mine_.asked()) {
      const auto h = s->read_header();
      if (h.count() != 1) break;  // many instances have a loop of their own
      tasks::with_type(h.type(), [&]<class T>() {
        const auto copy = (s++)->template read<T>();
        --left_;
        if constexpr (bulk_task<T, worker>) {
          run_instance(copy.get(), *this, h.first());
        } else {
          copy.get()(*this);
        }
        if (left_ % policy::k_tasks_a_sign == 0) host_.executed(executed());
      });
    }
    if (in_place_ && left_ == 0 && mine_.local().empty()) {
      in_place_ = false;
      mine_.began_in_place(static_cast<std::uint32_t>(executed() - placed_from_), false);
    } else {
      leave_place();
    }
    end_burst();
    measure();
  }

  /// Puts what is left of the claim where it can be shared.
  MGWS_FN void leave_place() {
    if (!in_place_) return;
    in_place_ = false;
    mine_.began_in_place(static_cast<std::uint32_t>(executed() - placed_from_), true);
  }

  /// Takes the newest slot, which stands for few instances, and runs all of them by one call, also
  /// a few more than the burst allows: to cut the slot in two would cost more.
  template <class T>
  MGWS_FN void run_whole(const T& t, typename slot_type::header h) {
    mine_.local().pop_newest();
    if (h.count() > left_) {  // the burst is longer by that
      after_burst_ += h.count() - left_;
      left_ = h.count();
    }
    left_ -= h.count();
    t(*this, h.first(), h.first() + h.count());
    host_.executed(executed());
  }

  /// Takes the newest slot and runs instances of it in a loop that does nothing else, until the
  /// burst ends, what they spawn has to be shared, or the run stops. Then a slot of those that have
  /// not begun goes back.
  template <class T>
  MGWS_FN void run_chunk(const T& t, typename slot_type::header h) {
    mine_.local().pop_newest();
    // Not t itself: that nobody else knows where it is lets a compiler keep it in registers.
    const T kept = t;
    chunk_ = {.task = &kept,
              .header = h,
              .next = h.first(),
              .end = h.first() + std::min(h.count(), left_),
              .stop = 0,
              .open = true};
    const std::uint32_t a_sign =
        std::clamp(left_ / policy::k_signs_a_burst, policy::k_instances_a_sign,
                   policy::k_most_instances_a_sign);
    bool stops = false;
    do {
      chunk_.stop = chunk_.next + std::min(chunk_.end - chunk_.next, a_sign);
      if constexpr (range_task<T, worker>) {
        const task_index first = chunk_.next;
        t(*this, first, chunk_.next = chunk_.stop);
      } else {
        while (chunk_.next < chunk_.stop && !mine_.asked())
          t(*this, chunk_.next++);
      }
      host_.executed(executed() + (chunk_.open ? chunk_.next - h.first() : 0));
      stops = host_.stopping() || mine_.asked();
    } while (chunk_.next != chunk_.end && !stops);
    close_chunk();
    if (stops) end_burst();
  }

  /// Ends a chunk after the instance that runs: those that have not begun go back into the queue.
  /// Before anything but a spawn happens to the queue.
  MGWS_FN void close_chunk() {
    if (!chunk_.open) return;
    chunk_.open = false;
    chunk_.stop = chunk_.end = chunk_.next;
    const std::uint32_t begun = chunk_.next - chunk_.header.first();
    left_ -= begun;
    if (const std::uint32_t rest = chunk_.header.count() - begun; rest != 0) put_back(rest);
  }
  [[gnu::noinline]] MGWS_FN void put_back(std::uint32_t rest) {
    tasks::with_type(chunk_.header.type(), [&]<class T>() {
      mine_.local().push().template write<T>(*static_cast<const T*>(chunk_.task), chunk_.next,
                                             rest);
    });
  }

  MGWS_FN void publish_holdings() {
    host_.executed(executed());
    host_.holds(mine_.local().size(), mine_.spilled().size());
  }
  MGWS_FN void finish() {
    publish_holdings();
    host_.enter(phase::finished);
    *result_ = accumulated_;
  }

  /// Instances that are being run out of one slot. While it is open, room is kept for what is left
  /// of it.
  struct chunk {
    const void* task;  ///< of the type that the header says
    typename slot_type::header header;
    task_index next;  ///< first instance that has not begun
    task_index end;
    task_index stop;
    bool open;
  };

  const V& view_;
  const run_parameters& run_;
  const typename C::context& context_;
  place_in_run place_;
  typename C::statistics statistics_;
  signals<C> host_;
  holdings<C> mine_;
  search<C> search_;
  typename C::accumulators* result_;
  typename C::accumulators accumulated_{};
  std::uint64_t after_burst_ = 0;  ///< instances that have begun when the burst is over
  std::uint32_t left_ = 0;         ///< of them still to begin
  std::uint64_t measured_ = 0;     ///< instances that had begun when the clock was last read
  bool in_place_ = false;          ///< whether initial slots run where they lie
  std::uint64_t placed_from_ = 0;  ///< instances that had begun before them
  chunk chunk_{};
};

}  // namespace mgws
