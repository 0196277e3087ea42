/// \file
/// The tasks of a loop in the simulator, in each way that there is to put a loop to the runtime:
/// those of the workload `loop`, but for what an instance does, and rows, which that has not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>

#include "loop/pattern.hpp"

namespace mgws::bench::sim::loop {

struct context {
  loop_costs costs;
  std::uint32_t leaf = 1;       ///< instances that a task of the tree no longer cuts in two
  std::uint8_t* ran = nullptr;  ///< by instance, how many times it ran, if somebody wants to know
};

struct instances : sum<std::uint64_t> {};
struct numbers : sum<std::uint64_t> {};  ///< of the instances, mixed
using results = accumulators<instances, numbers>;

/// All lanes of a task that has several take as long; the first says so.
inline void run(auto& worker, std::uint32_t i) {
  if (worker.lane() != 0) return;
  const context& c = worker.context();
  worker.accumulate(instances{}, 1);
  worker.accumulate(numbers{}, split_mix_64(i));
  if (c.ran != nullptr) ++c.ran[i];
}

/// An instance for each of the task's.
template <shape Width>
struct units {
  static constexpr shape width = Width;
  std::uint32_t first;
  void operator()(auto& worker, task_index i) const { run(worker, first + i); }
  [[nodiscard]] std::uint64_t iterations(const context& c, task_index i) const {
    return c.costs.iterations(first + i);
  }
};

/// One instance.
template <shape Width>
struct unit {
  static constexpr shape width = Width;
  std::uint32_t number;
  void operator()(auto& worker) const { run(worker, number); }
  [[nodiscard]] std::uint64_t iterations(const context& c, task_index /*i*/) const {
    return c.costs.iterations(number);
  }
};

/// What a task does that only spawns.
inline constexpr std::uint64_t k_spawning = 4;

/// Spawns all instances at once. What spawns is a lane's in each set.
template <shape Width>
struct root {
  std::uint32_t count;
  void operator()(auto& worker) const { worker.spawn_n(units<Width>{0}, count); }
  [[nodiscard]] std::uint64_t iterations(const context& /*c*/, task_index /*i*/) const {
    return k_spawning;
  }
};

/// A row of a nested loop: spawns its instances at once.
template <shape Width>
struct row {
  static constexpr shape width = Width;
  std::uint32_t first;
  std::uint32_t count;
  void operator()(auto& worker) const {
    if (Width == shape::lane || worker.lane() == 0) worker.spawn_n(units<Width>{first}, count);
  }
  [[nodiscard]] std::uint64_t iterations(const context& /*c*/, task_index /*i*/) const {
    return k_spawning;
  }
};

/// The rows of a nested loop of n instances, the longest first. Three in four are one instance
/// long; of the others one in q^(3/2) is at least q quarters of an instance, and none longer than
/// 64 (Pareto distribution of shape 3/2): so are the articles of the made texts in `contains`.
[[nodiscard]] inline std::vector<std::uint32_t> rows_of(std::uint32_t n) {
  constexpr std::uint32_t k_most_quarters = 256;
  std::vector<std::uint32_t> rows;
  for (std::uint32_t left = n; left != 0; left -= rows.back()) {
    const std::uint64_t bits = split_mix_64(rows.size());
    const double uniform = (static_cast<double>(bits >> 32) + 1) * 0x1p-32;
    std::uint32_t quarters = 4;
    if (bits % 4 == 0)
      for (double q = 5; quarters != k_most_quarters && q * q * q * uniform * uniform <= 1; ++q)
        ++quarters;
    rows.push_back(std::min(quarters / 4, left));
  }
  std::ranges::sort(rows, std::greater());
  return rows;
}

/// Cuts a range of instances in two until it is short.
template <shape Width>
struct range {
  std::uint32_t first;
  std::uint32_t count;
  void operator()(auto& worker) const {
    if (count > worker.context().leaf) {
      const std::uint32_t half = count / 2;
      worker.spawn(range{first, half});
      worker.spawn(range{first + half, count - half});
    } else if (runs_itself()) {
      run(worker, first);
    } else {
      worker.spawn_n(units<Width>{first}, count);
    }
  }
  [[nodiscard]] std::uint64_t iterations(const context& c, task_index /*i*/) const {
    return runs_itself() ? c.costs.iterations(first) : k_spawning;
  }

 private:
  [[nodiscard]] bool runs_itself() const { return count == 1 && Width == shape::lane; }
};

}  // namespace mgws::bench::sim::loop
