// What follows from how long steps take: how many a worker may keep to itself, how many it claims.
#include <cstdint>

#include <mgws/core/policy.hpp>

#include "catch.hpp"

namespace policy = mgws::policy;

namespace {

constexpr std::uint32_t k_longest = 64;
constexpr std::uint32_t k_hand_over_ns = 1000;
constexpr std::uint32_t k_coarse_ns = policy::k_coarse * k_hand_over_ns;

/// Rounding is not what matters.
bool about(std::uint32_t n, std::uint32_t expected) {
  return n + 1 >= expected && n <= expected + 1;
}

/// A pace and its clock.
struct timed {
  policy::pace<k_longest, k_hand_over_ns> pace;
  std::uint64_t now = 1000;

  timed() { pace.begins(now); }
  void run(std::uint32_t steps, std::uint64_t each) { pace.ran(steps, now += steps * each); }
};

}  // namespace

TEST_CASE("pace: coarse until a step has shown otherwise") {
  timed t;
  CHECK(t.pace.coarse());
  CHECK(t.pace.steps() == 1);
  CHECK(t.pace.least() == 1);
  t.run(1, 4 * k_coarse_ns);
  CHECK(t.pace.coarse());
  t.run(1, 1);
  CHECK(t.pace.coarse());  // half of a maximum is not forgotten at once
  for (int i = 0; i != 20; ++i)
    t.run(1, 1);
  CHECK(t.pace.full() == k_longest);
}

TEST_CASE("pace: as many steps as last delta, by the longest of late") {
  timed t;
  t.run(4, 999);
  CHECK(about(t.pace.full(), policy::k_delta_ns / 1000));
  t.run(1, 4999);
  CHECK(about(t.pace.full(), policy::k_delta_ns / 5000));
  t.run(1, k_coarse_ns - 1);
  CHECK(!t.pace.coarse());
  CHECK(t.pace.full() == 2);
  CHECK(t.pace.least() == 1);
  t.run(1, 10 * k_coarse_ns);
  CHECK(t.pace.coarse());
  int until_fine = 0;
  for (; t.pace.full() + 1 < policy::k_delta_ns / 2000; ++until_fine)
    t.run(10, 999);
  CHECK(until_fine > 3);
  CHECK(until_fine < 12);
}

TEST_CASE("pace: parts of steps count") {
  timed t;
  t.pace.ran(1.5f, t.now += 1500);
  CHECK(about(t.pace.full(), policy::k_delta_ns / 1000));
}

TEST_CASE("pace: one step at first, then twice as many, anew where work came from elsewhere") {
  timed t;
  for (std::uint32_t expected = 2; expected <= k_longest; expected *= 2) {
    t.run(1, 1);
    CHECK(t.pace.steps() == expected);
  }
  t.run(1, 1);
  CHECK(t.pace.steps() == k_longest);
  t.pace.restart();
  CHECK(t.pace.steps() == 1);
  CHECK(t.pace.full() == k_longest);
  t.run(1, 1);
  CHECK(t.pace.steps() == 2);
}

TEST_CASE("pace: fewer than last as long as fetching them are not worth the way") {
  timed t;
  t.run(1, 99);
  CHECK(about(t.pace.least(), k_hand_over_ns / 100));
}

TEST_CASE("pace: time without tasks does not count, and very long steps do not overflow") {
  timed t;
  t.now += 50'000'000;
  t.pace.exclude(50'000'000);
  t.run(1, 999);
  CHECK(about(t.pace.full(), policy::k_delta_ns / 1000));
  t.run(1, 1'000'000'000'000);
  CHECK(t.pace.coarse());
}

TEST_CASE("claims: guided by what is left, in whole steps and within bounds") {
  const float share = 1.0f / 100;
  CHECK(policy::claim_of(1'000'000, share, 32, 1, 20) == 640);
  CHECK(policy::claim_of(1'000'000, share, 32, 1, 1000) == 5000 / 32 * 32);
  CHECK(policy::claim_of(6410, share, 32, 1, 20) == 32);
  CHECK(policy::claim_of(1, share, 32, 1, 20) == 32);
  CHECK(policy::claim_of(1'000'000, share, 1, 1, 20) == 20);
  CHECK(policy::claim_of(~std::uint64_t{0}, 1, 1, 1, ~0u) >= 1u << 30);
  CHECK(policy::claim_of(6410, share, 32, 4, 20) == 128);
  // Of a far counter the whole.
  CHECK(policy::claim_of(1'000'000, share, 32, 1, 20, true) == 10'000 / 32 * 32);
  CHECK(policy::claim_of(6000, share, 32, 4, 20, true) == 128);
}
