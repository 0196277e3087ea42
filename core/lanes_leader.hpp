/// \file
/// What the leader of a worker of several lanes does between the steps of its lanes (lanes.hpp):
/// finds work, shares it, looks at the clock and at the stop request. One lane runs all of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <mgws/core/holdings.hpp>
#include <mgws/core/place.hpp>
#include <mgws/core/public_queue.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/search.hpp>
#include <mgws/core/signals.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/core/worker.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// \tparam C  a configuration (worker.hpp) whose backend is a team_backend
template <class C>
class lanes_leader {
  using V = typename C::view;
  using B = typename V::backend;
  using slot_type = slot<typename C::tasks>;
  using memory_type = worker_memory<slot_type, typename C::accumulators>;

 public:
  /// What the lanes need to know to go on.
  struct orders {
    std::uint32_t head;        ///< of the local queue
    std::uint32_t tail;        ///< of the local queue
    std::uint32_t burst;       ///< steps to run before the leader is asked again
    std::uint32_t share_from;  ///< slots behind a step from which on it is asked to share
    std::uint32_t look_mask;   ///< steps between two looks around, a power of two, less one
    bool going;                ///< false: the run is over or stops
    bool wanted;               ///< others may want some
    bool stocked;              ///< the public queue has something
  };

  MGWS_FN lanes_leader(const V& view, const run_parameters& run, std::uint32_t device,
                       std::uint32_t id, const memory_type& memory, bool balanced)
      : view_(view),
        run_(run),
        place_(run, device, id),
        statistics_(memory.statistics),
        host_(view, run, place_, statistics_),
        mine_(view, run, place_, memory.local, memory.spill, balanced, statistics_),
        search_(view, run, place_, memory.damping, mine_, host_, statistics_),
        result_(memory.result),
        balanced_(balanced) {}

  lanes_leader(const lanes_leader&) = delete;
  lanes_leader& operator=(const lanes_leader&) = delete;

  [[nodiscard]] MGWS_FN signals<C>& host() { return host_; }
  [[nodiscard]] MGWS_FN const place_in_run& place() const { return place_; }
  [[nodiscard]] MGWS_FN std::uint32_t workers() const { return run_.workers; }
  [[nodiscard]] MGWS_FN std::uint32_t local_capacity() const { return run_.local_capacity; }
  [[nodiscard]] MGWS_FN typename C::accumulators* result() const { return result_; }
  /// Whether the own public queue has nothing to steal, by a look.
  [[nodiscard]] MGWS_FN bool public_seems_empty() const {
    using P = typename C::protocol;
    return P::layout::available(B::load(mine_.public_head().word, P::look, V::queue_scope)) == 0;
  }
  [[nodiscard]] MGWS_FN const holdings<C>& mine() const { return mine_; }
  /// Slots behind a step from which on it is asked to share, where nothing is public.
  [[nodiscard]] MGWS_FN std::uint32_t share_from() const {
    return mine_.slots_of(mine_.pace().full()) + 1;
  }
  /// For statistics: a step had tasks for so many lanes.
  MGWS_FN void used_lanes(std::uint32_t n) { lanes_ += n; }
  /// When the public queue was last looked at. Lane 0's.
  std::uint64_t looked_ns = 0;

  /// Looks for work. \pre nothing is local
  MGWS_FN orders find_work() {
    mine_.local().restart();
    if (!balanced_) return load_share();
    host_.holds(mine_.local().size(), mine_.spilled().size());
    const bool going = search_.find_work() == search<C>::found::work && !host_.stopping();
    if (going) begin_burst();
    return give_orders(going);
  }

  /// The static baseline's part of the initial set. \pre not balanced
  MGWS_FN void take_share(std::uint64_t begin, std::uint64_t end, bool one_at_a_time) {
    next_ = begin;
    end_ = end;
    one_at_a_time_ = one_at_a_time;
  }

  /// Ends a burst of so many steps, at least one, in which so many instances ran and so many slots
  /// were used up. If nothing is left, goes on with more initial slots, if there are any and
  /// nothing newer waits.
  MGWS_FN orders end_burst(std::uint32_t head, std::uint32_t tail, std::uint32_t steps,
                           std::uint32_t ran, std::uint32_t slots) {
    moved(head, tail);
    mine_.took(slots, slots + grown_, ran);
    grown_ = 0;
    mine_.pace().ran(steps, B::now());
    executed_ += ran;
    statistics_.stepped(steps, std::exchange(lanes_, 0u));
    host_.executed(executed_);
    const bool going = !host_.stopping();
    if (going && mine_.local().empty()) {
      mine_.local().restart();
      if (balanced_) {
        mine_.load_more();
      } else {
        load_share_batch();
      }
      looked_ns = B::now();
      mine_.pace().begins(looked_ns);
    }
    orders o = give_orders(going);
    // One slot that stands for very much, which a task has just spawned: not only at the next look.
    if (o.wanted && mine_.local().size() == 1 && mine_.is_for_all(mine_.local().oldest()))
      o.share_from = 1;
    return o;
  }

