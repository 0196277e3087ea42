/// \file
/// What `quadrature` integrates: functions whose integrals have closed forms, and which need
/// intervals of very different lengths.
///
/// CPU and GPU make the same of each, to the last bit, and so do compilers that fuse products and
/// sums and such that do not: there are only operations that IEEE 754 rounds correctly, and a sum
/// of which a part is a product is a std::fma, unless the product is exact.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <mgws_port.hpp>

namespace mgws::bench::quadrature {

/// A function, on the interval that is all of it.
enum class integrand : std::uint32_t {
  peaks,  ///< Lorentzian peaks, 32 on [0, 1], of half widths from 2^-4 to 2^-17
  wave,   ///< 2 x sin(1/x) - cos(1/x) on [0.0001, 1]: the shorter waves, the nearer to 0
  root,   ///< the square root on [0, 1], whose slope at 0 is infinite
};
inline constexpr std::array<std::string_view, 3> k_integrands = {"peaks", "wave", "root"};

struct bounds {
  double a, b;
};
[[nodiscard]] inline bounds bounds_of(integrand f) {
  return {f == integrand::wave ? 1e-4 : 0.0, 1.0};
}

/// A peak of an area of pi, if it did not end at 0 and 1.
struct peak {
  static constexpr std::uint32_t k_number = 32;

  double centre;
  double narrow;  ///< a power of two: the inverse of half its width at half its height

  [[nodiscard]] MGWS_FN static peak number(std::uint32_t i) {
    return {(i + 0.37) / k_number, static_cast<double>(1u << (4 + 5 * i % 14))};
  }
  [[nodiscard]] MGWS_FN double at(double x) const {
    const double t = (x - centre) * narrow;
    return narrow / std::fma(t, t, 1.0);
  }
  [[nodiscard]] double integral() const {
    return std::atan((1 - centre) * narrow) + std::atan(centre * narrow);
  }
};

/// Sine and cosine by Taylor's series, for 0 <= t < 2^30: no two libraries have the same.
struct turn {
  double sine, cosine;

  [[nodiscard]] MGWS_FN static turn of(double t) {
    constexpr double pi = 3.14159265358979323846;
    constexpr double rest_of_pi = 1.2246467991473532e-16;
    const double halves = std::rint(t * (1 / pi));
    const double r = std::fma(-halves, rest_of_pi, std::fma(-halves, pi, t));
    const double square = r * r;
    double s = 1;
    double c = 1;
    for (int n = 22; n != 0; n -= 2) {
      s = std::fma(square * (-1.0 / (n * (n + 1))), s, 1.0);
      c = std::fma(square * (-1.0 / (n * (n - 1))), c, 1.0);
    }
    const double sign = static_cast<std::int32_t>(halves) % 2 == 0 ? 1 : -1;
    return {sign * (r * s), sign * c};
  }
};

[[nodiscard]] MGWS_FN inline double value_at(integrand f, double x) {
  if (f == integrand::root) return std::sqrt(x);
  if (f == integrand::wave) {
    const turn t = turn::of(1 / x);
    return std::fma(2 * x, t.sine, -t.cosine);
  }
  double sum = 0;
  for (std::uint32_t i = 0; i != peak::k_number; ++i)
    sum += peak::number(i).at(x);
  return sum;
}

/// The integral over all of it, by the antiderivative.
[[nodiscard]] inline double closed_form(integrand f) {
  if (f == integrand::root) return 2.0 / 3;
  if (f == integrand::wave) {
    const auto below = [](double x) { return x * x * std::sin(1 / x); };
    const auto [a, b] = bounds_of(f);
    return below(b) - below(a);
  }
  double sum = 0;
  for (std::uint32_t i = 0; i != peak::k_number; ++i)
    sum += peak::number(i).integral();
  return sum;
}

}  // namespace mgws::bench::quadrature
