// The search by lanes against the library's, on texts of few letters, in which much nearly agrees.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "workloads/find_bytes.hpp"

namespace {

/// One lane of so many, which knows of no others: it finds what begins in its own units.
struct lone_lane {
  std::uint32_t number;
  std::uint32_t count;
  [[nodiscard]] std::uint32_t lane() const { return number; }
  [[nodiscard]] std::uint32_t lanes() const { return count; }
  [[nodiscard]] static bool any(bool p) { return p; }
};

}  // namespace

TEST_CASE("contains: lanes find what the library finds, and nothing else") {
  std::mt19937 random(1);
  std::uint32_t found = 0;
  constexpr std::uint32_t k_texts = 20'000;
  for (std::uint32_t n = 0; n != k_texts; ++n) {
    const std::size_t skew = random() % 40;
    const std::size_t length = random() % 1200;
    // As in a corpus: text before it and behind it, which must not count.
    std::vector<char> memory(64 + skew + length + mgws::bench::find_by_lanes::k_padding);
    for (char& c : memory)
      c = static_cast<char>('a' + random() % 3);
    std::string word(1 + random() % 9, ' ');
    for (char& c : word)
      c = static_cast<char>('a' + random() % 3);
    const char* const text = memory.data() + 32 + skew;
    const bool expected = memmem(text, length, word.data(), word.size()) != nullptr;
    found += expected ? 1 : 0;
    for (const std::uint32_t lanes : {1u, 32u}) {
      bool any = false;
      for (std::uint32_t i = 0; i != lanes; ++i) {
        lone_lane lane{i, lanes};
        any = any || mgws::bench::find_by_lanes::has(lane, text, length,
                                                     mgws::bench::needle::of(word, word.data()));
      }
      if (any != expected) FAIL("text " << n << ", " << lanes << " lanes, word " << word);
    }
  }
  CHECK(found > k_texts / 10);
  CHECK(found < k_texts * 9 / 10);
}
