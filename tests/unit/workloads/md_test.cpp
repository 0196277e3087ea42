#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "md/atoms.hpp"
#include "md/check.hpp"

namespace {

using namespace mgws::bench;
using namespace mgws::bench::md;

choice of(std::uint64_t atoms, const char* density, double cutoff) {
  choice o;
  o.atoms = atoms;
  o.density = density;
  o.cutoff = cutoff;
  return o;
}

std::vector<std::tuple<float, float, float, float>> sorted(const std::vector<atom>& atoms) {
  std::vector<std::tuple<float, float, float, float>> all;
  for (const atom& a : atoms)
    all.emplace_back(a.x, a.y, a.z, a.charge);
  std::ranges::sort(all);
  return all;
}

/// What tasks do.
std::vector<pull> pulls_of(const atom_system& s, std::uint64_t& neighbours) {
  std::vector<pull> all;
  neighbours = 0;
  for (const atom& a : s.targets) {
    std::uint32_t pairs = 0;
    all.push_back(s.here().on(a, pairs));
    neighbours += pairs;
  }
  return all;
}

/// Of two atoms with these charges so far apart on the x axis.
pull of_pair(double distance, float charges, double cutoff) {
  const atom on{.x = static_cast<float>(distance), .y = 0, .z = 0, .charge = 1};
  const atom by{.x = 0, .y = 0, .z = 0, .charge = charges};
  pull sum{};
  potential::with(cutoff).add(on, by, sum);
  return sum;
}

}  // namespace

TEST_CASE("md: atoms lie in their box, not too near, as many as are asked for") {
  for (const char* density : {"gaussian", "uniform"})
    for (const std::uint64_t n : {1u, 2u, 7u, 1500u}) {
      INFO(density << ' ' << n);
      const choice o = of(n, density, 3);
      const std::vector<atom> atoms = make_atoms(o);
      REQUIRE(atoms.size() == n);
      const double side = box::of(o).side;
      double nearest = 1e9;
      double charge = 0;
      for (std::size_t i = 0; i != n; ++i) {
        const atom& a = atoms[i];
        CHECK((a.x >= 0 && a.x <= side && a.y >= 0 && a.y <= side && a.z >= 0 && a.z <= side));
        CHECK(std::abs(a.charge) == 1);
        charge += a.charge;
        for (std::size_t j = 0; j != i; ++j)
          nearest = std::min(nearest, std::hypot(double{a.x} - atoms[j].x, double{a.y} - atoms[j].y,
                                                 double{a.z} - atoms[j].z));
      }
      CHECK(nearest >= k_least_distance * (1 - 1e-6));
      if (n == 1500) CHECK(std::abs(charge) < 4 * std::sqrt(1500));
    }
}

TEST_CASE("md: both orders have all atoms, full cells come first") {
  choice o = of(3072, "gaussian", 3);
  const atom_system in_order = atom_system::make(o);
  o.order = "random";
  const atom_system any = atom_system::make(o);
  CHECK(sorted(in_order.targets) == sorted(in_order.atoms));
  CHECK(sorted(any.targets) == sorted(in_order.atoms));
  CHECK(sorted(make_atoms(o)) == sorted(in_order.atoms));
  const auto in_cell_of = [&](const atom& a) {
    const neighbourhood n = in_order.here();
    const std::size_t c = (std::size_t{n.cell_of(a.z)} * n.side + n.cell_of(a.y)) * n.side;
    return n.begin[c + n.cell_of(a.x) + 1] - n.begin[c + n.cell_of(a.x)];
  };
  bool falls = true;
  for (std::size_t i = 1; i != in_order.targets.size(); ++i)
    falls = falls && in_cell_of(in_order.targets[i - 1]) >= in_cell_of(in_order.targets[i]);
  CHECK(falls);
  // What makes them worth balancing.
  const task_lengths gaussian = task_lengths::of(in_order, 128);
  CHECK(gaussian.longest > 5 * gaussian.shortest);
  const task_lengths random = task_lengths::of(any, 128);
  CHECK(random.distances == gaussian.distances);
  CHECK(random.longest < 2 * random.shortest);
}

