/// \file
/// What a worker gives to another coherence domain (bridge.hpp) of the tasks that it holds.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/holdings.hpp>
#include <mgws/core/local_queue.hpp>
#include <mgws/core/public_queue.hpp>
#include <mgws/core/ring.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// \tparam C  a configuration (worker_base.hpp)
template <class C>
class giving {
  using P = typename C::protocol;
  using V = typename C::view;
  using B = typename V::backend;
  using slot_type = slot<typename C::tasks>;

 public:
  MGWS_FN giving(holdings<C>& mine, const run_parameters& run, typename C::statistics& statistics)
      : mine_(mine), local_(mine.local()), run_(run), statistics_(statistics) {}

  /// Hands out up to half of what is at hand, the oldest that is within reach, and never what may
  /// be the last. \param most  instances, at least 1 \param room  slots
  /// \param put  put(from, at, n): copies n slots of a ring from a position on \return slots
  template <class Put>
  [[gnu::noinline]] MGWS_FN std::uint32_t give(std::uint32_t most, std::uint32_t room, Put&& put) {
    const std::uint32_t n = room == 0 ? 0 : take_back();
    std::uint32_t given = 0;
    if (n != 0) {
      const std::uint32_t from = local_.head() - n;
      while (given != std::min(n, room) && most != 0)
        most -= std::min(most, count_at(from + given++));
      put(local_.slots(), from, given);
      for (std::uint32_t i = given; i != n; ++i)
        local_.slots().at(from + i - given) = local_.slots().at(from + i);
      local_.took_newest(given);
    } else {
      const std::uint32_t ready = std::min(room, make_ready(most));
      while (given != ready && most != 0)
        most -= std::min(most, count_at(local_.tail() + given++));
      put(local_.slots(), local_.tail(), given);
      local_.took_oldest(given);
    }
    statistics_.count(&worker_counts::slots_given, given);
    return given;
  }

 private:
  [[nodiscard]] MGWS_FN std::uint32_t count_at(std::uint32_t position) const {
    return local_.slots().at(position).read_header().count();
  }
  /// Takes the oldest half of what is public back, as a thief does, behind the newest.
  /// \return slots of these that are not the last
  MGWS_FN std::uint32_t take_back() {
    queue_head<B>& head = mine_.public_part().head();
    const std::uint32_t left = P::layout::available(B::load(head.word, P::look, V::queue_scope));
    // Nobody else publishes there: what is left does not become more.
    if (!mine_.shares() || run_.owners != 1 || left == 0 || left > local_.room()) return 0;
    const bool more = !local_.empty();
    std::uint32_t n = 0;
    static_cast<void>(steal<P, B, slot_type>(
        head, mine_.public_part().slots(), local_, V::queue_scope, true, [] {}, [] {}, n));
    statistics_.count(&worker_counts::acquires);
    statistics_.count(&worker_counts::slots_acquired, n);
    return n != 1 || more || left != 1 ? n : 0;
  }
  /// Sees to it that the oldest local slot stands for about that many instances, in whole steps, if
  /// it stands for more. \return of the local slots, those that may be given: half
  MGWS_FN std::uint32_t make_ready(std::uint32_t most) {
    if (local_.size() < 2) mine_.load_initial();
    if (local_.size() < 2) mine_.refill();
    if (local_.size() == 1) local_.split_oldest(1, 2, &holdings<C>::log_units);
    if (local_.empty()) return 0;
    const std::uint32_t n =
        local_.size() == 1 && !mine_.initial_exhausted() ? 1 : local_.size() / 2;
    const auto h = local_.oldest().read_header();
    const std::uint32_t step = 1u << holdings<C>::log_units(h.type());
    const std::uint32_t whole = (most + step - 1) & ~(step - 1);
    if (n != 0 && h.count() > whole && local_.room() != 0) local_.cut_oldest(whole);
    return n;
  }

  holdings<C>& mine_;
  local_queue<B, slot_type>& local_;
  const run_parameters& run_;
  typename C::statistics& statistics_;
};

}  // namespace mgws
