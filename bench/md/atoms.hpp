/// \file
/// The atoms of `md`, in cells and in the order of the tasks: what the host makes before the clock.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "loop/pattern.hpp"
#include "md/forces.hpp"

namespace mgws::bench::md {

/// Which atoms, and how they are shared out.
struct choice {
  std::uint64_t atoms = 32'768;
  std::string density = "gaussian";  ///< or uniform
  double cutoff = 4;
  std::string search = "cells";  ///< or all
  std::string order = "sorted";  ///< or random
  std::uint64_t grain = 128;     ///< atoms of a task
  std::string pattern = "P0";    ///< to P4: of which blocks anything is computed
  std::uint64_t atoms_seed = 1;

  [[nodiscard]] std::uint64_t tasks() const { return (atoms - 1) / grain + 1; }
};

/// Of a Gaussian density in its middle. A liquid's is 0.8; within a cut-off of 4 it is about 50
/// atoms.
inline constexpr double k_density = 0.2;
/// Atoms are not nearer to each other: what they do to each other grows with the 13th power.
inline constexpr double k_least_distance = 0.8;
/// From the middle to a side of the box, in standard deviations of a Gaussian density.
inline constexpr double k_deviations = 3;

/// What stands side by side in the order of the tasks, and is nullified together or not at all.
inline constexpr std::uint64_t k_atoms_of_block = 128;

/// The patterns of load of Chen et al. (section 6.3.1), which leave so much of P0: P1 a half, every
/// second block; P2 a half, the first ones; P3 three blocks of four; P4 one of four, the quarter
/// that the paper names. Of the others its text says no more than that they are unbalanced.
[[nodiscard]] inline bool has_work(const std::string& pattern, std::uint64_t block,
                                   std::uint64_t blocks) {
  if (pattern == "P1") return block % 2 == 0;
  if (pattern == "P2") return 2 * block < blocks;
  if (pattern == "P3") return block % 4 != 3;
  if (pattern == "P4") return block % 4 == 0;
  return true;
}

/// Numbers that look random, one after the other.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : next_(split_mix_64(seed)) {}
  [[nodiscard]] std::uint64_t bits() { return split_mix_64(next_++); }
  /// Below n, which is below 2^32.
  [[nodiscard]] std::uint64_t below(std::uint64_t n) { return (bits() >> 32) * n >> 32; }
  /// Above 0, at most 1.
  [[nodiscard]] double part() { return static_cast<double>((bits() >> 11) + 1) * 0x1p-53; }
  /// Of mean 0 and deviation 1 (Box and Muller).
  [[nodiscard]] double normal() {
    const double length = std::sqrt(-2 * std::log(part()));
    return length * std::cos(2 * std::numbers::pi * part());
  }

 private:
  std::uint64_t next_;
};

/// The side of the box, and the deviation of a Gaussian density. Of a uniform one the density is
/// what an atom of a Gaussian one sees in the mean, so that there are about as many pairs.
struct box {
  double side;
  double deviation;

  [[nodiscard]] static box of(const choice& o) {
    const auto n = static_cast<double>(o.atoms);
    const double deviation = std::cbrt(n / k_density) / std::sqrt(2 * std::numbers::pi);
    if (o.density == "gaussian") return {2 * k_deviations * deviation, deviation};
    return {std::cbrt(n / (k_density / (2 * std::numbers::sqrt2))), 0};
  }
};

/// Atoms that are at least so far from each other: each is drawn again until it is.
[[nodiscard]] inline std::vector<atom> make_atoms(const choice& o) {
  const box b = box::of(o);
  random_numbers random(o.atoms_seed);
  constexpr std::uint32_t k_none = ~std::uint32_t{0};
  // Cells of about as many as there are atoms, with a list each.
  const auto side = static_cast<std::uint32_t>(
      std::max(1.0, std::min(b.side / k_least_distance, 2 * std::cbrt(o.atoms))));
  const auto cell_of = [&](float x) {
    return std::min(static_cast<std::uint32_t>(x / b.side * side), side - 1);
  };
  std::vector<std::uint32_t> heads(std::size_t{side} * side * side, k_none);
  std::vector<std::uint32_t> next;
  std::vector<atom> atoms;
  const auto coordinate = [&] {
    for (;;) {
      const double x =
          b.deviation == 0 ? random.part() * b.side : b.side / 2 + random.normal() * b.deviation;
      if (x >= 0 && x < b.side) return static_cast<float>(x);
    }
  };
  const auto is_free = [&](const atom& a) {
    const std::uint32_t at[] = {cell_of(a.x), cell_of(a.y), cell_of(a.z)};
    const auto from = [&](int i) { return at[i] - (at[i] == 0 ? 0 : 1); };
    const auto end = [&](int i) { return std::min(at[i] + 2, side); };
    for (std::uint32_t z = from(2); z != end(2); ++z)
      for (std::uint32_t y = from(1); y != end(1); ++y)
        for (std::uint32_t x = from(0); x != end(0); ++x)
          for (std::uint32_t i = heads[(std::size_t{z} * side + y) * side + x]; i != k_none;
               i = next[i]) {
            const double dx = double{a.x} - atoms[i].x;
            const double dy = double{a.y} - atoms[i].y;
            const double dz = double{a.z} - atoms[i].z;
            if (dx * dx + dy * dy + dz * dz < k_least_distance * k_least_distance) return false;
          }
    return true;
  };
  while (atoms.size() != o.atoms) {
    atom a{};
    a.x = coordinate();
    a.y = coordinate();
    a.z = coordinate();
    a.charge = (random.bits() >> 63) == 0 ? 1.0f : -1.0f;
    if (!is_free(a)) continue;
    std::uint32_t& head =
        heads[(std::size_t{cell_of(a.z)} * side + cell_of(a.y)) * side + cell_of(a.x)];
    next.push_back(std::exchange(head, static_cast<std::uint32_t>(atoms.size())));
    atoms.push_back(a);
  }
  return atoms;
}

