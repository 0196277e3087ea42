#include "corpus/synthetic.hpp"

#include <limits>
#include <string>

#include <zlib.h>

#include "catch.hpp"
#include "support.hpp"

namespace mgws::bench::test {
namespace {

std::uint32_t checksum(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string refusal(const synthetic_options& options) {
  return message_of<corpus_error>([&] { static_cast<void>(synthetic_corpus(options)); });
}

}  // namespace

TEST_CASE("a synthetic corpus depends on nothing but its options", "[corpus][synthetic]") {
  const synthetic_options options{42, 1000, 2000, "stockholm", 0.25};
  const synthetic_result it = synthetic_corpus(options);
  // Fixed numbers: they hold on every platform, or results of different machines do not compare.
  REQUIRE(it.articles.bytes() == 2'455'362);
  REQUIRE(it.articles_with_needle == 263);
  REQUIRE(checksum(it.articles.data()) == 0xbf19fd39u);
  REQUIRE(it.articles.offsets()[500] == 934'362);

  REQUIRE(synthetic_corpus(options).articles.text() == it.articles.text());
  synthetic_options other = options;
  other.seed = 43;
  REQUIRE(synthetic_corpus(other).articles.text() != it.articles.text());
}

TEST_CASE("the needle is where it was put and nowhere else", "[corpus][synthetic]") {
  // Single letters, vowels, repeated letters, a likely syllable, foreign bytes, blanks within.
  for (const std::string needle : {"a", "z", "ee", "ba", "xuka", "needle", "Stockholm", "of the",
                                   "a\nb", "t.", "\xc3\xb6", "0", "the whole sentence is one"}) {
    for (const double fraction : {0.0, 0.3, 1.0}) {
      INFO("needle " << needle << ", fraction " << fraction);
      const synthetic_result it = synthetic_corpus({7, 2000, 200, needle, fraction});
      REQUIRE(count_articles_with(it.articles, needle) == it.articles_with_needle);
      const auto expected = fraction * 2000;
      REQUIRE(static_cast<double>(it.articles_with_needle) >= expected * 0.85);
      REQUIRE(static_cast<double>(it.articles_with_needle) <= expected * 1.15);
    }
  }
}

TEST_CASE("the needle fits into the shortest articles", "[corpus][synthetic]") {
  const synthetic_result it = synthetic_corpus({1, 500, 1, "needle", 1.0});
  REQUIRE(it.articles_with_needle == 500);
  REQUIRE(count_articles_with(it.articles, "needle") == 500);
  REQUIRE(measure_articles(it.articles).shortest == 6);
  REQUIRE(measure_articles(synthetic_corpus({1, 500, 1, "x", 0}).articles).shortest == 1);
}

TEST_CASE("the lengths have the mean that was asked for and a heavy tail", "[corpus][synthetic]") {
  const synthetic_result it = synthetic_corpus({3, 100'000, 200, "needle", 0.1});
  const double mean =
      static_cast<double>(it.articles.bytes()) / static_cast<double>(it.articles.size());
  REQUIRE(mean > 190);
  REQUIRE(mean < 210);
  const article_lengths lengths = measure_articles(it.articles);
  // The median is m or a little more, the longest beyond what the body alone can reach.
  REQUIRE(lengths.median > 100);
  REQUIRE(lengths.median < 106);
  REQUIRE(lengths.longest > 205 * 200);
  REQUIRE(lengths.longest <= 1024 * 200);
}

TEST_CASE("the text is of lower-case words and frequent ones repeat", "[corpus][synthetic]") {
  const synthetic_result it = synthetic_corpus({5, 100, 1000, "q", 0});
  REQUIRE(it.articles.text().find_first_not_of("abcdefghijklmnoprstuvwxyz \n") ==
          std::string_view::npos);
  REQUIRE(it.articles.text().find("  ") == std::string_view::npos);
  REQUIRE(it.articles.text().find('\n') != std::string_view::npos);
}

TEST_CASE("options out of range are refused", "[corpus][synthetic]") {
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  REQUIRE(contains(refusal({1, 0, 100, "x", 0.1}), "number of its articles must be"));
  REQUIRE(contains(refusal({1, ~std::uint64_t{0}, 100, "x", 0.1}), "number of its articles"));
  REQUIRE(contains(refusal({1, 10, 0, "x", 0.1}), "mean length"));
  REQUIRE(contains(refusal({1, 10, k_max_mean_bytes + 1, "x", 0.1}), "mean length"));
  REQUIRE(contains(refusal({1, 10, 100, "", 0.1}), "must not be empty or blank"));
  REQUIRE(contains(refusal({1, 10, 100, " \n", 0.1}), "must not be empty or blank"));
  REQUIRE(contains(refusal({1, 10, 100, "x", -0.1}), "between 0 and 1"));
  REQUIRE(contains(refusal({1, 10, 100, "x", 1.1}), "between 0 and 1"));
  REQUIRE(contains(refusal({1, 10, 100, "x", not_a_number}), "between 0 and 1"));
  REQUIRE(contains(refusal({1, 10, 100, std::string(k_max_mean_bytes + 1, 'x'), 0.1}),
                   "the word is too long"));
}

}  // namespace mgws::bench::test
