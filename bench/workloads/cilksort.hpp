/// \file
/// `cilksort`: Cilk's parallel merge sort (Akl and Santoro, "Optimal parallel merging and sorting
/// without memory conflicts", IEEE Transactions on Computers, 1987): quarters are sorted side by
/// side, then merged in pairs into a second array, then the halves back into the first. A merge is
/// cut into pieces that binary searches delimit. Joins whose parts deliver nothing but that they
/// are done, and what they wrote to memory. On a GPU a warp sorts, merges and searches together.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/frame.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

#include "workloads/sort_tile.hpp"

namespace mgws::bench::cilksort {

struct context {
  key* keys;                ///< what is sorted
  key* buffer;              ///< as large
  std::uint32_t sort_leaf;  ///< keys that a task of one lane sorts by itself
  /// Keys of a piece of a merge. Where workers have more lanes: at most a tile, and a multiple of
  /// what a lane reads at a time.
  std::uint32_t merge_leaf;
};

/// Makes the leaves such that workers of several lanes can take part: then every range begins at a
/// multiple of what a lane reads at a time, also those that workers of one lane cut.
inline void suit_lanes(context& c) {
  c.sort_leaf = std::max(c.sort_leaf, 4 * k_together);
  c.merge_leaf = std::max(rounded_down(std::min(c.merge_leaf, k_tile)), k_together);
}

/// Sorts in place: Shell's, with Ciura's gaps.
MGWS_FN inline void sort_by_one(key* keys, std::uint32_t n) {
  for (std::uint32_t gap : {701u, 301u, 132u, 57u, 23u, 10u, 4u, 1u})
    for (std::uint32_t i = gap; i < n; ++i) {
      const key moved = keys[i];
      std::uint32_t at = i;
      for (; at >= gap && keys[at - gap] > moved; at -= gap)
        keys[at] = keys[at - gap];
      keys[at] = moved;
    }
}

/// Two sorted ranges of one array, merged into the other: in pieces, of which each finds by itself
/// which keys are its own.
struct merge {
  static constexpr shape width = shape::warp;
  using scratch = tile_scratch;

  range left;
  range right;
  std::uint32_t out;  ///< where the result begins
  bool into_buffer;
  place<void> to;

  /// All but the last of the same length.
  [[nodiscard]] MGWS_FN static std::uint32_t pieces(range left, range right, const context& c) {
    return (left.size() + right.size() + c.merge_leaf - 1) / c.merge_leaf;
  }

  MGWS_FN void operator()(auto& worker, task_index i) const {
    using worker_type = std::remove_reference_t<decltype(worker)>;
    const context& c = worker.context();
    const key* const from = into_buffer ? c.keys : c.buffer;
    key* const result = (into_buffer ? c.buffer : c.keys) + out;
    const std::uint32_t begin = i * c.merge_leaf;
    const std::uint32_t end = begin + std::min(c.merge_leaf, left.size() + right.size() - begin);
    if constexpr (worker_type::lanes() == 1) {
      const auto at = [&](std::uint32_t k) { return from[k]; };
      merge_by_one(from, result, begin, end, find_crossing(left, right, begin, at));
    } else {
      tile together(worker, worker.scratch(*this));
      const auto [l, l_end] = together.find_crossings(from, left, right, {begin, end});
      together.merge(from, {left.begin + l, left.begin + l_end},
                     {right.begin + (begin - l), right.begin + (end - l_end)}, result + begin);
    }
    if (worker.lane() == 0) worker.deliver(to);
  }

 private:
  /// Keys [at, end) of the result, of which so many before it are of the left range.
  MGWS_FN void merge_by_one(const key* from, key* result, std::uint32_t at, std::uint32_t end,
                            std::uint32_t of_left) const {
    std::uint32_t l = left.begin + of_left;
    std::uint32_t r = right.begin + (at - of_left);
    for (; at != end; ++at)
      result[at] = r == right.end || (l != left.end && from[l] <= from[r]) ? from[l++] : from[r++];
  }
};

/// A range that is cut in quarters, of whole keys_together where these are longer than one.
struct quarters {
  range all;
  [[nodiscard]] MGWS_FN range part(std::uint32_t i) const {
    const std::uint32_t whole = rounded_down(all.size() / 4);
    const std::uint32_t quarter = whole != 0 ? whole : all.size() / 4;
    return {all.begin + i * quarter, i == 3 ? all.end : all.begin + (i + 1) * quarter};
  }
  /// Two of them.
  [[nodiscard]] MGWS_FN range half(std::uint32_t i) const {
    return {part(2 * i).begin, part(2 * i + 1).end};
  }
};

/// All pieces are done: so is the whole.
struct done {
  static constexpr bool continuation = true;
  place<void> to;
  MGWS_FN void operator()(auto& worker) const { worker.deliver(to); }
};

/// The halves lie sorted in the buffer.
struct merge_halves {
  static constexpr bool continuation = true;
  quarters of;
  place<void> to;
  MGWS_FN void operator()(auto& worker) const {
    const std::uint32_t pieces = merge::pieces(of.half(0), of.half(1), worker.context());
    const auto all = worker.join(done{to}, pieces);
    worker.spawn_n(merge{of.half(0), of.half(1), of.all.begin, false, all.done()}, pieces);
  }
};

/// The quarters lie sorted in the first array.
struct merge_quarters {
  static constexpr bool continuation = true;
  quarters of;
  place<void> to;
  MGWS_FN void operator()(auto& worker) const {
    std::array<std::uint32_t, 2> pieces;
    for (std::uint32_t i = 0; i != 2; ++i)
      pieces[i] = merge::pieces(of.part(2 * i), of.part(2 * i + 1), worker.context());
    const auto both = worker.join(merge_halves{of, to}, pieces[0] + pieces[1]);
    for (std::uint32_t i = 0; i != 2; ++i)
      worker.spawn_n(merge{of.part(2 * i), of.part(2 * i + 1), of.half(i).begin, true, both.done()},
                     pieces[i]);
  }
};

struct sort {
  static constexpr shape width = shape::warp;
  using scratch = tile_scratch;

  quarters of;
  place<void> to;
  MGWS_FN void operator()(auto& worker) const {
    using worker_type = std::remove_reference_t<decltype(worker)>;
    const context& c = worker.context();
    const range& r = of.all;
    if (r.size() <= (worker_type::lanes() == 1 ? c.sort_leaf : k_tile / 2)) {
      if constexpr (worker_type::lanes() == 1) {
        sort_by_one(c.keys + r.begin, r.size());
      } else {
        tile(worker, worker.scratch(*this)).sort(c.keys + r.begin, r.size());
      }
      if (worker.lane() == 0) worker.deliver(to);
      return;
    }
    if (worker.lane() != 0) return;
    const auto all = worker.join(merge_quarters{of, to}, 4);
    for (std::uint32_t i = 0; i != 4; ++i)
      worker.spawn(sort{{of.part(i)}, all.done()});
  }
};

using tasks = task_set<sort, merge, done, merge_halves, merge_quarters>;

}  // namespace mgws::bench::cilksort
