#include "corpus/synthetic.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mgws::bench {
namespace {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): 64 good bits from one addition and one mixing,
/// and any state is a good start, so that every article has its own stream.
class splitmix64 {
 public:
  explicit splitmix64(std::uint64_t state) : state_(state) {}

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t operator()() { return mix(state_ += 0x9e3779b97f4a7c15u); }

  /// Below `range`, which is at most 2^32.
  std::uint64_t below(std::uint64_t range) { return ((*this)() >> 32) * range >> 32; }

 private:
  std::uint64_t state_;
};

// Fixed point: an exponent has 20 bits behind the point, a mantissa 30.

constexpr std::uint64_t square_root(std::uint64_t value) {
  std::uint64_t root = 0;
  for (int bit = 31; bit >= 0; --bit) {
    const std::uint64_t trial = root | std::uint64_t{1} << bit;
    if (trial * trial <= value) root = trial;
  }
  return root;
}

/// Entry k is 2^(2^-k), for k from 1 to 20.
constexpr auto k_roots_of_two = [] {
  std::array<std::uint64_t, 21> roots{};
  roots[0] = std::uint64_t{2} << 30;
  for (std::size_t k = 1; k < roots.size(); ++k)
    roots[k] = square_root(roots[k - 1] << 30);
  return roots;
}();

/// `scale` * 2^`exponent`, for a scale with 20 bits behind the point, up to 2^42, and an exponent
/// below 2^24; the result is rounded down to an integer.
std::uint64_t times_power_of_two(std::uint64_t scale, std::int64_t exponent) {
  std::uint64_t mantissa = std::uint64_t{1} << 30;
  for (std::size_t k = 1; k < k_roots_of_two.size(); ++k) {
    if ((exponent >> (20 - k) & 1) != 0) mantissa = mantissa * k_roots_of_two[k] >> 30;
  }
  const std::int64_t shift = 40 - (exponent >> 20);
  return shift < 64 ? scale * (mantissa >> 10) >> shift : 0;
}

/// log2 of `value`, which is at least 1, by squaring: each square shows one more bit.
std::int64_t log_two(std::uint64_t value) {
  const int whole = static_cast<int>(std::bit_width(value)) - 1;
  std::uint64_t mantissa = whole > 31 ? value >> (whole - 31) : value << (31 - whole);
  std::int64_t result = whole;
  for (int bit = 0; bit < 20; ++bit) {
    mantissa = mantissa * mantissa >> 31;
    result *= 2;
    if (mantissa >> 32 != 0) {
      mantissa >>= 1;
      result += 1;
    }
  }
  return result;
}

constexpr std::uint64_t k_body_scale = 532'173;     // (5/6) / (2 sinh 1/2)^12, times 2^20
constexpr std::int64_t k_log_two_of_e = 1'512'775;  // times 2^20
constexpr std::uint64_t k_tail_begin = 4;
constexpr std::uint64_t k_tail_end = 1024;

std::uint64_t draw_length(splitmix64& random, std::uint64_t mean_bytes) {
  if (random.below(64) == 0) {
    const std::uint64_t uniform = (random() >> 32) + 1;
    const std::int64_t exponent = ((std::int64_t{32} << 20) - log_two(uniform)) * 2 / 3;
    // Cut here, where 2^exponent cannot overflow yet.
    constexpr std::int64_t cut = std::int64_t{std::bit_width(k_tail_end / k_tail_begin) - 1} << 20;
    return times_power_of_two(mean_bytes * k_tail_begin << 20, std::min(exponent, cut));
  }
  std::int64_t sum = -(std::int64_t{6} << 32);
  for (int i = 0; i < 6; ++i) {
    const std::uint64_t bits = random();
    sum += static_cast<std::int64_t>(bits >> 32) + static_cast<std::int64_t>(bits & 0xffffffffu);
  }
  const std::int64_t exponent = (sum >> 12) * k_log_two_of_e >> 20;
  return times_power_of_two(mean_bytes * k_body_scale, exponent);
}

