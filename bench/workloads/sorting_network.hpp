/// \file
/// Sorts a few keys that a lane has in registers: which to compare is known when it is compiled
/// (Batcher, "Sorting networks and their applications", AFIPS 1968: odd-even merge sort).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <mgws_port.hpp>

#include "workloads/unrolled.hpp"

namespace mgws::bench {

namespace detail {

/// Calls f(a, b) for each two keys that the network compares, in order.
template <class F>
constexpr void each_comparison(std::uint32_t n, F f) {
  for (std::uint32_t sorted = 1; sorted < n; sorted *= 2)
    for (std::uint32_t apart = sorted; apart != 0; apart /= 2)
      for (std::uint32_t j = apart % sorted; j + apart < n; j += 2 * apart)
        for (std::uint32_t i = j; i != j + apart && i + apart < n; ++i)
          if (i / (2 * sorted) == (i + apart) / (2 * sorted)) f(i, i + apart);
}

[[nodiscard]] constexpr std::uint32_t comparisons(std::uint32_t n) {
  std::uint32_t all = 0;
  each_comparison(n, [&](std::uint32_t, std::uint32_t) { ++all; });
  return all;
}

struct comparison {
  std::uint32_t low;
  std::uint32_t high;
};
template <std::uint32_t N>
[[nodiscard]] constexpr auto sorting_network() {
  std::array<comparison, comparisons(N)> all{};
  std::uint32_t at = 0;
  each_comparison(N, [&](std::uint32_t low, std::uint32_t high) { all[at++] = {low, high}; });
  return all;
}

}  // namespace detail

/// Sorts N keys, a power of two.
template <class Key, std::size_t N>
MGWS_FN constexpr void sort_in_registers(std::array<Key, N>& keys) {
  unrolled<detail::comparisons(N)>([&](auto i) {
    constexpr detail::comparison c = detail::sorting_network<N>()[i];
    const Key low = keys[c.low];
    const Key high = keys[c.high];
    keys[c.low] = high < low ? high : low;
    keys[c.high] = high < low ? low : high;
  });
}

}  // namespace mgws::bench
