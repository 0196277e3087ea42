/// \file
/// The workloads of mgws-sim. Each verifies that its tasks ran, every one once.
#pragma once

#include <cstdint>
#include <string>

#include <mgws/core/task_set.hpp>

#include "loop/pattern.hpp"
#include "sim/setup.hpp"

namespace mgws::bench::sim {

struct result {
  sim::outcome outcome;
  work_of work;
  bool verified = false;
};

enum class loop_way : std::uint8_t {
  seed_n,  ///< one bulk seed
  seeds,   ///< a seed for each instance
  spawn,   ///< a root spawns all of them as one slot
  tree,    ///< a root is cut in two until single instances are left
  nested   ///< a seed for each row (rows_of), which spawns its instances as one slot
};

/// \param width  of the instances: lane, or warp, which here is a worker's lanes
/// \param ran  n bytes that count how often each instance ran, or nullptr
[[nodiscard]] result simulate_loop(const setup& s, const loop_costs& costs, loop_way way,
                                   shape width = shape::lane, std::uint32_t leaf = 1,
                                   std::uint8_t* ran = nullptr);
/// \param tree  the name of a tree \param iterations  that a node takes
[[nodiscard]] result simulate_uts(const setup& s, const std::string& tree,
                                  std::uint64_t iterations);
/// \param bulk  one bulk seed, or a seed for each task
[[nodiscard]] result simulate_memset(const setup& s, std::uint32_t tasks, bool bulk,
                                     std::uint64_t iterations);
[[nodiscard]] result simulate_spawn_tree(const setup& s, std::uint32_t depth, std::uint32_t fanout,
                                         bool bulk, std::uint64_t iterations);

}  // namespace mgws::bench::sim