bool is_lower_case(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_vowel(char c) {
  return std::string_view("aeiou").find(c) != std::string_view::npos;
}

/// A letter of the needle that the words must do without, or 0 if the needle has a byte that no
/// text contains anyway. Not its first letter if there is a choice, and a consonant if there is
/// one: a search then still meets beginnings of the needle, as it does in real text.
char letter_to_avoid(std::string_view needle) {
  char letter = 0;
  int best = -1;
  for (std::size_t i = 0; i < needle.size(); ++i) {
    const char c = needle[i];
    if (c == ' ' || c == '\n') continue;
    if (!is_lower_case(c)) return 0;
    const int merit = (c != needle.front() ? 2 : 0) + (is_vowel(c) ? 0 : 1);
    if (merit >= best) {
      letter = c;
      best = merit;
    }
  }
  return letter;
}

/// The words, and a table in which each stands as often as its frequency demands.
class vocabulary {
 public:
  /// Room that `fill` may use behind the end: a line of the longest words.
  static constexpr std::size_t slack = 256;

  explicit vocabulary(char avoided) {
    std::string vowels;
    std::string consonants;
    for (char c = 'a'; c <= 'z'; ++c) {
      if (c != avoided) (is_vowel(c) ? vowels : consonants) += c;
    }
    make_words(vowels, consonants);
    make_table();
  }

  /// Writes words to [position, end); writes up to `slack` bytes more and leaves them undefined.
  void fill(splitmix64& random, std::byte* position, const std::byte* end) const {
    const word* const words = words_.data();
    const std::uint16_t* const table = table_.data();
    // Whole lines of 16 words, so that nothing is compared within a line.
    while (position < end) {
      for (int group = 0; group < 4; ++group) {
        const std::uint64_t bits = random();
        for (int shift = 0; shift < 64; shift += 16) {
          const word it = words[table[bits >> shift & 0xffff]];
          // A copy of fixed size is one instruction; the next word covers what was too much.
          std::memcpy(position, &it, sizeof it);
          position += it.size;
        }
      }
      position[-1] = std::byte{'\n'};
    }
  }

 private:
  static constexpr std::size_t k_words = 4096;

  struct word {
    char letters[15];
    std::uint8_t size;  // with the space behind the word
  };
  static_assert(16 * sizeof(word) == slack);

  void make_words(std::string_view vowels, std::string_view consonants) {
    // The seed of the vocabulary is fixed: like a language, it is not part of the sample.
    splitmix64 random(0);
    std::set<std::string> known;
    while (words_.size() < k_words) {
      const std::size_t syllables = words_.size() < 64 ? 1 : words_.size() < 1024 ? 2 : 3;
      std::string letters;
      for (std::size_t i = 0; i < syllables; ++i) {
        letters += consonants[random.below(consonants.size())];
        letters += vowels[random.below(vowels.size())];
        if (random.below(4) == 0) letters += consonants[random.below(consonants.size())];
      }
      if (!known.insert(letters).second) continue;
      letters += ' ';
      word it{};
      std::memcpy(it.letters, letters.data(), letters.size());
      it.size = static_cast<std::uint8_t>(letters.size());
      words_.push_back(it);
    }
  }

  void make_table() {
    const auto weight = [](std::size_t rank) { return (std::uint64_t{1} << 32) / (rank + 2); };
    std::uint64_t total = 0;
    for (std::size_t rank = 0; rank < k_words; ++rank)
      total += weight(rank);
    std::uint64_t sum = 0;
    std::size_t slot = 0;
    for (std::size_t rank = 0; rank < k_words; ++rank) {
      sum += weight(rank);
      const std::size_t end = sum * table_.size() / total;
      while (slot < end)
        table_[slot++] = static_cast<std::uint16_t>(rank);
    }
  }

  std::vector<word> words_;
  std::vector<std::uint16_t> table_ = std::vector<std::uint16_t>(std::size_t{1} << 16);
};

struct article_plan {
  std::uint64_t length;
  bool with_needle;
};

/// `threshold` is the fraction times 2^53, which is exact.
article_plan draw_plan(splitmix64& random, const synthetic_options& options,
                       std::uint64_t threshold) {
  article_plan plan{};
  plan.length = std::max<std::uint64_t>(draw_length(random, options.mean_bytes), 1);
  plan.with_needle = (random() >> 11) < threshold;
  if (plan.with_needle) plan.length = std::max<std::uint64_t>(plan.length, options.needle.size());
  return plan;
}

void insert_needle(splitmix64& random, std::span<std::byte> article, std::string_view needle) {
  const std::size_t begin = random.below(article.size() - needle.size() + 1);
  const std::size_t end = begin + needle.size();
  std::memcpy(article.data() + begin, needle.data(), needle.size());
  // A word of its own, as far as the article has room.
  if (begin > 0) article[begin - 1] = std::byte{' '};
  if (end < article.size()) article[end] = std::byte{' '};
}

void check(const synthetic_options& options) {
  const auto reject = [](const std::string& fault) {
    throw corpus_error("a synthetic corpus cannot be made: " + fault);
  };
  if (options.articles < 1 || options.articles > k_max_articles) {
    reject("the number of its articles must be 1 to " + std::to_string(k_max_articles));
  }
  if (options.mean_bytes < 1 || options.mean_bytes > k_max_mean_bytes) {
    reject("the mean length of its articles must be 1 to " + std::to_string(k_max_mean_bytes) +
           " bytes");
  }
  if (!(options.fraction >= 0 && options.fraction <= 1)) {
    reject("the fraction of articles with the word must be between 0 and 1");
  }
  if (options.needle.find_first_not_of(" \n") == std::string::npos) {
    reject("the word must not be empty or blank");
  }
  if (options.needle.size() > k_max_mean_bytes) reject("the word is too long");
}

}  // namespace