TEST_CASE("md: force and energy of a pair") {
  constexpr double cutoff = 1000;  // too far to be felt
  // The least energy is where there is no force.
  const double middle = std::pow(2, 1. / 6);
  CHECK(of_pair(middle, 0, cutoff).energy == Approx(-1).epsilon(1e-5));
  CHECK(std::abs(of_pair(middle, 0, cutoff).x) < 1e-4);
  CHECK(of_pair(1, 0, cutoff).energy == Approx(0).margin(1e-5));
  CHECK(of_pair(1, 0, cutoff).x == Approx(24).epsilon(1e-5));
  // Equal charges part, different ones meet.
  CHECK(of_pair(10, 1, cutoff).x == Approx(0.01).epsilon(1e-3));
  CHECK(of_pair(10, -1, cutoff).x == Approx(-0.01).epsilon(1e-3));
  CHECK(of_pair(10, 1, cutoff).energy == Approx(0.1 - 0.002).epsilon(0.01));
  for (const float charges : {-1.0f, 0.0f, 1.0f}) {
    // A force is how the energy falls, and both end at the cut-off.
    for (const double r : {0.9, 1.1, 1.5, 2.0, 2.7}) {
      const double step = 0x1p-8;
      const double slope =
          (pull_of_pair({static_cast<float>(r + step), 0, 0, 1}, {0, 0, 0, charges}, 3).energy -
           pull_of_pair({static_cast<float>(r - step), 0, 0, 1}, {0, 0, 0, charges}, 3).energy) /
          (static_cast<float>(r + step) - static_cast<float>(r - step));
      // Both have half of it.
      CHECK(of_pair(r, charges, 3).x == Approx(-2 * slope).epsilon(0.01).margin(0.01));
    }
    CHECK(of_pair(2.999, charges, 3).x == Approx(0).margin(1e-3));
    CHECK(of_pair(2.999, charges, 3).energy == Approx(0).margin(1e-5));
    CHECK(of_pair(3, charges, 3).x == 0);
  }
}

TEST_CASE("md: pairs that are met once are those of direct sums") {
  for (const char* density : {"gaussian", "uniform"})
    for (const double cutoff : {1.0, 2.5, 50.0}) {
      const std::vector<atom> atoms = make_atoms(of(700, density, cutoff));
      const std::vector<expected_pull> once = pairs_once(atoms, cutoff);
      bool same = true;
      for (std::size_t i = 0; i != atoms.size(); ++i) {
        const expected_pull direct = direct_sum(atoms, atoms[i], cutoff);
        same = same && once[i].neighbours == direct.neighbours &&
               once[i].perhaps == direct.perhaps && once[i].surely == direct.surely &&
               std::abs(once[i].energy - direct.energy) <= 1e-12 * (1 + direct.energy_terms);
        for (int k = 0; k != 3; ++k)
          same = same &&
                 std::abs(once[i].force[k] - direct.force[k]) <= 1e-12 * (1 + direct.force_terms);
      }
      CHECK(same);
    }
}

TEST_CASE("md: what tasks compute is right in every order, with cells or without") {
  for (const char* density : {"gaussian", "uniform"})
    for (const double cutoff : {1.0, 3.0, 1000.0})
      for (const char* order : {"sorted", "random"})
        for (const char* search : {"cells", "all"})
          for (const std::uint64_t n : {1u, 2u, 900u}) {
            INFO(density << ' ' << cutoff << ' ' << order << ' ' << search << ' ' << n);
            choice o = of(n, density, cutoff);
            o.order = order;
            o.search = search;
            const atom_system s = atom_system::make(o);
            std::uint64_t neighbours = 0;
            const std::vector<pull> found = pulls_of(s, neighbours);
            const md_check check(s.targets, cutoff);
            const md_check::verdict v = check.of(found, neighbours);
            CHECK(v.fault.empty());
            CHECK(v.right == n);
          }
}

