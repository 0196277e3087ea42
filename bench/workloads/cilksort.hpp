/// \file
/// `cilksort`: Cilk's parallel merge sort (Akl and Santoro, "Optimal parallel merging and sorting
/// without memory conflicts", IEEE Transactions on Computers, 1987): quarters are sorted side by
/// side, then merged in pairs into a second array, then the halves back into the first; long merges
/// are cut in two where a binary search says. Joins whose parts deliver nothing but that they are
/// done, and what they wrote to memory. On a GPU a warp sorts, merges and searches together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/frame.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

#include "workloads/sort_tile.hpp"

namespace mgws::bench::cilksort {

struct context {
  key* keys;    ///< what is sorted
  key* buffer;  ///< as large
  // Keys that one task sorts, or merges, by itself, where it has one lane.
  std::uint32_t sort_leaf;
  std::uint32_t merge_leaf;
};

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

/// First of the sorted keys in the range that is not less.
[[nodiscard]] MGWS_FN inline std::uint32_t lower_bound(const key* keys, range r, key than) {
  while (r.size() != 0) {
    const std::uint32_t middle = r.begin + r.size() / 2;
    if (keys[middle] < than) {
      r.begin = middle + 1;
    } else {
      r.end = middle;
    }
  }
  return r.begin;
}

/// Whether a task does so many keys itself. Several lanes do a tile.
template <class Worker>
[[nodiscard]] MGWS_FN bool is_leaf(const Worker& /*worker*/, std::uint32_t keys,
                                   std::uint32_t by_one) {
  return keys <= (Worker::lanes() == 1 ? by_one : k_tile);
}

/// Both parts are done: so is the whole.
struct done {
  static constexpr bool continuation = true;
  place<void> to;
  MGWS_FN void operator()(auto& worker) const { worker.deliver(to); }
};

/// Merges two sorted ranges of one array into the other.
struct merge {
  static constexpr shape width = shape::warp;
  using scratch = tile_scratch;

  range left;
  range right;
  std::uint32_t out;  ///< where the result begins
  bool into_buffer;
  place<void> to;

  MGWS_FN void operator()(auto& worker) const {
    using worker_type = std::remove_reference_t<decltype(worker)>;
    const context& c = worker.context();
    const key* const from = into_buffer ? c.keys : c.buffer;
    key* const result = into_buffer ? c.buffer : c.keys;
    if (is_leaf(worker, left.size() + right.size(), c.merge_leaf)) {
      if constexpr (worker_type::lanes() == 1) {
        merge_by_one(from, result);
      } else {
        merge_together(worker, worker.scratch(*this), from, left, right, result + out);
      }
      if (worker.lane() == 0) worker.deliver(to);
      return;
    }
    const range longer = left.size() < right.size() ? right : left;
    const range shorter = left.size() < right.size() ? left : right;
    const std::uint32_t middle = longer.begin + longer.size() / 2;
    std::uint32_t cut = 0;
    if constexpr (worker_type::lanes() == 1) {
      cut = lower_bound(from, shorter, from[middle]);
    } else {
      cut = find_together(worker, worker.scratch(*this), from, shorter, from[middle]);
      if (worker.lane() != 0) return;
    }
    const auto both = worker.join(done{to}, 2);
    const std::uint32_t before = middle - longer.begin + (cut - shorter.begin);
    worker.spawn(
        merge{{longer.begin, middle}, {shorter.begin, cut}, out, into_buffer, both.done()});
    worker.spawn(
        merge{{middle, longer.end}, {cut, shorter.end}, out + before, into_buffer, both.done()});
  }

 private:
  MGWS_FN void merge_by_one(const key* from, key* result) const {
    std::uint32_t l = left.begin;
    std::uint32_t r = right.begin;
    for (std::uint32_t at = out; l != left.end || r != right.end; ++at)
      result[at] = r == right.end || (l != left.end && from[l] <= from[r]) ? from[l++] : from[r++];
  }
};

/// A range that is cut in quarters.
struct quarters {
  range all;
  [[nodiscard]] MGWS_FN range part(std::uint32_t i) const {
    const std::uint32_t quarter = all.size() / 4;
    return {all.begin + i * quarter, i == 3 ? all.end : all.begin + (i + 1) * quarter};
  }
  /// Two of them.
  [[nodiscard]] MGWS_FN range half(std::uint32_t i) const {
    return {part(2 * i).begin, part(2 * i + 1).end};
  }
};

/// The halves lie sorted in the buffer.
struct merge_halves {
  static constexpr bool continuation = true;
  quarters of;
  place<void> to;
  MGWS_FN void operator()(auto& worker) const {
    worker.spawn(merge{of.half(0), of.half(1), of.all.begin, false, to});
  }
};

/// The quarters lie sorted in the first array.
struct merge_quarters {
  static constexpr bool continuation = true;
  quarters of;
  place<void> to;
  MGWS_FN void operator()(auto& worker) const {
    const auto both = worker.join(merge_halves{of, to}, 2);
    for (std::uint32_t i = 0; i != 2; ++i)
      worker.spawn(merge{of.part(2 * i), of.part(2 * i + 1), of.half(i).begin, true, both.done()});
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
    if (is_leaf(worker, of.all.size(), c.sort_leaf)) {
      if constexpr (worker_type::lanes() == 1) {
        sort_by_one(c.keys + of.all.begin, of.all.size());
      } else {
        sort_together(worker, worker.scratch(*this), c.keys + of.all.begin, of.all.size());
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
