// The picture of ../mandelbrot.cpp: recursively by one thread, and by oneTBB's parallel_for over
// tiles and parallel_invoke over quarters.
#include <cstdint>
#include <string>
#include <vector>

#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include "peer.hpp"

constexpr std::uint32_t k_side = 64, k_most = 1000;

struct picture {
  std::uint32_t width;
  std::vector<std::uint32_t> counts;
  explicit picture(std::uint32_t w) : width(w), counts(std::size_t{w} * (w / 4 * 3)) {}
  bool operator==(const picture&) const = default;

  std::uint32_t& at(std::uint32_t x, std::uint32_t y) { return counts[y * width + x]; }
  void find(std::uint32_t column, std::uint32_t row) {
    const double cx = 3.0 * (column + 0.5) / width - 2;
    const double cy = 3.0 * (row + 0.5) / width - 1.125;
    double x = 0, y = 0;
    std::uint32_t n = 0;
    for (; n != k_most && x * x + y * y <= 4; ++n) {
      const double next = x * x - y * y + cx;
      y = 2 * x * y + cy;
      x = next;
    }
    at(column, row) = n;
  }
  void border(std::uint32_t left, std::uint32_t top) {
    for (std::uint32_t k = 0; k != k_side; ++k) {
      find(left + k, top);
      find(left + k_side, top + k);
      find(left + k_side - k, top + k_side);
      find(left, top + k_side - k);
    }
  }
  // The inside, or a cross in it. Returns whether four quarters are left to do.
  bool cut(std::uint32_t left, std::uint32_t top, std::uint32_t side) {
    const std::uint32_t one = at(left, top);
    bool differs = false;
    for (std::uint32_t i = 0; i <= side; ++i)
      differs |= at(left + i, top) != one || at(left + i, top + side) != one ||
                 at(left, top + i) != one || at(left + side, top + i) != one;
    if (differs && side > 8) {
      for (std::uint32_t i = 1; i != side; ++i) {
        find(left + i, top + side / 2);
        if (i != side / 2) find(left + side / 2, top + i);
      }
      return true;
    }
    for (std::uint32_t y = top + 1; y != top + side; ++y)
      for (std::uint32_t x = left + 1; x != left + side; ++x)
        differs ? find(x, y) : void(at(x, y) = one);
    return false;
  }
};

void recursively(picture& p, std::uint32_t x, std::uint32_t y, std::uint32_t side) {
  if (!p.cut(x, y, side)) return;
  const std::uint32_t half = side / 2;
  recursively(p, x, y, half);
  recursively(p, x + half, y, half);
  recursively(p, x, y + half, half);
  recursively(p, x + half, y + half, half);
}
void in_parallel(picture& p, std::uint32_t x, std::uint32_t y, std::uint32_t side) {
  if (!p.cut(x, y, side)) return;
  const std::uint32_t half = side / 2;
  tbb::parallel_invoke([&, x, y] { in_parallel(p, x, y, half); },
                       [&, x, y] { in_parallel(p, x + half, y, half); },
                       [&, x, y] { in_parallel(p, x, y + half, half); },
                       [&, x, y] { in_parallel(p, x + half, y + half, half); });
}

int main(int argc, char** argv) {
  constexpr unsigned long four = 4 * (k_side + 1);
  const auto width = static_cast<std::uint32_t>(
      argc > 1 ? (std::stoul(argv[1]) + four - 1) / four * four : 4 * four);
  picture expected(width), found(width);
  const std::uint32_t across = width / (k_side + 1), tiles = across * across / 4 * 3;
  const auto corner = [&](std::uint32_t i) { return i * (k_side + 1); };
  return compare(
      [&] {
        for (std::uint32_t i = 0; i != tiles; ++i) {
          expected.border(corner(i % across), corner(i / across));
          recursively(expected, corner(i % across), corner(i / across), k_side);
        }
      },
      [&] {
        tbb::parallel_for(0u, tiles, [&](std::uint32_t i) {
          found.border(corner(i % across), corner(i / across));
          in_parallel(found, corner(i % across), corner(i / across), k_side);
        });
      },
      [&] { return found == expected; });
}
