/// \file
/// `contains`: the number of articles of a corpus that contain a word; articles are of very
/// different length (the thesis' CONTAINS, section 6.2). A task is about one piece of the text:
/// some articles together, or a part of one that is longer, with which so nobody is alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/placement.hpp>
#include <mgws_port.hpp>

#include "workloads/find_bytes.hpp"

namespace mgws::bench::contains {

/// Articles that one task begins with: [first, last).
struct batch {
  std::uint64_t first;
  std::uint64_t last;
};

struct context {
  partition parts;  ///< which part of the text a batch is in
  placed<const char> text;
  const std::uint64_t* offsets;  ///< article i is text[offsets[i], offsets[i + 1])
  const batch* batches;
  needle word;
  std::uint64_t piece;      ///< bytes at which the word may begin, of an article that has more
  std::uint32_t* found_in;  ///< of each article, the last run that found the word
  std::uint32_t run;        ///< which this is, from 1 on
};
/// For context::piece: no article has more.
inline constexpr std::uint64_t k_whole = std::uint64_t{1} << 60;

/// How many pieces an article of so many bytes is searched in. One that is too short for the word
/// is one.
[[nodiscard]] MGWS_FN constexpr std::uint64_t pieces_of(std::uint64_t bytes, std::size_t word_bytes,
                                                        std::uint64_t piece) {
  return bytes < word_bytes ? 1 : (bytes - word_bytes) / piece + 1;
}

/// What is one task each.
struct cut_text {
  std::vector<batch> batches;
  std::uint64_t articles_in_pieces = 0;
  std::uint64_t pieces = 0;  ///< of all these

  /// Articles that follow each other are a batch as long as they are together no longer than
  /// `together`; one that is longer than a piece is by itself. In the order of the text.
  [[nodiscard]] static cut_text of(std::span<const std::uint64_t> offsets, std::size_t word_bytes,
                                   std::uint64_t piece, std::uint64_t together) {
    cut_text all;
    bool open = false;  // more may come to the last batch
    for (std::uint64_t i = 0; i + 1 != offsets.size(); ++i) {
      const std::uint64_t n = pieces_of(offsets[i + 1] - offsets[i], word_bytes, piece);
      open = open && n == 1 && offsets[i + 1] - offsets[all.batches.back().first] <= together;
      if (!open) all.batches.push_back({i, i});
      all.batches.back().last = i + 1;
      open = n == 1;
      if (n == 1) continue;
      ++all.articles_in_pieces;
      all.pieces += n;
    }
    return all;
  }
  /// Within each part of the text the longest batch first, for what is begun last ends last.
  void put_longest_first(std::span<const std::uint64_t> offsets, const partition& parts,
                         std::uint32_t devices) {
    for (std::uint32_t d = 0; d != devices; ++d) {
      const auto at = [&](std::uint32_t part) {
        const std::uint64_t n = part == devices ? size() : std::min(parts.begin(part), size());
        return batches.begin() + static_cast<std::ptrdiff_t>(n);
      };
      std::ranges::stable_sort(at(d), at(d + 1), std::greater(),
                               [&](const batch& b) { return offsets[b.last] - offsets[b.first]; });
    }
  }

  [[nodiscard]] std::uint64_t size() const { return batches.size(); }
  /// Bytes of the longest task.
  [[nodiscard]] std::uint64_t longest(std::span<const std::uint64_t> offsets,
                                      std::uint64_t piece) const {
    std::uint64_t bytes = 0;
    for (const batch& b : batches) {
      const std::uint64_t all = offsets[b.last] - offsets[b.first];
      bytes = std::max(bytes, b.last - b.first == 1 ? std::min(all, piece) : all);
    }
    return bytes;
  }
  /// An article's pieces have a task before them, its batch, and one after.
  [[nodiscard]] std::uint64_t tasks() const { return size() + articles_in_pieces + pieces; }
};

struct matches : sum<std::uint64_t> {};
/// Pieces of one article that have the word.
struct pieces_with_word : sum<std::uint32_t> {};

/// Counts an article of which all pieces have been searched.
struct searched {
  static constexpr bool after_finish = true;
  accumulators<pieces_with_word> gathered{};

  MGWS_FN void operator()(auto& worker) const {
    if (gathered.get<pieces_with_word>() != 0) worker.accumulate(matches{}, 1);
  }
};

/// One piece of the article that is a batch, an instance. \tparam Find  find_by_library or
/// find_by_lanes
template <class Find, shape Width>
struct search_piece {
  static constexpr shape width = Width;
  std::uint64_t batch;

  MGWS_FN void operator()(auto& worker, task_index i) const {
    const context& c = worker.context();
    const std::uint64_t article = c.batches[batch].first;
    const std::uint64_t begin = c.offsets[article] + i * c.piece;
    const std::uint64_t bytes =
        std::min(c.offsets[article + 1] - begin, c.piece + c.word.bytes - 1);
    const char* const text = c.text.at(c.parts.part_of(batch), begin);
    if (Find::has(worker, text, bytes, c.word) && worker.lane() == 0)
      worker.contribute(pieces_with_word{}, 1);
  }
};

/// A range of batches, one an instance: articles that are together about a piece long, or a longer
/// one.
template <class Find, shape Width>
struct search {
  static constexpr shape width = Width;
  std::uint64_t first;

  MGWS_FN void operator()(auto& worker, task_index i) const {
    const context& c = worker.context();
    const batch mine = c.batches[first + i];
    const std::uint64_t* const offsets = c.offsets + mine.first;
    if (const std::uint64_t n = pieces_of(offsets[1] - offsets[0], c.word.bytes, c.piece); n != 1) {
      if (worker.lane() == 0) worker.finish_n(searched{}, search_piece<Find, Width>{first + i}, n);
      return;
    }
    const std::uint64_t found =
        Find::count(worker,
                    {c.text.at(c.parts.part_of(first + i), offsets[0]), offsets,
                     mine.last - mine.first, c.found_in + mine.first, c.run},
                    c.word);
    if (found != 0) worker.accumulate(matches{}, found);
  }
};

template <class Find, shape Width>
using tasks = task_set<search<Find, Width>, search_piece<Find, Width>, searched>;

}  // namespace mgws::bench::contains
