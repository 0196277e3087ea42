/// \file
/// Who stole from whom, worker by worker, from the events of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mgws/report.hpp>

#include "harness/queue_owner.hpp"

namespace mgws::bench {

/// Rows are thieves, columns owners of queues; each is so many neighbouring workers.
struct steals_of_workers {
  std::uint32_t workers = 0;  ///< of the run
  std::uint32_t each = 1;     ///< workers a row
  std::uint32_t rows = 0;
  std::vector<std::uint64_t> slots;  ///< [row * rows + column]
  std::uint64_t steals = 0;
  std::uint64_t all_slots = 0;

  [[nodiscard]] std::uint64_t at(std::uint32_t thief, std::uint32_t owner) const {
    return slots[std::size_t{thief} * rows + owner];
  }
};

/// Of workers that share a queue the first stands for all. \param most  rows
[[nodiscard]] steals_of_workers steals_of(const run_report& r, queue_sharing sharing,
                                          std::uint32_t most);

}  // namespace mgws::bench
