/// \file
/// Lanes that do the same thing side by side, so that one of them can do it for all.
#pragma once

#include <concepts>
#include <cstdint>

#include <mgws_port.hpp>

namespace mgws {

/// What a lane knows of those that called team::peers() side by side with the same value, as far as
/// the hardware tells: itself at least. All of them agree, and all call what is called together.
template <class P>
concept lane_peers = requires(const P& p, std::uint64_t v) {
  /// How many, and whether this one is the first: one of them is.
  { p.count() } -> std::same_as<std::uint32_t>;
  { p.first() } -> std::same_as<bool>;
  /// Together: the first one's value.
  { p.from_first(v) } -> std::same_as<std::uint64_t>;
  /// Together: a barrier, which orders accesses to memory among them.
  p.sync();
};

/// A lane by itself.
struct no_peers {
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t count() { return 1; }
  [[nodiscard]] MGWS_FN static constexpr bool first() { return true; }
  [[nodiscard]] MGWS_FN static constexpr std::uint64_t from_first(std::uint64_t v) { return v; }
  MGWS_FN static void sync() {}
};

}  // namespace mgws
