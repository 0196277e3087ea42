// Every epoch size that the queue word can hold, against a count made by taking blocks one by one.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <mgws/core/steal_sequence.hpp>

#include "catch.hpp"

namespace seq = mgws::steal_sequence;

namespace {

constexpr std::uint32_t k_sizes = 1u << 19;
constexpr std::uint32_t k_attempts = 1u << 24;

std::uint32_t ceil_log2(std::uint32_t n) {
  std::uint32_t log = 0;
  while (std::uint64_t{1} << log < n)
    ++log;
  return log;
}

/// \return whether all that is promised holds for an epoch of n slots
bool holds(std::uint32_t n) {
  if (seq::steps(n) != ceil_log2(n) + 1) return false;
  std::uint32_t left = n;
  std::uint32_t attempt = 0;
  for (; left != 0; ++attempt) {
    if (seq::remaining(n, attempt) != left) return false;
    if (seq::claimed(n, attempt) != n - left) return false;
    const std::uint32_t block = std::max(1u, left / 2);
    if (seq::block(n, attempt) != block) return false;
    left -= block;
  }
  if (attempt != seq::steps(n)) return false;
  // Beyond the last step: next to it, around every power of two (where a shift could wrap), and the
  // most that the word can count.
  for (std::uint32_t more = 0; more != 80; ++more)
    if (seq::remaining(n, attempt + more) != 0 || seq::block(n, attempt + more) != 0) return false;
  for (std::uint32_t far = 32; far <= k_attempts; far *= 2)
    for (const std::uint32_t at : {far - 1, far, far + 1})
      if (seq::remaining(n, at) != 0 || seq::block(n, at) != 0 || seq::claimed(n, at) != n)
        return false;
  return true;
}

}  // namespace

TEST_CASE("steal sequence: every size below 2^19") {
  std::uint32_t wrong = 0;
  for (std::uint32_t n = 1; n != k_sizes; ++n)
    if (!holds(n) && wrong == 0) wrong = n;
  INFO("first size that is wrong");
  REQUIRE(wrong == 0);
}

TEST_CASE("steal sequence: nothing remains at any number of attempts from the last step on") {
  for (const std::uint32_t n : {1u, 2u, 3u, 150u, 4095u, 4096u, 4097u, k_sizes - 1}) {
    std::uint64_t left = 0;
    for (std::uint32_t attempt = seq::steps(n); attempt <= k_attempts; ++attempt)
      left += seq::remaining(n, attempt);
    INFO(n);
    REQUIRE(left == 0);
  }
}

TEST_CASE("steal sequence: an empty epoch gives nothing") {
  REQUIRE(seq::steps(0) == 0);
  for (const std::uint32_t attempt : {0u, 1u, 31u, 32u, 64u, k_attempts}) {
    CHECK(seq::remaining(0, attempt) == 0);
    CHECK(seq::block(0, attempt) == 0);
    CHECK(seq::claimed(0, attempt) == 0);
  }
}

TEST_CASE("steal sequence: the example of the paper") {
  std::vector<std::uint32_t> blocks;
  for (std::uint32_t attempt = 0; attempt != seq::steps(150); ++attempt)
    blocks.push_back(seq::block(150, attempt));
  REQUIRE(blocks == std::vector<std::uint32_t>{75, 37, 19, 9, 5, 2, 1, 1, 1});
}

TEST_CASE("steal sequence: the first block of the largest batch is the largest of all") {
  std::uint32_t largest = 0;
  bool bounded = true;
  for (std::uint32_t n = 1; n != 1u << 12; ++n) {
    for (std::uint32_t attempt = 0; attempt != seq::steps(n); ++attempt)
      largest = std::max(largest, seq::block(n, attempt));
    bounded = bounded && largest == seq::largest_block(n);
  }
  REQUIRE(bounded);
}

static_assert(seq::block(150, 0) == 75, "usable at compile time");
