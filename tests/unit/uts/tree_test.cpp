/// \file
/// Whole trees: the named ones against their published sizes, small ones of every kind against the
/// plain recursive program; and what is refused.

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "../../../bench/uts/parameters.hpp"
#include "../../../bench/uts/sequential.hpp"
#include "../../../bench/uts/sha1_x86.hpp"
#include "../../../bench/uts/tree_tables.hpp"
#include "catch.hpp"
#include "naive.hpp"

namespace uts = mgws::bench::uts;
using parameters = uts::tree_parameters;

namespace {

uts::traversal count(const parameters& p) {
  const uts::tree_tables tables(p);
  const uts::traversal portable = uts::traverse<uts::portable_sha1>(tables.view());
  if (uts::has_sha_instructions()) {
    REQUIRE(uts::traverse<uts::x86_sha1>(tables.view()) == portable);
  }
  return portable;
}

void check_named(const char* name) {
  CAPTURE(name);
  const uts::named_tree* known = uts::find_named_tree(name);
  REQUIRE(known != nullptr);
  const uts::tree_tables tables(known->parameters);
  const uts::traversal found = uts::has_sha_instructions()
                                   ? uts::traverse<uts::x86_sha1>(tables.view())
                                   : uts::traverse<uts::portable_sha1>(tables.view());
  REQUIRE(found.nodes == known->nodes);
  REQUIRE(found.depth == known->depth);
  REQUIRE(found.leaves == known->leaves);
}

/// Compares with the plain program; returns the number of nodes.
std::uint64_t check_small(const parameters& p) {
  CAPTURE(p.t, p.a, p.d, p.b, p.r, p.q, p.m, p.f, p.g);
  naive::found expected;
  naive::visit(p, naive::root(static_cast<std::uint32_t>(p.r)), 0, expected);
  const uts::traversal found = count(p);
  REQUIRE(found.nodes == expected.nodes);
  REQUIRE(found.depth == expected.depth);
  REQUIRE(found.leaves == expected.leaves);
  return found.nodes;
}

std::string refusal(const parameters& p) {
  try {
    uts::validate(p);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

bool names(const std::string& sentence, const std::string& option) {
  return sentence.find(option + " must be ") != std::string::npos && sentence.back() == '.';
}

}  // namespace

TEST_CASE("T1 to T5 have their published sizes", "[uts]") {
  for (const char* name : {"T1", "T2", "T3", "T4", "T5"})
    check_named(name);
}

TEST_CASE("T1L, T2L and T3L have their published sizes", "[.long][uts]") {
  for (const char* name : {"T1L", "T2L", "T3L"})
    check_named(name);
}

TEST_CASE("named trees are found by their exact name and are valid", "[uts]") {
  for (const uts::named_tree& known : uts::named_trees()) {
    REQUIRE(uts::find_named_tree(known.name) == &known);
    REQUIRE(refusal(known.parameters) == "accepted");
  }
  REQUIRE(uts::find_named_tree("t1") == nullptr);
  REQUIRE(uts::find_named_tree("") == nullptr);
  REQUIRE(uts::find_named_tree("T1WL")->parameters ==
          parameters{.t = 1, .a = 3, .d = 18, .b = 4, .r = 19});
  REQUIRE(uts::find_named_tree("T3XXL")->parameters ==
          parameters{.t = 0, .b = 2000, .r = 316, .q = 0.499995, .m = 2});
}

TEST_CASE("small trees of every type and shape equal a plain recursive program's", "[uts]") {
  std::uint64_t nodes = 0;
  for (std::int64_t seed = 0; seed < 12; ++seed) {
    nodes += check_small({.t = 0, .b = 30.7, .r = seed, .q = 0.12, .m = 8});
    nodes += check_small({.t = 1, .a = 0, .d = 6, .b = 3.3, .r = seed});
    nodes += check_small({.t = 1, .a = 1, .d = 4, .b = 2.5, .r = seed});
    nodes += check_small({.t = 1, .a = 2, .d = 5, .b = 1.9, .r = seed});
    nodes += check_small({.t = 1, .a = 3, .d = 5, .b = 2.8, .r = seed});
    nodes += check_small({.t = 2, .a = 0, .d = 7, .b = 4, .r = seed, .q = 0.2, .m = 4});
    nodes += check_small({.t = 2, .a = 3, .d = 7, .b = 3, .r = seed, .q = 0.3, .m = 3, .f = 0.4});
    nodes += check_small({.t = 3, .d = seed % 5, .b = 3.9, .r = seed});
  }
  REQUIRE(nodes > 20'000);  // not all of them are a lone root
}

TEST_CASE("trees at the edges of the parameters equal a plain recursive program's", "[uts]") {
  for (std::int64_t seed = 0; seed < 6; ++seed) {
    for (std::int64_t shape = 0; shape < 4; ++shape) {
      check_small({.a = shape, .d = 0, .b = 0.7, .r = seed});
      check_small({.a = shape, .d = 1, .b = 6, .r = seed});
      check_small({.a = shape, .d = 1, .b = 1, .r = seed});
      check_small({.a = shape, .d = 3, .b = 0, .r = seed});
      check_small({.a = shape, .d = 30, .b = 1, .r = seed});
    }
    check_small({.t = 0, .b = 0.9, .r = seed});
    check_small({.t = 0, .b = 300, .r = seed, .q = 0});
    check_small({.t = 0, .b = 300, .r = seed, .q = 0.9, .m = 0});
    check_small({.t = 2, .d = 0, .r = seed, .q = 0.2});
    check_small({.t = 2, .d = 3, .b = 3, .r = seed, .q = 0.2, .f = 5});
    check_small({.t = 3, .d = 2, .b = 150, .r = seed});
    check_small({.a = 3, .d = 2, .b = 200, .r = seed});
  }
  check_small({.t = 3, .d = 5000, .b = 1, .r = 2147483647});
}

TEST_CASE("the granularity repeats work and changes nothing else", "[uts]") {
  const parameters once{.a = 3, .d = 6, .b = 3, .r = 5};
  parameters often = once;
  often.g = 9;
  REQUIRE(count(often) == count(once));
}

TEST_CASE("parameters outside their range are refused in one sentence", "[uts]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr std::int64_t too_large = std::int64_t{1} << 31;
  REQUIRE(refusal({}) == "accepted");
  for (const std::int64_t t : {-1, 4})
    REQUIRE(names(refusal({.t = t}), "-t"));
  for (const std::int64_t a : {-1, 4})
    REQUIRE(names(refusal({.a = a}), "-a"));
  for (const std::int64_t d : {std::int64_t{-1}, too_large}) {
    REQUIRE(names(refusal({.d = d}), "-d"));
  }
  for (const double b : {-0.5, nan, infinity, 1.1e7})
    REQUIRE(names(refusal({.b = b}), "-b"));
  for (const double b : {-1.0, nan, infinity, 2147483648.0}) {
    REQUIRE(names(refusal({.t = 0, .b = b}), "-b"));
  }
  REQUIRE(refusal({.t = 0, .b = 2147483647}) == "accepted");
  for (const std::int64_t r : {std::int64_t{-1}, too_large}) {
    REQUIRE(names(refusal({.r = r}), "-r"));
  }
  for (const double q : {-0.1, 1.1, nan})
    REQUIRE(names(refusal({.q = q}), "-q"));
  for (const std::int64_t m : {std::int64_t{-1}, too_large}) {
    REQUIRE(names(refusal({.m = m}), "-m"));
  }
  for (const double f : {-0.1, nan, infinity})
    REQUIRE(names(refusal({.f = f}), "-f"));
  for (const std::int64_t g : {std::int64_t{0}, std::int64_t{-1}, too_large}) {
    REQUIRE(names(refusal({.g = g}), "-g"));
  }
  REQUIRE(refusal({.t = 7}) ==
          "Tree type -t must be 0 (binomial), 1 (geometric), 2 (hybrid) or 3 (balanced), not 7.");
  REQUIRE_THROWS_AS(uts::tree_tables({.q = 2}), std::invalid_argument);
}