/// Atoms in cells, and the order in which they are shared out to tasks.
struct atom_system {
  std::vector<atom> atoms;           ///< by cells
  std::vector<std::uint32_t> begin;  ///< of each cell, and the end
  std::vector<atom> targets;         ///< the same atoms, in the order of the tasks; some nullified
  std::uint32_t side = 1;            ///< cells
  double length = 0;                 ///< of the box
  potential forces{};

  /// \pre the cut-off is at least 1
  [[nodiscard]] static atom_system make(const choice& o) {
    atom_system s;
    s.length = box::of(o).side;
    s.forces = potential::with(o.cutoff);
    // A little wider than the cut-off: where an atom is counted to is rounded. Not many more cells
    // than atoms.
    s.side = static_cast<std::uint32_t>(std::clamp(std::floor(s.length / (o.cutoff * 1.0001)), 1.0,
                                                   std::ceil(2 * std::cbrt(o.atoms))));
    const std::vector<atom> made = make_atoms(o);
    s.put_in_cells(made);
    s.targets = o.order == "random" ? s.shuffled(o.atoms_seed) : s.full_cells_first();
    if (o.search == "all") {
      s.side = 1;
      s.begin = {0, static_cast<std::uint32_t>(s.atoms.size())};
    }
    s.nullify(o.pattern);
    return s;
  }

  [[nodiscard]] neighbourhood seen_by(const atom* atoms_of, const std::uint32_t* begin_of) const {
    return {atoms_of, begin_of, side, cells_per_length(), forces};
  }
  [[nodiscard]] neighbourhood here() const { return seen_by(atoms.data(), begin.data()); }

  /// Whose distance from an atom is computed, itself too.
  [[nodiscard]] std::uint64_t asked_by(const atom& a) const {
    std::uint64_t asked = 0;
    if (a.nullified()) return asked;
    here().for_each_row(a, [&](std::uint32_t first, std::uint32_t end) { asked += end - first; });
    return asked;
  }

 private:
  void nullify(const std::string& pattern) {
    const std::uint64_t blocks = (targets.size() - 1) / k_atoms_of_block + 1;
    for (std::size_t i = 0; i != targets.size(); ++i)
      if (!has_work(pattern, i / k_atoms_of_block, blocks)) targets[i].x = -targets[i].x;
  }
  [[nodiscard]] float cells_per_length() const { return static_cast<float>(side / length); }

  void put_in_cells(const std::vector<atom>& made) {
    begin.assign(std::size_t{side} * side * side + 1, 0);
    const neighbourhood n = here();
    const auto cell = [&n](const atom& a) {
      return (std::size_t{n.cell_of(a.z)} * n.side + n.cell_of(a.y)) * n.side + n.cell_of(a.x);
    };
    for (const atom& a : made)
      ++begin[cell(a) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::uint32_t> at(begin.begin(), begin.end() - 1);
    atoms.resize(made.size());
    for (const atom& a : made)
      atoms[at[cell(a)]++] = a;
  }
  /// The cells in the order of how many atoms they have: what the paper calls decomposition sort.
  [[nodiscard]] std::vector<atom> full_cells_first() const {
    std::vector<std::uint32_t> cells(begin.size() - 1);
    std::iota(cells.begin(), cells.end(), 0);
    std::ranges::stable_sort(cells, std::ranges::greater(),
                             [this](std::uint32_t c) { return begin[c + 1] - begin[c]; });
    std::vector<atom> sorted;
    sorted.reserve(atoms.size());
    for (const std::uint32_t c : cells)
      sorted.insert(sorted.end(), atoms.begin() + begin[c], atoms.begin() + begin[c + 1]);
    return sorted;
  }
  [[nodiscard]] std::vector<atom> shuffled(std::uint64_t seed) const {
    random_numbers random(~seed);
    std::vector<atom> any = atoms;
    for (std::size_t i = any.size(); i > 1; --i)
      std::swap(any[i - 1], any[random.below(i)]);
    return any;
  }
};

/// How much the tasks differ: distances that are computed.
struct task_lengths {
  std::uint64_t distances = 0;  ///< by all
  std::uint64_t longest = 0;    ///< by one task
  std::uint64_t shortest = 0;
  std::uint64_t most_of_atom = 0;

  [[nodiscard]] static task_lengths of(const atom_system& s, std::uint64_t grain) {
    task_lengths t;
    for (std::size_t first = 0; first < s.targets.size(); first += grain) {
      std::uint64_t task = 0;
      const std::size_t end = std::min<std::size_t>(first + grain, s.targets.size());
      for (std::size_t i = first; i != end; ++i) {
        const std::uint64_t asked = s.asked_by(s.targets[i]);
        task += asked;
        t.most_of_atom = std::max(t.most_of_atom, asked);
      }
      t.distances += task;
      t.longest = std::max(t.longest, task);
      t.shortest = first == 0 ? task : std::min(t.shortest, task);
    }
    return t;
  }
};

}  // namespace mgws::bench::md
