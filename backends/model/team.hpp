/// \file
/// Workers of several lanes on the model: the groups of backends/gpu as they are, over lanes that
/// are fibers. What warps do together (shuffle, ballot) is one meeting that orders no memory;
/// barriers order it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

#include <mgws/backends/gpu/groups.hpp>
#include <mgws/backends/model/backend.hpp>

namespace mgws::model_backend {

/// Lanes of a team.
inline constexpr std::uint32_t k_team_lanes = 2;

/// \tparam WarpLanes  all lanes of a team, or 1: then what a warp does together is nothing
template <std::uint32_t WarpLanes>
struct intrinsics {
  static_assert(WarpLanes == k_team_lanes || WarpLanes == 1);
  static constexpr std::uint32_t warp_lanes = WarpLanes;
  using mask = std::uint32_t;

  [[nodiscard]] static std::uint32_t thread() { return the_machine().self().lane; }

  static void sync_warp() {
    if constexpr (WarpLanes != 1) sync_block();
  }
  static void sync_block() { the_machine().call({.kind = op::barrier}); }

  /// Every lane's value. \param orders  what the barrier does
  [[nodiscard]] static std::array<std::uint32_t, k_team_lanes> meet_all(std::uint32_t v,
                                                                        std::uint64_t orders) {
    auto& e = shared<exchange, exchange>();
    // Two sets in turn: nobody is more than one meeting ahead.
    auto& values = e.value[e.turn[thread()]++ & 1];
    values[thread()] = v;
    the_machine().call({.kind = op::barrier, .value = orders});
    return values;
  }
  [[nodiscard]] static std::uint32_t count_of_block(bool p) {
    std::uint32_t n = 0;
    for (const std::uint32_t one : meet_all(p ? 1 : 0, 0))
      n += one;
    return n;
  }
  static void set_bits(mask& word, mask bits) {
    the_machine().call({.kind = op::act});
    word |= bits;
  }

  /// The values of a warp's lanes.
  [[nodiscard]] static std::array<std::uint32_t, warp_lanes> meet(std::uint32_t v) {
    if constexpr (WarpLanes == 1) {
      return {v};
    } else {
      return meet_all(v, k_orders_nothing);
    }
  }
  [[nodiscard]] static std::uint32_t shuffle(std::uint32_t v, std::uint32_t from) {
    return meet(v)[from];
  }
  [[nodiscard]] static std::uint32_t sum_to_here(std::uint32_t v) {
    const auto all = meet(v);
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i <= thread() % warp_lanes; ++i)
      sum += all[i];
    return sum;
  }
  [[nodiscard]] static mask ballot(bool p) {
    return join(p ? mask{1} << thread() % warp_lanes : 0);
  }
  [[nodiscard]] static mask named(std::uint32_t lane, bool p) {
    return join(p ? mask{1} << lane : 0);
  }
  [[nodiscard]] static mask join(mask m) {
    mask all = 0;
    for (const mask one : meet(m))
      all |= one;
    return all;
  }

  static void copy(void* to, const void* from, std::uint32_t words) {
    backend::copy_words(to, from, words);
  }
  static void load_words(void* to, const void* from, std::uint32_t words) { copy(to, from, words); }

  /// One object for each team, Tag and T. Made by a scenario before its fibers start (prepare):
  /// memory that is allocated later is no part of the state.
  template <class Tag, class T>
  [[nodiscard]] static T& shared() {
    return *place<Tag, T>[the_machine().self().group];
  }
  template <class Tag, class T>
  static void prepare(unsigned team) {
    using made = std::remove_extent_t<T>;
    constexpr std::size_t n = sizeof(T) / sizeof(made);
    place<Tag, T>[team] = reinterpret_cast<T*>(new (the_machine().allocate<made>(n)) made[n]{});
  }
  [[nodiscard]] static std::byte* dynamic_shared() { return local[the_machine().self().group]; }
  inline static std::array<std::byte*, k_fibers> local{};

  struct exchange {
    std::array<std::uint32_t, k_team_lanes> value[2];
    std::array<std::uint32_t, k_team_lanes> turn;
    std::uint32_t ticks;
  };

 private:
  template <class Tag, class T>
  inline static std::array<T*, k_fibers> place{};
};

/// A team whose barriers in core can be left out one at a time.
template <class Lanes>
struct team_of : Lanes {
  static void sync(const std::source_location& where = std::source_location::current()) {
    if (!left_out(where)) Lanes::sync();
  }
  template <class F>
  static bool sync_any(F&& holds,
                       const std::source_location& where = std::source_location::current()) {
    return left_out(where) ? holds() : Lanes::sync_any(holds);
  }
};
/// One warp of all lanes; and as many warps, of a lane each.
using one_warp = team_of<gpu::warp_team<intrinsics<k_team_lanes>>>;
using several_warps = team_of<gpu::block_team<intrinsics<1>, k_team_lanes>>;

template <class Team>
struct team_backend : basic_backend<no_parking> {
  using team = Team;
  using shared = typename Team::intrinsics;
  /// The first lane's clock shows one of two times.
  static std::uint32_t ticks() {
    using exchange = typename shared::exchange;
    machine& m = the_machine();
    if (m.time == passing::never || m.self().lane != 0) return 0;
    if (m.time == passing::always) return ++shared::template shared<exchange, exchange>().ticks & 1;
    return static_cast<std::uint32_t>(m.call({.kind = op::choose, .value = 2}));
  }
  static constexpr std::uint32_t longest_burst = 64;
  static constexpr std::uint32_t looks_at_once = 4;
  static constexpr bool owners_listen = false;

  /// Lanes come side by side, in any order.
  static std::uint32_t reserve(std::uint32_t& count, std::uint32_t n) {
    the_machine().call({.kind = op::act});
    const std::uint32_t before = count;
    count += n;
    return before;
  }
};
static_assert(mgws::team_backend<team_backend<one_warp>>);
static_assert(mgws::team_backend<team_backend<several_warps>>);

/// What a team of lanes shares, for a worker type whose leader and accumulators are of these types.
template <class Team, class Leader, class Accumulators>
void prepare_team(unsigned number, void* local) {
  namespace gpu_detail = gpu::detail;
  using shared = typename Team::intrinsics;
  using exchange = typename shared::exchange;
  shared::template prepare<gpu_detail::answer_tag, gpu_detail::answer>(number);
  shared::template prepare<gpu_detail::counter_tag, std::uint32_t>(number);
  shared::template prepare<Leader, gpu_detail::raw<Leader>>(number);
  shared::template prepare<exchange, exchange>(number);
  if constexpr (shared::warp_lanes == 1) {
    constexpr std::uint32_t warps = k_team_lanes;
    shared::template prepare<gpu_detail::sums_tag, std::uint32_t[warps]>(number);
    shared::template prepare<gpu_detail::dealt_tag, std::uint32_t[warps]>(number);
    shared::template prepare<gpu_detail::sums_tag, gpu_detail::raw<Accumulators>[warps]>(number);
    shared::template prepare<gpu_detail::starts_tag, std::uint32_t[1]>(number);
  }
  shared::local[number] = static_cast<std::byte*>(local);
}

}  // namespace mgws::model_backend
