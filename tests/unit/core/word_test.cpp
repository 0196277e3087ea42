// The queue word: every field kept apart from the others, in the real layout and in small ones.
#include <cstdint>
#include <random>
#include <vector>

#include <mgws/core/word.hpp>

#include "catch.hpp"

namespace {

std::vector<std::uint32_t> samples(unsigned bits) {
  const auto most = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
  std::vector<std::uint32_t> all{0, 1, most / 2, most - 1, most, 0x5555'5555u & most};
  return all;
}

template <class Layout>
bool same(const typename Layout::fields& a, const typename Layout::fields& b) {
  return a.attempts == b.attempts && a.lock == b.lock && a.epoch == b.epoch &&
         a.initial == b.initial && a.tail == b.tail;
}

template <unsigned A, unsigned I, unsigned T>
void check_layout() {
  using layout = mgws::word_layout<A, I, T>;
  using fields = typename layout::fields;
  for (const auto attempts : samples(A))
    for (const bool lock : {false, true})
      for (const std::uint32_t epoch : {0u, 1u})
        for (const auto initial : samples(I))
          for (const auto tail : samples(T)) {
            const fields f{attempts, lock, epoch, initial, tail};
            const auto word = layout::encode(f);
            REQUIRE(same<layout>(layout::decode(word), f));
            // An attempt more changes the attempts only, even where their count wraps.
            auto more = layout::decode(word + layout::one_attempt);
            REQUIRE(more.attempts == ((attempts + 1) & layout::max_attempts));
            more.attempts = attempts;
            REQUIRE(same<layout>(more, f));
            REQUIRE(layout::available(word) ==
                    (lock ? 0 : mgws::steal_sequence::remaining(initial, attempts)));
          }
}

}  // namespace

TEST_CASE("word: fields come back as they went in, and an attempt touches no other field") {
  check_layout<24, 19, 19>();
  check_layout<1, 1, 1>();
  check_layout<2, 2, 2>();
  check_layout<3, 2, 4>();
  check_layout<4, 5, 3>();
}

TEST_CASE("word: random words survive decoding and encoding in the full layout") {
  using layout = mgws::word_layout<>;
  std::mt19937_64 random(7);
  for (int i = 0; i != 100'000; ++i) {
    const std::uint64_t word = random();
    const auto again = layout::encode(layout::decode(word));
    if (again != word) REQUIRE(again == word);
  }
  SUCCEED();
}

TEST_CASE("word: limits of the real layout") {
  using layout = mgws::word_layout<>;
  CHECK(layout::max_capacity == (1u << 19) - 1);
  CHECK(layout::max_attempts == (1u << 24) - 1);
  CHECK(layout::one_attempt == std::uint64_t{1} << 40);
  CHECK(layout::locked == std::uint64_t{1} << 39);
  // Field widths that differ: the smaller one bounds the capacity.
  CHECK(mgws::word_layout<3, 2, 4>::max_capacity == 3);
  CHECK(mgws::word_layout<3, 4, 2>::max_capacity == 3);
}

TEST_CASE("word: too many attempts leave the word at the top") {
  using layout = mgws::word_layout<>;
  const layout::fields f{layout::max_attempts, false, 1, 300, 77};
  const auto after = layout::decode(layout::encode(f) + layout::one_attempt);
  CHECK(after.attempts == 0);
  CHECK_FALSE(after.lock);
  CHECK(after.epoch == 1);
  CHECK(after.initial == 300);
  CHECK(after.tail == 77);
}

TEST_CASE("word: a locked queue counts as empty, whatever is added to it") {
  using layout = mgws::word_layout<>;
  auto word = layout::locked;
  for (int i = 0; i != 5; ++i) {
    const auto f = layout::decode(word);
    CHECK(f.lock);
    CHECK(f.claimed() == 0);
    CHECK(f.remaining() == 0);
    CHECK(layout::available(word) == 0);
    word += layout::one_attempt;
  }
  // Even a lock over a batch would not be looked into.
  CHECK(layout::available(layout::encode({0, true, 0, 100, 0})) == 0);
  CHECK(layout::available(layout::encode({0, false, 0, 100, 0})) == 100);
}
