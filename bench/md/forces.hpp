/// \file
/// What the atoms of `md` do to each other: Lennard-Jones' and Coulomb's potentials within a
/// cut-off, by a function that tasks, peers and kernels share. Lengths and energies are multiples
/// of the former's sigma and epsilon.
#pragma once

#include <cmath>
#include <cstdint>

#include <mgws_port.hpp>

namespace mgws::bench::md {

/// The place of an atom in a box that begins at 0.
struct alignas(16) atom {
  float x;
  float y;
  float z;
  float charge;

  /// Nothing is computed for it, where a pattern of load says so: of such an atom x is negated in
  /// the list that the tasks go through.
  [[nodiscard]] MGWS_FN bool nullified() const { return x < 0; }
};

/// The force on an atom, and its half of the energy of its pairs.
struct alignas(16) pull {
  float x;
  float y;
  float z;
  float energy;
};

[[nodiscard]] MGWS_FN inline float inverse_root(float x) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return rsqrtf(x);
#else
  return 1 / std::sqrt(x);
#endif
}

/// Both potentials, less what makes energy and force 0 at the cut-off (the "shifted force" of Allen
/// and Tildesley, Computer Simulation of Liquids): whoever rounds a distance to the other side of
/// it then changes next to nothing.
struct potential {
  float cutoff;
  float lj_energy;  ///< of the uncharged at the cut-off, as the next
  float lj_force;
  float coulomb_energy;  ///< of two charges of 1 there
  float coulomb_force;

  [[nodiscard]] static potential with(double cutoff) {
    const double r6 = std::pow(cutoff, -6.0);
    return {static_cast<float>(cutoff), static_cast<float>(4 * r6 * (r6 - 1)),
            static_cast<float>(24 * r6 * (2 * r6 - 1) / cutoff), static_cast<float>(1 / cutoff),
            static_cast<float>(1 / (cutoff * cutoff))};
  }

  /// Adds what one atom does to another one; the energy is all of the pair's. Nothing if they are
  /// the same: different ones are never at the same place.
  /// \return whether they are a pair
  MGWS_FN bool add(const atom& on, const atom& by, pull& sum) const {
    const float dx = on.x - by.x;
    const float dy = on.y - by.y;
    const float dz = on.z - by.z;
    const float square = dx * dx + dy * dy + dz * dz;
    if (!(square < cutoff * cutoff) || square == 0) return false;
    const float inverse = inverse_root(square);
    const float inverse2 = inverse * inverse;
    const float inverse6 = inverse2 * inverse2 * inverse2;
    const float charges = on.charge * by.charge;
    const float at_cutoff = lj_force + charges * coulomb_force;
    const float by_distance =
        ((48 * inverse6 - 24) * inverse6 + charges * inverse) * inverse2 - at_cutoff * inverse;
    sum.x += dx * by_distance;
    sum.y += dy * by_distance;
    sum.z += dz * by_distance;
    sum.energy += (4 * inverse6 - 4) * inverse6 + charges * inverse - lj_energy -
                  charges * coulomb_energy + (square * inverse - cutoff) * at_cutoff;
    return true;
  }
};

/// Atoms in cells of a cubic box, which are as wide as the cut-off or wider: who is within it is in
/// an atom's own cell or in one beside that. One cell: everybody is asked.
struct neighbourhood {
  const atom* atoms;           ///< cell by cell, x fastest
  const std::uint32_t* begin;  ///< of each cell's, and the end of the last one's
  std::uint32_t side;          ///< cells
  float cells_per_length;
  potential forces;

  [[nodiscard]] MGWS_FN std::uint32_t cell_of(float x) const {
    const auto cell = static_cast<std::uint32_t>(x * cells_per_length);
    return cell < side ? cell : side - 1;
  }

  /// f(first, end) for each row of cells in which an atom's neighbours are.
  template <class F>
  MGWS_FN void for_each_row(const atom& a, F&& f) const {
    const auto from = [](std::uint32_t cell) { return cell == 0 ? 0 : cell - 1; };
    const auto end = [this](std::uint32_t cell) { return cell + 2 < side ? cell + 2 : side; };
    const std::uint32_t x = cell_of(a.x);
    const std::uint32_t y = cell_of(a.y);
    const std::uint32_t z = cell_of(a.z);
    for (std::uint32_t k = from(z); k != end(z); ++k)
      for (std::uint32_t j = from(y); j != end(y); ++j) {
        const std::uint32_t row = (k * side + j) * side;
        f(begin[row + from(x)], begin[row + end(x)]);
      }
  }

  /// What all others do to an atom; nothing if it is nullified.
  /// \param pairs  is increased by those within the cut-off
  [[nodiscard]] MGWS_FN pull on(const atom& a, std::uint32_t& pairs) const {
    pull sum{};
    if (a.nullified()) return sum;
    for_each_row(a, [&](std::uint32_t first, std::uint32_t last) {
      for (std::uint32_t i = first; i != last; ++i)
        pairs += forces.add(a, atoms[i], sum) ? 1 : 0;
    });
    sum.energy *= 0.5f;
    return sum;
  }
};

}  // namespace mgws::bench::md
