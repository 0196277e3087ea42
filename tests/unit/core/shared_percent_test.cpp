// How much of a multiprocessor's memory a launch asks for as shared memory: what all its blocks
// need, and seldom more than that.
#include <array>
#include <cstddef>
#include <cstdint>

#include <mgws/backends/gpu/properties.hpp>

#include "catch.hpp"

namespace {

using namespace mgws::gpu;

/// The sizes that compute capability 9.0 has, in bytes.
constexpr std::array<std::size_t, 10> k_sizes = {0,          8u << 10,   16u << 10,  32u << 10,
                                                 64u << 10,  100u << 10, 132u << 10, 164u << 10,
                                                 196u << 10, 228u << 10};

properties gpu_of_sizes() {
  properties p;
  p.shared_bytes_or_cache = k_sizes.back();
  p.shared_bytes_reserved = 1024;
  return p;
}

/// The smallest size of at least so many bytes or percent, as a driver chooses.
std::size_t size_for_bytes(std::size_t bytes) {
  std::size_t i = 0;
  while (k_sizes[i] < bytes)
    ++i;
  return k_sizes[i];
}
std::size_t size_for_percent(int percent) {
  return size_for_bytes((k_sizes.back() * static_cast<std::size_t>(percent) + 99) / 100);
}

}  // namespace

TEST_CASE("what a launch asks for as shared memory holds all its blocks") {
  const properties gpu = gpu_of_sizes();
  std::size_t larger = 0;
  std::size_t all = 0;
  for (std::uint32_t blocks = 1; blocks <= 32; ++blocks)
    for (std::size_t bytes = 0; bytes <= 48u << 10; bytes += 40) {
      const std::size_t needed = blocks * ((bytes + 1024 + 127) / 128 * 128);
      if (needed > k_sizes.back()) break;
      const int percent = shared_percent(gpu, bytes, blocks);
      REQUIRE(percent > 0);
      REQUIRE(percent <= 100);
      const std::size_t size = size_for_percent(percent);
      if (size < needed) FAIL(blocks << " blocks of " << bytes << " bytes: " << percent << " %");
      larger += size > size_for_bytes(needed) ? 1 : 0;
      ++all;
    }
  // Where rounding makes it the next size, the cache is smaller than it could be, seldom.
  CHECK(larger < all / 10);
}

TEST_CASE("a launch that would need more than there is asks for all") {
  CHECK(shared_percent(gpu_of_sizes(), 100u << 10, 3) == 100);
}

TEST_CASE("where shared memory is no part of a cache a launch has no preference") {
  CHECK(shared_percent(properties{}, 4096, 8) == grid::no_preference);
}
