#include <algorithm>
#include <cstdint>

#include "catch.hpp"
#include "loop/instance.hpp"
#include "loop/pattern.hpp"

namespace {

using namespace mgws::bench;

loop_costs costs_of(loop_pattern p, std::uint64_t n, std::uint32_t base, std::uint32_t grain) {
  return {.pattern = p, .n = n, .base = base, .grain = grain};
}

}  // namespace

TEST_CASE("loop patterns: names") {
  for (const auto& known : k_loop_patterns) {
    CHECK(find_loop_pattern(known.name) == known.pattern);
    CHECK(name_of(known.pattern) == known.name);
  }
  CHECK(!find_loop_pattern("sideways"));
}

TEST_CASE("loop patterns: totals and longest instances") {
  const auto check = [](loop_pattern p, std::uint64_t total, std::uint64_t longest) {
    INFO(name_of(p));
    const loop_costs c = costs_of(p, 1u << 16, 1024, 32);
    CHECK(c.total() == total);
    CHECK(c.longest() == longest);
  };
  constexpr std::uint64_t n = 1u << 16;
  constexpr std::uint64_t light = n / 16 * 15 * 64;
  constexpr std::uint64_t heavy = n / 16 * 16'384;
  check(loop_pattern::uniform, n * 1024, 1024);
  // 2,048 groups: the g-th has 2 * 1024 * (g + 0.5) / 2048, cut to a whole number: g.
  check(loop_pattern::ramp_up, n / 2048 * (2047 * 2048 / 2 + 1), 2047);
  check(loop_pattern::ramp_down, n / 2048 * (2047 * 2048 / 2 + 1), 2047);
  // And 2g + 1 up to the middle.
  check(loop_pattern::triangle, 2 * n / 2048 * 1024 * 1024, 2047);
  check(loop_pattern::heavy_first, light + heavy, 16'384);
  check(loop_pattern::heavy_last, light + heavy, 16'384);
  check(loop_pattern::every_16th, light + heavy, 16'384);
  check(loop_pattern::one_long, (n - 32) * 1024 + 32 * 262'144, 262'144);

  const loop_costs geometric = costs_of(loop_pattern::geometric, 1u << 22, 1024, 32);
  CHECK(geometric.longest() == 256 * 1024);
  CHECK(geometric.total() > (std::uint64_t{1} << 22) * 1400);
  CHECK(geometric.total() < (std::uint64_t{1} << 22) * 1700);
  const loop_costs blocks = costs_of(loop_pattern::random_blocks, 1u << 22, 1024, 32);
  CHECK(blocks.longest() == 16'384);
  CHECK(blocks.total() > (std::uint64_t{1} << 22) * 800);
  CHECK(blocks.total() < (std::uint64_t{1} << 22) * 1300);
}

TEST_CASE("loop patterns: the total is the sum of what instances say, which is never 0") {
  for (const auto& known : k_loop_patterns)
    for (const std::uint64_t n : {1, 31, 32, 1000, 4099})
      for (const std::uint32_t base : {1u, 7u, 100'000u})
        for (const std::uint32_t grain : {1u, 5u, 32u, 5000u}) {
          const loop_costs c = costs_of(known.pattern, n, base, grain);
          std::uint64_t total = 0;
          std::uint64_t longest = 0;
          bool positive = true;
          bool alike = true;
          for (std::uint64_t i = 0; i != n; ++i) {
            const std::uint64_t k = c.iterations(i);
            positive = positive && k != 0;
            alike = alike && k == c.iterations(i / grain * grain);
            total += k;
            longest = std::max(longest, k);
          }
          INFO(known.name << ", " << n << " of " << base << " by " << grain);
          CHECK(positive);
          CHECK(alike);
          CHECK(c.total() == total);
          CHECK(c.longest() == longest);
        }
}

TEST_CASE("loop instances: many steps of the chain at once are as many single ones") {
  constexpr linear_step step;
  for (const std::uint32_t begin : {0u, 1u, 12'345u, ~0u}) {
    std::uint32_t x = begin;
    for (std::uint64_t k = 0; k != 2000; ++k, x = step(x))
      REQUIRE(step.times(k)(begin) == x);
  }
  CHECK(step.times(1'000'003)(7) == step.times(3)(step.times(1'000'000)(7)));
}

TEST_CASE("loop instances: the answer is what running them all gives") {
  for (const auto& known : k_loop_patterns)
    for (const std::uint64_t heavy : {0, 10, 1000}) {
      const loop_work work{.costs = costs_of(known.pattern, 1000, 20, 8),
                           .heavy_from = (1000 - heavy) / 2,
                           .heavy = heavy,
                           .heavy_cost = 777};
      std::uint64_t sum = 0;
      std::uint64_t iterations = 0;
      std::uint32_t longest = 0;
      for (std::uint64_t i = 0; i != 1000; ++i) {
        sum += run_chain(work, i);
        iterations += work.iterations(i);
        longest = std::max(longest, work.iterations(i));
      }
      INFO(known.name << ", " << heavy << " heavy");
      const loop_answer a = answer_of(work);
      CHECK(a.sum == sum);
      CHECK(a.iterations == iterations);
      CHECK(a.longest == longest);
    }
}
