// A worker of several lanes on the CPU: each lane is a thread, and collective functions meet at
// barriers. Slow, but the executor of GPU workers runs on it as it is, under a debugger or a
// sanitizer.
#pragma once

#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/core/backend.hpp>
#include <mgws/core/deal.hpp>

namespace lanes_on_threads {

/// \tparam Lanes  threads of a worker, at most 32  \tparam WarpLanes  of them in a warp
template <std::uint32_t Lanes, std::uint32_t WarpLanes>
class threads_team {
 public:
  static constexpr std::uint32_t k_lanes = Lanes;
  static constexpr std::uint32_t k_warp_lanes = WarpLanes;

  /// What the lanes of one worker share.
  struct memory {
    explicit memory(std::size_t local_bytes) : local(local_bytes / 16) {
      for (std::uint32_t w = 0; w != Lanes / WarpLanes; ++w)
        warps.push_back(std::make_unique<std::barrier<>>(WarpLanes));
    }
    struct alignas(16) word {
      std::byte bytes[16];
    };
    std::barrier<> all{Lanes};
    std::vector<std::unique_ptr<std::barrier<>>> warps;
    std::uint32_t value[Lanes];
    const void* place[Lanes];
    std::uint32_t counter;
    alignas(64) std::byte result[64];
    alignas(64) std::byte object[8192];
    std::vector<word> local;
  };

  /// Makes the calling thread a lane of a worker.
  static void join(memory& m, std::uint32_t lane) {
    here = &m;
    own_lane = lane;
  }

  static std::uint32_t lane() { return own_lane; }
  static void sync() { here->all.arrive_and_wait(); }
  static void sync_warp() { here->warps[own_lane / WarpLanes]->arrive_and_wait(); }

  template <class F>
  static auto lead(F&& f) {
    using R = decltype(f());
    static_assert(sizeof(R) <= sizeof here->result);
    sync();
    if (own_lane == 0) {
      const R r = f();
      std::memcpy(here->result, &r, sizeof r);
    }
    sync();
    R r;
    std::memcpy(&r, here->result, sizeof r);
    return r;
  }
  static void copy_words(void* to, const void* from, std::size_t n) {
    std::memcpy(to, from, 16 * n);
  }

  static mgws::prefix prefix_sum(std::uint32_t v) {
    here->value[own_lane] = v;
    sync();
    mgws::prefix p{0, 0};
    for (std::uint32_t i = 0; i != Lanes; ++i) {
      if (i < own_lane) p.before += here->value[i];
      p.total += here->value[i];
    }
    sync();
    return p;
  }
  static std::uint32_t count(bool p) { return prefix_sum(p ? 1 : 0).total; }
  static bool any(bool p) { return count(p) != 0; }
  template <class F>
  static bool sync_any(F&& holds) {
    return any(holds());
  }
  static bool any_of_warp(bool p) {
    here->value[own_lane] = p;
    sync_warp();
    bool found = false;
    for (std::uint32_t i = 0; i != WarpLanes; ++i)
      found = found || here->value[own_lane / WarpLanes * WarpLanes + i] != 0;
    sync_warp();
    return found;
  }
  static std::uint32_t first_of_warp(bool p) {
    here->value[own_lane] = p;
    sync_warp();
    std::uint32_t first = 0;
    while (first != WarpLanes && here->value[own_lane / WarpLanes * WarpLanes + first] == 0)
      ++first;
    sync_warp();
    return first;
  }
  template <class T>
  static T broadcast(const T& v, std::uint32_t from) {
    here->place[own_lane] = &v;
    sync();
    const T all = *static_cast<const T*>(here->place[from]);
    sync();
    return all;
  }
  template <class T>
  static T broadcast_in_warp(const T& v, std::uint32_t from) {
    here->place[own_lane] = &v;
    sync_warp();
    const T all = *static_cast<const T*>(here->place[own_lane / WarpLanes * WarpLanes + from]);
    sync_warp();
    return all;
  }
  template <class T, class Combine>
  static T reduce_warp(const T& v, Combine&& combine) {
    here->place[own_lane] = &v;
    sync_warp();
    T all = v;
    for (std::uint32_t i = 1; i != WarpLanes && own_lane % WarpLanes == 0; ++i)
      all = combine(all, *static_cast<const T*>(here->place[own_lane + i]));
    sync_warp();
    return all;
  }
  static std::uint32_t from_first(std::uint32_t v) {
    here->value[own_lane] = v;
    sync();
    const std::uint32_t first = here->value[0];
    sync();
    return first;
  }
  static mgws::shares deal(std::uint32_t offered, std::uint32_t whole, std::uint32_t units,
                           std::uint32_t unit) {
    const mgws::prefix p = prefix_sum(offered);
    const std::uint32_t taken = mgws::dealt_of(offered, p.before, units);
    here->value[own_lane] = taken != 0 ? std::uint32_t{1} << p.before : 0;
    sync();
    std::uint32_t starts = 0;
    for (const std::uint32_t bit : here->value)
      starts |= bit;
    sync();
    return {mgws::deal(starts, unit), taken, p.total, count(taken != 0 && taken == whole)};
  }
  template <class T, class Combine>
  static T reduce(const T& v, Combine&& combine) {
    here->place[own_lane] = &v;
    sync();
    T all = v;
    for (std::uint32_t i = 1; i != Lanes && own_lane == 0; ++i)
      all = combine(all, *static_cast<const T*>(here->place[i]));
    sync();
    return all;
  }

  static std::uint32_t& counter() { return here->counter; }
  static void* local_memory() { return here->local.data(); }
  template <class T>
  static T* object() {
    static_assert(sizeof(T) <= sizeof here->object);
    return reinterpret_cast<T*>(here->object);
  }

 private:
  static inline thread_local memory* here = nullptr;
  static inline thread_local std::uint32_t own_lane = 0;
};

template <std::uint32_t Lanes, std::uint32_t WarpLanes>
struct backend : mgws::cpu_backend::backend {
  using team = threads_team<Lanes, WarpLanes>;
  static std::uint32_t ticks() { return static_cast<std::uint32_t>(now()); }
  static constexpr std::uint32_t longest_burst = 64;
  static constexpr std::uint32_t looks_at_once = 4;
  static constexpr bool owners_listen = false;

  static void copy_words(void* to, const void* from, std::size_t n) {
    team::copy_words(to, from, n);
  }
  static void load_words(void* to, const void* from, std::size_t n) { copy_words(to, from, n); }
  static std::uint32_t reserve(std::uint32_t& count, std::uint32_t n) {
    return std::atomic_ref<std::uint32_t>(count).fetch_add(n, std::memory_order_relaxed);
  }
};
static_assert(mgws::team_backend<backend<4, 2>>);

}  // namespace lanes_on_threads
