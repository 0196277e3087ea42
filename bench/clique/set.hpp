/// \file
/// Sets of a graph's vertices, as bits of words.
#pragma once

#include <bit>
#include <cstdint>

#include <mgws_port.hpp>

namespace mgws::bench::clique {

/// A graph has at most so many vertices.
inline constexpr std::uint32_t k_most_vertices = 1024;

using word = std::uint64_t;

[[nodiscard]] MGWS_FN constexpr std::uint32_t words_of(std::uint32_t vertices) {
  return (vertices + 63) / 64;
}

/// Room for 64 · Words vertices; of a smaller graph the first words alone are looked at.
template <std::uint32_t Words>
struct set {
  word bits[Words];

  MGWS_FN void add(std::uint32_t v) { bits[v / 64] |= word{1} << v % 64; }
  MGWS_FN void remove(std::uint32_t v) { bits[v / 64] &= ~(word{1} << v % 64); }
  [[nodiscard]] MGWS_FN bool has(std::uint32_t v) const {
    return (bits[v / 64] >> v % 64 & 1) != 0;
  }
};
using members = set<words_of(k_most_vertices)>;

}  // namespace mgws::bench::clique
