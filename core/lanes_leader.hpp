/// \file
/// What the leader of a worker of several lanes does between the steps of its lanes (lanes.hpp):
/// finds work, shares it, looks at the clock and at the stop request. One lane runs all of it.
#pragma once

#include <algorithm>
#include <cstdint>

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
    std::uint32_t head;   ///< of the local queue
    std::uint32_t tail;   ///< of the local queue
    std::uint32_t burst;  ///< steps to run before the leader is asked again; 1: tasks are coarse
    std::uint32_t share_from;  ///< fine slots from which on it is asked to share
    bool going;                ///< false: the run is over or stops
    bool stocked;              ///< the public queue has something
    bool shares;               ///< others may want some
    bool reloads;              ///< with nothing left, the burst goes on with what reload() finds
  };
  /// The same where a burst goes on.
  struct reloaded {
    std::uint32_t head;
    std::uint32_t tail;
    bool reloads;
  };

  MGWS_FN lanes_leader(const V& view, const run_parameters& run, std::uint32_t device,
                       std::uint32_t id, const memory_type& memory, bool balanced)
      : view_(view),
        run_(run),
        place_(run, device, id),
        statistics_(memory.statistics),
        host_(group_, view, run, place_, statistics_),
        mine_(group_, view, run, place_, memory.local, memory.spill, balanced, statistics_),
        search_(group_, view, run, place_, memory.damping, mine_, host_, statistics_),
        result_(memory.result),
        own_word_(&view.head(place_.queue).word),
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
    return P::layout::available(B::load(*own_word_, P::look, V::queue_scope)) == 0;
  }
  [[nodiscard]] MGWS_FN const holdings<C>& mine() const { return mine_; }

  /// Looks for work. \pre nothing is local
  MGWS_FN orders find_work() {
    mine_.local().restart();
    if (!balanced_) return load_share();
    // Short tasks of a large initial set: the next batch is all there is to it.
    bool going = mine_.load_more();
    if (!going) {
      host_.holds(mine_.local().size(), mine_.spilled().size());
      going = search_.find_work() == search<C>::found::work;
    }
    going = going && !host_.stopping();
    if (going) begin_burst();
    return give_first_orders(going);
  }

  /// The static baseline's part of the initial set. \pre not balanced
  MGWS_FN void take_share(std::uint64_t begin, std::uint64_t end, bool one_at_a_time) {
    next_ = begin;
    end_ = end;
    one_at_a_time_ = one_at_a_time;
  }

  /// Takes the next of its initial slots, as part of the same burst. \pre its orders said that it
  /// reloads; nothing is local, and none of the tasks of this burst spawned
  MGWS_FN reloaded reload() {
    mine_.local().restart();
    if (balanced_) {
      mine_.load_claimed_batch();
    } else {
      load_share_batch();
    }
    return {mine_.local().head(), mine_.local().tail(),
            balanced_ ? mine_.has_claimed() : next_ != end_};
  }

  /// Ends a burst of so many steps, in which so many instances ran. \param breeds  whether any of
  /// them spawned
  MGWS_FN orders end_burst(std::uint32_t head, std::uint32_t tail, std::uint32_t steps,
                           std::uint32_t ran, bool breeds) {
    mine_.local().moved(head, tail);
    mine_.ran(breeds);
    executed_ += ran;
    statistics_.stepped(steps);
    host_.executed(executed_);
    mine_.grain().ran(steps, &B::now);
    // With nothing left, whatever finds more looks for itself.
    if (mine_.local().empty()) return private_orders(1);
    return give_orders(!host_.stopping());
  }

  /// Makes room for so many spawns, and shares what is local. \param popped  slots above the head
  /// that the step which is to come has taken and not read yet
  MGWS_FN orders share(std::uint32_t head, std::uint32_t tail, std::uint32_t popped,
                       std::uint32_t room) {
    mine_.local().moved(head, tail, popped);
    if (mine_.local().room() < room) mine_.make_room(room);
    mine_.share_some();
    return give_orders(true);
  }

  /// Makes everything stealable, while a task runs.
  MGWS_FN orders release(std::uint32_t head, std::uint32_t tail) {
    mine_.local().moved(head, tail);
    host_.beat(B::now());
    mine_.release_all();
    return give_orders(true);
  }

  /// So many slots have been written behind the newest of the spill area.
  MGWS_FN orders take_spilled(std::uint32_t head, std::uint32_t tail, std::uint32_t n) {
    mine_.local().moved(head, tail);
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
    if (next_ == end_) return give_orders(false);
    load_share_batch();
    orders o = give_orders(true);
    o.reloads = next_ != end_ && !one_at_a_time_;
    return o;
  }
  MGWS_FN void load_share_batch() {
    auto& local = mine_.local();
    const auto n = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(one_at_a_time_ ? 1 : mine_.batch(), end_ - next_));
    load_slots<B>(group_, local.slots(), local.head(),
                  static_cast<const slot_type*>(view_.initial_slots()) + next_, n);
    local.added_newest(n);
    next_ += n;
    statistics_.loaded_initial(n);
  }
  MGWS_FN void begin_burst() {
    host_.enter(phase::working);
    mine_.grain().begins(&B::now);
  }
  /// After a search. Short tasks that spawn nothing are soon done: others get what is left after a
  /// while, and nobody has to be asked before.
  MGWS_FN orders give_first_orders(bool going) {
    const std::uint32_t alone = mine_.grain().private_burst();
    return going && mine_.barren() && alone >= 2 ? private_orders(alone) : give_orders(going);
  }
  /// To go on with what is local, for so many steps.
  MGWS_FN orders private_orders(std::uint32_t burst) {
    return {.head = mine_.local().head(),
            .tail = mine_.local().tail(),
            .burst = burst,
            .share_from = 0,
            .going = true,
            .stocked = false,
            .shares = false,
            .reloads = mine_.has_claimed()};
  }
  MGWS_FN orders give_orders(bool going) {
    return {.head = mine_.local().head(),
            .tail = mine_.local().tail(),
            .burst = mine_.grain().burst(),
            .share_from = mine_.share_from(),
            .going = going,
            .stocked = !mine_.public_looks_empty(),
            .shares = mine_.shares_now(),
            .reloads = false};
  }

  typename B::group group_;
  const V& view_;
  const run_parameters& run_;
  place_in_run place_;
  typename C::statistics statistics_;
  signals<C> host_;
  holdings<C> mine_;
  search<C> search_;
  typename C::accumulators* result_;
  const decltype(queue_head<B>::word)* own_word_;  ///< looked at often
  std::uint64_t executed_ = 0;
  // Of the static baseline: what is left of its share, and whether it takes single slots.
  std::uint64_t next_ = 0;
  std::uint64_t end_ = 0;
  bool one_at_a_time_ = false;
  bool balanced_;
};

}  // namespace mgws
