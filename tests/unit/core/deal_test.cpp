// Dealing instances to units, against a deal that hands them out one by one.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <mgws/core/deal.hpp>

#include "catch.hpp"

namespace {

struct expected {
  std::vector<mgws::dealt> units;     ///< by unit
  std::vector<std::uint32_t> before;  ///< by slot: instances before its first
};

/// Hands out the slots' instances in order, until the units are used up.
expected one_by_one(const std::vector<std::uint32_t>& counts, std::uint32_t units) {
  expected e;
  std::uint32_t before = 0;
  for (std::uint32_t s = 0; s != counts.size(); ++s) {
    e.before.push_back(before);
    before += std::min(counts[s], units);
    for (std::uint32_t i = 0; i != counts[s] && e.units.size() < units; ++i)
      e.units.push_back({s, i});
  }
  return e;
}

template <class Mask, std::size_t Words>
bool agrees(const std::vector<std::uint32_t>& counts) {
  constexpr std::uint32_t bits = sizeof(Mask) * 8;
  constexpr std::uint32_t units = bits * Words;
  const expected e = one_by_one(counts, units);
  Mask starts[Words] = {};
  std::uint32_t dealt = 0;
  for (std::uint32_t s = 0; s != counts.size(); ++s) {
    const std::uint32_t taken = mgws::dealt_of(counts[s], e.before[s], units);
    if (taken != 0) starts[e.before[s] / bits] |= Mask{1} << e.before[s] % bits;
    dealt += taken;
  }
  bool right = dealt == e.units.size();
  for (std::uint32_t u = 0; u != e.units.size(); ++u) {
    const mgws::dealt d = mgws::deal(starts, u);
    right = right && d.segment == e.units[u].segment && d.offset == e.units[u].offset;
    if constexpr (Words == 1) {
      const mgws::dealt same = mgws::deal(starts[0], u);
      right = right && same.segment == d.segment && same.offset == d.offset;
    }
  }
  return right;
}

template <class Mask, std::size_t Words>
void try_many() {
  std::mt19937 random(7);
  bool right = agrees<Mask, Words>({1}) && agrees<Mask, Words>({~0u}) &&
               agrees<Mask, Words>(std::vector<std::uint32_t>(sizeof(Mask) * 8 * Words, 1));
  for (int round = 0; round != 2000; ++round) {
    std::vector<std::uint32_t> counts(1 + random() % (sizeof(Mask) * 8 * Words));
    const std::uint32_t most = 1 + random() % (round % 2 == 0 ? 6 : 200);
    for (auto& c : counts)
      c = round % 50 == 0 && random() % 8 == 0 ? ~0u - random() % 3 : 1 + random() % most;
    right = right && agrees<Mask, Words>(counts);
  }
  REQUIRE(right);
}

}  // namespace

TEST_CASE("deal: every unit gets the instance that dealing one by one gives it") {
  try_many<std::uint32_t, 1>();
  try_many<std::uint64_t, 1>();
  try_many<std::uint32_t, 4>();
  try_many<std::uint32_t, 32>();
}

TEST_CASE("deal: what a slot gives ends with the units") {
  CHECK(mgws::dealt_of(5, 0, 32) == 5);
  CHECK(mgws::dealt_of(5, 30, 32) == 2);
  CHECK(mgws::dealt_of(5, 32, 32) == 0);
  CHECK(mgws::dealt_of(5, ~0u, 32) == 0);
  CHECK(mgws::dealt_of(0, 3, 32) == 0);
  CHECK(mgws::dealt_of(~0u, 1, 32) == 31);
}
