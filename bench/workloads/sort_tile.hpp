/// \file
/// Keys that the lanes of one task sort or merge together, in its scratch memory and in their
/// registers: how `cilksort` ends on a GPU, where a lane by itself would read and write a key here
/// and a key there.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <mgws_port.hpp>

#include "workloads/sorting_network.hpp"

namespace mgws::bench::cilksort {

using key = std::uint32_t;

/// Keys [begin, end).
struct range {
  std::uint32_t begin;
  std::uint32_t end;
  [[nodiscard]] MGWS_FN std::uint32_t size() const { return end - begin; }
};

/// How many of the first `diagonal` keys that merging two sorted ranges yields are of the left one:
/// where the merge path crosses a diagonal (Green, McColl and Bader, "GPU merge path", ICS 2012).
/// At least begin, at most end:
[[nodiscard]] MGWS_FN inline range crossing(range left, range right, std::uint32_t diagonal) {
  return {diagonal > right.size() ? diagonal - right.size() : 0, std::min(diagonal, left.size())};
}
/// And more than i, if this is true. \param at  a key by its number
template <class At>
[[nodiscard]] MGWS_FN bool is_beyond(std::uint32_t i, range left, range right,
                                     std::uint32_t diagonal, const At& at) {
  return at(left.begin + i) <= at(right.begin + (diagonal - 1 - i));
}
template <class At>
[[nodiscard]] MGWS_FN std::uint32_t find_crossing(range left, range right, std::uint32_t diagonal,
                                                  const At& at) {
  range in = crossing(left, right, diagonal);
  while (in.size() != 0) {
    const std::uint32_t middle = in.begin + in.size() / 2;
    if (is_beyond(middle, left, right, diagonal, at)) {
      in.begin = middle + 1;
    } else {
      in.end = middle;
    }
  }
  return in.begin;
}

/// Keys that a lane reads or writes at a time. Ranges begin at multiples of it, but for what a
/// merge path cuts.
inline constexpr std::uint32_t k_together = 4;
struct alignas(k_together * sizeof(key)) keys_together {
  std::array<key, k_together> of;
};
[[nodiscard]] MGWS_FN constexpr std::uint32_t rounded_down(std::uint32_t n) {
  return n - n % k_together;
}

/// Most keys that a task merges, a power of two. It sorts at most half as many.
inline constexpr std::uint32_t k_tile = 1024;
/// Lanes that go through parts of the tile side by side do not meet in a bank of memory: there is
/// one key more behind each 32.
using tile_scratch = std::array<key, k_tile + k_tile / 32>;

/// A tile of a task, whose lanes call each member together. Loops that could be unrolled are not:
/// warps of a GPU are in different places of what they run, and wait for instructions most of all
/// (docs/tuning.md).
template <class Worker, class Scratch>
class tile {
  static constexpr std::uint32_t k_lanes = Worker::lanes();
  static constexpr std::uint32_t k_half = k_tile / 2;
  static constexpr std::uint32_t k_run = k_half / k_lanes;  ///< what a lane sorts by itself

 public:
  MGWS_FN tile(Worker& worker, const Scratch& keys) : worker_(worker), keys_(keys) {}

  /// Sorts n keys, at most half a tile, in place: a lane's keys in registers, then runs of them in
  /// pairs, from one half of the tile to the other and back.
  MGWS_FN void sort(key* keys, std::uint32_t n) {
    std::array<key, k_run> mine;
    unrolled<k_run>([&](auto i) {
      const std::uint32_t at = worker_.lane() + i * k_lanes;
      mine[i] = at < n ? keys[at] : ~key{0};
    });
    sort_in_registers(mine);
    const std::uint32_t begin = worker_.lane() * k_run;
    unrolled<k_run>([&](auto i) { in_tile(begin + i) = mine[i]; });
    std::uint32_t half = 0;
    for (std::uint32_t run = k_run; run != k_half; run *= 2) {
      worker_.sync();
      const std::uint32_t other = k_half - half;
      const std::uint32_t pair = begin - begin % (2 * run);
      merge_part({half + pair, half + pair + run}, {half + pair + run, half + pair + 2 * run},
                 begin - pair, k_run, [&](std::uint32_t i, const keys_together& k) {
                   for (std::uint32_t j = 0; j != k_together; ++j)
                     in_tile(other + begin + i + j) = k.of[j];
                 });
      half = other;
    }
    worker_.sync();
    for (std::uint32_t i = worker_.lane(); i < n; i += k_lanes)
      keys[i] = in_tile(half + i);
    worker_.sync();
  }

