/// \file
/// Instances of `knapsack`: items by a seed, the kinds that are usual in the literature (Pisinger,
/// Where are the hard knapsack problems?, 2005), and the optimum by dynamic programming.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace mgws::bench::knapsack {

/// At most so many items: a bit each in two words.
inline constexpr std::uint32_t k_most_items = 128;

struct item {
  std::uint32_t weight;
  std::uint32_t value;
};

/// Ordered by value a weight, the best first.
struct instance {
  std::vector<item> items;
  std::uint64_t capacity = 0;
};

/// Values and weights from 1 to about `range`, a capacity of half of all weights.
/// \param kind  uncorrelated; weakly: values near weights; strongly: weights and a tenth of the
/// range
[[nodiscard]] inline instance make_instance(const std::string& kind, std::uint32_t n,
                                            std::uint32_t range, std::uint64_t seed) {
  // SplitMix64 (Steele, Lea, Flood).
  const auto next = [&seed](std::uint32_t below) {
    std::uint64_t x = seed += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return static_cast<std::uint32_t>((x ^ x >> 31) % below);
  };
  instance made;
  const std::uint32_t tenth = std::max(range / 10, 1u);
  for (std::uint32_t i = 0; i != n; ++i) {
    const std::uint32_t weight = 1 + next(range);
    std::uint32_t value = 1 + next(range);
    if (kind == "weakly") {
      const std::uint32_t shifted = weight + next(2 * tenth + 1);
      value = shifted > tenth ? shifted - tenth : 1;
    }
    if (kind == "strongly") value = weight + tenth;
    made.items.push_back({weight, value});
    made.capacity += weight;
  }
  made.capacity /= 2;
  std::ranges::stable_sort(made.items, [](const item& a, const item& b) {
    return std::uint64_t{a.value} * b.weight > std::uint64_t{b.value} * a.weight;
  });
  return made;
}

/// The largest value of items that fit together. n · capacity steps.
[[nodiscard]] inline std::uint64_t optimum(const instance& of) {
  std::vector<std::uint64_t> best(of.capacity + 1);
  for (const item& i : of.items)
    for (std::uint64_t room = of.capacity; room >= i.weight; --room)
      best[room] = std::max(best[room], best[room - i.weight] + i.value);
  return best[of.capacity];
}

}  // namespace mgws::bench::knapsack
