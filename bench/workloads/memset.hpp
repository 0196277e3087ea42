/// \file
/// `memset`: n regular tasks that each store one number, the cost of handing out a task and of
/// nothing else (the thesis' MEMSET, section 6.2).
#pragma once

#include <cstdint>

#include <mgws/core/task_set.hpp>
#include <mgws/placement.hpp>
#include <mgws_port.hpp>

namespace mgws::bench::memset {

struct context {
  placed<std::uint64_t> data;  ///< n elements; element x receives x
};

/// Where element i is. \tparam Parted  whether the elements are in several parts; else all devices'
/// tasks find theirs in one, and need no search
template <bool Parted>
[[nodiscard]] MGWS_FN std::uint64_t& element_of(auto& worker, std::uint64_t i) {
  const placed<std::uint64_t>& data = worker.context().data;
  if constexpr (Parted) return data[i];
  return *data.at(0, i);
}

/// One element.
template <bool Parted>
struct store_one {
  std::uint64_t element;
  MGWS_FN void operator()(auto& worker) const { element_of<Parted>(worker, element) = element; }
};

/// Spawns the tasks of some elements, one by one: a piece an instance.
template <bool Parted>
struct spawn_each {
  /// Elements of a piece: what a GPU's lanes spawn at once has room in a worker's spill area.
  static constexpr std::uint64_t k_piece = 16;
  std::uint64_t first;
  std::uint64_t end;
  MGWS_FN void operator()(auto& worker, task_index piece) const {
    const std::uint64_t from = first + piece * k_piece;
    const std::uint64_t rest = end - from;
    const std::uint64_t to = from + (rest < k_piece ? rest : k_piece);
    for (std::uint64_t x = from; x != to; ++x)
      worker.spawn(store_one<Parted>{x});
  }
};

/// A range of elements, one an instance. With the number of one a GPU's lane has no loop.
template <bool Parted>
struct store_range {
  std::uint64_t first;
  MGWS_FN void operator()(auto& worker, task_index i) const {
    element_of<Parted>(worker, first + i) = first + i;
  }
  MGWS_FN void operator()(auto& worker, task_index from, task_index to) const {
    for (std::uint64_t x = first + from; x != first + to; ++x)
      element_of<Parted>(worker, x) = x;
  }
};

/// Spawns the tasks of all elements in slots that stand for many of them.
template <bool Parted>
struct spawn_ranges {
  static constexpr std::uint64_t k_most = (std::uint64_t{1} << 28) - 1;  ///< in one slot
  std::uint64_t elements;
  MGWS_FN void operator()(auto& worker) const {
    for (std::uint64_t first = 0; first < elements; first += k_most) {
      const std::uint64_t rest = elements - first;
      worker.spawn_n(store_range<Parted>{first},
                     static_cast<task_index>(rest < k_most ? rest : k_most));
    }
  }
};

}  // namespace mgws::bench::memset
