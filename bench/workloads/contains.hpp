/// \file
/// `contains`: the number of articles of a corpus that contain a word; tasks of very different
/// length (the thesis' CONTAINS, section 6.2).
#pragma once

#include <cstddef>
#include <cstdint>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/placement.hpp>
#include <mgws_port.hpp>

#include "workloads/find_bytes.hpp"

namespace mgws::bench::contains {

struct context {
  partition articles;  ///< which part of the text an article is in
  placed<const char> text;
  const std::uint64_t* offsets;  ///< article i is text[offsets[i], offsets[i + 1])
  const char* word;
  std::size_t word_bytes;
};

struct matches : sum<std::uint64_t> {};

/// One article. \tparam Find  find_by_library or find_by_lanes
template <class Find>
MGWS_FN void search(auto& worker, std::uint64_t article) {
  const context& c = worker.context();
  const std::uint64_t begin = c.offsets[article];
  const std::uint64_t end = c.offsets[article + 1];
  const char* const text = c.text.at(c.articles.part_of(article), begin);
  if (Find::has(worker, text, end - begin, c.word, c.word_bytes) && worker.lane() == 0)
    worker.accumulate(matches{}, 1);
}

template <class Find, shape Width>
struct search_one {
  static constexpr shape width = Width;
  std::uint64_t article;
  MGWS_FN void operator()(auto& worker) const { search<Find>(worker, article); }
};

/// A range of articles, one an instance.
template <class Find, shape Width>
struct search_range {
  static constexpr shape width = Width;
  std::uint64_t first;
  MGWS_FN void operator()(auto& worker, task_index i) const { search<Find>(worker, first + i); }
};

}  // namespace mgws::bench::contains
