/// \file
/// The host's side of a tree: computes the table that tree.hpp describes, with exactly the
/// reference's double-precision formulas, and owns its words.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "parameters.hpp"
#include "tree.hpp"

namespace mgws::bench::uts {

/// The mean number of children of a geometric node, as the reference computes it.
[[nodiscard]] inline double geometric_mean_children(const tree_parameters& p, std::uint32_t depth) {
  if (depth == 0) return p.b;
  const double i = depth;
  const auto d = static_cast<double>(p.d);
  switch (p.a) {
    case k_exponential:
      return p.b * std::pow(i, -std::log(p.b) / std::log(d));
    case k_cyclic:
      if (i > 5 * d) return 0;
      return std::pow(p.b, std::sin(2.0 * 3.141592653589793 * i / d));
    case k_fixed:
      return i < d ? p.b : 0;
    default:
      return p.b * (1.0 - i / d);
  }
}

/// The number of children of a geometric node whose mean is known, as the reference computes it
/// and cut at k_most_children. Not a number and below zero (the reference's formulas below a
/// tree's last level) count as none.
[[nodiscard]] inline std::uint32_t geometric_children(double mean, std::uint32_t random) {
  const double p = 1.0 / (1.0 + mean);
  const double u = random / 2147483648.0;
  const double count = std::floor(std::log(1.0 - u) / std::log(1.0 - p));
  if (!(count > 0)) return 0;
  return count < k_most_children ? static_cast<std::uint32_t>(count) : k_most_children;
}

class tree_tables {
 public:
  /// Validates the parameters; throws std::invalid_argument for them, and for a tree that would
  /// need more than k_most_rows rows. The table never needs rows for every depth that can be
  /// written down: they end where the tree surely has ended, or surely never will (see
  /// build_rows).
  explicit tree_tables(const tree_parameters& p) {
    validate(p);
    view_.seed = static_cast<std::uint32_t>(p.r);
    view_.granularity = static_cast<std::uint32_t>(p.g);
    view_.branches = static_cast<std::uint32_t>(std::min<std::int64_t>(p.m, k_most_children));
    // Times a power of two is exact, so r / 2^31 < q if and only if r < ceil(q * 2^31).
    view_.threshold = static_cast<std::uint32_t>(std::ceil(p.q * 2147483648.0));
    view_.childless_from = k_every_depth;
    switch (p.t) {
      case k_binomial:
        view_.root_is_special = 1;
        view_.root_branches = static_cast<std::uint32_t>(p.b);
        break;
      case k_balanced:
        view_.table_until = k_every_depth;
        view_.childless_from = static_cast<std::uint32_t>(p.d);
        append_row(std::vector<std::uint32_t>(
            static_cast<std::size_t>(std::min<double>(p.b, k_most_children)), 0));
        break;
      case k_hybrid:
        view_.table_until = first_depth_from(p.f * static_cast<double>(p.d));
        build_rows(p);
        break;
      default:
        view_.table_until = k_every_depth;
        build_rows(p);
    }
    join();
  }

  /// The tree over this object's words; valid as long as the object.
  [[nodiscard]] tree view() const { return view(words_.data()); }

  /// The tree over a copy of words(), for instance in a GPU's memory.
  [[nodiscard]] tree view(const std::uint32_t* copy) const {
    tree result = view_;
    result.table = copy;
    return result;
  }

  /// All that a backend must copy; may be empty.
  [[nodiscard]] std::span<const std::uint32_t> words() const { return words_; }

 private:
  static constexpr std::uint32_t k_most_rows = 65536;

  /// The first depth that is not less than the limit.
  static std::uint32_t first_depth_from(double limit) {
    return limit < k_every_depth ? static_cast<std::uint32_t>(std::ceil(limit)) : k_every_depth;
  }

  /// The first depth at which the shape itself ends the tree.
  static std::uint32_t shape_end(const tree_parameters& p) {
    const auto d = static_cast<double>(p.d);
    switch (p.a) {
      case k_exponential:
        return k_every_depth;
      case k_cyclic:
        return first_depth_from(5 * d + 1);
      default:
        return first_depth_from(std::max(d, 1.0));
    }
  }

