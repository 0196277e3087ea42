/// \file
/// The trees of the Unbalanced Tree Search benchmark, as every backend walks them: which child
/// states a node has and how many.
///
/// S. Olivier et al., "UTS: An Unbalanced Tree Search Benchmark", LCPC 2006. A tree here is equal
/// to the reference implementation's, node by node.
///
/// The reference computes a geometric node's number of children as floor(log(1-u) / log(1-p)) in
/// double precision. A GPU's logarithm may differ from the host's in the last bit, and then the
/// floor, and with it the whole tree below. So nothing is computed here: the number of children is
/// a step function of the node's 31-bit random value, and the host has tabulated where it steps
/// (tree_tables.hpp). A backend copies the table's words and reads them.
#pragma once

#include <cstdint>
#include <type_traits>

#include <mgws_port.hpp>

#include "sha1.hpp"

namespace mgws::bench::uts {

/// No node but the root of a binomial tree has more children (the reference's MAXNUMCHILDREN).
inline constexpr std::uint32_t k_most_children = 100;

/// The table's layout, in 32-bit words: first one word a depth, the offset of that depth's row;
/// then the rows. A row is 256 bytes of guide, indexed by the random value's top 8 bits, each the
/// least number of children in that interval; then, from word 64 on, the least random values that
/// have at least 1, 2, ... children, ended by one that no random value reaches. A row takes 260 to
/// 660 bytes; equal neighbours share one. T1 has a single row; a linear tree one a depth.
inline constexpr std::uint32_t k_guide_shift = 23;
inline constexpr std::uint32_t k_guide_words = 64;
inline constexpr std::uint32_t k_unreached = 0x80000000u;
inline constexpr std::uint32_t k_every_depth = 0xffffffffu;

/// What a task carries: 24 bytes.
struct node {
  state value;
  std::uint32_t depth;
};
static_assert(sizeof(node) == 24 && std::is_trivially_copyable_v<node>);

/// A view of a tree's description; made by tree_tables, whose words must outlive it.
struct tree {
  const std::uint32_t* table;
  std::uint32_t last_row;         ///< deeper depths use this depth's row
  std::uint32_t table_until;      ///< from this depth on, nodes are binomial instead
  std::uint32_t childless_from;   ///< above table_until: no children from this depth on
  std::uint32_t threshold;        ///< binomial: random values below it have children,
  std::uint32_t branches;         ///< this many,
  std::uint32_t root_is_special;  ///< except that a binomial tree's root
  std::uint32_t root_branches;    ///< has this many
  std::uint32_t seed;
  std::uint32_t granularity;  ///< times that each child is hashed, at least 1
  std::uint32_t nothing;      ///< 0; see child()

  [[nodiscard]] MGWS_FN node root() const { return {root_state(seed), 0}; }

  /// How many children a node has.
  [[nodiscard, gnu::always_inline]] MGWS_FN std::uint32_t children(const state& s,
                                                                   std::uint32_t depth) const {
    const std::uint32_t random = random_value(s);
    if (depth >= table_until) {
      if (depth == 0 && root_is_special != 0) return root_branches;
      return random < threshold ? branches : 0;
    }
    if (depth >= childless_from) return 0;
    const std::uint32_t* row = table + table[depth < last_row ? depth : last_row];
    const auto* guide = reinterpret_cast<const unsigned char*>(row);
    const std::uint32_t* steps = row + k_guide_words;
    std::uint32_t count = guide[random >> k_guide_shift];
    while (random >= steps[count]) {
      ++count;
    }
    return count;
  }

  [[nodiscard]] MGWS_FN std::uint32_t children(const node& n) const {
    return children(n.value, n.depth);
  }

  /// The state of a child, hashed as often as the granularity says. The repeated work is meant to
  /// be done: no compiler knows that `nothing` is zero, so for all it can tell each round's input
  /// and output differ, and none can be left out. (A volatile local would not do: CUDA's compiler
  /// keeps it in a register.)
  /// \tparam Parent  a state, or what holds one in another way
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // a hasher may be the host's alone
#endif
  template <class Hasher, class Parent>
  [[nodiscard]] MGWS_FN state child(const Parent& parent, std::uint32_t index) const {
    state result;
    std::uint32_t all = 0;
    std::uint32_t round = 0;
    do {
      result = Hasher::child(parent, index + round * nothing);
      all |= result.word[4];
    } while (++round < granularity);
    result.word[4] = all;
    return result;
  }
};
static_assert(std::is_trivially_copyable_v<tree>);

}  // namespace mgws::bench::uts
