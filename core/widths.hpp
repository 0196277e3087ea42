/// \file
/// How many lanes a task takes, by its type's width, and so how many instances are a step of a
/// worker and how much of one a slot is.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <mgws/core/backend.hpp>
#include <mgws/core/deal.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// How many tasks of each width a worker runs at once.
struct units_of_widths {
  std::uint32_t lane = 1;
  std::uint32_t warp = 1;
  std::uint32_t block = 1;

  [[nodiscard]] constexpr std::uint32_t of(shape width) const {
    return width == shape::lane ? lane : width == shape::warp ? warp : block;
  }
  [[nodiscard]] constexpr std::uint32_t most() const { return std::max({lane, warp, block}); }
};

/// \tparam C  a configuration (worker_base.hpp)
template <class C>
struct widths {
  using B = typename C::view::backend;
  using slot_type = slot<typename C::tasks>;

  /// Tasks of this width that run side by side: *units* of a worker.
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t units(shape width) {
    if constexpr (team_backend<B>) {
      using team = typename B::team;
      if (width == shape::lane) return team::k_lanes;
      if (width == shape::warp) return team::k_lanes / team::k_warp_lanes;
    }
    return 1;
  }
  /// Of any width that the set has, at most.
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t units() {
    return units(C::tasks::has_width(shape::lane)   ? shape::lane
                 : C::tasks::has_width(shape::warp) ? shape::warp
                                                    : shape::block);
  }
  [[nodiscard]] static constexpr units_of_widths of_each() {
    return {units(shape::lane), units(shape::warp), units(shape::block)};
  }
  static constexpr std::uint32_t k_lanes = units(shape::lane);

  /// Whether an instance of one type takes more lanes than one of another.
  static constexpr bool k_several = C::tasks::has_width(shape::lane) +
                                        C::tasks::has_width(shape::warp) +
                                        C::tasks::has_width(shape::block) >
                                    1;

  /// log2 of the instances of a type that are a step.
  [[nodiscard]] MGWS_FN static std::uint32_t log_units(std::uint32_t type) {
    std::uint32_t log = 0;
    C::tasks::with_type(
        type, [&]<class T>() { log = std::bit_width(units(C::tasks::template width<T>)) - 1; });
    return log;
  }

  /// Steps that a slot's instances are.
  [[nodiscard]] MGWS_FN static std::uint32_t steps_for(const slot_type& s) {
    const auto h = s.read_header();
    return steps_of(h.count(), log_units(h.type()));
  }
  /// How many lanes' work for one step they are, up to very many.
  [[nodiscard]] MGWS_FN static std::uint32_t lanes_for(const slot_type& s) {
    const auto h = s.read_header();
    const std::uint32_t n = h.count() < k_very_many ? h.count() : k_very_many;
    std::uint32_t lanes = 0;
    C::tasks::with_type(
        h.type(), [&]<class T>() { lanes = n * (k_lanes / units(C::tasks::template width<T>)); });
    return lanes;
  }

 private:
  /// More than any budget: sums of a few stay within 32 bits.
  static constexpr std::uint32_t k_very_many = 1u << 16;
};

}  // namespace mgws