synthetic_result synthetic_corpus(const synthetic_options& options) {
  check(options);
  const auto threshold =
      static_cast<std::uint64_t>(options.fraction * static_cast<double>(std::uint64_t{1} << 53));
  const std::uint64_t base = splitmix64::mix(options.seed);
  const auto stream = [&](std::uint64_t article) {
    return splitmix64(splitmix64::mix(base + article));
  };

  std::vector<std::uint64_t> offsets(options.articles + 1);
  std::uint64_t with_needle = 0;
  for (std::uint64_t i = 0; i < options.articles; ++i) {
    splitmix64 random = stream(i);
    const article_plan plan = draw_plan(random, options, threshold);
    offsets[i + 1] = offsets[i] + plan.length;
    if (plan.with_needle) ++with_needle;
  }

  const vocabulary words(letter_to_avoid(options.needle));
  text_buffer text;
  std::byte* const begin = text.prepare(offsets.back() + vocabulary::slack).data();
  for (std::uint64_t i = 0; i < options.articles; ++i) {
    // The plan is drawn again, which is cheaper than keeping it.
    splitmix64 random = stream(i);
    const article_plan plan = draw_plan(random, options, threshold);
    words.fill(random, begin + offsets[i], begin + offsets[i + 1]);
    if (plan.with_needle) {
      insert_needle(random, {begin + offsets[i], plan.length}, options.needle);
    }
  }
  text.commit(offsets.back());

  std::string description = "synthetic, seed " + std::to_string(options.seed) + ", " +
                            std::to_string(options.articles) + " articles of " +
                            std::to_string(options.mean_bytes) + " bytes on average, " +
                            std::to_string(with_needle) + " with \"" + options.needle + "\"";
  return {corpus(std::move(text), std::move(offsets), std::move(description)), with_needle};
}

}  // namespace mgws::bench
