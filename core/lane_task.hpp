/// \file
/// A worker of several lanes as one lane of a task sees it (task_worker.hpp). Held in registers,
/// one a lane, while tasks run.
///
/// Lanes that spawn together reserve their places with one operation and write side by side. What
/// the local queue has no room for goes on into the spill area, each lane still knowing its place.
#pragma once

#include <cstdint>

#include <mgws/core/frames.hpp>
#include <mgws/core/purse.hpp>
#include <mgws/core/ring.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/core/task_worker.hpp>
#include <mgws_port.hpp>

namespace mgws {

template <class C>
class lane_worker;

/// Of finishes. A base, because compilers make other code of a struct that has an empty member.
template <class Tasks>
struct kept_of_finish {};
template <class Tasks>
  requires(Tasks::has_finish)
struct kept_of_finish<Tasks> {
  lane_purse purse{};
};

/// Of finishes and joins. What is not inlined takes it and gives it back by value: whose address
/// is handed on, a compiler keeps in memory, also between.
template <class C>
struct books_of_lane : kept_of_finish<typename C::tasks> {
  [[no_unique_address]] frames_of_lane<typename C::tasks> frames{};
};
/// What a lane keeps from task to task.
template <class C>
struct kept_by_lane : books_of_lane<C> {
  typename C::accumulators accumulated{};
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
};
template <class Team>
struct lanes_of_task<Team, shape::block> {
  [[nodiscard]] MGWS_FN static std::uint32_t lane() { return Team::lane(); }
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t lanes() { return Team::k_lanes; }
  MGWS_FN static void sync() { Team::sync(); }
  [[nodiscard]] MGWS_FN static bool any(bool p) { return Team::any(p); }
};

/// \tparam C      a configuration (worker_base.hpp)
/// \tparam Width  the width of the task that runs
template <class C, shape Width>
class lane_task
    : public task_worker<lane_task<C, Width>, C, lanes_of_task<typename C::backend::team, Width>> {
  using team = typename C::backend::team;
  using slot_type = slot<typename C::tasks>;
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
  template <class T>
  using runs = lane_task<C, C::tasks::template width<T>>;

  [[nodiscard]] MGWS_FN static auto& signals_of_worker() { return lane_worker<C>::leader().host(); }
  [[nodiscard]] MGWS_FN static const auto& place() { return lane_worker<C>::leader().place(); }
  [[nodiscard]] MGWS_FN static const auto& parameters() {
    return lane_worker<C>::leader().parameters();
  }

  using books = books_of_lane<C>;
  [[nodiscard]] MGWS_FN static frames<C> frames_of(books& mine) {
    return {lane_worker<C>::leader().mine().view(), parameters(), place(), mine.frames};
  }
  [[nodiscard]] MGWS_FN frames<C> frames_of_run() { return frames_of(kept_); }

  // ---- Finishes ----

  [[nodiscard]] MGWS_FN static purse<C> purse_of(books& mine) {
    return {frames_of(mine), mine.purse};
  }
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
    if constexpr (C::tasks::has_finish) kept_.purse.take(n, [&] { purse_of(kept_).draw(n); });
  }
  /// Before an instance of a task of that finish begins, which is one for all lanes that run it.
  MGWS_FN void begin(finish_type finish) {
    if constexpr (C::tasks::has_finish) {
      if (finish != kept_.purse.finish)
        static_cast<books&>(kept_) = changed(kept_, finish, local_, tail_);
      if (interface::lane() == 0) kept_.purse.put(1);
    }
  }
  [[nodiscard]] [[gnu::noinline]] MGWS_FN static books changed(books mine, finish_type finish,
                                                               ring<slot_type> local,
                                                               std::uint32_t tail) {
    static_cast<void>(
        purse_of(mine).change(finish, [&](auto&& fill) { push_slot_to(local, tail, fill); }));
    return mine;
  }
  /// Without work.
  [[nodiscard]] MGWS_FN static books settled(books mine, ring<slot_type> local,
                                             std::uint32_t tail) {
    static_cast<void>(purse_of(mine).settle([&](auto&& fill) { push_slot_to(local, tail, fill); }));
    return mine;
  }

  template <class T>
  MGWS_FN void push(const T& t, std::uint32_t count) {
    take_tokens(count);
    push_below(t, count, finish_of_task());
  }
  template <class T>
  MGWS_FN void push_below(const T& t, std::uint32_t count, finish_type finish) {
    push_slot([&](slot_type& s) { s.template write<T>(t, 0, count, finish); });
  }
  template <class Fill>
  MGWS_FN void push_slot(Fill&& fill) {
    push_slot_to(local_, tail_, fill);
  }
  template <class Fill>
  MGWS_FN static void push_slot_to(const ring<slot_type>& local, std::uint32_t tail, Fill&& fill) {
    const std::uint32_t at = C::backend::reserve(team::counter(), 1);
    if (at - tail < local.capacity()) {
      fill(local.at(at));
    } else {
      slot_type s;
      fill(s);
      lane_worker<C>::overflow(at - tail - local.capacity(), s);
    }
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
