/// \file
/// How the lengths of a loop's instances vary: patterns that programs have (triangular loops, a
/// dense corner of a matrix, few long instances among many short ones), with about the same mean,
/// so that their times can be compared with each other and with a loop of equal instances.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <mgws_port.hpp>

namespace mgws::bench {

enum class loop_pattern : std::uint8_t {
  uniform,        ///< all as long as the mean
  ramp_up,        ///< from nothing to twice the mean
  ramp_down,      ///< the other way round
  heavy_first,    ///< the first sixteenth 16 times the mean, the others a sixteenth of it
  heavy_last,     ///< the last sixteenth
  geometric,      ///< a quarter of the mean times 2^k, k with probability 2^-(k+1), at most 10
  every_16th,     ///< every sixteenth group 16 times the mean, the others a sixteenth of it
  one_long,       ///< one group in the middle 256 times the mean, the others as the mean
  triangle,       ///< up to twice the mean in the middle, and down again
  random_blocks,  ///< blocks of 64 groups: one of sixteen 16 times the mean, the others a sixteenth
};

struct named_loop_pattern {
  std::string_view name;
  loop_pattern pattern;
};

inline constexpr std::array<named_loop_pattern, 10> k_loop_patterns{{
    {"uniform", loop_pattern::uniform},
    {"ramp-up", loop_pattern::ramp_up},
    {"ramp-down", loop_pattern::ramp_down},
    {"heavy-first", loop_pattern::heavy_first},
    {"heavy-last", loop_pattern::heavy_last},
    {"geometric", loop_pattern::geometric},
    {"every-16th", loop_pattern::every_16th},
    {"one-long", loop_pattern::one_long},
    {"triangle", loop_pattern::triangle},
    {"random-blocks", loop_pattern::random_blocks},
}};

[[nodiscard]] constexpr std::string_view name_of(loop_pattern p) {
  for (const auto& known : k_loop_patterns)
    if (known.pattern == p) return known.name;
  return {};
}

[[nodiscard]] constexpr std::optional<loop_pattern> find_loop_pattern(std::string_view name) {
  for (const auto& known : k_loop_patterns)
    if (known.name == name) return known.pattern;
  return std::nullopt;
}

/// Steele, Lea and Flood: a number's place in a sequence that looks random.
[[nodiscard]] MGWS_FN constexpr std::uint64_t split_mix_64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// The length of each of n instances, in iterations. Neighbours in groups of `grain` are equally
/// long: what the lanes of a warp run side by side is then no longer than it must be.
///
/// \pre n and base below 2^32, grain at least 1. The last members follow from the others; they are
/// there because a division by a variable takes a GPU longer than a short instance does.
struct loop_costs {
  loop_pattern pattern;
  std::uint64_t n;
  std::uint32_t base;  ///< about the mean
  std::uint32_t grain;
  std::uint32_t groups = static_cast<std::uint32_t>((n + grain - 1) / grain);
  std::uint64_t slope =  ///< base / groups, with k_fraction_bits
      groups == 0 ? 0 : (std::uint64_t{base} << k_fraction_bits) / groups;

  static constexpr unsigned k_fraction_bits = 30;

  /// Of instance i; at least 1.
  [[nodiscard]] MGWS_FN constexpr std::uint64_t iterations(std::uint64_t i) const {
    const std::uint64_t k = of_group(static_cast<std::uint32_t>(i) / grain);
    return k == 0 ? 1 : k;
  }

  [[nodiscard]] MGWS_FN constexpr std::uint64_t of_group(std::uint32_t g) const {
    const std::uint64_t mean = base;
    // Twice the middle of the group, from either end.
    const std::uint64_t from_first = 2 * std::uint64_t{g} + 1;
    const std::uint64_t from_last = 2 * std::uint64_t{groups} - from_first;
    switch (pattern) {
      case loop_pattern::uniform:
        return mean;
      case loop_pattern::ramp_up:
        return from_first * slope >> k_fraction_bits;
      case loop_pattern::ramp_down:
        return from_last * slope >> k_fraction_bits;
      case loop_pattern::heavy_first:
        return g < groups / 16 ? 16 * mean : mean / 16;
      case loop_pattern::heavy_last:
        return groups - 1 - g < groups / 16 ? 16 * mean : mean / 16;
      case loop_pattern::geometric: {
        // The lowest bit that is set is 2^k.
        const std::uint64_t bits = split_mix_64(g) | std::uint64_t{1} << 10;
        return mean * (bits & (~bits + 1)) / 4;
      }
      case loop_pattern::every_16th:
        return g % 16 == 0 ? 16 * mean : mean / 16;
      case loop_pattern::one_long:
        return g == groups / 2 ? 256 * mean : mean;
      case loop_pattern::triangle:
        return 2 * (from_first < from_last ? from_first : from_last) * slope >> k_fraction_bits;
      case loop_pattern::random_blocks:
        return split_mix_64(g / 64) % 16 == 0 ? 16 * mean : mean / 16;
    }
    return mean;
  }

  /// Iterations of all instances together.
  [[nodiscard]] std::uint64_t total() const {
    std::uint64_t sum = 0;
    for_each_group(
        [&](std::uint64_t /*first*/, std::uint64_t count, std::uint64_t k) { sum += count * k; });
    return sum;
  }

  /// Iterations of the longest instance.
  [[nodiscard]] std::uint64_t longest() const {
    std::uint64_t most = 0;
    for_each_group([&](std::uint64_t /*first*/, std::uint64_t /*count*/, std::uint64_t k) {
      most = std::max(most, k);
    });
    return most;
  }

  /// Calls f(first instance, number of instances, iterations of each).
  template <class F>
  void for_each_group(F&& f) const {
    for (std::uint64_t first = 0; first < n; first += grain)
      f(first, std::min<std::uint64_t>(grain, n - first), iterations(first));
  }
};

}  // namespace mgws::bench
