#include <cstdint>

#include <mgws/core/granularity.hpp>

#include "catch.hpp"

namespace {

using mgws::granularity;

/// A clock that stands still but where a test moves it, and counts how often it is read.
std::uint64_t current = 0;
std::uint64_t readings = 0;
std::uint64_t clock_now() {
  ++readings;
  return current;
}

/// A worker's bursts.
struct bursts {
  granularity& g;
  std::uint64_t executed = 0;

  void run(std::uint32_t n, std::uint64_t each_ns) {
    for (std::uint32_t left = n; left != 0;) {
      const std::uint32_t burst = g.burst() < left ? g.burst() : left;
      current += burst * each_ns;
      executed += burst;
      left -= burst;
      g.ran(executed, &clock_now);
    }
  }
};

}  // namespace

TEST_CASE(
    "granularity: coarse until enough tasks were short, and coarse again once they are long") {
  current = 1000;
  granularity g(current);
  bursts b{g};
  CHECK(g.coarse());
  b.run(granularity::k_coarse_window - 1, 1000);
  CHECK(g.coarse());
  b.run(1, 1000);
  CHECK_FALSE(g.coarse());
  b.run(10 * granularity::k_fine_window, granularity::k_coarse_ns);
  CHECK_FALSE(g.coarse());
  b.run(granularity::k_fine_window, granularity::k_coarse_ns + 1);
  CHECK(g.coarse());
  b.run(5 * granularity::k_coarse_window, granularity::k_coarse_ns + 1);
  CHECK(g.coarse());
  b.run(granularity::k_coarse_window, 100);
  CHECK_FALSE(g.coarse());
}

TEST_CASE("granularity: a burst takes about as long as a coarse task, within bounds") {
  for (const std::uint64_t each : {1u, 50u, 127u, 128u, 500u, 1000u, 4000u, 8000u}) {
    current = 0;
    granularity g(current);
    bursts b{g};
    b.run(2 * granularity::k_tiny_window, each);
    CHECK_FALSE(g.coarse());
    CHECK(g.burst() >= 2);
    CHECK(g.burst() <= granularity::k_longest_burst);
    CHECK((g.burst() == 2 || g.burst() * each <= granularity::k_coarse_ns));
    CHECK((g.burst() == granularity::k_longest_burst ||
           (g.burst() + 1) * (each + 1) > granularity::k_coarse_ns));
  }
}

TEST_CASE("granularity: time without tasks does not count") {
  current = 0;
  granularity g(current);
  bursts b{g};
  const std::uint64_t pause = 1'000'000'000;
  current += pause;
  g.exclude(pause);
  b.run(granularity::k_coarse_window, 10);
  CHECK_FALSE(g.coarse());
}

TEST_CASE("granularity: the clock is read seldom for short tasks") {
  current = 0;
  granularity g(current);
  bursts b{g};
  readings = 0;
  b.run(64 * granularity::k_tiny_window, 1);
  CHECK(readings > 0);
  CHECK(readings <= 64 + 2);
}

TEST_CASE("granularity: long tasks after short ones are noticed within two bursts") {
  current = 0;
  granularity g(current);
  bursts b{g};
  b.run(10 * granularity::k_tiny_window, 0);
  CHECK(g.burst() == granularity::k_longest_burst);
  b.run(2 * granularity::k_longest_burst, 1'000'000);
  CHECK(g.coarse());
}

TEST_CASE(
    "step granularity: coarse at first, bursts grow by doubling, long steps are coarse again") {
  using steps = mgws::step_granularity;
  current = 1000;
  steps g(true, 0);
  CHECK(g.coarse());
  g.begins(&clock_now);
  for (std::uint32_t expected = 2; expected <= steps::k_longest_burst; expected *= 2) {
    const std::uint32_t n = g.burst();
    current += n * 1000u;
    g.ran(n, &clock_now);
    CHECK(g.burst() == expected);
  }
  current += std::uint64_t{g.burst()} * 16'384;
  g.ran(g.burst(), &clock_now);
  CHECK(g.burst() == steps::k_burst_ns / 16'385);
  current += std::uint64_t{g.burst()} * (steps::k_coarse_ns + 1);
  g.ran(g.burst(), &clock_now);
  CHECK(g.coarse());
  // Longer than 32 bits can say.
  current += std::uint64_t{1} << 40;
  g.ran(1, &clock_now);
  CHECK(g.coarse());
}

TEST_CASE("step granularity: of short bursts few are timed, whole ones are; none if nobody asks") {
  using steps = mgws::step_granularity;
  current = 0;
  steps g(true, 0);
  g.begins(&clock_now);
  for (int i = 0; i != 6; ++i)
    g.ran(g.burst(), &clock_now);
  REQUIRE(g.burst() == steps::k_longest_burst);
  readings = 0;
  for (int i = 0; i != 40; ++i) {
    g.begins(&clock_now);
    g.ran(4, &clock_now);
  }
  CHECK(readings == 2 * 40 / steps::k_timed);
  // Whole bursts after an untimed beginning: the first starts the clock, the second reads it.
  g.begins(&clock_now);
  g.ran(g.burst(), &clock_now);
  current += g.burst() * (steps::k_coarse_ns + 1ull);
  g.ran(g.burst(), &clock_now);
  CHECK(g.coarse());

  steps alone(false, 0);
  readings = 0;
  alone.begins(&clock_now);
  alone.ran(steps::k_longest_burst, &clock_now);
  CHECK(readings == 0);
  CHECK(alone.burst() == steps::k_longest_burst);
}

TEST_CASE(
    "step granularity: how many steps fit into a claim, and into a burst that is not shared") {
  using steps = mgws::step_granularity;
  current = 0;
  steps g(true, 0);
  CHECK(g.private_burst() < 2);
  const auto take = [&](std::uint64_t each_ns, int bursts) {
    for (int i = 0; i != bursts; ++i) {
      g.begins(&clock_now);
      current += g.burst() * each_ns;
      g.ran(g.burst(), &clock_now);
    }
  };
  take(1023, 7);
  CHECK(g.steps_at_once() == steps::k_burst_ns / 1024);
  CHECK(g.private_burst() == steps::k_private_ns / 1024);
  take(32'767, steps::k_timed);  // of long bursts not all are timed
  CHECK(g.steps_at_once() == 8);
  CHECK(g.private_burst() < 2);

  // Nobody to share with: nothing is kept from anybody.
  const steps alone(false, 0);
  CHECK(alone.steps_at_once() >= steps::k_burst_ns);
  CHECK(alone.private_burst() == steps::k_longest_burst);
}
