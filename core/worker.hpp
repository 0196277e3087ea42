/// \file
/// The worker of one lane: the loop that each runs by itself. The loop is the same on every device;
/// no other agent schedules anything. A backend with more lanes has lanes.hpp, which runs tasks
/// side by side, instead of this file, and shares the rest (docs/scheduling.md).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include <mgws/core/affinity.hpp>
#include <mgws/core/elsewhere.hpp>
#include <mgws/core/policy.hpp>
#include <mgws/core/task_worker.hpp>
#include <mgws/core/worker_base.hpp>
#include <mgws_port.hpp>

namespace mgws {

template <class C>
class worker : public task_worker<worker<C>, C, one_lane>, private worker_base<C> {
  using interface = task_worker<worker, C, one_lane>;
  using base = worker_base<C>;
  using B = typename C::backend;
  using tasks = typename C::tasks;
  using places = elsewhere<typename C::view, tasks>;
  using slot_type = slot<tasks>;
  using finish_type = typename slot_type::finish_type;
  using base::host_, base::mine_, base::run_, base::search_;

 public:
  MGWS_FN worker(const typename C::view& view, const run_parameters& run,
                 const typename C::context& context, std::uint32_t device, std::uint32_t id,
                 const typename base::memory_type& memory)
      : base(view, run, device, id, memory), context_(context) {}

  using base::take_share;

  // ---- The loop ----

  /// Runs tasks until the run is over or stopped.
  MGWS_FN void run() {
    mine_.pace().begins(B::now());
    if constexpr (tasks::has_frames) frames_of_run().begin(0);
    for (;;) {
      host_.executed(executed());
      base::publish_holdings();
      if constexpr (tasks::has_frames) frames_of_run().end();
      if (search_.find_work([&] { return settle(); }) != search<C>::found::work) break;
      host_.enter(phase::working);
      bool going = drain();
      while (going && mine_.claim_in_place() && !host_.stopping()) {
        if (mine_.local().empty()) run_in_place();
        going = drain();
      }
      if (!going) break;
    }
    leave();
  }
  /// Leaves what the host is to find. For whoever runs it, if a task throws.
  MGWS_FN void leave() {
    if constexpr (tasks::has_finish)
      base::statistics_.count(&worker_counts::finish_adds, purse_.adds);
    base::leave(executed() + (chunk_.open ? chunk_.next - chunk_.header.first() : 0));
    *base::result_ = accumulated_;
  }

 private:
  friend interface;
  template <class Worker, class T>
  friend MGWS_FN void mgws::run_instance(const T& t, Worker& w, task_index i);
  template <class T>
  using runs = worker;
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t lane_of_worker() { return 0; }
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t lanes_of_worker() { return 1; }
  [[nodiscard]] MGWS_FN auto& signals_of_worker() { return host_; }
  [[nodiscard]] MGWS_FN const auto& signals_of_worker() const { return host_; }
  [[nodiscard]] MGWS_FN frames<C> frames_of_run() {
    return {mine_.view(), run_, base::place_, frames_, search_.sent()};
  }

  // ---- Finishes ----

  [[nodiscard]] MGWS_FN purse<C> purse_of_run() { return {frames_of_run(), purse_}; }
  /// Below which finish this worker is at work.
  [[nodiscard]] MGWS_FN finish_type finish_of_task() const {
    if constexpr (tasks::has_finish) {
      return purse_.finish;
    } else {
      return {};
    }
  }
  /// A token for each of so many new instances.
  MGWS_FN void take_tokens(std::uint32_t n) {
    if constexpr (tasks::has_finish) purse_.take(n, [&] { draw_tokens(n); });
  }
  /// Out of line, as all that is seldom: what a spawn has in line goes into every task.
  [[gnu::noinline]] MGWS_FN void draw_tokens(std::uint32_t n) {
    put_begun();
    if (purse_.tokens <= n) purse_of_run().draw(n);
  }
  /// The tokens of instances that have begun since. All of them were below the purse's finish.
  MGWS_FN void put_begun() {
    purse_.put(executed() - purse_.begun);
    purse_.begun = executed();
  }
  template <class A>
  MGWS_FN void gather(typename A::value_type v) {
    if (purse_.finish != 0) purse_.gathered.template add<A>(v);
  }
  /// Before a task of that finish is taken. \return false if something newer has come by this
  MGWS_FN bool enter(finish_type finish) {
    if constexpr (tasks::has_finish)
      if (finish != purse_.finish) return !change_finish(finish);
    return true;
  }
  [[nodiscard]] [[gnu::noinline]] MGWS_FN bool change_finish(finish_type finish) {
    put_begun();
    return purse_of_run().change(finish, [&](auto&& fill) { push_ready(fill); });
  }
  /// Before this worker becomes passive. \return whether it has work by this
  [[nodiscard]] MGWS_FN bool settle() {
    if constexpr (tasks::has_finish) {
      put_begun();
      return purse_of_run().settle([&](auto&& fill) { push_ready(fill); });
    } else {
      return false;
    }
  }

