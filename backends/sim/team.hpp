/// \file
/// Workers of several lanes in the simulator: one warp, of any number of lanes up to 32. A meeting
/// of its lanes costs no virtual time by itself: what a step's own instructions cost stands in the
/// cost table. What the lanes have spent since the meeting before is worked off here, all lanes
/// side by side: a step lasts as long as its slowest lane.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <mgws/backends/sim/machine.hpp>
#include <mgws/core/deal.hpp>

namespace mgws::sim {

/// \tparam Lanes  of a worker
template <std::uint32_t Lanes>
class team {
  static_assert(Lanes > 1 && Lanes <= 32);

 public:
  static constexpr std::uint32_t k_lanes = Lanes;
  static constexpr std::uint32_t k_warp_lanes = Lanes;

  [[nodiscard]] static std::uint32_t lane() { return machine::self().lane; }
  static void sync() {
    meet([](meeting&) {});
  }
  static void sync_warp() { sync(); }

  /// Lane 0 comes first to a meeting and goes first from it, so that the others need not meet
  /// again: whatever they do next comes after the leader's part.
  template <class F>
  static auto lead(F&& f) {
    using R = decltype(f());
    static_assert(std::is_trivially_copyable_v<R> && sizeof(R) <= k_answer);
    sync();
    worker_state& w = machine::self();
    R r;
    if (w.lane == 0) {
      machine::the().leads();
      r = f();
      std::memcpy(w.answer, &r, sizeof r);
    } else {
      std::memcpy(&r, w.answer, sizeof r);
    }
    return r;
  }

  [[nodiscard]] static prefix prefix_sum(std::uint32_t v) {
    std::uint32_t before = 0;
    const meeting& m = meet([&](meeting& at) {
      before = at.sum;
      at.sum += v;
    });
    return {before, m.sum};
  }
  [[nodiscard]] static std::uint32_t count(bool p) {
    return meet([&](meeting& at) { at.sum += p ? 1 : 0; }).sum;
  }
  [[nodiscard]] static bool any(bool p) { return count(p) != 0; }
  /// Time passes for all lanes when they meet.
  template <class F>
  [[nodiscard]] static bool sync_any(F&& holds) {
    sync();
    return any(holds());
  }
  [[nodiscard]] static bool any_of_warp(bool p) { return count(p) != 0; }
  [[nodiscard]] static std::uint32_t from_first(std::uint32_t v) {
    return meet([&](meeting& at) {
             if (lane() == 0) at.first = v;
           })
        .first;
  }
  [[nodiscard]] static std::uint32_t first_of_warp(bool p) {
    const std::uint64_t lanes = meet([&](meeting& at) {
                                  if (p) at.mask |= std::uint64_t{1} << lane();
                                }).mask;
    return lanes == 0 ? Lanes : static_cast<std::uint32_t>(std::countr_zero(lanes));
  }
  template <class T>
  [[nodiscard]] static T broadcast(const T& v, std::uint32_t from) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::uint32_t word[(sizeof(T) + 3) / 4] = {};
    std::memcpy(word, &v, sizeof v);
    for (std::uint32_t& w : word)
      w = meet([&](meeting& at) {
            if (lane() == from) at.first = w;
          }).first;
    T all = v;
    std::memcpy(static_cast<void*>(&all), word, sizeof all);
    return all;
  }
  template <class T>
  [[nodiscard]] static T broadcast_in_warp(const T& v, std::uint32_t from) {
    return broadcast(v, from);
  }
  [[nodiscard]] static shares deal(std::uint32_t offered, std::uint32_t whole, std::uint32_t units,
                                   std::uint32_t unit) {
    const prefix p = prefix_sum(offered);
    const std::uint32_t taken = dealt_of(offered, p.before, units);
    const meeting& m = meet([&](meeting& at) {
      if (taken != 0) at.mask |= std::uint64_t{1} << p.before;
    });
    return {mgws::deal(m.mask, unit), taken, p.total, count(taken != 0 && taken == whole)};
  }
  template <class T, class Combine>
  [[nodiscard]] static T reduce(const T& v, Combine&& combine) {
    static_assert(std::is_trivially_copyable_v<T>);
    T* const all = reinterpret_cast<T*>(machine::self().reduced);
    meet([&](meeting&) {
      if (lane() == 0) {
        std::memcpy(static_cast<void*>(all), &v, sizeof v);
      } else {
        *all = combine(*all, v);
      }
    });
    return lane() == 0 ? *all : v;
  }

  template <class T, class Combine>
  [[nodiscard]] static T reduce_warp(const T& v, Combine&& combine) {
    return reduce(v, combine);
  }

  [[nodiscard]] static std::uint32_t& counter() { return machine::self().counter; }
  [[nodiscard]] static void* local_memory() { return machine::self().local; }
  template <class T>
  [[nodiscard]] static T* object() {
    static_assert(sizeof(T) <= k_object_bytes);
    return reinterpret_cast<T*>(machine::self().object);
  }

 private:
  static constexpr std::size_t k_answer = sizeof(worker_state::answer);

  /// Lanes come in their order, each adds what it has, and when the first goes on all have come.
  /// Two meetings in turn, as the first lane may come to the next before the others have left.
  template <class Add>
  static const meeting& meet(Add&& add) {
    machine& all = machine::the();
    worker_state& w = machine::self();
    if (w.lane == 0) w.met[++w.round & 1] = {};
    meeting& m = w.met[w.round & 1];
    add(m);
    if (w.ran) {
      m.work = w.spent > m.work ? w.spent : m.work;
      m.iterations += w.spent;
      m.spawned += w.spawned;
      ++m.lanes;
      w.ran = false;
      w.spent = w.spawned = 0;
    }
    all.next_lane();
    if (w.lane == 0 && m.lanes != 0) all.work(m.work, m.iterations, m.lanes, m.spawned);
    return m;
  }
};

}  // namespace mgws::sim