  /// Rows from the root down, until deeper ones cannot matter:
  ///  - the shape has ended the tree, or all its remaining depths are alike; or
  ///  - fewer than 2^-64 nodes are to be expected at this depth, which bounds the probability that
  ///    there are any: no tree that anyone can walk gets there, and if one did it would end; or
  ///  - more than 2^128 are: a tree that gets there is never finished, so its last row may serve.
  /// Without the last two, a table would have no end for the exponential shape, whose mean falls
  /// below 1 at depth d but never to 0, and no reasonable size for a large d.
  void build_rows(const tree_parameters& p) {
    const std::uint32_t end = std::min(shape_end(p), view_.table_until);
    view_.childless_from = shape_end(p);
    const bool alike =
        p.a == k_fixed || (p.a == k_exponential && (p.d == 0 || (p.b == 1 && p.d > 1)));
    double log2_expected = 0;
    for (std::uint32_t depth = 0; depth < end; ++depth) {
      if (depth == k_most_rows) {
        throw std::invalid_argument(
            "Depth -d must be smaller for this -b: the tree's description would need more than " +
            std::to_string(k_most_rows) + " depths.");
      }
      const std::vector<std::uint32_t> steps = steps_of(geometric_mean_children(p, depth));
      append_row(steps);
      double mean = 0;  // with the cut, and of 31 random bits
      for (const std::uint32_t step : steps) {
        mean += (k_unreached - step) / 2147483648.0;
      }
      log2_expected += std::log2(mean);
      if (alike || log2_expected > 128) return;
      if (log2_expected < -64) {
        view_.childless_from = depth + 1;
        return;
      }
    }
  }

  /// The least random value that has at least 1, 2, ... children, as far as there is one. The count
  /// grows with the random value, so each is found by bisection; its closed form gives a bracket.
  static std::vector<std::uint32_t> steps_of(double mean) {
    std::vector<std::uint32_t> steps;
    const std::uint32_t most = geometric_children(mean, k_unreached - 1);
    const double none = 1.0 - 1.0 / (1.0 + mean);
    for (std::uint32_t k = 1; k <= most; ++k) {
      const auto reaches = [&](std::uint32_t random) {
        return geometric_children(mean, random) >= k;
      };
      std::uint32_t below = 0;  // 0 has no children: log(1) is 0
      std::uint32_t reached = k_unreached - 1;
      const double guess = (1.0 - std::pow(none, k)) * 2147483648.0;
      if (guess > 8 && guess < reached - 8.0) {
        const auto near = static_cast<std::uint32_t>(guess);
        (reaches(near - 4) ? reached : below) = near - 4;
        if (!reaches(near + 4)) {
          below = std::max(below, near + 4);
        } else {
          reached = std::min(reached, near + 4);
        }
      }
      while (reached - below > 1) {
        const std::uint32_t middle = below + (reached - below) / 2;
        (reaches(middle) ? reached : below) = middle;
      }
      steps.push_back(reached);
    }
    return steps;
  }

  /// Adds one more depth, with the row that has these steps.
  void append_row(const std::vector<std::uint32_t>& steps) {
    if (!offsets_.empty() && steps == last_steps_) {
      offsets_.push_back(offsets_.back());
      return;
    }
    last_steps_ = steps;
    offsets_.push_back(static_cast<std::uint32_t>(rows_.size()));
    unsigned char guide[4 * k_guide_words];
    for (std::uint32_t interval = 0; interval < 4 * k_guide_words; ++interval) {
      const auto past = std::upper_bound(steps.begin(), steps.end(), interval << k_guide_shift);
      guide[interval] = static_cast<unsigned char>(past - steps.begin());
    }
    const std::size_t begin = rows_.size();
    rows_.resize(begin + k_guide_words);
    std::memcpy(rows_.data() + begin, guide, sizeof guide);
    rows_.insert(rows_.end(), steps.begin(), steps.end());
    rows_.push_back(k_unreached);
  }

  /// Puts the offsets and the rows together.
  void join() {
    const auto depths = static_cast<std::uint32_t>(offsets_.size());
    if (depths == 0) return;
    view_.last_row = depths - 1;
    words_.reserve(depths + rows_.size());
    for (const std::uint32_t offset : offsets_) {
      words_.push_back(depths + offset);
    }
    words_.insert(words_.end(), rows_.begin(), rows_.end());
    offsets_ = {};
    rows_ = {};
    last_steps_ = {};
  }

  tree view_{};
  std::vector<std::uint32_t> words_;
  std::vector<std::uint32_t> offsets_;  // of rows_, one a depth; these three only while building
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> last_steps_;
};

}  // namespace mgws::bench::uts
