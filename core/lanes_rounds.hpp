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

 public:
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
