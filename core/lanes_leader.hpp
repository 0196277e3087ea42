/// \file
/// What the leader of a worker of several lanes does between the steps of its lanes (lanes.hpp):
/// finds work, shares it, looks at the clock and at the stop request. One lane runs all of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <mgws/core/purse.hpp>
#include <mgws/core/worker_base.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// \tparam C  a configuration (worker_base.hpp) whose backend is a team_backend
template <class C>
class lanes_leader : public worker_base<C> {
  using base = worker_base<C>;
  using V = typename C::view;
  using B = typename V::backend;
  using base::host_, base::mine_, base::search_;

 public:
  /// What the lanes need to know to go on.
  struct plan {
    std::uint32_t head;        ///< of the local queue
    std::uint32_t tail;        ///< of the local queue
    std::uint32_t burst;       ///< steps to run before the leader is asked again
    std::uint32_t share_from;  ///< slots behind a step from which on it is asked to share
    std::uint32_t look_ticks;  ///< of the near clock, from one look around to the next
    bool going;                ///< false: the run is over or stops
    bool wanted;               ///< others may want some
    bool stocked;              ///< the public queue has something
    bool may_top_up;           ///< asked for: there may be more to be had for lanes that are free
  };

  using base::base;

  /// Looks around in k_delta_ns, and in a coarse step.
  static constexpr std::uint32_t k_delta_looks = policy::k_delta_ns / policy::k_look_ns;
  static constexpr std::uint32_t k_coarse_looks =
      policy::k_coarse * B::hand_over_ns / policy::k_look_ns;

  [[nodiscard]] MGWS_FN typename C::accumulators* result() const { return base::result_; }
  /// Whether the own public queue has nothing to steal, by a look.
  [[nodiscard]] MGWS_FN bool public_seems_empty() const {
    using P = typename C::protocol;
    return available<P>(mine_.public_head(), V::queue_scope) == 0;
  }
  /// Slots behind a step from which on it is asked to share, where nothing is public.
  [[nodiscard]] MGWS_FN std::uint32_t share_from() const {
    if (!mine_.later().empty()) return 0;
    return mine_.slots_of(mine_.pace().full()) + 1;
  }
  /// For statistics: a step had tasks for so many lanes.
  MGWS_FN void used_lanes(std::uint32_t n) { lanes_ += n; }
  /// The same, over so many pieces of resumable tasks, of which one is a step.
  MGWS_FN void used_lanes(std::uint32_t n, std::uint32_t pieces) {
    lanes_ += n;
    pieces_ += pieces - 1;
  }

  /// Looks for work. \pre nothing is local \return if lanes owe tokens it may go on with nothing:
  /// then they are to give them back, and to ask again
  /// \tparam Resumable  whether tasks of the set are
  /// \param lanes_owe  whether any lane has tokens of a finish
  template <bool Resumable>
  MGWS_FN plan find_work(bool lanes_owe) {
    mine_.local().restart();
    base::publish_holdings();
    const bool going =
        search_.find_work([&] { return lanes_owe; }) == search<C>::found::work && !host_.stopping();
    if (going && !(lanes_owe && mine_.local().empty())) {
      host_.enter(phase::working);
      begin_burst();
      // Of what was stolen: the oldest there is.
      if (search_.serve([&] { return clock_ns_; })) begin_burst();
    }
    plan o = make_plan(going);
    if constexpr (Resumable) o.may_top_up = mine_.may_top_up();
    return o;
  }

  /// Ends a burst of so many steps, at least one, in which so many instances ran on so many lanes
  /// and so many slots were used up. If nothing is left, goes on with more initial slots, if there
  /// are any and nothing newer waits.
  MGWS_FN plan end_burst(std::uint32_t head, std::uint32_t tail, std::uint32_t steps,
                         std::uint32_t ran, std::uint32_t lanes, std::uint32_t slots) {
    moved(head, tail);
    mine_.took(slots, slots + growth_, lanes);
    return close_burst(static_cast<float>(steps), ran, steps);
  }

  /// The same where tasks are resumable. \param ran  instances that ended, maybe none; `lanes` are
  /// theirs
  /// \param as_if   the steps that would have been if none had gone on
  /// \param begun   slots that went back
  /// \param short_of  whether what is local is less than a step
  MGWS_FN plan end_burst_of_pieces(std::uint32_t head, std::uint32_t tail, std::uint32_t steps,
                                   std::uint32_t ran, std::uint32_t lanes, std::uint32_t slots,
                                   float as_if, std::uint32_t begun, bool short_of) {
    moved(head, tail);
    mine_.took(slots - std::min(slots, begun), slots + growth_ - begun, std::max(lanes, 1u));
    if (ran == 0) host_.beat(B::now());
    if (short_of && !mine_.local().empty() && !mine_.top_up() && search_.steal_below())
      mine_.top_up();
    plan o = close_burst(as_if, ran, steps + std::exchange(pieces_, 0u));
    o.may_top_up = mine_.may_top_up();
    return o;
  }

