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

/// One element.
struct store_one {
  std::uint64_t element;
  MGWS_FN void operator()(auto& worker) const { worker.context().data[element] = element; }
};

/// A range of elements, one an instance.
struct store_range {
  std::uint64_t first;
  MGWS_FN void operator()(auto& worker, task_index i) const {
    worker.context().data[first + i] = first + i;
  }
};

}  // namespace mgws::bench::memset
