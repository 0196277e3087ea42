/// \file
/// `knapsack`: the most valuable items that fit, by branch and bound. A task decides about one item
/// after the other: it goes on with each that fits, and spawns what would be without it.
#pragma once

#include <cstdint>

#include <mgws/best.hpp>
#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws::bench::knapsack {

/// Items that are taken, a bit each.
struct packing {
  std::uint64_t bits[2];
};
using heaviest = mgws::best<std::uint64_t, maximum, packing>;

struct context {
  heaviest::view best;
  /// Of the items before each one, ordered by value a weight: n + 1 sums.
  const std::uint64_t* weights;
  const std::uint64_t* values;
  std::uint32_t n;
};

/// Items that were decided about.
struct nodes : sum<std::uint64_t> {};

struct decide {
  packing taken;
  std::uint64_t room;
  std::uint64_t value;
  std::uint32_t level;  ///< the first item that is not decided about

  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    decide at = *this;
    std::uint64_t visited = 0;
    for (;;) {
      if (at.value + at.most(c) <= c.best.value()) break;
      while (at.level != c.n && weight_of(c, at.level) > at.room)
        ++at.level;
      if (at.level == c.n) {
        c.best.improve(at.value, at.taken);
        break;
      }
      ++visited;
      decide without = at;
      ++without.level;
      if (without.value + without.most(c) > c.best.value()) worker.spawn(without);
      at.taken.bits[at.level / 64] |= std::uint64_t{1} << at.level % 64;
      at.room -= weight_of(c, at.level);
      at.value += c.values[at.level + 1] - c.values[at.level];
      ++at.level;
    }
    worker.accumulate(nodes{}, visited);
  }

  /// What the items left may add at most: all that fit in their order, and of the next one the part
  /// that does (Dantzig, 1957).
  [[nodiscard]] MGWS_FN std::uint64_t most(const context& c) const {
    const std::uint64_t end = c.weights[level] + room;
    std::uint32_t fit = level;  // items before this one fit
    std::uint32_t beyond = c.n + 1;
    while (beyond - fit > 1) {
      const std::uint32_t middle = fit + (beyond - fit) / 2;
      (c.weights[middle] <= end ? fit : beyond) = middle;
    }
    std::uint64_t value = c.values[fit] - c.values[level];
    if (fit != c.n)
      value += (end - c.weights[fit]) * (c.values[fit + 1] - c.values[fit]) / weight_of(c, fit);
    return value;
  }

 private:
  [[nodiscard]] MGWS_FN static std::uint64_t weight_of(const context& c, std::uint32_t i) {
    return c.weights[i + 1] - c.weights[i];
  }
};

}  // namespace mgws::bench::knapsack
