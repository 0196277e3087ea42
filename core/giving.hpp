/// \file
/// What a worker gives to another coherence domain (bridge.hpp) of the tasks that it holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <mgws/core/affinity.hpp>
#include <mgws/core/elsewhere.hpp>
#include <mgws/core/holdings.hpp>
#include <mgws/core/local_queue.hpp>
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
  using places = elsewhere<V, typename C::tasks>;
  using queue = local_queue<B, slot_type>;
  using sizes = widths<C>;

 public:
  /// Hands out what must or would rather run there; else some of the initial set, while it lasts;
  /// else up to half of what is at hand, the oldest within reach, and never what may be the last.
  /// \param to    a domain
  /// \param most  instances; 0: only what must run there \param spares  whether it may be other
  /// than what must or would rather run there \param room  slots
  /// \param put  a slots_into \return slots
  template <class Put>
  [[gnu::noinline]] MGWS_FN static std::uint32_t give(holdings<C>& mine, std::uint32_t to,
                                                      std::uint32_t most, bool spares,
                                                      std::uint32_t room, Put&& put) {
    std::uint32_t given = 0;
    bool may = spares;
    const bool other_kind = places::is_other(mine.run_, to);
    if constexpr (places::k_any) {
      given = give_waiting(mine, to, most, room, put);
      if (other_kind)
        may = may && given == 0 && (!C::tasks::has_affinity || may_give_of_local(mine));
    }
    if (given == 0 && most != 0 && may) given = give_part(mine, other_kind, most, room, put);
    mine.statistics_.count(&worker_counts::slots_given, given);
    return given;
  }

  /// Whether what a domain that is slower by far were given is likely to keep the run's end
  /// waiting: if what is left of the initial set lasts for less than two grants or a step, or much
  /// more while nobody knows how long a task takes there. Where tasks spawn the run may last
  /// longer: then if it is short so far. (Without a clock, the checker's backend, any time may have
  /// passed.) \param most  instances that it asks for: for one each of its workers, unless those
  /// that it had were short
  template <class Short>
  [[nodiscard]] MGWS_FN static bool would_be_late(const holdings<C>& mine, std::uint32_t most,
                                                  Short&& short_so_far) {
    if constexpr (B::hand_over_ns == 0) return false;
    const run_parameters& run = mine.run_;
    const bool known = most > run.all_workers - run.workers;
    const auto workers = static_cast<float>(run.device[mine.initial_.device()].workers);
    const float steps = static_cast<float>(mine.initial_.left()) * run.steps_of_piece / workers;
    const float lasts_ns = steps * mine.pace_.step_ns();
    constexpr auto grant = static_cast<float>(policy::k_grant_ns);
    constexpr auto many = static_cast<float>(policy::k_unknown_there);
    if (known ? steps >= 1 && lasts_ns >= 2 * grant : steps >= many && lasts_ns >= many * grant)
      return false;
    const bool spawns = mine.spawned_lately_ || !mine.spill_.empty() || !mine.later_.empty();
    return !spawns || short_so_far();
  }

 private:
  template <class Put>
  MGWS_FN static std::uint32_t give_part(holdings<C>& mine, bool other_kind, std::uint32_t most,
                                         std::uint32_t room, Put&& put) {
    if (room == 0) return 0;
    if (const std::uint32_t n = give_initial(mine, most, room, put); n != 0) return n;
    auto& local = mine.local_;
    const std::uint32_t n = take_back(mine);
    if (n == 0) {
      const std::uint32_t may = bring_ahead(mine, other_kind, local.tail(), make_ready(mine));
      if (may != 0) cut_to(local, most);
      return give_oldest(local, std::min(room, may), most, put);
    }
    const std::uint32_t from = local.head() - n;
    const std::uint32_t may = bring_ahead(mine, other_kind, from, n);
    const std::uint32_t given = enough(local, from, std::min(may, room), most);
    put(local.slots(), from, given);
    for (std::uint32_t i = given; i != n; ++i)
      local.slots().at(from + i - given) = local.slots().at(from + i);
    local.took_newest(given);
    return given;
  }
  /// Gives what nobody has claimed of the initial set, as much as was asked for and at most half:
  /// what one worker has is little beside what a domain would like. Not of tasks that may have to
  /// stay.
  template <class Put>
  MGWS_FN static std::uint32_t give_initial(holdings<C>& mine, std::uint32_t most,
                                            std::uint32_t room, Put&& put) {
    if constexpr (C::tasks::has_affinity) return 0;
    auto& local = mine.local_;
    auto& initial = mine.initial_;
    // What is left of a claim is kept where there is room for it.
    if (!initial.are_slots() && initial.claimed()) return 0;
    std::uint32_t given = 0;
    std::uint64_t half = initial.left_as_known() / 2;
    while (most != 0 && given != room && half != 0 && !local.full()) {
      auto some = initial.claim_for_others(most, half, room - given, &sizes::log_units);
      if (some.n == 0) break;
      half -= some.n;
      // Through what is free of the local queue: from there and to there slots are copied fast.
      while (some.n != 0 && given != room) {
        const std::uint32_t n =
            initial.write(local.slots(), local.head(), std::min(local.room(), room - given), some,
                          &sizes::log_units);
        for (std::uint32_t i = 0; i != n; ++i)
          most -= std::min(most, local.slots().at(local.head() + i).read_header().count());
        put(local.slots(), local.head(), n);
        given += n;
      }
      initial.keep(some);
    }
    mine.statistics_.count(&worker_counts::initial_slots, given);
    return given;
  }
  /// Gives of a queue's n oldest slots. \return how many
  template <class Put>
  MGWS_FN static std::uint32_t give_oldest(queue& from, std::uint32_t n, std::uint32_t most,
                                           Put&& put) {
    const std::uint32_t given = enough(from, from.tail(), n, most);
    put(from.slots(), from.tail(), given);
    from.took_oldest(given);
    return given;
  }
  /// How many of n slots stand for so many instances.
  [[nodiscard]] MGWS_FN static std::uint32_t enough(const queue& of, std::uint32_t from,
                                                    std::uint32_t n, std::uint32_t most) {
    std::uint32_t given = 0;
    while (given != n && most != 0)
      most -= std::min(most, of.slots().at(from + given++).read_header().count());
    return given;
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
  /// Sees to it that there are two local slots, if there can be.
  /// \return of the local slots, those that may be given: half
  MGWS_FN static std::uint32_t make_ready(holdings<C>& mine) {
    auto& local = mine.local_;
    if (local.size() < 2) mine.load_initial();
    if (local.size() < 2) mine.refill();
    if (local.size() < 2) mine.refill_later();
    if (local.size() == 1) local.split_oldest(1, 2, &sizes::log_units);
    if (local.empty()) return 0;
    return local.size() == 1 && !mine.initial_.exhausted() ? 1 : local.size() / 2;
  }
  /// Makes the oldest slot stand for about that many instances, in whole steps, if it stands for
  /// more.
  MGWS_FN static void cut_to(queue& of, std::uint32_t most) {
    const auto h = of.oldest().read_header();
    const std::uint32_t step = 1u << sizes::log_units(h.type());
    const std::uint32_t whole = (most + step - 1) & ~(step - 1);
    if (h.count() > whole && of.room() != 0) of.cut_oldest(whole);
  }

  // ---- Of tasks that say where they are to run ----

  /// Of what waits to go.
  template <class Put>
  MGWS_FN static std::uint32_t give_waiting(holdings<C>& mine, std::uint32_t to, std::uint32_t most,
                                            std::uint32_t room, Put&& put) {
    auto& away = mine.later().away();
    if (const std::uint32_t n = bring_ahead_for(mine.run_, away, to); n != 0)
      return give_oldest(away, std::min(room, n), ~std::uint32_t{0}, put);
    if constexpr (places::k_rather) {
      if (!places::is_other(mine.run_, to)) return 0;
      auto& rather = mine.later().of_level(places::k_levels - 1);
      if (rather.empty() || most == 0 || room == 0) return 0;
      cut_to(rather, most);
      return give_oldest(rather, std::min(room, rather.size()), most, put);
    }
    return 0;
  }
  /// Moves those that go to a domain before the others. \return how many
  MGWS_FN static std::uint32_t bring_ahead_for(const run_parameters& run, queue& away,
                                               std::uint32_t to) {
    const auto slots = away.slots();
    std::uint32_t n = 0;
    for (std::uint32_t i = 0; i != away.size(); ++i)
      if (places::goes_to(run, slots.at(away.tail() + i), to))
        std::swap(slots.at(away.tail() + i), slots.at(away.tail() + n++));
    return n;
  }
  /// Whether some of the older half of the local tasks may run elsewhere. What is public is taken
  /// to be like them: it is not taken back for nothing.
  [[nodiscard]] MGWS_FN static bool may_give_of_local(const holdings<C>& mine) {
    const auto& local = mine.local_;
    for (std::uint32_t i = 0; i != (local.size() + 1) / 2; ++i)
      if (may_go(mine, local.slots().at(local.tail() + i), true)) return true;
    return false;
  }
  /// Whether a task may run on workers of the other kind. \param rather  also if it prefers this
  /// one
  [[nodiscard]] MGWS_FN static bool may_go(const holdings<C>& mine, const slot_type& s,
                                           bool rather) {
    const affinity a = C::tasks::affinity_of(s.read_header().type());
    const worker_kind there = other(mine.run_.kind);
    return allows(a, there) && (rather || !leaves(a, there));
  }
  /// Moves those of n local slots that may go there before the others; if there are none, those
  /// that prefer to stay. \return how many
  MGWS_FN static std::uint32_t bring_ahead(holdings<C>& mine, bool other_kind, std::uint32_t from,
                                           std::uint32_t n) {
    if constexpr (places::k_any) {
      if (!other_kind) return n;
      const auto slots = mine.local_.slots();
      for (const bool rather : {false, true}) {
        std::uint32_t may = 0;
        for (std::uint32_t i = 0; i != n; ++i)
          if (may_go(mine, slots.at(from + i), rather))
            std::swap(slots.at(from + i), slots.at(from + may++));
        if (may != 0) return may;
      }
      return 0;
    }
    return n;
  }
};

}  // namespace mgws
