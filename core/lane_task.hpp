/// \file
/// What a task sees of a worker that has several lanes: the same as of worker (worker.hpp), as one
/// lane of it. Held in registers, one a lane, while tasks run.
///
/// Lanes that spawn together reserve their places with one operation and write side by side. What
/// the local queue has no room for goes on into the spill area, each lane still knowing its place.
#pragma once

#include <cstdint>
#include <type_traits>

#include <mgws/core/ring.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws {

template <class C>
class lane_worker;

/// \tparam C      a configuration (worker.hpp)
/// \tparam Width  the width of the task that runs
template <class C, shape Width>
class lane_task {
  using B = typename C::backend;
  using team = typename B::team;
  using tasks = typename C::tasks;
  using slot_type = slot<tasks>;
  using accumulators = typename C::accumulators;

  /// Whether the task has all lanes of the worker.
  static constexpr bool k_whole =
      Width == shape::block || (Width == shape::warp && team::k_warp_lanes == team::k_lanes);

 public:
  MGWS_FN lane_task(ring<slot_type> local, std::uint32_t& tail, const typename C::context& context,
                    accumulators& accumulated)
      : local_(local), tail_(tail), context_(context), accumulated_(accumulated) {}

  /// Adds a task to the run. Any lane of the task may call it, any number of times, also while
  /// others do not; each call adds one task. A bulk task is added with one instance, number 0.
  template <class T>
  MGWS_FN void spawn(const T& t) {
    static_assert(tasks::template contains<T>,
                  "mgws: spawn of a task type that is not in the task_set");
    static_assert(
        plain_task<T, lane_task<C, tasks::template width<T>>> ||
            bulk_task<T, lane_task<C, tasks::template width<T>>>,
        "mgws: a task type needs operator()(worker) const, operator()(worker, index) const or "
        "operator()(worker, first, end) const");
    push(t, 1);
  }

  /// Adds n instances of a bulk task as one slot; see worker::spawn_n.
  template <class T>
  MGWS_FN void spawn_n(const T& t, task_index n) {
    static_assert(tasks::template contains<T>,
                  "mgws: spawn of a task type that is not in the task_set");
    static_assert(bulk_task<T, lane_task<C, tasks::template width<T>>>,
                  "mgws: spawn_n needs a bulk task, with operator()(worker, index) const");
    if (n == 0) return;
    if constexpr (slot_type::max_instances < ~task_index{0}) {
      if (n > slot_type::max_instances)
        return leader().host().report(failure::too_many_instances, n);
    }
    push(t, n);
  }

  /// Reduces a value into this lane's accumulator A. Never touches memory that others reach.
  template <class A>
  MGWS_FN void accumulate(typename A::value_type v) {
    accumulated_.template add<A>(v);
  }
  template <class A>
  MGWS_FN void accumulate(A /*which*/, typename A::value_type v) {
    accumulated_.template add<A>(v);
  }

  [[nodiscard]] MGWS_FN const typename C::context& context() const { return context_; }

  [[nodiscard]] MGWS_FN std::uint32_t id() const { return leader().place().id; }
  [[nodiscard]] MGWS_FN std::uint32_t device() const { return leader().place().device; }
  [[nodiscard]] MGWS_FN std::uint32_t workers() const { return leader().workers(); }

  /// The calling lane among the lanes that run this task, and their number.
  [[nodiscard]] MGWS_FN std::uint32_t lane() const {
    if constexpr (Width == shape::lane) return 0;
    if constexpr (Width == shape::warp) return team::lane() % team::k_warp_lanes;
    return team::lane();
  }
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t lanes() {
    return Width == shape::lane ? 1 : Width == shape::warp ? team::k_warp_lanes : team::k_lanes;
  }

  /// A barrier of the task's lanes, and whether p holds for any of them. Called by all of them.
  MGWS_FN void sync() const {
    if constexpr (Width == shape::warp) team::sync_warp();
    if constexpr (Width == shape::block) team::sync();
  }
  [[nodiscard]] MGWS_FN bool any(bool p) const {
    if constexpr (Width == shape::warp) return team::any_of_warp(p);
    if constexpr (Width == shape::block) return team::any(p);
    return p;
  }

  /// For tasks that run long: tells the watchdog that the task is alive, and, where the task has
  /// all lanes of the worker and all of them call, makes everything the worker holds stealable.
  /// What narrower tasks spawn becomes stealable when the tasks that run side by side have ended.
  MGWS_FN void release() {
    if constexpr (k_whole) {
      tail_ = lane_worker<C>::release_within_task(tail_);
    } else {
      heartbeat();
    }
  }
  MGWS_FN void heartbeat() { leader().host().beat(B::now()); }
  /// Whether the run was cancelled or has failed. A look at memory that may be far.
  [[nodiscard]] MGWS_FN bool stopping() const { return leader().host().asked_to_stop(); }
  MGWS_FN void fail(std::uint64_t code) { leader().host().report(failure::task, code); }
  [[nodiscard]] MGWS_FN std::uint64_t now() const { return B::now(); }

 private:
  [[nodiscard]] MGWS_FN static auto& leader() { return lane_worker<C>::leader(); }

  template <class T>
  MGWS_FN void push(const T& t, std::uint32_t count) {
    const std::uint32_t at = B::reserve(team::counter(), 1);
    if (at - tail_ < local_.capacity()) {
      local_.at(at).template write<T>(t, 0, count);
    } else {
      slot_type s;
      s.template write<T>(t, 0, count);
      lane_worker<C>::overflow(at - tail_ - local_.capacity(), s);
    }
  }

  ring<slot_type> local_;
  std::uint32_t& tail_;
  const typename C::context& context_;
  accumulators& accumulated_;
};

}  // namespace mgws
