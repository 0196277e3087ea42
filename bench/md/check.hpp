/// \file
/// What must come out of `md`: forces and energies in double precision by one thread, each pair
/// once, by the formulas of a textbook; and of some atoms by a direct sum over all others.
///
/// Why results may differ from that, and how far. With u = 2^-24, half a unit of a float's last
/// place: a distance's square is off by 5 u of itself at most, its inverse root by 6 u with that of
/// a GPU, the 12th power of that by 90 u; the sum over so many neighbours by one u each of what is
/// added without its sign. That makes (128 + neighbours) u of the sum of all terms' sizes, of each
/// atom. In sums over all atoms these errors cancel: what a pair does to the one it takes from the
/// other, so all forces together are 0, and those of a part what their sum is in double precision,
/// but for 4 times the root of the sum of those squares; all energies together are right to 32 u of
/// the sum of their terms' sizes, for the constants that all share are rounded. Neighbours are no
/// fewer than with a cut-off that is 10^-6 smaller, and no more than with one that is 10^-6 larger.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "md/atoms.hpp"

namespace mgws::bench::md {

/// What an atom is to receive.
struct expected_pull {
  double force[3] = {};
  double energy = 0;
  double force_terms = 0;  ///< the sum of the sizes of what is added
  double energy_terms = 0;
  std::uint32_t neighbours = 0;
  std::uint32_t surely = 0;   ///< neighbours at a cut-off that is a little smaller
  std::uint32_t perhaps = 0;  ///< at one that is a little larger

  void add(const expected_pull& other, double sign) {
    for (int i = 0; i != 3; ++i)
      force[i] += sign * other.force[i];
    energy += other.energy;
    force_terms += other.force_terms;
    energy_terms += other.energy_terms;
    neighbours += other.neighbours;
    surely += other.surely;
    perhaps += other.perhaps;
  }
};

/// What one atom does to another one.
[[nodiscard]] inline expected_pull pull_of_pair(const atom& on, const atom& by, double cutoff) {
  const double d[3] = {double{on.x} - by.x, double{on.y} - by.y, double{on.z} - by.z};
  const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  constexpr double k_near = 1e-6;
  expected_pull p;
  if (square >= cutoff * cutoff * (1 + 2 * k_near)) return p;
  p.perhaps = 1;
  p.surely = square < cutoff * cutoff * (1 - 2 * k_near) ? 1 : 0;
  if (square >= cutoff * cutoff) return p;
  p.neighbours = 1;
  const double r = std::sqrt(square);
  const double charges = double{on.charge} * by.charge;
  // Repulsion, attraction, charges.
  const auto energies = [&](double at, double(&e)[3]) {
    const double r6 = at * at * at * at * at * at;
    e[0] = 4 / (r6 * r6);
    e[1] = -4 / r6;
    e[2] = charges / at;
  };
  double here[3];
  double there[3];
  energies(r, here);
  energies(cutoff, there);
  constexpr double power[3] = {12, 6, 1};
  double force = 0;
  double force_there = 0;
  for (int i = 0; i != 3; ++i) {
    force += power[i] * here[i] / r - power[i] * there[i] / cutoff;
    force_there += power[i] * there[i] / cutoff;
    p.energy += here[i] - there[i];
    p.force_terms += power[i] * (std::abs(here[i]) / r + std::abs(there[i]) / cutoff);
    p.energy_terms += std::abs(here[i]) + (1 + 2 * power[i]) * std::abs(there[i]);
  }
  p.energy = 0.5 * (p.energy + (r - cutoff) * force_there);
  p.energy_terms *= 0.5;
  for (int i = 0; i != 3; ++i)
    p.force[i] = force * d[i] / r;
  return p;
}

/// By a sum over all others.
[[nodiscard]] inline expected_pull direct_sum(std::span<const atom> all, const atom& on,
                                              double cutoff) {
  expected_pull sum;
  for (const atom& by : all)
    if (by.x != on.x || by.y != on.y || by.z != on.z) sum.add(pull_of_pair(on, by, cutoff), 1);
  return sum;
}

/// Of all atoms, each pair once: in cells of a grid of its own, sorted by their numbers, of which
/// those that come later in a neighbourhood of 27 are the rest of a row and four rows.
[[nodiscard]] inline std::vector<expected_pull> pairs_once(std::span<const atom> all,
                                                           double cutoff) {
  const double width = cutoff * 1.001;
  float most = 0;
  for (const atom& a : all)
    most = std::max({most, a.x, a.y, a.z});
  const auto side = static_cast<std::uint64_t>(most / width) + 3;  // with one more on either side
  const auto cell = [width](float x) { return static_cast<std::uint64_t>(x / width) + 1; };
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (std::size_t i = 0; i != all.size(); ++i)
    order.emplace_back((cell(all[i].z) * side + cell(all[i].y)) * side + cell(all[i].x),
                       static_cast<std::uint32_t>(i));
  std::ranges::sort(order);
  const auto first_of = [&order](std::uint64_t c) {
    return std::ranges::lower_bound(order, c, {}, [](const auto& o) { return o.first; }) -
           order.begin();
  };
  std::vector<expected_pull> sums(all.size());
  const auto meet = [&](std::size_t a, std::size_t b) {
    const expected_pull p = pull_of_pair(all[a], all[b], cutoff);
    if (p.perhaps == 0) return;
    sums[a].add(p, 1);
    sums[b].add(p, -1);
  };
  for (std::size_t first = 0; first != order.size();) {
    const std::uint64_t c = order[first].first;
    const std::ptrdiff_t end = first_of(c + 1);
    const std::ptrdiff_t end_of_row = first_of(c + 2);
    std::pair<std::ptrdiff_t, std::ptrdiff_t> rows[4];
    for (int i = 0; i != 4; ++i) {
      const std::uint64_t middle = c + (i == 0 ? side : (side + i - 2) * side);
      rows[i] = {first_of(middle - 1), first_of(middle + 2)};
    }
    for (; std::cmp_not_equal(first, end); ++first) {
      for (auto i = static_cast<std::ptrdiff_t>(first) + 1; i != end_of_row; ++i)
        meet(order[first].second, order[i].second);
      for (const auto& [from, to] : rows)
        for (std::ptrdiff_t i = from; i != to; ++i)
          meet(order[first].second, order[i].second);
    }
  }
  return sums;
}

/// What was found for all atoms in the order of the tasks, and whether it is right.
class md_check {
 public:
  static constexpr std::size_t k_direct_sums = 64;  ///< of atoms here and there in that order

