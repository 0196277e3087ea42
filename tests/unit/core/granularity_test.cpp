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

void run_tasks(granularity& g, std::uint32_t n, std::uint64_t each_ns) {
  for (std::uint32_t i = 0; i != n; ++i) {
    current += each_ns;
    if (g.after_task()) g.tick(&clock_now);
  }
}

}  // namespace

TEST_CASE(
    "granularity: coarse until enough tasks were short, and coarse again once they are long") {
  current = 1000;
  granularity g(current, true);
  CHECK(g.coarse());
  run_tasks(g, granularity::k_coarse_window - 1, 10);
  CHECK(g.coarse());
  run_tasks(g, 1, 10);
  CHECK_FALSE(g.coarse());
  run_tasks(g, 10 * granularity::k_fine_window, granularity::k_coarse_ns);
  CHECK_FALSE(g.coarse());
  run_tasks(g, granularity::k_fine_window, granularity::k_coarse_ns + 1);
  CHECK(g.coarse());
  run_tasks(g, 5 * granularity::k_coarse_window, granularity::k_coarse_ns + 1);
  CHECK(g.coarse());
  run_tasks(g, granularity::k_coarse_window, 100);
  CHECK_FALSE(g.coarse());
}

TEST_CASE("granularity: time without tasks does not count") {
  current = 0;
  granularity g(current, true);
  const std::uint64_t pause = 1'000'000'000;
  current += pause;
  g.exclude(pause);
  run_tasks(g, granularity::k_coarse_window, 10);
  CHECK_FALSE(g.coarse());
}

TEST_CASE("granularity: every task is counted, at any moment") {
  for (const bool matters : {false, true}) {
    current = 0;
    granularity g(current, matters);
    bool right = g.executed() == 0;
    for (std::uint64_t i = 1; i != 1000; ++i) {
      run_tasks(g, 1, i % 300 < 150 ? 10 : 100'000);
      right = right && g.executed() == i;
    }
    CHECK(right);
  }
}

TEST_CASE("granularity: the clock is read seldom for short tasks, and never if nobody asks") {
  current = 0;
  granularity g(current, true);
  readings = 0;
  run_tasks(g, 64'000, 1);
  CHECK(readings > 0);
  CHECK(readings <= 64'000 / granularity::k_fine_window + 1);

  granularity alone(current, false);
  readings = 0;
  run_tasks(alone, 1000, 1'000'000);
  CHECK(readings == 0);
  CHECK_FALSE(alone.coarse());
}
