/// \file
/// A worker of several lanes as one lane of a task sees it (task_worker.hpp). Held in registers,
/// one a lane, while tasks run.
///
/// Lanes that spawn together reserve their places with one operation and write side by side. What
/// the local queue has no room for goes on into the spill area, each lane still knowing its place.
#pragma once

#include <cstdint>

#include <mgws/core/elsewhere.hpp>
#include <mgws/core/frames.hpp>
#include <mgws/core/lanes_in_common.hpp>
#include <mgws/core/purse.hpp>
#include <mgws/core/ring.hpp>
#include <mgws/core/scratch.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/core/task_worker.hpp>
#include <mgws_port.hpp>

namespace mgws {

template <class C>
class lane_worker;
template <class C>
class lanes_rounds;

/// Of finishes. A base, because compilers make other code of a struct that has an empty member.
template <class Tasks>
struct kept_of_finish {};
template <class Tasks>
  requires(Tasks::has_finish)
struct kept_of_finish<Tasks> {
  purse_of_lane<Tasks> purse{};
};

/// What a lane keeps from task to task.
template <class C>
struct kept_by_lane : kept_of_finish<typename C::tasks> {
  typename C::accumulators accumulated{};
  [[no_unique_address]] frames_of_lane<typename C::tasks> frames{};
};

/// The lanes of a team that run one task of a width together.
template <class Team, shape Width>
struct lanes_of_task : one_lane {};
template <class Team>
struct lanes_of_task<Team, shape::warp> {
  [[nodiscard]] MGWS_FN static std::uint32_t lane() { return Team::lane() % Team::k_warp_lanes; }
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t lanes() { return Team::k_warp_lanes; }
  MGWS_FN static void sync() { Team::sync_warp(); }
  [[nodiscard]] MGWS_FN static bool any(bool p) { return Team::any_of_warp(p); }
  [[nodiscard]] MGWS_FN static std::uint32_t first(bool p) { return Team::first_of_warp(p); }
  template <class T>
  [[nodiscard]] MGWS_FN static T broadcast(const T& v, std::uint32_t from) {
    return Team::broadcast_in_warp(v, from);
  }
  template <class T, class Combine>
  [[nodiscard]] MGWS_FN static T reduce(const T& v, Combine&& combine) {
    return broadcast(Team::reduce_warp(v, combine), 0);
  }
};
template <class Team>
struct lanes_of_task<Team, shape::block> {
  [[nodiscard]] MGWS_FN static std::uint32_t lane() { return Team::lane(); }
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t lanes() { return Team::k_lanes; }
  MGWS_FN static void sync() { Team::sync(); }
  [[nodiscard]] MGWS_FN static bool any(bool p) { return Team::any(p); }
  [[nodiscard]] MGWS_FN static std::uint32_t first(bool p) {
    return reduce(p ? lane() : lanes(),
                  [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; });
  }
  template <class T>
  [[nodiscard]] MGWS_FN static T broadcast(const T& v, std::uint32_t from) {
    return Team::broadcast(v, from);
  }
  template <class T, class Combine>
  [[nodiscard]] MGWS_FN static T reduce(const T& v, Combine&& combine) {
    return broadcast(Team::reduce(v, combine), 0);
  }
};

/// \tparam C      a configuration (worker_base.hpp)
/// \tparam Width  the width of the task that runs
template <class C, shape Width>
class lane_task
    : public task_worker<lane_task<C, Width>, C, lanes_of_task<typename C::backend::team, Width>> {
  using team = typename C::backend::team;
  using slot_type = slot<typename C::tasks>;
  using places = elsewhere<typename C::view, typename C::tasks>;
  using accumulators = typename C::accumulators;
  using finish_type = typename slot_type::finish_type;
  using interface = task_worker<lane_task, C, lanes_of_task<team, Width>>;

 public:
  MGWS_FN lane_task(ring<slot_type> local, std::uint32_t& tail, const typename C::context& context,
                    kept_by_lane<C>& kept)
      : local_(local),
        tail_(tail),
        context_(context),
        accumulated_(kept.accumulated),
        kept_(kept) {}

 private:
  friend interface;
  friend lane_worker<C>;
  friend lanes_rounds<C>;
  template <class T>
  using runs = lane_task<C, C::tasks::template width<T>>;

  [[nodiscard]] MGWS_FN static std::uint32_t lane_of_worker() { return team::lane(); }
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t lanes_of_worker() { return team::k_lanes; }
  [[nodiscard]] MGWS_FN static auto& signals_of_worker() { return lane_worker<C>::leader().host(); }
  [[nodiscard]] MGWS_FN static const auto& place() { return lane_worker<C>::leader().place(); }
  [[nodiscard]] MGWS_FN static const auto& parameters() {
    return lane_worker<C>::leader().parameters();
  }

  [[nodiscard]] MGWS_FN frames<C> frames_of_run() {
    return lanes_in_common<C>::frames_of(kept_.frames);
  }

  // ---- Finishes ----

  /// Below which finish this lane is at work.
  [[nodiscard]] MGWS_FN finish_type finish_of_task() const {
    if constexpr (C::tasks::has_finish) {
      return kept_.purse.finish;
    } else {
      return {};
    }
  }
  /// A token for each of so many new instances.
  MGWS_FN void take_tokens(std::uint32_t n) {
    if constexpr (C::tasks::has_finish)
      kept_.purse.take(n, [&] { kept_.purse = lane_worker<C>::drawn(kept_.purse, n); });
  }
  /// Before an instance of a task of that finish begins, which is one for all lanes that run it.
  MGWS_FN void begin(finish_type finish) {
    if constexpr (C::tasks::has_finish) {
      if (finish != kept_.purse.finish) change_finish(finish);
      if (interface::lane() == 0) kept_.purse.put(1);
    }
  }
  MGWS_FN void change_finish(finish_type finish) {
    settle();
    kept_.purse.enter(finish);
  }
  /// A lane without tokens, of a wide task, has nobody wait for what it keeps.
  template <class A>
  MGWS_FN void gather(typename A::value_type v) {
    if (kept_.purse.finish == 0) return;
    if (kept_.purse.tokens != 0) {
      kept_.purse.gathered.template add<A>(v);
    } else {
      frames_of_run().template gather<A>(kept_.purse.finish - 1, v);
    }
  }
  /// Gives back what tokens there are.
  MGWS_FN void settle() {
    if (kept_.purse.owes()) kept_.purse = lane_worker<C>::given_back(kept_.purse, tail_);
  }

  // ---- Scratch memory ----

  using scratch_area_type =
      scratch_area<typename C::tasks, team::k_lanes, team::k_lanes / team::k_warp_lanes>;

  template <class Wanted>
  [[nodiscard]] MGWS_FN static auto scratch_of_task() {
    auto& area = *team::template object<scratch_area_type>();
    if constexpr (Width == shape::lane) {
      return area.template of_lane<Wanted>(team::lane());
    } else if constexpr (Width == shape::warp) {
      return area.template of_warp<Wanted>(team::lane() / team::k_warp_lanes);
    } else {
      return area.template of_worker<Wanted>();
    }
  }

  template <class T>
  MGWS_FN void push(const T& t, std::uint32_t count) {
    take_tokens(count);
    push_below(t, count, finish_of_task());
  }
  template <class T>
  MGWS_FN void push_below(const T& t, std::uint32_t count, finish_type finish) {
    const auto fill = [&](slot_type& s) { s.template write<T>(t, 0, count, finish); };
    if constexpr (places::k_any)
      if (places::must_leave(parameters(), t)) return lane_worker<C>::push_away(fill);
    if constexpr (places::k_levels > 1)
      if (const std::uint32_t level = places::level_of(parameters(), t); level != 0)
        if (lane_worker<C>::leader().mine().later().push(level, fill)) return;
    push_slot(fill);
  }
  /// Between two pieces: an instance that has begun goes back, as the newest slot.
  template <class T>
  MGWS_FN void push_begun(const T& t, task_index instance) {
    take_tokens(1);
    push_slot([&](slot_type& s) { s.template write<T>(t, instance, 1, finish_of_task()); });
  }
  template <class Fill>
  MGWS_FN void push_slot(Fill&& fill) {
    lane_worker<C>::push_slot(local_, tail_, fill);
  }
  /// Adds a slot of a task that goes home.
  template <class Fill>
  MGWS_FN static void push_away(Fill&& fill) {
    lane_worker<C>::push_away(fill);
  }
  MGWS_FN static void came_home() {
    C::backend::reserve(lane_worker<C>::leader().tasks_for_others, 1);
  }
  /// Adds a continuation whose parts have come.
  template <class Fill>
  MGWS_FN void push_ready(Fill&& fill) {
    lane_worker<C>::push_ready(local_, tail_, fill);
  }
  MGWS_FN void share_all() {
    if constexpr (interface::lanes() == team::k_lanes) {
      tail_ = lane_worker<C>::release_within_task(tail_);
    } else {
      interface::heartbeat();
    }
  }

  ring<slot_type> local_;
  std::uint32_t& tail_;
  const typename C::context& context_;
  accumulators& accumulated_;
  kept_by_lane<C>& kept_;
};

}  // namespace mgws
