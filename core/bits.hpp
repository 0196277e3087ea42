/// \file
/// What core needs of a word's bits, the same on every port.
#pragma once

#include <bit>
#include <cstdint>

#include <mgws_port.hpp>

namespace mgws {

/// The number of the lowest bit that is 1. \pre bits != 0
///
/// Not std::countr_zero, nor any of its kind on 64 bits: those call functions that only the host
/// has, of which a compiler for devices may make constants without a word (docs/limits.md).
[[nodiscard]] MGWS_FN constexpr std::uint32_t lowest_bit(std::uint64_t bits) {
  const auto low = static_cast<std::uint32_t>(bits);
  const auto part = low != 0 ? low : static_cast<std::uint32_t>(bits >> 32);
  const auto within = static_cast<std::uint32_t>(std::bit_width(part & (~part + 1))) - 1;
  return low != 0 ? within : 32 + within;
}
static_assert(lowest_bit(1) == 0 && lowest_bit(6) == 1 &&
              lowest_bit(std::uint64_t{1} << 31) == 31 &&
              lowest_bit(std::uint64_t{1} << 32) == 32 &&
              lowest_bit(~std::uint64_t{0} << 63) == 63);

}  // namespace mgws