  /// Makes room for so many spawns, and shares what is local, if it will last.
  /// \param popped  slots above the head that the step which is to come has taken and not read yet
  MGWS_FN plan share(std::uint32_t head, std::uint32_t tail, std::uint32_t popped,
                     std::uint32_t room) {
    moved(head, tail, popped);
    const std::uint64_t since = B::now();
    if (mine_.local().room() < room) mine_.make_room(room);
    const bool worth = mine_.lasts_too_long();
    if (worth) mine_.share();
    plan o = make_plan(true);
    if (!worth) o.share_from = mine_.local().size() + 1;
    mine_.pace().exclude(B::now() - since);
    return o;
  }

  /// Makes everything stealable, while a task runs.
  MGWS_FN plan release(std::uint32_t head, std::uint32_t tail) {
    moved(head, tail);
    host_.beat(B::now());
    mine_.share_all_but(0, true);
    return make_plan(true);
  }

  /// So many slots have been written behind the newest of the spill area.
  MGWS_FN plan take_spilled(std::uint32_t head, std::uint32_t tail, std::uint32_t n) {
    moved(head, tail);
    growth_ += n;
    mine_.spilled_newest(n);
    return make_plan(true);
  }

  /// For statistics: additions to finishes, by all lanes.
  MGWS_FN bool added_to_finishes(std::uint32_t n) {
    base::statistics_.count(&worker_counts::finish_adds, n);
    return true;
  }

  MGWS_FN bool finish() {
    base::leave(executed_);
    return true;
  }

 private:
  MGWS_FN plan close_burst(float steps, std::uint32_t ran, std::uint32_t counted) {
    growth_ = 0;
    const std::uint64_t now = B::now();
    mine_.pace().ran(steps, now);
    set_near_clock(now);
    executed_ += ran;
    base::statistics_.stepped(counted, std::exchange(lanes_, 0u));
    host_.executed(executed_);
    const bool going = !host_.stopping();
    // To read the clock takes as long as some steps.
    if (going && search_.serve([&] { return now; })) mine_.pace().exclude(B::now() - now);
    if (going && mine_.local().empty()) {
      mine_.local().restart();
      mine_.load_more();
      begin_burst();
    }
    return make_plan(going);
  }
  MGWS_FN void begin_burst() {
    clock_ns_ = B::now();
    clock_ticks_ = B::ticks();
    mine_.pace().begins(clock_ns_);
  }
  /// How fast the near clock counts, by what it counted since this was last found out.
  MGWS_FN void set_near_clock(std::uint64_t now) {
    const auto ns = static_cast<float>(now - clock_ns_);
    if (ns < policy::k_clock_ns) return;
    const std::uint32_t ticks = B::ticks();
    look_ticks_ = static_cast<std::uint32_t>(static_cast<float>(ticks - clock_ticks_) *
                                             (policy::k_look_ns / ns));
    clock_ns_ = now;
    clock_ticks_ = ticks;
  }
  /// The lanes have used up and spawned slots: here is where the local queue's ends are now.
  MGWS_FN void moved(std::uint32_t head, std::uint32_t tail, std::uint32_t popped = 0) {
    growth_ += head - mine_.local().head();
    mine_.local().moved(head, tail, popped);
    mine_.later().settle();
  }
  MGWS_FN plan make_plan(bool going) {
    // Where others want nothing, the look at the clock is what ends a burst that takes too long.
    const auto& pace = mine_.pace();
    const bool wanted = mine_.wanted();
    return {.head = mine_.local().head(),
            .tail = mine_.local().tail(),
            // Whether others want some is asked again soon.
            .burst = !mine_.shares() || (wanted && !pace.coarse()) ? B::longest_burst : pace.full(),
            .share_from = share_from(),
            .look_ticks = look_ticks_ * (wanted           ? 1
                                         : mine_.shares() ? k_delta_looks
                                                          : k_coarse_looks),
            .going = going,
            .wanted = wanted,
            .stocked = !mine_.public_looks_empty(),
            .may_top_up = false};
  }

  std::uint64_t executed_ = 0;
  std::uint32_t growth_ = 0;    ///< in this burst, by what was spawned less what was used up
  std::uint32_t lanes_ = 0;     ///< that ran something in this burst, by step
  std::uint32_t pieces_ = 0;    ///< of resumable tasks in this burst, but one a step
  std::uint64_t clock_ns_ = 0;  ///< when the near clock was last compared with the other one
  std::uint32_t clock_ticks_ = 0;
  std::uint32_t look_ticks_ = 0;  ///< policy::k_look_ns of the near clock
};

}  // namespace mgws