  template <class T>
  MGWS_FN void push(const T& t, std::uint32_t count) {
    take_tokens(count);
    push_below(t, count, finish_of_task());
  }
  template <class T>
  MGWS_FN void push_below(const T& t, std::uint32_t count, finish_type finish) {
    if constexpr (places::k_any)
      if (places::must_leave(run_, t))
        return push_away([&](slot_type& s) { s.template write<T>(t, 0, count, finish); });
    if constexpr (places::k_levels > 1)
      if (const std::uint32_t level = places::level_of(run_, t); level != 0)
        return push_later(t, level, count, finish);
    if (mine_.must_check()) return push_checked(t, count, finish);
    mine_.local().push().template write<T>(t, 0, count, finish);
  }
  /// What a spawn does that may have to make room or to share. Takes the task by value: a reference
  /// would put each task into memory on its way to the slot, also where this is not called.
  template <class T>
  [[gnu::noinline]] MGWS_FN void push_checked(T t, std::uint32_t count, finish_type finish) {
    add_checked([&](slot_type& s) { s.template write<T>(t, 0, count, finish); });
  }
  /// A spawn of a lower priority; as one of the highest where its queues are full.
  template <class T>
  MGWS_FN void push_later(const T& t, std::uint32_t level, std::uint32_t count,
                          finish_type finish) {
    const auto fill = [&](slot_type& s) { s.template write<T>(t, 0, count, finish); };
    if (!mine_.later().push(level, fill)) return push_slot(fill);
    if (mine_.later_has_grown()) share_growth();
  }
  /// Adds a slot of a task that can only run elsewhere, or goes home.
  template <class Fill>
  [[gnu::noinline]] MGWS_FN void push_away(Fill&& fill) {
    if (!mine_.later().away().push_if_room(fill))
      host_.report(failure::out_of_space, mine_.later().room_for_more_away());
  }
  MGWS_FN void came_home() { ++base::tasks_for_others; }
  /// Adds a continuation whose parts have come.
  template <class Fill>
  MGWS_FN void push_ready(Fill&& fill) {
    if constexpr (places::k_any && tasks::has_affinity) {
      slot_type s;
      fill(s);
      const auto move = [&](slot_type& to) { to = s; };
      if (places::must_leave(run_, s)) return push_away(move);
      push_slot(move);
    } else {
      push_slot(fill);
    }
  }
  /// Adds a slot, which fill(slot) completes. By value, as push_checked().
  template <class Fill>
  MGWS_FN void push_slot(Fill fill) {
    if (mine_.must_check()) return push_slot_checked(fill);
    fill(mine_.local().push());
  }
  template <class Fill>
  [[gnu::noinline]] MGWS_FN void push_slot_checked(Fill fill) {
    add_checked(fill);
  }
  template <class Fill>
  MGWS_FN void add_checked(Fill&& fill) {
    auto& local = mine_.local();
    if (local.room() < 2) {  // one is the open chunk's
      close_chunk();
      if (local.full() && !mine_.make_room())
        return host_.report(failure::out_of_space, std::uint64_t{run_.spill_capacity} + 1);
    }
    fill(local.push());
    if (mine_.has_grown()) share_growth();
  }
  [[gnu::noinline]] MGWS_FN void share_growth() {
    give_back();
    end_burst();
    mine_.share_growth();
  }

  MGWS_FN void share_all() {
    interface::heartbeat();
    give_back();
    mine_.share_all_but(0, true);
  }

  /// Of a resumable task that goes on: what others ask for is everything but that.
  /// \return false if the run stops
  [[nodiscard]] MGWS_FN bool between_pieces() {
    host_.beat(++pieces_);
    if (mine_.take_question()) share_all();
    return !host_.stopping();
  }

  /// Runs tasks, newest first, until the local queue is empty: in bursts, between which the worker
  /// shares and looks whether it has to stop. \return false if the run stops
  MGWS_FN bool drain() {
    auto& pace = mine_.pace();
    search_.serve(&B::now);
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
      search_.serve(&B::now);
    }
    return true;
  }

