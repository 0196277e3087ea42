/// \file
/// Articles of very different length, and the word that is looked for in them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/contains.hpp"

namespace mgws::bench {

struct made_text {
  static constexpr std::string_view word = "zwischen";

  std::vector<std::uint64_t> offsets{0};
  std::string text;
  std::uint64_t known = 0;  ///< articles that have the word
  std::uint64_t piece;      ///< bytes of a task
  contains::cut_text cut;

  made_text(std::uint32_t articles, std::uint64_t piece_bytes) : piece(piece_bytes) {
    std::mt19937 random(1);
    for (std::uint32_t i = 0; i != articles; ++i) {
      // Pareto's: few are very long.
      const double u = (static_cast<double>(random()) + 1) / 4294967296.0;
      offsets.push_back(offsets.back() + static_cast<std::uint64_t>(std::min(2e3 / u, 4e6)));
    }
    text.assign(offsets.back(), 'a');
    for (std::size_t at = 0; at + word.size() < text.size(); at += 10'000 + random() % 90'000)
      text.replace(at, word.size(), word);
    for (std::size_t i = 0; i + 1 != offsets.size(); ++i)
      known += std::string_view(text).substr(offsets[i], offsets[i + 1] - offsets[i]).find(word) !=
               std::string_view::npos;
    cut = contains::cut_text::of(offsets, word.size(), piece, piece);
    cut.put_longest_first(offsets, {}, 1);
  }
};

}  // namespace mgws::bench
