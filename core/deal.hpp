/// \file
/// Dealing instances of the newest slots to the lanes of a worker, as plain arithmetic: slot i
/// covers so many consecutive units, and each unit finds out which slot it got and which of its
/// instances. (A unit is what runs one instance: a lane, a warp, or all lanes.)
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <mgws_port.hpp>

namespace mgws {

/// Steps that so many instances are, the last of which may be short.
[[nodiscard]] MGWS_FN constexpr std::uint32_t steps_of(std::uint32_t instances,
                                                       std::uint32_t log_units) {
  const std::uint32_t whole = instances >> log_units;
  return whole + (whole << log_units != instances ? 1 : 0);
}

/// A sum over the lanes below, and over all.
struct prefix {
  std::uint32_t before;
  std::uint32_t total;
};

/// Which segment a unit lies in, counted from 0, and how far into it.
struct dealt {
  std::uint32_t segment;
  std::uint32_t offset;
};

/// What a lane learns when the lanes deal their segments to the units (lane_team::deal).
struct shares {
  dealt mine;             ///< of the unit asked for
  std::uint32_t taken;    ///< of the lane's segment
  std::uint32_t total;    ///< that all segments have together, at least if they are too few
  std::uint32_t used_up;  ///< lanes whose segments are taken whole
};

/// Segments cover the units from 0 on without a gap; bit u of `starts` says that one begins at
/// unit u. \pre bit 0 is set
template <std::unsigned_integral Mask>
[[nodiscard]] MGWS_FN constexpr dealt deal(Mask starts, std::uint32_t unit) {
  const Mask to_here = starts & static_cast<Mask>((Mask{2} << unit) - 1);
  return {static_cast<std::uint32_t>(std::popcount(to_here)) - 1,
          unit + 1 - static_cast<std::uint32_t>(std::bit_width(to_here))};
}

/// The same with the units' bits in several words.
template <std::unsigned_integral Mask, std::size_t Words>
[[nodiscard]] MGWS_FN constexpr dealt deal(const Mask (&starts)[Words], std::uint32_t unit) {
  constexpr std::uint32_t bits = sizeof(Mask) * 8;
  std::uint32_t segments = 0;
  std::uint32_t last = 0;
  for (std::uint32_t w = 0; w <= unit / bits; ++w) {
    Mask m = starts[w];
    if (w == unit / bits) m &= static_cast<Mask>((Mask{2} << unit % bits) - 1);
    segments += static_cast<std::uint32_t>(std::popcount(m));
    if (m != 0) last = w * bits + static_cast<std::uint32_t>(std::bit_width(m)) - 1;
  }
  return {segments - 1, unit - last};
}

/// What is left of a slot of `count` instances of which units from `before` on, out of `units`,
/// received theirs.
[[nodiscard]] MGWS_FN constexpr std::uint32_t dealt_of(std::uint32_t count, std::uint32_t before,
                                                       std::uint32_t units) {
  const std::uint32_t room = before < units ? units - before : 0;
  return count < room ? count : room;
}

}  // namespace mgws