  /// Says how many have run, also where a burst ended before it was time to, and tells the pace.
  MGWS_FN void measure() {
    host_.executed(executed());
    const std::uint64_t n = executed() - measured_;
    if (n == 0) return;
    measured_ = executed();
    mine_.pace().ran(static_cast<float>(n), B::now());
  }

  /// Instances that have begun.
  [[nodiscard]] MGWS_FN std::uint64_t executed() const { return after_burst_ - left_; }

  /// Lets the burst end after the task that runs.
  MGWS_FN void end_burst() {
    after_burst_ -= left_;
    left_ = 0;
  }

  /// As task_set::with_type(), of the types for which this worker is compiled.
  template <class F>
  MGWS_FN static void with_type_here(std::uint32_t type, F&& f) {
    tasks::with_type(type, [&]<class T>() {
      if constexpr (detail::is_for<T, B>()) f.template operator()<T>();
    });
  }

  /// A part of a continuation is what somebody has delivered, perhaps just now: where that matters
  /// a port has read_words().
  template <class T>
  [[nodiscard]] MGWS_FN static typename slot_type::template copy<T> read(slot_type& s) {
    if constexpr (detail::is_continuation<T>() && sizeof(T) % 8 == 0 && alignof(T) == 8)
      if constexpr (requires { B::template read_words<1>(&s); })
        return std::bit_cast<typename slot_type::template copy<T>>(
            B::template read_words<sizeof(T) / 8>(&s.template as<T>()));
    return s.template read<T>();
  }

  /// Runs the newest task, or as many instances of it as the burst still allows.
  /// \param alone  one instance, and everything else is shared first
  MGWS_FN void run_newest(bool alone) {
    slot_type& s = mine_.local().newest();
    if (!enter(s.finish())) return;
    const auto h = s.read_header();
    with_type_here(h.type(), [&]<class T>() {
      const auto copy = read<T>(s);
      if constexpr (range_task<T, worker>) {
        if (!alone && h.count() <= policy::k_least_instances_per_sign && h.count() <= left_)
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
      run_instance(copy.get(), *this, h.first());
      if (left_ % policy::k_tasks_per_sign == 0) host_.executed(executed());
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
      if (!enter({})) break;
      with_type_here(h.type(), [&]<class T>() {
        const auto copy = (s++)->template read<T>();
        --left_;
        run_instance(copy.get(), *this, h.first());
        if (left_ % policy::k_tasks_per_sign == 0) host_.executed(executed());
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

  /// Puts what has not begun, of a chunk or of a claim, where it can be shared.
  MGWS_FN void give_back() {
    close_chunk();
    leave_place();
  }
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
    const std::uint32_t per_sign =
        std::clamp(left_ / policy::k_signs_per_burst, policy::k_least_instances_per_sign,
                   policy::k_most_instances_per_sign);
    bool stops = false;
    do {
      chunk_.stop = chunk_.next + std::min(chunk_.end - chunk_.next, per_sign);
      if constexpr (range_task<T, worker>) {
        const task_index first = chunk_.next;
        t(*this, first, chunk_.next = chunk_.stop);
      } else {
        while (chunk_.next < chunk_.stop && !mine_.asked())
          run_instance(t, *this, chunk_.next++);
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
      mine_.local().push().template write<T>(*static_cast<const T*>(chunk_.task), chunk_.next, rest,
                                             finish_of_task());
    });
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

  const typename C::context& context_;
  typename C::accumulators accumulated_{};
  std::uint64_t after_burst_ = 0;  ///< instances that have begun when the burst is over
  std::uint32_t left_ = 0;         ///< of them still to begin
  std::uint64_t measured_ = 0;     ///< instances that had begun when the clock was last read
  std::uint64_t pieces_ = 0;       ///< of resumable tasks that went on
  bool in_place_ = false;          ///< whether initial slots run where they lie
  std::uint64_t placed_from_ = 0;  ///< instances that had begun before them
  chunk chunk_{};
  [[no_unique_address]] frames_of_lane<tasks> frames_{};
  /// Does not have the tokens of what has begun lately: they are put in when they are needed.
  struct late_purse : purse_of_lane<tasks> {
    std::uint64_t begun = 0;  ///< instances that had begun when it was last done
  };
  [[no_unique_address]] std::conditional_t<tasks::has_finish, late_purse, no_purse> purse_{};
};

}  // namespace mgws
