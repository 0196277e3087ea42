// How the host deals an initial set out: in the order in which it was added, bulk seeds in whole
// steps.
#include <cstdint>
#include <string>

#include <mgws/core/policy.hpp>
#include <mgws/runtime/initial_set.hpp>

#include "catch.hpp"

namespace {

struct numbered {
  std::uint64_t number;
  void operator()(auto&, mgws::task_index) const {}
};
using set = mgws::initial_set<mgws::task_set<numbered>>;

}  // namespace

TEST_CASE("initial set: single tasks as they are") {
  set s;
  for (std::uint64_t i = 0; i != 100; ++i)
    s.add(numbered{i}, 1);
  constexpr mgws::units_of_widths units{.lane = 32, .warp = 1, .block = 1};
  const auto dealt = s.deal(4, units);
  REQUIRE(dealt.size() == 100);
  for (std::uint64_t i = 0; i != 100; ++i)
    CHECK(dealt[i].read<numbered>().get().number == i);
  CHECK(s.slots_of_step(units) == 32);
}

TEST_CASE("initial set: more instances than their numbers count are refused, not cut") {
  set s;
  for (const std::uint64_t n :
       {std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1, ~std::uint64_t{0}}) {
    std::string said;
    try {
      s.add(numbered{0}, n);
    } catch (const mgws::bad_configuration& e) {
      said = e.what();
    }
    INFO(said);
    CHECK(said.find("at most 4294967295 instances, not " + std::to_string(n)) != std::string::npos);
  }
  CHECK(s.deal(1, {}).empty());
  s.add(numbered{0}, 0xffffffff);
  CHECK(s.instances() == 0xffffffff);
}

TEST_CASE("initial set: bulk seeds in whole steps, in order, as many as workers can use") {
  const std::uint32_t workers = GENERATE(1u, 4u, 100u);
  const std::uint32_t side_by_side = GENERATE(1u, 32u);
  const mgws::units_of_widths units{.lane = side_by_side};
  const std::uint32_t n = GENERATE(1u, 31u, 32u, 33u, 1000u, 100'000u);
  set s;
  s.add(numbered{0}, n);
  s.add(numbered{1}, 1);
  s.add(numbered{2}, n);
  const auto dealt = s.deal(workers, units);
  CHECK(dealt.size() <= std::uint64_t{mgws::policy::k_initial_pieces} * workers + 3);
  std::uint64_t seed = 0;
  std::uint32_t next = 0;
  for (const auto& slot : dealt) {
    const auto h = slot.read_header();
    REQUIRE(slot.read<numbered>().get().number == seed);
    REQUIRE(h.first() == next);
    next += h.count();
    const std::uint32_t all = seed == 1 ? 1 : n;
    if (next == all) {
      ++seed;
      next = 0;
    } else {
      CHECK(h.count() % side_by_side == 0);
    }
  }
  CHECK(seed == 3);
  CHECK(s.instances() == 2 * n + 1);
  // Dealt once, and anew for others.
  CHECK(s.deal(workers, units).data() == dealt.data());
}

TEST_CASE("initial set: seeds that are shorter than a piece stay whole, however many there are") {
  set long_ones;
  for (std::uint64_t i = 0; i != 300; ++i)
    long_ones.add(numbered{i}, 0xffffffff);
  CHECK(long_ones.deal(1, {}).size() == 300);  // a piece would be of more than 2^32 instances
  CHECK(long_ones.steps_of_piece() == 0xffffffff);

  set single;
  for (std::uint64_t i = 0; i != 1000; ++i)
    single.add(numbered{i}, 1);
  single.add(numbered{0}, 2);
  CHECK(single.deal(1, {}).size() == 1001);
  CHECK(single.steps_of_piece() > 1);
  CHECK(single.steps_of_slot({}) == 1002.0 / 1001);
}

namespace {

/// For all lanes.
struct whole {
  static constexpr mgws::shape width = mgws::shape::block;
  std::uint64_t number;
  void operator()(auto& /*worker*/, mgws::task_index /*i*/) const {}
};

}  // namespace

TEST_CASE("initial set: a step is one of what is seeded, whatever else the task set has") {
  constexpr mgws::units_of_widths units{.lane = 32, .warp = 4, .block = 1};
  constexpr std::uint32_t workers = 10;
  using both = mgws::task_set<numbered, whole>;
  mgws::initial_set<both> wide;
  wide.add(whole{0}, 100'000);
  CHECK(wide.side_by_side(units) == 1);
  CHECK(wide.deal(workers, units).size() > workers * mgws::policy::k_initial_pieces / 2);
  CHECK(wide.slots_of_step(units) == 1);

  mgws::initial_set<both> single;
  for (std::uint64_t i = 0; i != 1000; ++i)
    single.add(whole{i}, 1);
  CHECK(single.deal(workers, units).size() == 1000);
  CHECK(single.slots_of_step(units) == 1);

  mgws::initial_set<both> narrow;
  for (std::uint64_t i = 0; i != 1000; ++i)
    narrow.add(numbered{i}, 1);
  CHECK(narrow.side_by_side(units) == 32);
  CHECK(narrow.deal(workers, units).size() == 1000);
  CHECK(narrow.slots_of_step(units) == 32);

  // Of both, bulk slots: pieces of each are as many of its own steps.
  mgws::initial_set<both> mixed;
  mixed.add(whole{0}, 32);
  mixed.add(numbered{0}, 1024);
  CHECK(mixed.side_by_side(units) == (32 + 1024) / 64.0);
  const auto dealt = mixed.deal(workers, units);
  CHECK(dealt.size() == 64);
  for (const auto& slot : dealt) {
    const auto h = slot.read_header();
    CHECK(h.count() == (h.type() == 0 ? 32 : 1));
  }
  CHECK(mixed.slots_of_step(units) == 1);

  // Parts know what they have.
  const auto part = mixed.part(0, 32);
  CHECK(part.instances() == 32);
  CHECK(part.side_by_side(units) == 1);
}