  /// Merges two sorted ranges of `from`, of at most k_tile keys together, to `to`, whose address is
  /// a multiple of keys_together.
  MGWS_FN void merge(const key* from, range left, range right, key* to) {
    const std::uint32_t n = left.size() + right.size();
    for (std::uint32_t i = worker_.lane(); i < n; i += k_lanes)
      in_tile(i) = from[i < left.size() ? left.begin + i : right.begin + (i - left.size())];
    worker_.sync();
    const std::uint32_t each = rounded_down((n + k_lanes - 1) / k_lanes + k_together - 1);
    const std::uint32_t begin = std::min(worker_.lane() * each, n);
    merge_part({0, left.size()}, {left.size(), n}, begin, std::min(each, n - begin),
               [&](std::uint32_t i, const keys_together& k) {
                 if (begin + i + k_together <= n) {
                   *reinterpret_cast<keys_together*>(to + begin + i) = k;
                 } else {
                   for (std::uint32_t j = 0; begin + i + j < n; ++j)
                     to[begin + i + j] = k.of[j];
                 }
               });
    worker_.sync();
  }

  /// find_crossing() in two ranges of `from`, for two diagonals.
  MGWS_FN std::array<std::uint32_t, 2> find_crossings(const key* from, range left, range right,
                                                      std::array<std::uint32_t, 2> diagonals) {
    std::array<range, 2> in = {crossing(left, right, diagonals[0]),
                               crossing(left, right, diagonals[1])};
    while (in[0].size() != 0 || in[1].size() != 0) {
      for (std::uint32_t d = 0; d != 2; ++d)
        if (in[d].size() != 0) narrow(in[d], d, from, left, right, diagonals[d]);
      worker_.sync();
      for (std::uint32_t d = 0; d != 2; ++d)
        if (in[d].size() != 0) in[d] = {keys_[2 * d], keys_[2 * d + 1]};
      worker_.sync();
    }
    return {in[0].begin, in[1].begin};
  }

 private:
  [[nodiscard]] MGWS_FN key& in_tile(std::uint32_t i) const { return keys_[i + i / 32]; }

  /// Merges n keys from a diagonal on. \param put  takes each k_together of them, with how many
  /// came before; in the last ones there may be keys too many
  template <class Put>
  MGWS_FN void merge_part(range left, range right, std::uint32_t diagonal, std::uint32_t n,
                          const Put& put) const {
    const std::uint32_t of_left =
        find_crossing(left, right, diagonal, [&](std::uint32_t i) { return in_tile(i); });
    std::uint32_t l = left.begin + of_left;
    std::uint32_t r = right.begin + (diagonal - of_left);
    // As if the largest key stood behind the end: of equal keys it does not matter which is taken.
    key next_left = l < left.end ? in_tile(l) : ~key{0};
    key next_right = r < right.end ? in_tile(r) : ~key{0};
    for (std::uint32_t i = 0; i < n; i += k_together) {
      keys_together merged;
      for (key& k : merged.of) {
        const bool is_left = next_left <= next_right;
        k = is_left ? next_left : next_right;
        const std::uint32_t at = is_left ? ++l : ++r;
        const key next = at < (is_left ? left.end : right.end) ? in_tile(at) : ~key{0};
        next_left = is_left ? next : next_left;
        next_right = is_left ? next_right : next;
      }
      put(i, merged);
    }
  }

  /// Of up to lanes + 1 parts of a range, who sees the border between what is before the crossing
  /// and what is not says which it is in.
  MGWS_FN void narrow(range in, std::uint32_t d, const key* from, range left, range right,
                      std::uint32_t diagonal) const {
    const auto at = [&](std::uint32_t i) { return from[i]; };
    const std::uint32_t apart = std::max(in.size() / (k_lanes + 1), 1u);
    const std::uint32_t mine = in.begin + (worker_.lane() + 1) * apart - 1;
    const std::uint32_t next = mine + apart;
    const bool last = worker_.lane() + 1 == k_lanes || next >= in.end;
    const bool before = mine < in.end && is_beyond(mine, left, right, diagonal, at);
    if (worker_.lane() == 0 && !before) {
      keys_[2 * d] = in.begin;
      keys_[2 * d + 1] = mine;
    }
    if (before && (last || !is_beyond(next, left, right, diagonal, at))) {
      keys_[2 * d] = mine + 1;
      keys_[2 * d + 1] = last ? in.end : next;
    }
  }

  Worker& worker_;
  const Scratch& keys_;
};

}  // namespace mgws::bench::cilksort
