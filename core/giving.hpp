/// \file
/// What a worker gives to another coherence domain (bridge.hpp) of the tasks that it holds.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/holdings.hpp>
#include <mgws/core/queues.hpp>
#include <mgws/core/ring.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/core/widths.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Functions of the holdings that they are given, and no object: a reference to one more would lie
/// in memory beside them.
/// \tparam C  a configuration (worker_base.hpp)
template <class C>
class giving {
  using P = typename C::protocol;
  using V = typename C::view;
  using B = typename V::backend;
  using slot_type = slot<typename C::tasks>;

 public:
  /// Hands out up to half of what is at hand, the oldest that is within reach, and never what may
  /// be the last. \param most  instances, at least 1 \param room  slots
  /// \param put  put(from, at, n): copies n slots of a ring from a position on \return slots
  template <class Put>
  [[gnu::noinline]] MGWS_FN static std::uint32_t give(holdings<C>& mine, std::uint32_t most,
                                                      std::uint32_t room, Put&& put) {
    auto& local = mine.local_;
    const std::uint32_t n = room == 0 ? 0 : take_back(mine);
    std::uint32_t given = 0;
    if (n != 0) {
      const std::uint32_t from = local.head() - n;
      while (given != std::min(n, room) && most != 0)
        most -= std::min(most, count_at(mine, from + given++));
      put(local.slots(), from, given);
      for (std::uint32_t i = given; i != n; ++i)
        local.slots().at(from + i - given) = local.slots().at(from + i);
      local.took_newest(given);
    } else {
      const std::uint32_t ready = std::min(room, make_ready(mine, most));
      while (given != ready && most != 0)
        most -= std::min(most, count_at(mine, local.tail() + given++));
      put(local.slots(), local.tail(), given);
      local.took_oldest(given);
    }
    mine.statistics_.count(&worker_counts::slots_given, given);
    return given;
  }

 private:
  [[nodiscard]] MGWS_FN static std::uint32_t count_at(const holdings<C>& mine,
                                                      std::uint32_t position) {
    return mine.local_.slots().at(position).read_header().count();
  }
  /// Takes the oldest half of what is public back, as a thief does, behind the newest.
  /// \return slots of these that are not the last
  MGWS_FN static std::uint32_t take_back(holdings<C>& mine) {
    const std::uint32_t left = available<P>(mine.public_.head(), V::queue_scope);
    // Nobody else publishes there: what is left does not become more.
    if (!mine.shares_ || mine.run_.owners != 1 || left == 0 || left > mine.local_.room()) return 0;
    const bool more = !mine.local_.empty();
    std::uint32_t n = 0;
    static_cast<void>(steal<P, B, slot_type>(
        mine.public_.head(), mine.public_.slots(), mine.local_, V::queue_scope, true, [] {}, [] {},
        n));
    mine.statistics_.count(&worker_counts::acquires);
    mine.statistics_.count(&worker_counts::slots_acquired, n);
    return n != 1 || more || left != 1 ? n : 0;
  }
  /// Sees to it that the oldest local slot stands for about that many instances, in whole steps, if
  /// it stands for more. \return of the local slots, those that may be given: half
  MGWS_FN static std::uint32_t make_ready(holdings<C>& mine, std::uint32_t most) {
    auto& local = mine.local_;
    if (local.size() < 2) mine.load_initial();
    if (local.size() < 2) mine.refill();
    if (local.size() < 2) mine.refill_later();
    if (local.size() == 1) local.split_oldest(1, 2, &widths<C>::log_units);
    if (local.empty()) return 0;
    const std::uint32_t n = local.size() == 1 && !mine.initial_.exhausted() ? 1 : local.size() / 2;
    const auto h = local.oldest().read_header();
    const std::uint32_t step = 1u << widths<C>::log_units(h.type());
    const std::uint32_t whole = (most + step - 1) & ~(step - 1);
    if (n != 0 && h.count() > whole && local.room() != 0) local.cut_oldest(whole);
    return n;
  }
};

}  // namespace mgws
