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

#include <mgws/backends/gpu/groups.hpp>
#include <mgws/backends/model/backend.hpp>

namespace mgws::model_backend {

/// Lanes of a team: one warp.
inline constexpr std::uint32_t k_team_lanes = 2;

struct intrinsics {
  static constexpr std::uint32_t warp_lanes = k_team_lanes;
  using mask = std::uint32_t;

  [[nodiscard]] static std::uint32_t thread() { return the_machine().self().lane; }

  static void sync_warp() { the_machine().call({.kind = op::barrier}); }

  /// Every lane's value.
  [[nodiscard]] static std::array<std::uint32_t, warp_lanes> meet(std::uint32_t v) {
    auto& e = shared<exchange, exchange>();
    // Two sets in turn: nobody is more than one meeting ahead.
    auto& values = e.value[e.turn[thread()]++ & 1];
    values[thread()] = v;
    the_machine().call({.kind = op::barrier, .value = k_orders_nothing});
    return values;
  }
  [[nodiscard]] static std::uint32_t shuffle(std::uint32_t v, std::uint32_t from) {
    return meet(v)[from];
  }
  [[nodiscard]] static std::uint32_t sum_to_here(std::uint32_t v) {
    const auto all = meet(v);
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i <= thread(); ++i)
      sum += all[i];
    return sum;
  }
  [[nodiscard]] static mask ballot(bool p) { return join(p ? mask{1} << thread() : 0); }
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
    place<Tag, T>[team] = new (the_machine().allocate<T>(1)) T{};
  }
  [[nodiscard]] static std::byte* dynamic_shared() { return local[the_machine().self().group]; }
  inline static std::array<std::byte*, k_fibers> local{};

  struct exchange {
    std::array<std::uint32_t, warp_lanes> value[2];
    std::array<std::uint32_t, warp_lanes> turn;
    std::uint32_t ticks;
  };

 private:
  template <class Tag, class T>
  inline static std::array<T*, k_fibers> place{};
};

/// A warp whose barriers in core can be left out one at a time.
struct team : gpu::warp_team<intrinsics> {
  static void sync(const std::source_location& where = std::source_location::current()) {
    if (!left_out(where)) intrinsics::sync_warp();
  }
};

struct team_backend : basic_backend<no_parking> {
  using team = model_backend::team;
  /// The first lane's clock shows one of two times.
  static std::uint32_t ticks() {
    machine& m = the_machine();
    if (m.time == passing::never || m.self().lane != 0) return 0;
    if (m.time == passing::always)
      return ++intrinsics::shared<intrinsics::exchange, intrinsics::exchange>().ticks & 1;
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
static_assert(mgws::team_backend<team_backend>);

/// What a team of lanes shares, for a worker type whose leader is of this type.
template <class Leader>
void prepare_team(unsigned number, void* local) {
  namespace gpu_detail = gpu::detail;
  intrinsics::prepare<gpu_detail::answer_tag, gpu_detail::answer>(number);
  intrinsics::prepare<gpu_detail::counter_tag, std::uint32_t>(number);
  intrinsics::prepare<Leader, gpu_detail::raw<Leader>>(number);
  intrinsics::prepare<intrinsics::exchange, intrinsics::exchange>(number);
  intrinsics::local[number] = static_cast<std::byte*>(local);
}

}  // namespace mgws::model_backend
