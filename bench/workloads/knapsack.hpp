/// \file
/// `knapsack`: the most valuable items that fit, by branch and bound. A task decides about one item
/// after the other: it goes on with each that fits, and spawns what would be without it. Of a wide
/// task all lanes go the same way, and each looks at what one item less would be.
#pragma once

#include <cstdint>

#include <mgws/best.hpp>
#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

#include "workloads/first_begin.hpp"

namespace mgws::bench::knapsack {

/// Items that are taken, a bit each.
struct packing {
  std::uint64_t bits[2];
};
/// And when they were, by the device's clock.
struct found {
  packing taken;
  std::uint64_t ns;
};
using heaviest = mgws::best<std::uint64_t, maximum, found>;

struct context {
  heaviest::view best;
  first_begin::view began;
  /// Of the items before each one, ordered by value a weight: n + 1 sums.
  const std::uint64_t* weights;
  const std::uint64_t* values;
  std::uint32_t n;
};

/// Items that were decided about.
struct nodes : sum<std::uint64_t> {};

template <shape Width>
struct decide {
  static constexpr shape width = Width;
  packing taken;
  std::uint64_t room;
  std::uint64_t value;
  std::uint32_t level;  ///< the first item that is not decided about

  MGWS_FN void operator()(auto& worker) const {
    const auto& c = worker.context();
    if (level == 0 && worker.lane() == 0) c.began.improve(worker.now());
    decide at = *this;
    decide without{};
    bool have = false;
    std::uint32_t decided = 0;
    std::uint64_t visited = 0;
    // As long as items fit it stays the same.
    std::uint64_t most = at.value + at.left(c);
    while (most > c.best.value()) {
      if (at.level != c.n && weight_of(c, at.level) > at.room) {
        while (at.level != c.n && weight_of(c, at.level) > at.room)
          ++at.level;
        most = at.value + at.left(c);
        continue;
      }
      if (at.level == c.n) {
        if (worker.lane() == 0)
          c.best.improve(at.value, [&] { return found{at.taken, worker.now()}; });
        break;
      }
      if (decided++ % worker.lanes() == worker.lane()) {
        without = at;
        ++without.level;
        have = true;
        ++visited;
      }
      if (decided % worker.lanes() == 0) {
        if (have) without.spawn_if_worth_it(worker);
        have = false;
      }
      at.taken.bits[at.level / 64] |= std::uint64_t{1} << at.level % 64;
      at.room -= weight_of(c, at.level);
      at.value += c.values[at.level + 1] - c.values[at.level];
      ++at.level;
    }
    if (have) without.spawn_if_worth_it(worker);
    worker.accumulate(nodes{}, visited);
  }

 private:
  MGWS_FN void spawn_if_worth_it(auto& worker) const {
    const auto& c = worker.context();
    if (value + left(c) > c.best.value()) worker.spawn(*this);
  }

  /// What the items left may add at most: all that fit in their order, and of the next one the part
  /// that does (Dantzig, 1957).
  [[nodiscard]] MGWS_FN std::uint64_t left(const auto& c) const {
    const std::uint64_t end = c.weights[level] + room;
    std::uint32_t fit = level;  // items before this one fit
    std::uint32_t beyond = c.n + 1;
    while (beyond - fit > 1) {
      const std::uint32_t middle = fit + (beyond - fit) / 2;
      (c.weights[middle] <= end ? fit : beyond) = middle;
    }
    std::uint64_t more = c.values[fit] - c.values[level];
    if (fit != c.n)
      more += (end - c.weights[fit]) * (c.values[fit + 1] - c.values[fit]) / weight_of(c, fit);
    return more;
  }

  [[nodiscard]] MGWS_FN static std::uint64_t weight_of(const auto& c, std::uint32_t i) {
    return c.weights[i + 1] - c.weights[i];
  }
};

}  // namespace mgws::bench::knapsack