  /// Makes room for so many spawns, and shares what is local, if it will last.
  /// \param popped  slots above the head that the step which is to come has taken and not read yet
  MGWS_FN orders share(std::uint32_t head, std::uint32_t tail, std::uint32_t popped,
                       std::uint32_t room) {
    moved(head, tail, popped);
    const std::uint64_t since = B::now();
    if (mine_.local().room() < room) mine_.make_room(room);
    const bool worth = mine_.breeds() || mine_.holds_more_than(mine_.pace().full() - 1);
    if (worth) mine_.share();
    orders o = give_orders(true);
    if (!worth) o.share_from = mine_.local().size() + 1;
    looked_ns = B::now();
    mine_.pace().exclude(looked_ns - since);
    return o;
  }

  /// Makes everything stealable, while a task runs.
  MGWS_FN orders release(std::uint32_t head, std::uint32_t tail) {
    moved(head, tail);
    host_.beat(B::now());
    mine_.release_all();
    return give_orders(true);
  }

  /// So many slots have been written behind the newest of the spill area.
  MGWS_FN orders take_spilled(std::uint32_t head, std::uint32_t tail, std::uint32_t n) {
    moved(head, tail);
    grown_ += n;
    mine_.spilled_newest(n);
    return give_orders(true);
  }

  MGWS_FN bool finish() {
    host_.executed(executed_);
    host_.holds(mine_.local().size(), mine_.spilled().size());
    host_.enter(phase::finished);
    return true;
  }

 private:
  /// Takes the next slots of its share.
  MGWS_FN orders load_share() {
    if (host_.stopping()) return give_orders(false);
    begin_burst();
    if (mine_.refill()) return give_orders(true);
    load_share_batch();
    return give_orders(!mine_.local().empty());
  }
  MGWS_FN void load_share_batch() {
    auto& local = mine_.local();
    const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        one_at_a_time_ ? 1 : local.capacity(), mine_.spilled().empty() ? end_ - next_ : 0));
    load_slots<B>(local.slots(), local.head(),
                  static_cast<const slot_type*>(view_.initial_slots()) + next_, n);
    local.added_newest(n);
    next_ += n;
    statistics_.loaded_initial(n);
  }
  MGWS_FN void begin_burst() {
    host_.enter(phase::working);
    looked_ns = B::now();
    mine_.pace().begins(looked_ns);
  }
  /// The lanes have used up and spawned slots: here is where the local queue's ends are now.
  MGWS_FN void moved(std::uint32_t head, std::uint32_t tail, std::uint32_t popped = 0) {
    grown_ += head - mine_.local().head();
    mine_.local().moved(head, tail, popped);
  }
  MGWS_FN orders give_orders(bool going) {
    const auto& pace = mine_.pace();
    const bool wanted = mine_.wanted();
    return {.head = mine_.local().head(),
            .tail = mine_.local().tail(),
            // Whether others want some is asked again soon.
            .burst = !mine_.shares() || (wanted && !pace.coarse())
                         ? policy::k_longest_burst_of_lanes
                         : pace.full(),
            .share_from = share_from(),
            .look_mask = pace.look_mask(),
            .going = going,
            .wanted = wanted,
            .stocked = !mine_.public_looks_empty()};
  }
  const V& view_;
  const run_parameters& run_;
  place_in_run place_;
  typename C::statistics statistics_;
  signals<C> host_;
  holdings<C> mine_;
  search<C> search_;
  typename C::accumulators* result_;
  std::uint64_t executed_ = 0;
  std::uint32_t grown_ = 0;  ///< in this burst, by what was spawned less what was used up
  std::uint32_t lanes_ = 0;  ///< that ran something in this burst, by step
  // Of the static baseline: what is left of its share, and whether it takes single slots.
  std::uint64_t next_ = 0;
  std::uint64_t end_ = 0;
  bool one_at_a_time_ = false;
  bool balanced_;
};

}  // namespace mgws
