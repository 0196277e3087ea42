/// \file
/// A corpus that needs no download: made from a seed, the same on every machine.
///
/// **Lengths.** What makes `contains` irregular is that articles differ in length by orders of
/// magnitude, so lengths are a log-normal body with a Pareto tail. In multiples of `mean_bytes`,
/// an article's length X is
///
///     with probability 63/64   X = m e^z            z nearly standard normal
///     with probability  1/64   X = min(4 u^(-2/3), 1024)   u uniform in (0, 1]
///
/// z is the sum of 12 uniform numbers in [0, 1) less 6 (Irwin-Hall: variance 1, |z| < 6), for
/// which E[e^z] = (2 sinh 1/2)^12 = 1.64197. The tail is a Pareto distribution with exponent 3/2
/// above 4, cut at 1024, with mean 4 (1 + 2 (1 - sqrt(4/1024))) = 11.5. The body's m is
/// (5/6) / 1.64197, so that the whole has mean 63/64 * 5/6 + 1/64 * 11.5 = 1. A length is at least
/// 1 byte, and enough for the needle where it is to stand.
///
/// **Text.** Lower-case pseudo-words of one to three syllables, 4096 of them, the r-th drawn with
/// weight 1/(r + 2) (Zipf's law), separated by spaces and, after every 16th, a line feed. One
/// letter of the needle is missing from the alphabet of the words, so that the needle cannot
/// appear but where it was put.
///
/// **Same everywhere.** Every number is computed with integers: the results of std::exp and of the
/// distributions in <random> differ between libraries.
#pragma once

#include <cstdint>
#include <string>

#include "corpus/corpus.hpp"
#include "corpus/error.hpp"

namespace mgws::bench {

/// No sum of lengths overflows within these.
inline constexpr std::uint64_t k_max_articles = std::uint64_t{1} << 40;
/// Largest mean length of the articles; the longest article is 1024 times as long.
inline constexpr std::uint64_t k_max_mean_bytes = std::uint64_t{1} << 20;

struct synthetic_options {
  std::uint64_t seed = 1;
  std::uint64_t articles = 10'000;
  std::uint64_t mean_bytes = 4096;
  /// The word to look for: any bytes, but not only spaces and line feeds.
  std::string needle = "needle";
  /// Each article contains the needle, once, with this probability.
  double fraction = 0.1;
};

struct synthetic_result {
  corpus articles;
  /// The exact number of articles that contain the needle.
  std::uint64_t articles_with_needle = 0;
};

/// Throws `corpus_error` if an option is out of range.
[[nodiscard]] synthetic_result synthetic_corpus(const synthetic_options& options);

}  // namespace mgws::bench