  md_check() = default;
  /// \param targets  some of which may be nullified
  md_check(const std::vector<atom>& targets, double cutoff) {
    std::vector<atom> all = targets;
    for (atom& a : all)
      a.x = std::abs(a.x);
    expected_ = pairs_once(all, cutoff);
    for (std::size_t i = 0; i != targets.size(); ++i) {
      if (targets[i].nullified()) expected_[i] = {};
      together_.add(expected_[i], 1);
    }
    const std::size_t sums = std::min(k_direct_sums, targets.size());
    for (std::size_t i = 0; i != sums; ++i) {
      samples_.push_back(i * targets.size() / sums);
      const std::size_t s = samples_.back();
      direct_.push_back(targets[s].nullified() ? expected_pull{} : direct_sum(all, all[s], cutoff));
    }
  }

  struct verdict {
    std::uint64_t right = 0;  ///< atoms
    double energy = 0;        ///< as found
    std::string fault;        ///< empty if all is right
  };
  /// \param pairs  as counted by the tasks, from both sides
  [[nodiscard]] verdict of(std::span<const pull> found, std::uint64_t pairs) const {
    verdict v;
    double together[3] = {};
    double squares = 0;
    for (std::size_t i = 0; i != found.size(); ++i) {
      v.energy += found[i].energy;
      const double force[3] = {found[i].x, found[i].y, found[i].z};
      for (int k = 0; k != 3; ++k)
        together[k] += force[k];
      const double may_be =
          k_half_unit * (128 + expected_[i].neighbours) * expected_[i].force_terms;
      squares += may_be * may_be;
      if (is(found[i], expected_[i])) {
        ++v.right;
      } else if (v.fault.empty()) {
        v.fault = "the force on atom " + std::to_string(i) + " is " + text_of(found[i]) +
                  " instead of " + text_of(expected_[i]);
      }
    }
    for (std::size_t i = 0; i != samples_.size() && v.fault.empty(); ++i)
      if (!is(found[samples_[i]], direct_[i]))
        v.fault = "the force on atom " + std::to_string(samples_[i]) + " is " +
                  text_of(found[samples_[i]]) + ", by a direct sum " + text_of(direct_[i]);
    if (!v.fault.empty()) return v;
    for (int k = 0; k != 3; ++k)
      if (!(std::abs(together[k] - together_.force[k]) <= 4 * std::sqrt(squares)))
        v.fault = "all forces together are " + std::to_string(together[k]) + " instead of " +
                  std::to_string(together_.force[k]);
    if (!(std::abs(v.energy - together_.energy) <= 32 * k_half_unit * together_.energy_terms))
      v.fault = "the energy is " + std::to_string(v.energy) + " instead of " +
                std::to_string(together_.energy);
    if (pairs < surely() || pairs > perhaps())
      v.fault = std::to_string(pairs) + " neighbours were found instead of " +
                std::to_string(surely()) + " to " + std::to_string(perhaps());
    return v;
  }

 private:
  static constexpr double k_half_unit = 0x1p-24;

  [[nodiscard]] std::uint64_t surely() const { return sum_of(&expected_pull::surely); }
  [[nodiscard]] std::uint64_t perhaps() const { return sum_of(&expected_pull::perhaps); }
  [[nodiscard]] std::uint64_t sum_of(std::uint32_t expected_pull::*number) const {
    std::uint64_t sum = 0;
    for (const expected_pull& e : expected_)
      sum += e.*number;
    return sum;
  }
  [[nodiscard]] static bool is(const pull& found, const expected_pull& e) {
    const double may_be = k_half_unit * (128 + e.neighbours);
    const auto near = [](double a, double b, double error) { return std::abs(a - b) <= error; };
    return near(found.x, e.force[0], may_be * e.force_terms) &&
           near(found.y, e.force[1], may_be * e.force_terms) &&
           near(found.z, e.force[2], may_be * e.force_terms) &&
           near(found.energy, e.energy, may_be * e.energy_terms);
  }
  [[nodiscard]] static std::string text_of(double x, double y, double z, double energy) {
    return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) +
           "), its energy " + std::to_string(energy);
  }
  [[nodiscard]] static std::string text_of(const pull& p) {
    return text_of(p.x, p.y, p.z, p.energy);
  }
  [[nodiscard]] static std::string text_of(const expected_pull& e) {
    return text_of(e.force[0], e.force[1], e.force[2], e.energy);
  }

  std::vector<expected_pull> expected_;
  expected_pull together_;
  std::vector<std::size_t> samples_;
  std::vector<expected_pull> direct_;
};

}  // namespace mgws::bench::md
