#include <cstdint>
#include <string>
#include <vector>

#include "catch.hpp"
#include "mandelbrot/check.hpp"
#include "mandelbrot/picture.hpp"

namespace {

using namespace mgws::bench;

std::vector<std::uint32_t> counts_of(const picture& p) {
  std::vector<std::uint32_t> counts;
  for (std::uint32_t row = 0; row != p.height; ++row)
    for (std::uint32_t column = 0; column != p.width; ++column)
      counts.push_back(p.escape(column, row));
  return counts;
}

}  // namespace

TEST_CASE("mandelbrot: points that are known") {
  const picture p{.width = 30, .height = 21, .iterations = 100};
  CHECK(p.escape(20, 10) == 100);  // x = 0.05, y = 0
  CHECK(p.escape(0, 0) == 1);      // far outside: gone after its first step
  CHECK(p.escape(10, 10) == 100);  // x = -0.95, y = 0: period 2
}

TEST_CASE("mandelbrot: every pixel is in one tile") {
  for (const picture& p : {picture{.width = 61, .height = 47}, picture{.width = 8, .height = 4},
                           picture{.width = 1, .height = 1}, picture{.width = 64, .height = 3}}) {
    const tiles order = tiles::of(p);
    std::vector<int> seen(p.pixels());
    for (std::uint32_t i = 0; i != order.numbers(p); ++i) {
      const std::uint32_t column = order.column(i);
      const std::uint32_t row = order.row(i);
      if (column < p.width && row < p.height) ++seen[row * p.width + column];
    }
    CHECK(seen == std::vector<int>(p.pixels(), 1));
  }
}

TEST_CASE("mandelbrot: a check finds wrong pictures") {
  const picture p{.width = 256, .height = 192, .iterations = 1000};
  REQUIRE(known_total(p));
  auto counts = counts_of(p);
  CHECK(picture_check::total_of(counts) == *known_total(p));
  const picture_check check(p);
  CHECK(check.fault(counts).empty());
  ++counts[sampled_pixel(p, 17)];
  CHECK(check.fault(counts) == "1 of 4096 sampled pixels are wrong");
  --counts[sampled_pixel(p, 17)];
  std::uint64_t other = 0;
  for (std::uint64_t s = 0; s != k_picture_samples && other == sampled_pixel(p, s); ++s)
    ++other;
  counts[other] += 1;
  CHECK(!check.fault(counts).empty());
}
