// In which pieces the host deals an initial set out: in the order in which it was added, bulk seeds
// in steps.
#include <cstdint>
#include <string>
#include <vector>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/core/initial_pieces.hpp>
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
  mgws::run_parameters run{};
  const auto dealt = s.deal(run, units);
  REQUIRE(dealt.size() == 100);
  CHECK(run.initial_count == 100);
  CHECK(run.bulk_seeds == 0);
  for (std::uint64_t i = 0; i != 100; ++i)
    CHECK(dealt[i].read<numbered>().get().number == i);
  CHECK(run.pieces_of_step == 32);
  CHECK(run.steps_of_piece == 1.0f / 32);
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
  mgws::run_parameters run{};
  CHECK(s.deal(run, {}).empty());
  CHECK(run.initial_count == 0);
  s.add(numbered{0}, 0xffffffff);
  CHECK(s.instances() == 0xffffffff);
}

TEST_CASE("initial set: each piece is of one seed, and a step of it") {
  const std::uint32_t log = GENERATE(0u, 5u);
  const std::uint32_t step = 1u << log;
  std::vector<std::uint32_t> seeds = GENERATE(
      std::vector{1u}, std::vector{31u, 32u}, std::vector{33u}, std::vector{100'000u, 1u, 100'000u},
      std::vector<std::uint32_t>(1000, 1), std::vector<std::uint32_t>(1000, 45));
  if (GENERATE(false, true)) {
    seeds.push_back(70'000);
    seeds.resize(3000, 1);
  }
  set s;
  std::uint64_t all = 0;
  std::uint64_t count = 0;
  for (const std::uint32_t n : seeds) {
    s.add(numbered{count++}, n);
    all += n;
  }
  CHECK(s.instances() == all);
  mgws::run_parameters run{};
  const auto dealt = s.deal(run, {.lane = step});
  CHECK(s.deal(run, {.lane = step}).data() == dealt.data());  // made once
  const mgws::initial_pieces<mgws::cpu_backend::backend, mgws::slot<mgws::task_set<numbered>>>
      pieces(dealt.data(), run);
  std::uint64_t piece = 0;
  for (std::uint64_t seed = 0; seed != seeds.size(); ++seed)
    for (std::uint32_t left = seeds[seed]; left != 0; ++piece) {
      REQUIRE(pieces.seed_of(piece) == seed);
      const std::uint32_t n = std::min(left, step);
      REQUIRE(pieces.instances(piece, [&](std::uint32_t) { return log; }) == n);
      left -= n;
    }
  CHECK(run.initial_count == piece);
  CHECK(pieces.are_slots() == (piece == seeds.size()));
}

TEST_CASE("initial set: more pieces than 32 bits count") {
  set s;
  for (std::uint64_t i = 0; i != 300; ++i)
    s.add(numbered{i}, 0xffffffff);
  mgws::run_parameters run{};
  const auto dealt = s.deal(run, {});
  CHECK(run.initial_count == std::uint64_t{300} * 0xffffffff);
  CHECK(run.pieces_of_seed == 0xffffffff);
  const mgws::initial_pieces<mgws::cpu_backend::backend, mgws::slot<mgws::task_set<numbered>>>
      pieces(dealt.data(), run);
  for (std::uint64_t i = 0; i != 300; ++i) {
    CHECK(pieces.seed_of(i * 0xffffffff) == i);
    CHECK(pieces.seed_of(i * 0xffffffff + 0xfffffffe) == i);
  }
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
  using both = mgws::task_set<numbered, whole>;
  mgws::run_parameters run{};
  mgws::initial_set<both> wide;
  wide.add(whole{0}, 100'000);
  CHECK(wide.side_by_side(units) == 1);
  CHECK(!wide.deal(run, units).empty());
  CHECK(run.initial_count == 100'000);
  CHECK(run.pieces_of_step == 1);

  mgws::initial_set<both> single;
  for (std::uint64_t i = 0; i != 1000; ++i)
    single.add(whole{i}, 1);
  CHECK(single.deal(run, units).size() == 1000);
  CHECK(run.pieces_of_step == 1);

  mgws::initial_set<both> narrow;
  for (std::uint64_t i = 0; i != 1000; ++i)
    narrow.add(numbered{i}, 1);
  CHECK(narrow.side_by_side(units) == 32);
  CHECK(narrow.deal(run, units).size() == 1000);
  CHECK(run.pieces_of_step == 32);

  // Of both, bulk slots: pieces of each are its own steps.
  mgws::initial_set<both> mixed;
  mixed.add(whole{0}, 32);
  mixed.add(numbered{0}, 1024);
  CHECK(mixed.side_by_side(units) == (32 + 1024) / 64.0);
  CHECK(!mixed.deal(run, units).empty());
  CHECK(run.initial_count == 64);
  CHECK(run.pieces_of_step == 1);
  CHECK(run.steps_of_piece == 1);

  // Parts know what they have.
  const auto part = mixed.part(0, 32);
  CHECK(part.instances() == 32);
  CHECK(part.side_by_side(units) == 1);
}
