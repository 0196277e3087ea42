/// \file
/// The Mandelbrot set, by escape times: how long a pixel takes differs by the number of iterations
/// allowed, and neighbours are alike but at the border.
///
/// Every operation is rounded by itself, without fused multiplication and addition, so that all
/// processors agree about every pixel: the host checks what a GPU has found.
#pragma once

#include <cstdint>

#include <mgws_port.hpp>

#if defined(__clang__)
#pragma clang fp contract(off)
#endif

namespace mgws::bench {

/// A product that nobody fuses with a sum.
[[nodiscard]] MGWS_FN inline double rounded_product(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

/// Pixels over the part of the plane with x from -2 to 1, and y around 0 as the sides demand: the
/// full set where the picture is not much wider than 4 by 3.
struct picture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t iterations = 0;  ///< most of a pixel

  [[nodiscard]] MGWS_FN constexpr std::uint64_t pixels() const {
    return std::uint64_t{width} * height;
  }

  /// Iterations until the point in the middle of the pixel is known to be outside, or all.
  [[nodiscard]] MGWS_FN std::uint32_t escape(std::uint32_t column, std::uint32_t row) const {
    orbit o{};
    advance(o, column, row, iterations);
    return o.iterations;
  }

  /// What a pixel has come to.
  struct orbit {
    double x;
    double y;
    std::uint32_t iterations;
  };
  /// At most so many iterations more. \returns whether the point was not known to be outside
  MGWS_FN bool advance(orbit& o, std::uint32_t column, std::uint32_t row,
                       std::uint32_t most) const {
    const double side = 3.0 / width;
    const double cx = rounded_product(column + 0.5, side) - 2.0;
    const double cy = rounded_product(row + 0.5 - 0.5 * height, side);
    for (; most != 0; --most, ++o.iterations)
      if (!advance(cx, cy, o.x, o.y)) return false;
    return true;
  }

  /// One iteration. \returns whether the point was not known to be outside
  [[nodiscard]] MGWS_FN static bool advance(double cx, double cy, double& x, double& y) {
    const double xx = rounded_product(x, x);
    const double yy = rounded_product(y, y);
    if (xx + yy > 4.0) return false;
    const double xy = rounded_product(x, y);
    x = xx - yy + cx;
    y = xy + xy + cy;
    return true;
  }
};

/// The order of pixels in which 32 in a row are a tile of 8 by 4: their iterations are more alike
/// than those of 32 pixels of one row, and lanes that run side by side wait for the longest of
/// them. A tile's rows are whole sectors of memory, as a row would be.
struct tiles {
  static constexpr std::uint32_t k_width = 8;
  static constexpr std::uint32_t k_height = 4;
  static constexpr std::uint32_t k_pixels = k_width * k_height;

  std::uint32_t across;  ///< tiles side by side

  [[nodiscard]] MGWS_FN static constexpr tiles of(const picture& p) {
    return {(p.width + k_width - 1) / k_width};
  }
  /// Numbers that pixels have, some of which, at the right and at the bottom, may be outside.
  [[nodiscard]] constexpr std::uint64_t numbers(const picture& p) const {
    return std::uint64_t{across} * ((p.height + k_height - 1) / k_height) * k_pixels;
  }
  [[nodiscard]] MGWS_FN constexpr std::uint32_t column(std::uint32_t number) const {
    return number / k_pixels % across * k_width + number % k_width;
  }
  [[nodiscard]] MGWS_FN constexpr std::uint32_t row(std::uint32_t number) const {
    return number / k_pixels / across * k_height + number % k_pixels / k_width;
  }
};

}  // namespace mgws::bench
