/// \file
/// What the lanes of a worker (lanes.hpp) have in common while tasks run: its leader, and where
/// what they spawn goes.
#pragma once

#include <cstdint>

#include <mgws/core/elsewhere.hpp>
#include <mgws/core/frames.hpp>
#include <mgws/core/lanes_leader.hpp>
#include <mgws/core/purse.hpp>
#include <mgws/core/ring.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Functions that any lane may call, alone or with others.
/// \tparam C  a configuration (worker_base.hpp) whose backend is a team_backend
template <class C>
class lanes_in_common {
  using B = typename C::view::backend;
  using team = typename B::team;
  using slot_type = slot<typename C::tasks>;
  using leader_type = lanes_leader<C>;
  using purse_type = purse_of_lane<typename C::tasks>;

 public:
  [[nodiscard]] MGWS_FN static leader_type& leader() {
    return *team::template object<leader_type>();
  }

  /// Keeps a spawned slot that did not fit the local queue, the n-th such of this step.
  [[gnu::noinline]] MGWS_FN static void overflow(std::uint32_t n, const slot_type& s) {
    const auto& spill = leader().mine().spilled();
    if (n < spill.room()) {
      spill.slots().at(spill.head() + n) = s;
    } else {
      leader().host().report(
          failure::out_of_space,
          std::uint64_t{leader().parameters().spill_capacity} + n + 1 - spill.room());
    }
  }

  /// Adds a slot of a task that can only run elsewhere, or goes home.
  template <class Fill>
  MGWS_FN static void push_away(Fill&& fill) {
    if (!leader().mine().later().away().push_if_room(fill))
      leader().host().report(failure::out_of_space, leader().mine().later().room_for_more_away());
  }

  /// The calling lane's purse once it has drawn tokens for n instances, or given back all that it
  /// has, which may add what comes after a finish to the local queue. By value, so that lanes can
  /// keep theirs in registers.
  [[nodiscard]] [[gnu::noinline]] MGWS_FN static purse_type drawn(purse_type mine,
                                                                  std::uint32_t n) {
    lane_frames none;
    purse<C>(frames_of(none), mine).draw(n);
    return mine;
  }
  [[nodiscard]] [[gnu::noinline]] MGWS_FN static purse_type given_back(purse_type mine,
                                                                       std::uint32_t tail) {
    lane_frames none;  // a frame that a finish leaves is not kept
    static_cast<void>(purse<C>(frames_of(none), mine).settle([&](auto&& fill) {
      push_ready(local_slots(), tail, fill);
    }));
    return mine;
  }
  /// Adds a slot, which fill(slot) completes.
  template <class Fill>
  MGWS_FN static void push_slot(const ring<slot_type>& local, std::uint32_t tail, Fill&& fill) {
    const std::uint32_t at = B::reserve(team::counter(), 1);
    if (at - tail < local.capacity()) {
      fill(local.at(at));
    } else {
      slot_type s;
      fill(s);
      overflow(at - tail - local.capacity(), s);
    }
  }
  /// Adds a continuation whose parts have come.
  template <class Fill>
  MGWS_FN static void push_ready(const ring<slot_type>& local, std::uint32_t tail, Fill&& fill) {
    using places = elsewhere<typename C::view, typename C::tasks>;
    if constexpr (places::k_any && C::tasks::has_affinity) {
      slot_type s;
      fill(s);
      const auto move = [&](slot_type& to) { to = s; };
      if (places::must_leave(leader().parameters(), s)) return push_away(move);
      push_slot(local, tail, move);
    } else {
      push_slot(local, tail, fill);
    }
  }

  /// Collective: the values of all lanes, for lane 0.
  template <class Values>
  [[nodiscard]] MGWS_FN static Values over_lanes(const Values& mine) {
    return team::reduce(mine, [](Values a, const Values& b) {
      a.merge(b);
      return a;
    });
  }

  [[nodiscard]] MGWS_FN static frames<C> frames_of(lane_frames& of) {
    return {leader().mine().view(), leader().parameters(), leader().place(), of, leader().sent()};
  }
  [[nodiscard]] MGWS_FN static ring<slot_type> local_slots() {
    return {static_cast<slot_type*>(team::local_memory()), leader().parameters().local_capacity};
  }
};

}  // namespace mgws
