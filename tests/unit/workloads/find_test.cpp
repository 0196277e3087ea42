// The search by lanes against the library's, on texts of few letters, in which much nearly agrees.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <thread>
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
  static void sync() {}
};

/// One of several lanes, each a thread, that ask each other.
struct lane_of_several {
  struct meeting {
    explicit meeting(std::uint32_t lanes) : all(lanes) {}
    std::barrier<> all;
    std::atomic<std::uint32_t> yes[2] = {};
  };
  std::uint32_t number;
  std::uint32_t count;
  meeting* together;
  std::uint32_t questions = 0;
  [[nodiscard]] std::uint32_t lane() const { return number; }
  [[nodiscard]] std::uint32_t lanes() const { return count; }
  void sync() { together->all.arrive_and_wait(); }
  [[nodiscard]] bool any(bool p) {
    auto& now = together->yes[questions % 2];
    auto& next = together->yes[++questions % 2];
    if (p) now.fetch_add(1);
    together->all.arrive_and_wait();
    const bool is = now.load() != 0;
    next.store(0);
    together->all.arrive_and_wait();
    return is;
  }
};

constexpr std::uint32_t k_lanes = 3;
/// Runs f(lane) for so many lanes, each a thread.
void at_once(auto f) {
  lane_of_several::meeting together(k_lanes);
  std::vector<std::jthread> lanes;
  for (std::uint32_t i = 0; i != k_lanes; ++i)
    lanes.emplace_back([&, i] {
      lane_of_several lane{i, k_lanes, &together};
      f(lane);
    });
}

/// Texts behind each other, some of them empty.
struct line {
  std::vector<std::uint64_t> offsets{100};  ///< from somewhere before it
  std::vector<char> memory;
  std::size_t skew;
  std::string word;
  std::uint64_t expected = 0;  ///< texts that have the word

  explicit line(std::mt19937& random) : skew(32 + random() % 40), word(1 + random() % 9, ' ') {
    const std::uint32_t letters = 2 + random() % 2;
    for (std::uint32_t texts = 1 + random() % 20; texts != 0; --texts)
      offsets.push_back(offsets.back() + random() % (random() % 4 == 0 ? 1200 : 60));
    memory.resize(skew + bytes() + mgws::bench::find_by_lanes::k_padding);
    for (char& c : memory)
      c = static_cast<char>('a' + random() % letters);
    for (char& c : word)
      c = static_cast<char>('a' + random() % letters);
    for (std::size_t i = 0; i + 1 != offsets.size(); ++i)
      expected += memmem(text() + offsets[i] - offsets[0], offsets[i + 1] - offsets[i], word.data(),
                         word.size()) != nullptr;
  }
  [[nodiscard]] std::size_t bytes() const { return offsets.back() - offsets.front(); }
  [[nodiscard]] const char* text() const { return memory.data() + skew; }
  /// \param found_in  for each text \param run  another one each time
  [[nodiscard]] std::uint64_t counted_by(auto find, auto& lane,
                                         std::vector<std::uint32_t>& found_in,
                                         std::uint32_t run) const {
    found_in.resize(std::max(found_in.size(), offsets.size() - 1));
    return find.count(lane, {text(), offsets.data(), offsets.size() - 1, found_in.data(), run},
                      mgws::bench::needle::of(word, word.data()));
  }
};

}  // namespace

TEST_CASE("contains: lanes count the texts that have the word, whatever is next to them") {
  std::mt19937 random(2);
  std::uint64_t texts = 0;
  std::uint64_t found = 0;
  std::vector<std::uint32_t> found_in;
  std::uint32_t run = 0;
  for (std::uint32_t n = 0; n != 5000; ++n) {
    const line l(random);
    lone_lane alone{0, 1};
    if (l.counted_by(mgws::bench::find_by_lanes{}, alone, found_in, ++run) != l.expected)
      FAIL("line " << n << ", one lane, word " << l.word);
    if (l.counted_by(mgws::bench::find_by_library{}, alone, found_in, ++run) != l.expected)
      FAIL("line " << n << ", the library, word " << l.word);
    texts += l.offsets.size() - 1;
    found += l.expected;
  }
  CHECK(found > texts / 10);
  CHECK(found < texts * 9 / 10);
  for (std::uint32_t n = 0; n != 300; ++n) {
    const line l(random);
    found_in.resize(std::max(found_in.size(), l.offsets.size()));
    ++run;
    std::atomic<std::uint64_t> counted = 0;
    at_once([&](lane_of_several& lane) {
      counted += l.counted_by(mgws::bench::find_by_lanes{}, lane, found_in, run);
    });
    if (counted != l.expected) FAIL("line " << n << ", several lanes, word " << l.word);
    ++run;
    counted = 0;
    constexpr std::uint32_t k_many = 64;
    for (std::uint32_t i = 0; i != k_many; ++i) {
      lone_lane lane{i, k_many};
      counted += l.counted_by(mgws::bench::find_by_lanes{}, lane, found_in, run);
    }
    if (counted != l.expected) FAIL("line " << n << ", many lanes, word " << l.word);
  }
}

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
    for (const std::uint32_t lanes : {1u, 32u, 128u}) {
      bool any = false;
      for (std::uint32_t i = 0; i != lanes; ++i) {
        lone_lane lane{i, lanes};
        any = any || mgws::bench::find_by_lanes::has(lane, text, length,
                                                     mgws::bench::needle::of(word, word.data()));
      }
      if (any != expected) FAIL("text " << n << ", " << lanes << " lanes, word " << word);
    }
    if (n % 50 != 0) continue;
    std::atomic<std::uint32_t> agree = 0;
    at_once([&](lane_of_several& lane) {
      const auto needle = mgws::bench::needle::of(word, word.data());
      agree += mgws::bench::find_by_lanes::has(lane, text, length, needle) == expected ? 1 : 0;
    });
    if (agree != k_lanes) FAIL("text " << n << ", lanes that ask each other, word " << word);
  }
  CHECK(found > k_texts / 10);
  CHECK(found < k_texts * 9 / 10);
}
