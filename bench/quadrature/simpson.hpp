/// \file
/// Adaptive quadrature by Simpson's rule: an interval is cut in half where its halves say something
/// else than the whole (Kuncir, "Algorithm 103: Simpson's rule integrator", Communications of the
/// ACM, 1962), and what they say is corrected by a fifteenth of the difference (Lyness, "Notes on
/// the adaptive Simpson quadrature routine", Journal of the ACM, 1969). The difference itself is
/// taken for the error: the fifteenth supposes four derivatives, which not all functions have.
///
/// No sum here has a product as a part unless it is exact (integrand.hpp), so that tasks on any
/// device cut the same intervals as the recursion of one thread does.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include <mgws_port.hpp>

#include "quadrature/integrand.hpp"

namespace mgws::bench::quadrature {

/// What is looked for, and how well.
struct problem {
  integrand f = integrand::peaks;
  double tolerance = 0;
  std::uint32_t depth = 0;  ///< how often an interval may be halved
};

/// What an interval contributes, and the estimates of the error of that.
struct part {
  double value, error;

  [[nodiscard]] friend MGWS_FN part operator+(const part& l, const part& r) {
    return {l.value + r.value, l.error + r.error};
  }
  [[nodiscard]] friend bool operator==(const part&, const part&) = default;
};

/// [a, b], and the function's values at a, in the middle, and at b.
struct interval {
  double a, b;
  double fa, fm, fb;
  std::uint32_t depth;  ///< how many halvings it has come of
  /// Whether that of which it is a half was good enough, or nearly. Alone it proves nothing: where
  /// waves are shorter than an interval, its few values can agree by chance.
  std::uint32_t expected;

  [[nodiscard]] MGWS_FN double middle() const { return (a + b) / 2; }
  [[nodiscard]] static interval whole(integrand f) {
    const auto [a, b] = bounds_of(f);
    return {a, b, value_at(f, a), value_at(f, (a + b) / 2), value_at(f, b), 0, 0};
  }
};

/// An interval, looked at more closely.
struct halves {
  interval left, right;
  part both;
  bool good;  ///< enough not to be cut

  [[nodiscard]] MGWS_FN static halves of(const problem& p, const interval& i) {
    const double m = i.middle();
    const double fl = value_at(p.f, (i.a + m) / 2);
    const double fr = value_at(p.f, (m + i.b) / 2);
    // Times a twelfth of the length these are Simpson's sums.
    const double by_halves = i.fa + 4 * fl + 2 * i.fm + 4 * fr + i.fb;
    const double by_whole = 2 * (i.fa + 4 * i.fm + i.fb);
    const double off = by_halves - by_whole;
    const double twelfth = (i.b - i.a) / 12;
    const part both{twelfth * (by_halves + off / 15), std::fabs(twelfth * off)};
    const double tolerance = std::ldexp(p.tolerance, -static_cast<int>(i.depth));
    // A cut makes a 32th of the difference where the function is smooth, and half of the tolerance.
    const std::uint32_t expected = both.error <= 64 * tolerance ? 1 : 0;
    return {{i.a, m, i.fa, fl, i.fm, i.depth + 1, expected},
            {m, i.b, i.fm, fr, i.fb, i.depth + 1, expected},
            both,
            i.expected != 0 && both.error <= tolerance};
  }
};

/// The same by one thread, the left half first.
class recursion {
 public:
  explicit recursion(const problem& p) : problem_(p), found_(in(interval::whole(p.f))) {}

  /// None if an interval would have had to be halved once too often.
  [[nodiscard]] const std::optional<part>& found() const { return found_; }
  [[nodiscard]] std::uint64_t intervals() const { return intervals_; }
  /// How many halvings the shortest interval has come of.
  [[nodiscard]] std::uint32_t depth() const { return depth_; }
  /// The contributions, without their signs.
  [[nodiscard]] double magnitude() const { return magnitude_; }

 private:
  [[nodiscard]] std::optional<part> in(const interval& i) {
    ++intervals_;
    depth_ = std::max(depth_, i.depth);
    const halves h = halves::of(problem_, i);
    if (h.good) {
      magnitude_ += std::fabs(h.both.value);
      return h.both;
    }
    if (i.depth == problem_.depth) return std::nullopt;
    const auto left = in(h.left);
    if (!left) return std::nullopt;
    const auto right = in(h.right);
    if (!right) return std::nullopt;
    return *left + *right;
  }

  problem problem_;
  std::uint64_t intervals_ = 0;
  std::uint32_t depth_ = 0;
  double magnitude_ = 0;
  std::optional<part> found_;  ///< made when the others are
};

}  // namespace mgws::bench::quadrature
