/// \file
/// Keys that the lanes of one task sort or merge together, in its scratch memory: how `cilksort`
/// ends on a GPU, where a lane by itself would read and write a key here and a key there.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <mgws_port.hpp>

namespace mgws::bench::cilksort {

using key = std::uint32_t;

/// Keys [begin, end).
struct range {
  std::uint32_t begin;
  std::uint32_t end;
  [[nodiscard]] MGWS_FN std::uint32_t size() const { return end - begin; }
};

/// Most keys of a tile, a power of two.
inline constexpr std::uint32_t k_tile = 1024;
/// Lanes that go through parts of the tile side by side do not meet in a bank of memory: there is
/// one key more behind each 32.
using tile_scratch = std::array<key, k_tile + k_tile / 32>;
[[nodiscard]] MGWS_FN constexpr std::uint32_t in_tile(std::uint32_t i) {
  return i + i / 32;
}

/// Sorts n keys, at most k_tile, in place (bitonic: Batcher, "Sorting networks and their
/// applications", AFIPS 1968). Called by all lanes of the task.
template <class Worker, class Scratch>
MGWS_FN void sort_together(Worker& worker, const Scratch& tile, key* keys, std::uint32_t n) {
  constexpr std::uint32_t lanes = Worker::lanes();
  std::uint32_t all = 1;
  while (all < n)
    all *= 2;
  for (std::uint32_t i = worker.lane(); i < all; i += lanes)
    tile[in_tile(i)] = i < n ? keys[i] : ~key{0};
  for (std::uint32_t block = 2; block <= all; block *= 2)
    for (std::uint32_t apart = block / 2; apart != 0; apart /= 2) {
      worker.sync();
      for (std::uint32_t pair = worker.lane(); pair < all / 2; pair += lanes) {
        const std::uint32_t i = 2 * pair - pair % apart;
        key& a = tile[in_tile(i)];
        key& b = tile[in_tile(i + apart)];
        const bool upwards = (i & block) == 0;
        if ((a > b) != upwards) continue;
        const key other = a;
        a = b;
        b = other;
      }
    }
  worker.sync();
  for (std::uint32_t i = worker.lane(); i < n; i += lanes)
    keys[i] = tile[in_tile(i)];
  worker.sync();
}

/// Merges two sorted ranges of `from`, of at most k_tile keys together, to `to`: each lane finds
/// where its part of the result begins (Green, McColl and Bader, "GPU merge path", ICS 2012).
/// Called by all lanes of the task.
template <class Worker, class Scratch>
MGWS_FN void merge_together(Worker& worker, const Scratch& tile, const key* from, range left,
                            range right, key* to) {
  constexpr std::uint32_t lanes = Worker::lanes();
  constexpr std::uint32_t of_lane = k_tile / lanes;
  const std::uint32_t n = left.size() + right.size();
  for (std::uint32_t i = worker.lane(); i < n; i += lanes)
    tile[in_tile(i)] =
        i < left.size() ? from[left.begin + i] : from[right.begin + (i - left.size())];
  worker.sync();

  const auto at = [&](std::uint32_t i) { return tile[in_tile(i)]; };
  const std::uint32_t part = (n + lanes - 1) / lanes;
  const std::uint32_t begin = std::min(worker.lane() * part, n);
  const std::uint32_t end = std::min(begin + part, n);
  // How many of the first `begin` keys of the result are of the left range.
  std::uint32_t l = begin > right.size() ? begin - right.size() : 0;
  for (std::uint32_t most = std::min(begin, left.size()); l < most;) {
    const std::uint32_t middle = l + (most - l) / 2;
    if (at(middle) <= at(left.size() + (begin - 1 - middle))) {
      l = middle + 1;
    } else {
      most = middle;
    }
  }
  std::uint32_t r = left.size() + (begin - l);
  std::array<key, of_lane> merged;
  for (std::uint32_t i = 0; i != of_lane; ++i)
    if (begin + i < end)
      merged[i] = r == n || (l != left.size() && at(l) <= at(r)) ? at(l++) : at(r++);
  worker.sync();
  for (std::uint32_t i = 0; i != of_lane; ++i)
    if (begin + i < end) tile[in_tile(begin + i)] = merged[i];
  worker.sync();
  for (std::uint32_t i = worker.lane(); i < n; i += lanes)
    to[i] = tile[in_tile(i)];
  worker.sync();
}

/// Called by all lanes of the task: the first of the sorted keys in the range that is not less.
template <class Worker, class Scratch>
[[nodiscard]] MGWS_FN std::uint32_t find_together(Worker& worker, const Scratch& tile,
                                                  const key* keys, range r, key than) {
  constexpr std::uint32_t lanes = Worker::lanes();
  // Of lanes + 1 parts of what is left, who sees the border between two keys tells which it is in.
  while (r.size() > lanes) {
    const std::uint32_t part = r.size() / (lanes + 1);
    const std::uint32_t mine = r.begin + (worker.lane() + 1) * part;
    const bool less = keys[mine] < than;
    const bool next_less = worker.lane() + 1 != lanes && keys[mine + part] < than;
    if (worker.lane() == 0 && !less) {
      tile[0] = r.begin;
      tile[1] = mine;
    }
    if (less && !next_less) {
      tile[0] = mine + 1;
      tile[1] = worker.lane() + 1 != lanes ? mine + part : r.end;
    }
    worker.sync();
    r = {tile[0], tile[1]};
    worker.sync();
  }
  const std::uint32_t mine = r.begin + worker.lane();
  const bool less = worker.lane() < r.size() && keys[mine] < than;
  const bool next_less =
      worker.lane() + 1 < r.size() && worker.lane() + 1 != lanes && keys[mine + 1] < than;
  if (worker.lane() == 0 && !less) tile[0] = r.begin;
  if (less && !next_less) tile[0] = mine + 1;
  worker.sync();
  const std::uint32_t found = tile[0];
  worker.sync();
  return found;
}

}  // namespace mgws::bench::cilksort
