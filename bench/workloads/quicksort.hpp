/// \file
/// `quicksort`: a range is parted by a pivot, then its parts are sorted side by side. Nobody
/// combines anything, so nobody waits for parts: a finish says when all is sorted, and then as many
/// tasks look whether it is. Long ranges are parted by many tasks: they count, then move what they
/// counted into the other of two arrays. Each is a phase, a finish below the one of the whole.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws::bench::quicksort {

using key = std::uint32_t;

/// Pairs of neighbours that were looked at, and of them those in the wrong order.
struct looked : sum<std::uint64_t> {};
struct wrong : sum<std::uint64_t> {};

/// Of one piece of a range: how many keys are below the pivot, or equal to it; then where they go.
struct tally {
  std::uint32_t below;
  std::uint32_t equal;
};

struct context {
  key* keys;       ///< what is sorted
  key* buffer;     ///< as large
  tally* tallies;  ///< one for each whole piece of all keys
  std::uint32_t leaf;
  std::uint32_t piece;

  [[nodiscard]] MGWS_FN key* array(bool in_buffer) const { return in_buffer ? buffer : keys; }
};

/// Keys [begin, end), in one of the arrays.
struct range {
  std::uint32_t begin;
  std::uint32_t end;
  bool in_buffer;
  [[nodiscard]] MGWS_FN std::uint32_t size() const { return end - begin; }
};

/// Sorts in place, by insertion.
MGWS_FN inline void sort_by_one(key* keys, std::uint32_t n) {
  for (std::uint32_t i = 1; i < n; ++i) {
    const key moved = keys[i];
    std::uint32_t at = i;
    for (; at != 0 && keys[at - 1] > moved; --at)
      keys[at] = keys[at - 1];
    keys[at] = moved;
  }
}

[[nodiscard]] MGWS_FN inline key median(key a, key b, key c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

/// A long range, its pivot, and the pieces of it that tasks take: all but the last of the same
/// length. Ranges have no tally in common, because each uses one for each whole piece it has.
struct parted {
  range of;
  key pivot;

  [[nodiscard]] MGWS_FN std::uint32_t pieces(const context& c) const { return of.size() / c.piece; }
  [[nodiscard]] MGWS_FN tally* tallies(const context& c) const {
    return c.tallies + of.begin / c.piece;
  }
  [[nodiscard]] MGWS_FN range part(const context& c, std::uint32_t i) const {
    const std::uint32_t begin = of.begin + i * c.piece;
    return {begin, i + 1 == pieces(c) ? of.end : begin + c.piece, of.in_buffer};
  }
};

/// Counts the keys of one piece.
struct count {
  parted all;
  MGWS_FN void operator()(auto& worker, task_index i) const {
    const context& c = worker.context();
    const key* const from = c.array(all.of.in_buffer);
    const range mine = all.part(c, i);
    tally t{0, 0};
    for (std::uint32_t at = mine.begin; at != mine.end; ++at) {
      t.below += from[at] < all.pivot ? 1 : 0;
      t.equal += from[at] == all.pivot ? 1 : 0;
    }
    all.tallies(c)[i] = t;
  }
};

/// Moves the keys of one piece into the other array, where its tally says that they go.
struct move {
  parted all;
  std::uint32_t below;  ///< in all pieces
  std::uint32_t equal;

  MGWS_FN void operator()(auto& worker, task_index i) const {
    const context& c = worker.context();
    const key* const from = c.array(all.of.in_buffer);
    key* const to = c.array(!all.of.in_buffer) + all.of.begin;
    const range mine = all.part(c, i);
    const tally before = all.tallies(c)[i];
    std::uint32_t low = before.below;
    std::uint32_t high = below + equal + (mine.begin - all.of.begin) - before.below - before.equal;
    for (std::uint32_t at = mine.begin; at != mine.end; ++at) {
      if (from[at] < all.pivot) to[low++] = from[at];
      if (from[at] > all.pivot) to[high++] = from[at];
    }
  }
};

struct sort;

/// All keys of a long range are where they belong, but for those that are equal to the pivot: these
/// need no sorting.
struct moved {
  static constexpr bool after_finish = true;
  parted all;
  std::uint32_t below;
  std::uint32_t equal;
  MGWS_FN void operator()(auto& worker) const;
};

/// The pieces of a long range have been counted.
struct counted {
  static constexpr bool after_finish = true;
  parted all;
  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    tally sum{0, 0};
    for (std::uint32_t i = 0; i != all.pieces(c); ++i) {
      tally& t = all.tallies(c)[i];
      const tally mine = t;
      t = sum;
      sum = {sum.below + mine.below, sum.equal + mine.equal};
    }
    worker.finish_n(moved{all, sum.below, sum.equal}, move{all, sum.below, sum.equal},
                    all.pieces(c));
  }
};

struct sort {
  range all;

  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    const std::uint32_t n = all.size();
    key* const keys = c.array(all.in_buffer) + all.begin;
    if (n <= c.leaf) {
      sort_by_one(keys, n);
      if (all.in_buffer)
        for (std::uint32_t i = 0; i != n; ++i)
          c.keys[all.begin + i] = keys[i];
      return;
    }
    const key pivot = median(keys[0], keys[n / 2], keys[n - 1]);
    if (n / c.piece > 1) {
      const parted by_many{all, pivot};
      return worker.finish_n(counted{by_many}, count{by_many}, by_many.pieces(c));
    }
    // By one, in place: Dijkstra's.
    std::uint32_t low = 0;
    std::uint32_t at = 0;
    std::uint32_t high = n;
    while (at != high) {
      const key k = keys[at];
      if (k < pivot) {
        keys[at++] = keys[low];
        keys[low++] = k;
      } else if (k > pivot) {
        keys[at] = keys[--high];
        keys[high] = k;
      } else {
        ++at;
      }
    }
    if (all.in_buffer)
      for (std::uint32_t i = low; i != high; ++i)
        c.keys[all.begin + i] = pivot;
    worker.spawn(sort{{all.begin, all.begin + low, all.in_buffer}});
    worker.spawn(sort{{all.begin + high, all.end, all.in_buffer}});
  }
};

MGWS_FN void moved::operator()(auto& worker) const {
  const context& c = worker.context();
  const range& of = all.of;
  for (std::uint32_t i = 0; i != equal; ++i)
    c.keys[of.begin + below + i] = all.pivot;
  worker.spawn(sort{{of.begin, of.begin + below, !of.in_buffer}});
  worker.spawn(sort{{of.begin + below + equal, of.end, !of.in_buffer}});
}

/// Looks at a key and the one before it.
struct look {
  MGWS_FN void operator()(auto& worker, task_index i) const {
    const context& c = worker.context();
    worker.accumulate(looked{}, 1);
    if (c.keys[i] > c.keys[i + 1]) worker.accumulate(wrong{}, 1);
  }
};

/// All is sorted.
struct sorted {
  static constexpr bool after_finish = true;
  std::uint32_t keys;
  MGWS_FN void operator()(auto& worker) const { worker.spawn_n(look{}, keys - 1); }
};

struct start {
  std::uint32_t keys;
  MGWS_FN void operator()(auto& worker) const {
    worker.finish(sorted{keys}, sort{{0, keys, false}});
  }
};

using tasks = task_set<sort, count, move, counted, moved, look, sorted, start>;

}  // namespace mgws::bench::quicksort
