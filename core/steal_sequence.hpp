/// \file
/// How many slots each successive thief of an epoch takes ("steal half", SWS section 4.1, with its
/// prose corrected by its example: a batch of 150 is stolen as 75, 37, 19, 9, 5, 2, 1, 1, 1).
///
/// Before steal k of an epoch that began with n slots, r_k = ceil(n / 2^k) remain; thief k takes
/// max(1, floor(r_k / 2)). There are ceil(log2 n) + 1 steps and their blocks sum to exactly n.
/// All values are plain numbers, so every worker computes the same sequence without communication.
#pragma once

#include <bit>
#include <cstdint>

#include <mgws_port.hpp>

namespace mgws::steal_sequence {

/// Number of attempts that receive something, for an epoch of n slots.
[[nodiscard]] MGWS_FN constexpr std::uint32_t steps(std::uint32_t n) {
  return n == 0 ? 0 : static_cast<std::uint32_t>(std::bit_width(n - 1)) + 1;
}

/// Slots not yet claimed after `attempts` attempts. Any number of attempts is allowed: the step
/// count is compared first, because a shift by the attempts alone is undefined from 32 on.
[[nodiscard]] MGWS_FN constexpr std::uint32_t remaining(std::uint32_t n, std::uint32_t attempts) {
  if (attempts >= steps(n)) return 0;
  return (n + (1u << attempts) - 1) >> attempts;
}

/// Slots claimed by the first `attempts` attempts; also the offset of the next block.
[[nodiscard]] MGWS_FN constexpr std::uint32_t claimed(std::uint32_t n, std::uint32_t attempts) {
  return n - remaining(n, attempts);
}

/// Slots that attempt number `attempt` (from 0) receives; 0 once the epoch is exhausted.
[[nodiscard]] MGWS_FN constexpr std::uint32_t block(std::uint32_t n, std::uint32_t attempt) {
  const std::uint32_t left = remaining(n, attempt);
  return left <= 1 ? left : left / 2;
}

/// The largest block of any epoch of at most n slots: what a thief must have room for before it
/// claims (hazard 15).
[[nodiscard]] MGWS_FN constexpr std::uint32_t largest_block(std::uint32_t n) {
  return block(n, 0);
}

}  // namespace mgws::steal_sequence
