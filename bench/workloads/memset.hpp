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

/// A range of elements, one an instance.
template <bool Parted>
struct store_range {
  std::uint64_t first;
  MGWS_FN void operator()(auto& worker, task_index from, task_index to) const {
    for (std::uint64_t x = first + from; x != first + to; ++x)
      element_of<Parted>(worker, x) = x;
  }
};

}  // namespace mgws::bench::memset