TEST_CASE(
    "md: of blocks that a pattern nullifies nothing is computed, and nothing else is expected") {
  choice o = of(128 * 16 - 5, "uniform", 3);
  std::uint64_t all = 0;
  const std::vector<pull> of_all = pulls_of(atom_system::make(o), all);
  for (const auto& [pattern, blocks] :
       {std::pair{"P0", "1111111111111111"}, std::pair{"P1", "1010101010101010"},
        std::pair{"P2", "1111111100000000"}, std::pair{"P3", "1110111011101110"},
        std::pair{"P4", "1000100010001000"}}) {
    INFO(pattern);
    o.pattern = pattern;
    const atom_system s = atom_system::make(o);
    std::uint64_t neighbours = 0;
    std::vector<pull> found = pulls_of(s, neighbours);
    bool as_it_says = true;
    for (std::size_t i = 0; i != found.size(); ++i) {
      const bool works = blocks[i / 128] == '1';
      as_it_says = as_it_says && s.targets[i].nullified() == !works &&
                   found[i].energy == (works ? of_all[i].energy : 0) &&
                   (s.asked_by(s.targets[i]) != 0) == works;
    }
    CHECK(as_it_says);
    const task_lengths lengths = task_lengths::of(s, 128);
    CHECK((lengths.shortest == 0) == (pattern != std::string("P0")));
    const md_check check(s.targets, 3);
    CHECK(check.of(found, neighbours).fault.empty());
    CHECK(check.of(found, neighbours).right == found.size());
    // The whole is not the part.
    CHECK(check.of(of_all, all).fault.empty() == (pattern == std::string("P0")));
    found.back().x += 0.01f;
    CHECK(check.of(found, neighbours).fault != "");
  }
}

TEST_CASE("md: what is wrong is noticed") {
  const atom_system s = atom_system::make(of(2000, "gaussian", 3));
  std::uint64_t neighbours = 0;
  const std::vector<pull> right = pulls_of(s, neighbours);
  const md_check check(s.targets, 3);
  REQUIRE(check.of(right, neighbours).fault.empty());
  const auto fault = [&](auto&& change) {
    std::vector<pull> found = right;
    change(found);
    return check.of(found, neighbours).fault;
  };
  CHECK(fault([](auto& f) { f[1] = {}; }).find("atom 1 ") != std::string::npos);
  CHECK(fault([](auto& f) { f[3].y *= 1.001f; }).find("atom 3 ") != std::string::npos);
  CHECK(fault([](auto& f) { f[3].energy += 0.01f; }).find("atom 3 ") != std::string::npos);
  CHECK(fault([](auto& f) { f[7].z = std::numeric_limits<float>::quiet_NaN(); }) != "");
  CHECK(fault([](auto& f) { std::swap(f[10], f[11]); }) != "");
  CHECK(check.of(right, neighbours - 2).fault.find("neighbours") != std::string::npos);
  CHECK(check.of(right, neighbours + 2).fault.find("neighbours") != std::string::npos);
  // Each is nearly right, but all are wrong in the same way.
  std::vector<pull> found = right;
  std::vector<expected_pull> expected = pairs_once(s.targets, 3);
  for (std::size_t i = 0; i != found.size(); ++i)
    found[i].x += static_cast<float>(0x1p-24 * 100 * expected[i].force_terms);
  CHECK(check.of(found, neighbours).fault.find("together") != std::string::npos);
  found = right;
  for (std::size_t i = 0; i != found.size(); ++i)
    found[i].energy += static_cast<float>(0x1p-24 * 100 * expected[i].energy_terms);
  CHECK(check.of(found, neighbours).fault.find("the energy is") != std::string::npos);
}
