/// \file
/// The tabulated number of children against the reference's formula in double precision.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../../../bench/uts/tree_tables.hpp"
#include "catch.hpp"
#include "naive.hpp"

namespace uts = mgws::bench::uts;
using parameters = uts::tree_parameters;

namespace {

constexpr std::uint32_t k_randoms = 0x80000000u;

std::int64_t tabulated(const uts::tree& tree, std::uint32_t depth, std::uint32_t random) {
  // The top bit belongs to the digest, not to the random value: it must not matter.
  return tree.children(uts::state{{1, 2, 3, 4, random | (random << 31)}}, depth);
}

/// The least random value with at least k children, by the formula alone.
std::uint32_t boundary(const parameters& p, std::uint32_t depth, std::int64_t k) {
  std::uint32_t low = 0, high = k_randoms;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (naive::children(p, depth, middle) >= k) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// How many of the examined random values have another number of children than the formula says.
std::uint64_t differences(const parameters& p, std::uint32_t first, std::uint32_t last,
                          std::uint32_t samples) {
  const uts::tree_tables tables(p);
  const uts::tree tree = tables.view();
  std::mt19937 random(7);
  std::uint64_t wrong = 0;
  const auto check = [&](std::uint32_t depth, std::uint32_t value) {
    wrong += tabulated(tree, depth, value) != naive::children(p, depth, value);
  };
  for (std::uint32_t depth = first; depth <= last; ++depth) {
    for (std::int64_t k = 1; k <= 101; ++k) {
      const std::int64_t at = boundary(p, depth, k);
      for (std::int64_t value = at - 2; value <= at + 2; ++value) {
        if (value >= 0 && value < k_randoms) check(depth, static_cast<std::uint32_t>(value));
      }
    }
    for (std::uint32_t value = 0; value < 4; ++value) {
      check(depth, value);
      check(depth, k_randoms - 1 - value);
    }
    for (std::uint32_t i = 0; i < samples; ++i) {
      check(depth, static_cast<std::uint32_t>(random()) % k_randoms);
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("geometric counts are the reference's at every depth", "[uts]") {
  constexpr std::uint32_t million = 1'000'000;
  SECTION("fixed") {
    REQUIRE(differences({.a = 3, .d = 10, .b = 4}, 0, 12, million) == 0);
  }
  SECTION("linear") {
    REQUIRE(differences({.a = 0, .d = 7, .b = 3.7}, 0, 7, million) == 0);
  }
  SECTION("exponential") {
    REQUIRE(differences({.a = 1, .d = 5, .b = 6}, 0, 15, million) == 0);
  }
  SECTION("cyclic") {
    REQUIRE(differences({.a = 2, .d = 4, .b = 5.5}, 0, 22, million) == 0);
  }
}

TEST_CASE("geometric counts are the reference's for every mean", "[uts]") {
  for (const double b : {0.0, 1e-9, 0.01, 0.3, 0.5, 0.999, 1.0, 1.01, 1.5, 2.0, 3.14159, 7.0, 25.0,
                         99.5, 1000.0, 123456.789, 1e7}) {
    for (std::int64_t shape = 0; shape < 4; ++shape) {
      CAPTURE(b, shape);
      REQUIRE(differences({.a = shape, .d = 9, .b = b}, 0, 1, 20'000) == 0);
    }
  }
}

TEST_CASE("a large mean meets the cap of 100 children", "[uts]") {
  const uts::tree_tables tables({.a = 3, .d = 3, .b = 1e6});
  REQUIRE(tabulated(tables.view(), 1, k_randoms - 1) == 100);
  REQUIRE(tabulated(tables.view(), 1, k_randoms / 2) == 100);
  REQUIRE(tabulated(tables.view(), 1, 0) == 0);
  REQUIRE(tabulated(tables.view(), 3, k_randoms - 1) == 0);
}

TEST_CASE("binomial counts step at the right random value", "[uts]") {
  for (const double q : {0.0, 1e-10, 0.124875, 0.200014, 0.25, 0.499995, 0.4999999995, 0.5, 1 / 3.0,
                         0.9999999999, 1.0}) {
    CAPTURE(q);
    const parameters p{.t = 0, .b = 2000.9, .q = q, .m = 8};
    const uts::tree_tables tables(p);
    REQUIRE(tables.words().empty());
    const auto edge = static_cast<std::int64_t>(q * k_randoms);
    for (std::int64_t value = std::max<std::int64_t>(edge - 3, 0);
         value <= edge + 3 && value < k_randoms; ++value) {
      const auto random = static_cast<std::uint32_t>(value);
      REQUIRE(tabulated(tables.view(), 1, random) == naive::children(p, 1, random));
    }
    REQUIRE(tabulated(tables.view(), 0, 0) == 2000);
  }
  REQUIRE(tabulated(uts::tree_tables({.t = 0, .q = 1, .m = 1000}).view(), 1, 0) == 100);
}

TEST_CASE("hybrid trees change from geometric to binomial at depth f*d", "[uts]") {
  for (const double f : {0.0, 0.3, 0.5, 1.0, 1.7, 1e300}) {
    CAPTURE(f);
    REQUIRE(differences({.t = 2, .a = 0, .d = 8, .b = 5, .q = 0.2, .m = 3, .f = f}, 0, 8, 1000) ==
            0);
  }
  REQUIRE(differences({.t = 2, .a = 3, .d = 5, .b = 5, .f = 0.5}, 0, 8, 1000) == 0);
}

TEST_CASE("balanced trees have floor(b) children above depth d", "[uts]") {
  for (const double b : {0.0, 0.9, 1.0, 2.5, 100.0, 150.0}) {
    CAPTURE(b);
    REQUIRE(differences({.t = 3, .d = 5, .b = b}, 0, 7, 100) == 0);
  }
  REQUIRE(differences({.t = 3, .d = 0, .b = 3}, 0, 1, 100) == 0);
}

TEST_CASE("rows end where the tree has", "[uts]") {
  SECTION("alike depths share one row") {
    REQUIRE(uts::tree_tables({.a = 3, .d = 2'000'000'000, .b = 0.9}).words().size() < 200);
    REQUIRE(uts::tree_tables({.a = 1, .d = 0, .b = 0.9}).words().size() < 200);
    REQUIRE(uts::tree_tables({.t = 3, .d = 2'000'000'000, .b = 1}).words().size() < 200);
    REQUIRE(differences({.a = 1, .d = 0, .b = 0.9}, 1'000'000, 1'000'001, 1000) == 0);
    REQUIRE(differences({.a = 3, .d = 2'000'000, .b = 0.9}, 1'999'999, 2'000'001, 1000) == 0);
  }
  SECTION("an exponential tree goes on below depth d, as the reference's does") {
    REQUIRE(differences({.a = 1, .d = 20, .b = 3}, 18, 60, 1000) == 0);
  }
  SECTION("a tree that surely never ends needs few rows") {
    REQUIRE(uts::tree_tables({.a = 0, .d = 1'000'000'000, .b = 4}).words().size() < 20'000);
    REQUIRE(uts::tree_tables({.a = 1, .d = 6, .b = 0.5}).words().size() < 20'000);
    REQUIRE(differences({.a = 1, .d = 6, .b = 0.5}, 0, 40, 1000) == 0);
  }
  SECTION("a tree that surely ends early does, too") {
    REQUIRE(uts::tree_tables({.a = 0, .d = 1'000'000'000, .b = 0.5}).words().size() < 20'000);
  }
  SECTION("a tree between the two is refused") {
    REQUIRE_THROWS_AS(uts::tree_tables({.a = 0, .d = 2'000'000'000, .b = 1}),
                      std::invalid_argument);
  }
}

TEST_CASE("a view can be taken over a copy of the words", "[uts]") {
  uts::tree_tables tables({.a = 2, .d = 5, .b = 3});
  const std::vector<std::uint32_t> copy(tables.words().begin(), tables.words().end());
  const uts::tree on_copy = tables.view(copy.data());
  const uts::tree_tables moved = std::move(tables);
  const uts::tree on_moved = moved.view();
  REQUIRE(on_copy.table == copy.data());
  for (std::uint32_t depth = 0; depth < 30; ++depth) {
    for (std::uint32_t i = 0; i < 1000; ++i) {
      const std::uint32_t random = i * 2147483u;
      REQUIRE(tabulated(on_copy, depth, random) == tabulated(on_moved, depth, random));
    }
  }
}
