/// \file
/// What a step of a worker of several lanes takes (lanes.hpp): slots of which type, which of them,
/// and whose instance each unit gets.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/deal.hpp>
#include <mgws/core/lane_task.hpp>
#include <mgws/core/ring.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/core/widths.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Every function is collective.
/// \tparam C  a configuration (worker_base.hpp) whose backend is a team_backend
template <class C>
class lanes_dealing {
  using team = typename C::view::backend::team;
  using tasks = typename C::tasks;
  using slot_type = slot<tasks>;
  using header = typename slot_type::header;

 public:
  template <class T>
  static constexpr std::uint32_t k_units = widths<C>::units(tasks::template width<T>);
  /// The number of the calling lane's unit.
  template <class T>
  [[nodiscard]] MGWS_FN static std::uint32_t unit() {
    return team::lane() / (team::k_lanes / k_units<T>);
  }

  /// What is dealt, as one lane sees it.
  struct hand {
    const slot_type* from;  ///< the slot with the task of the lane's unit
    task_index instance;    ///< of that task
    std::uint32_t total;    ///< instances that run: units from this on have none
    std::uint32_t popped;   ///< slots that are used up by that
    std::uint32_t rest;     ///< if none is: instances that are left in the newest one
  };

  /// The newest slot's type. But continuations come ready a few at a time: they wait for each other
  /// while, of as many of the newest slots as there are lanes, more are of another type.
  /// \param mine  the type of the slot that is as far from the newest as this lane
  [[nodiscard]] MGWS_FN static std::uint32_t most_urgent(std::uint32_t mine) {
    std::uint32_t type = team::from_first(mine);
    bool waits = false;
    if constexpr (tasks::has_continuations)
      tasks::with_type(type,
                       [&]<class T>() { waits = k_by_lanes<T> && detail::is_continuation<T>(); });
    if (!waits) return type;
    std::uint32_t most = team::count(mine == type);
    for (std::uint32_t t = 0; t != tasks::size; ++t) {
      bool by_lanes = false;
      tasks::with_type(t, [&]<class T>() { by_lanes = k_by_lanes<T>; });
      const std::uint32_t n = by_lanes ? team::count(mine == t) : 0;
      if (n <= most) continue;
      most = n;
      type = t;
    }
    return type;
  }

  /// Deals instances of the newest slots of a type. What a slot has beyond them stays in it; slots
  /// that are used up are still to be popped, and to be read before anything is spawned.
  /// \param head, size  of the local queue, which is not empty
  /// \param type_here   of the slot that is as far from the newest as this lane, if there are
  ///                    several types
  template <class T>
  [[nodiscard]] MGWS_FN static hand deal(const ring<slot_type>& local, std::uint32_t head,
                                         std::uint32_t size,
                                         [[maybe_unused]] std::uint32_t type_here) {
    constexpr std::uint32_t units = k_units<T>;
    std::uint32_t offering = std::min(size, units);  // slots, from the newest
    if constexpr (tasks::size > 1 && units > 1)
      offering = gather(local, head,
                        team::lane() < offering && type_here == tasks::template index<T>, offering);
    if constexpr (!bulk_task<T, lane_task<C, tasks::template width<T>>>) {
      // A slot is an instance: a unit's is the one as far from the newest as the unit from the
      // first.
      team::sync();  // every lane has read what the step before counted
      return {&local.at(head - 1 - unit<T>()), 0, offering, offering, 0};
    } else if constexpr (units == 1) {
      slot_type& newest = local.at(head - 1);
      const header n = newest.read_header();
      team::sync();  // every lane has read the header
      if (n.count() != 1 && team::lane() == 0) newest.write_header(n.without_first());
      return {&newest, n.first(), 1, n.count() == 1 ? 1u : 0u, n.count() - 1};
    } else {
      slot_type& mine = local.at(head - 1 - team::lane());
      header m{};
      if (team::lane() < offering) m = mine.read_header();
      const shares s = team::deal(std::min(m.count(), units), m.count(), units, unit<T>());
      const slot_type& from = local.at(head - 1 - s.mine.segment);
      const task_index instance = from.read_header().first() + s.mine.offset;
      const std::uint32_t rest =
          s.used_up == 0 ? local.at(head - 1).read_header().count() - units : 0;
      team::sync();  // every lane has read the headers
      if (s.taken != 0 && s.taken < m.count()) mine.write_header(m.without_first(s.taken));
      return {&from, instance, std::min(s.total, units), s.used_up, rest};
    }
  }

 private:
  template <class T>
  static constexpr bool k_by_lanes = k_units<T> == team::k_lanes;

  /// Moves those of the n newest slots that fit, one of which each of n lanes knows, before the
  /// others if they are not. Both keep their order. \return how many fit
  [[nodiscard]] MGWS_FN static std::uint32_t gather(const ring<slot_type>& local,
                                                    std::uint32_t head, bool fits,
                                                    std::uint32_t n) {
    const std::uint32_t all = team::count(fits);
    if (team::any(fits && team::lane() >= all)) move_ahead(local, head, fits, all, n);
    return all;
  }
  MGWS_FN static void move_ahead(const ring<slot_type>& local, std::uint32_t head, bool fits,
                                 std::uint32_t all, std::uint32_t n) {
    const std::uint32_t before = team::prefix_sum(fits ? 1 : 0).before;
    const std::uint32_t place = fits ? before : all + (team::lane() - before);
    const bool inside = team::lane() < n;
    // Of every lane: a value that only some have would be kept in memory from step to step.
    const slot_type s = local.at(head - 1 - team::lane());
    team::sync();
    if (inside) local.at(head - 1 - place) = s;
    team::sync();
  }
};

}  // namespace mgws
