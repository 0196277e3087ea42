/// \file
/// Rounds of a step (lanes.hpp): where one slot of very many instances gives all lanes their work
/// again and again, nothing has to be dealt between two of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/lane_task.hpp>
#include <mgws/core/lanes_burst.hpp>
#include <mgws/core/lanes_dealing.hpp>
#include <mgws/core/lanes_in_common.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Every function is collective.
/// \tparam C  a configuration (worker_base.hpp) whose backend is a team_backend
template <class C>
class lanes_rounds : lanes_in_common<C> {
  using common = lanes_in_common<C>;
  using common::leader, common::local_slots;
  using B = typename C::view::backend;
  using team = typename B::team;
  using tasks = typename C::tasks;
  using slot_type = slot<tasks>;
  using context_type = typename C::context;
  using dealing = lanes_dealing<C>;
  using hand = typename dealing::hand;
  using hot = lanes_burst<C>;
  static constexpr std::uint32_t k_warps = team::k_lanes / team::k_warp_lanes;

 public:
  /// Whether the warps of a worker take rounds each by itself.
  template <class T>
  static constexpr bool k_by_warps = k_warps != 1 && dealing::template k_units<T> != 1;

  /// Runs what the units were dealt. Where the newest slot gave it all and has enough for all units
  /// again, that as well, round after round, until something was spawned, it is time to look around
  /// or the burst ends. What has not begun is in the queue all the while; what has is taken out of
  /// the slot when the rounds are over.
  /// \param rest  instances that the newest slot has left; 0 if it is not to be gone on with
  /// \return instances that have run besides those that were dealt
  template <class Task, class T>
  MGWS_FN static std::uint32_t run_rounds(const T& t, const hand& dealt, std::uint32_t rest,
                                          finish_of<tasks> below, const context_type& context,
                                          kept_by_lane<C>& kept, hot& h) {
    constexpr std::uint32_t units = dealing::template k_units<T>;
    task_index instance = dealt.instance;
    std::uint32_t rounds = 1;
    for (;; ++rounds) {
      run_one<Task>(t, dealt, instance, below, context, kept, h);
      if (rest < units || rounds == h.left) break;
      team::sync();  // the clock is read, and what was spawned is counted, when all have ended
      if (team::any(B::ticks() - h.looked > h.look_ticks || team::counter() != h.head)) break;
      instance += units;
      rest -= units;
      if (rest == 0) pop_newest(h);
    }
    h.left -= rounds;
    const std::uint32_t more = (rounds - 1) * units;
    if (rounds != 1) [[unlikely]]
      take_from_newest(rest == 0 ? 0 : more, h.head);
    return more;
  }
  /// The same where a worker is several warps, of which none waits for the others: each takes what
  /// all its lanes run once, again and again. The slot keeps a step's worth, which is dealt next.
  template <class Task, class T>
  MGWS_FN static std::uint32_t run_rounds_by_warps(const T& t, const hand& dealt,
                                                   std::uint32_t rest, finish_of<tasks> below,
                                                   const context_type& context,
                                                   kept_by_lane<C>& kept, hot& h) {
    constexpr std::uint32_t units = dealing::template k_units<T>;
    constexpr std::uint32_t of_warp = units / k_warps;
    const std::uint32_t unit = dealing::template unit<T>();
    const std::uint32_t most =
        rest <= units ? 0 : std::min((rest - units) / of_warp * of_warp, (h.left - 1) * units);
    const task_index first = dealt.instance - unit + units;
    task_index instance = dealt.instance;
    for (;;) {
      run_one<Task>(t, dealt, instance, below, context, kept, h);
      if (most == 0) break;
      team::sync_warp();  // the clock is read when all lanes of the warp have ended
      std::uint32_t at = most;
      if (team::lane() % team::k_warp_lanes == 0 && B::ticks() - h.looked <= h.look_ticks &&
          B::reserve(team::counter(), 0) == h.head)
        at = B::reserve(leader().taken_by_warps(), of_warp);
      at = team::broadcast_in_warp(at, 0);
      if (at >= most) break;
      instance = first + at + unit % of_warp;
    }
    std::uint32_t more = 0;
    if (most != 0) {
      team::sync();
      more = std::min(leader().taken_by_warps(), most);
      take_from_newest(more, h.head);
    }
    h.left -= 1 + (more + units - 1) / units;
    return more;
  }
  /// Before anything is spawned by the last of its instances. All lanes have read its task.
  MGWS_FN static void pop_newest(hot& h) {
    --h.head;
    ++h.slots;
    if (team::lane() == 0) team::counter() = h.head;
    team::sync();
  }

 private:
  template <class Task, class T>
  MGWS_FN static void run_one(const T& t, const hand& dealt, task_index instance,
                              finish_of<tasks> below, const context_type& context,
                              kept_by_lane<C>& kept, hot& h) {
    if (dealing::template unit<T>() >= dealt.total) return;
    Task worker(h.local, h.tail, context, kept);
    worker.begin(below);
    run_instance_on_lanes(t, worker, instance);
  }
  /// Takes the first n instances out of the newest slot. Apart: trees, which run one round, would
  /// pay for its instructions (docs/tuning.md).
  [[gnu::noinline]] MGWS_FN static void take_from_newest(std::uint32_t n, std::uint32_t head) {
    if (n == 0 || team::lane() != 0) return;
    slot_type& newest = local_slots().at(head - 1);
    newest.write_header(newest.read_header().without_first(n));
  }
};

}  // namespace mgws
