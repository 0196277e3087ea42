/// \file
/// The parameters of an Unbalanced Tree Search tree, under the reference's one-letter names and
/// with its defaults; what is accepted; and the trees that have a name in the literature.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mgws::bench::uts {

/// -t: how many children a node has.
enum tree_type : std::int64_t {
  k_binomial = 0,   ///< the root floor(b), another node m with probability q, else none
  k_geometric = 1,  ///< geometrically distributed, the mean by depth as the shape says
  k_hybrid = 2,     ///< geometric at depths below f*d, binomial from there on
  k_balanced = 3    ///< floor(b) above depth d, none from there on
};

/// -a: the mean number of children of a geometric node at depth i > 0; it is b at the root.
enum tree_shape : std::int64_t {
  k_linear = 0,       ///< b (1 - i/d)
  k_exponential = 1,  ///< b i^(-ln b / ln d): 1 at depth d, less below
  k_cyclic = 2,       ///< b^sin(2 pi i/d), none deeper than 5 d
  k_fixed = 3         ///< b above depth d, none from there on
};

/// The integers are wider than their ranges so that a program can pass on what was typed and let
/// validate() judge it.
struct tree_parameters {
  std::int64_t t = k_geometric;  ///< type
  std::int64_t a = k_linear;     ///< shape of geometric trees
  std::int64_t d = 6;            ///< depth that the shape refers to
  double b = 4.0;                ///< children of the root: exactly, or on average
  std::int64_t r = 0;            ///< seed
  double q = 15.0 / 64.0;        ///< binomial: probability of children
  std::int64_t m = 4;            ///< binomial: number of children
  double f = 0.5;                ///< hybrid: fraction of d at which binomial nodes begin
  std::int64_t g = 1;            ///< granularity: how often each child is hashed

  friend bool operator==(const tree_parameters&, const tree_parameters&) = default;
};

/// The largest -b of a geometric or balanced tree. Far above it the reference's own count leaves
/// the range of its int; a count is cut at 100 in any case.
inline constexpr double k_largest_mean = 1e7;

namespace detail {

template <class T>
[[noreturn]] void refuse(std::string_view option, std::string_view range, T given) {
  std::ostringstream text;
  text << option << " must be " << range << ", not " << given << ".";
  throw std::invalid_argument(text.str());
}

}  // namespace detail

/// Throws std::invalid_argument with one sentence that names the option and its range.
/// Parameters whose tree never ends are accepted, as by the reference.
inline void validate(const tree_parameters& p) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const auto within = [](std::int64_t value, std::int64_t low, std::int64_t high) {
    return value >= low && value <= high;
  };
  if (!within(p.t, k_binomial, k_balanced)) {
    detail::refuse("Tree type -t", "0 (binomial), 1 (geometric), 2 (hybrid) or 3 (balanced)", p.t);
  }
  if (!within(p.a, k_linear, k_fixed)) {
    detail::refuse("Tree shape -a", "0 (linear), 1 (exponential), 2 (cyclic) or 3 (fixed)", p.a);
  }
  if (!within(p.d, 0, most)) detail::refuse("Depth -d", "from 0 to 2147483647", p.d);
  // Written so that a NaN is refused as well.
  if (p.t == k_binomial) {
    if (!(p.b >= 0 && p.b <= static_cast<double>(most))) {
      detail::refuse("Root branching -b", "from 0 to 2147483647 for a binomial tree", p.b);
    }
  } else if (!(p.b >= 0 && p.b <= k_largest_mean)) {
    detail::refuse("Branching -b", "from 0 to 10000000 for this tree type", p.b);
  }
  if (!within(p.r, 0, most)) detail::refuse("Seed -r", "from 0 to 2147483647", p.r);
  if (!(p.q >= 0 && p.q <= 1)) detail::refuse("Probability -q", "from 0 to 1", p.q);
  if (!within(p.m, 0, most)) detail::refuse("Branching -m", "from 0 to 2147483647", p.m);
  if (!(p.f >= 0 && std::isfinite(p.f))) {
    detail::refuse("Hybrid depth fraction -f", "a finite number of at least 0", p.f);
  }
  if (!within(p.g, 1, most)) detail::refuse("Granularity -g", "from 1 to 2147483647", p.g);
}

/// A tree whose size is published with the reference implementation.
struct named_tree {
  std::string_view name;
  tree_parameters parameters;
  std::uint64_t nodes;
  std::uint32_t depth;   ///< 0 where none is published
  std::uint64_t leaves;  ///< 0 where none is published
};

/// All named trees, by size.
[[nodiscard]] inline std::span<const named_tree> named_trees() {
  const auto binomial = [](double q, std::int64_t m, std::int64_t r) {
    return tree_parameters{.t = k_binomial, .b = 2000, .r = r, .q = q, .m = m};
  };
  const auto geometric = [](tree_shape a, std::int64_t d, double b, std::int64_t r) {
    return tree_parameters{.t = k_geometric, .a = a, .d = d, .b = b, .r = r};
  };
  static const named_tree trees[] = {
      {"T1", geometric(k_fixed, 10, 4, 19), 4'130'071, 10, 3'305'118},
      {"T2", geometric(k_cyclic, 16, 6, 502), 4'117'769, 81, 2'342'762},
      {"T3", binomial(0.124875, 8, 42), 4'112'897, 1'572, 3'599'034},
      {"T4",
       {.t = k_hybrid, .a = k_linear, .d = 16, .b = 6, .r = 1, .q = 0.234375, .m = 4},
       4'132'453,
       134,
       3'108'986},
      {"T5", geometric(k_linear, 20, 4, 34), 4'147'582, 20, 2'181'318},
      {"T1L", geometric(k_fixed, 13, 4, 29), 102'181'082, 13, 81'746'377},
      {"T2L", geometric(k_cyclic, 23, 7, 220), 96'793'510, 67, 53'791'152},
      {"T3L", binomial(0.200014, 5, 7), 111'345'631, 17'844, 89'076'904},
      {"T1XL", geometric(k_fixed, 15, 4, 29), 1'635'119'272, 15, 1'308'100'063},
      {"T1XXL", geometric(k_fixed, 15, 4, 19), 4'230'646'601, 15, 0},
      {"T3XXL", binomial(0.499995, 2, 316), 2'793'220'501, 0, 0},
      {"T2XXL", binomial(0.499999995, 2, 0), 10'612'052'303, 216'370, 5'306'027'151},
      {"T1WL", geometric(k_fixed, 18, 4, 19), 270'751'679'750, 18, 216'601'257'283},
      {"T2WL", binomial(0.4999999995, 2, 559), 295'393'891'003, 1'021'239, 147'696'946'501},
      {"T3WL", binomial(0.4999995, 2, 559), 157'063'495'159, 758'577, 78'531'748'579},
  };
  return trees;
}

/// The tree of this name, or null.
[[nodiscard]] inline const named_tree* find_named_tree(std::string_view name) {
  for (const named_tree& known : named_trees()) {
    if (known.name == name) return &known;
  }
  return nullptr;
}

}  // namespace mgws::bench::uts
