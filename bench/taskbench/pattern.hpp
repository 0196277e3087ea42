/// \file
/// The task graphs of Task Bench (Slaughter et al., Task Bench: A Parameterized Benchmark for
/// Evaluating Parallel Runtime Performance, SC 2020): steps of columns, where a node of a step
/// depends on some of the step before.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "loop/pattern.hpp"

namespace mgws::bench {

/// As Task Bench names them, but for `chain`, which is its no_comm.
inline const std::vector<std::string> k_grid_patterns{"trivial", "chain", "stencil_1d",
                                                      "fft",     "tree",  "random_nearest"};

/// Which node depends on which. Nodes are numbered step by step, so each one's dependences have
/// lower numbers.
struct task_grid {
  std::uint32_t nodes = 0;
  std::vector<std::uint32_t> begin;   ///< of a node's dependences; nodes + 1
  std::vector<std::uint32_t> before;  ///< the dependences of all
};

namespace detail {

/// Nodes of a step: of a tree, twice as many as of the step before until there is one a column.
[[nodiscard]] inline std::uint32_t nodes_of_step(const std::string& pattern, std::uint32_t columns,
                                                 std::uint32_t step) {
  if (pattern != "tree" || step >= 31) return columns;
  return std::min(columns, std::uint32_t{1} << step);
}

/// The columns of the step before that a node depends on.
[[nodiscard]] inline std::vector<std::uint32_t> columns_before(const std::string& pattern,
                                                               std::uint32_t columns,
                                                               std::uint32_t radix,
                                                               std::uint32_t step,
                                                               std::uint32_t column) {
  if (pattern == "trivial") return {};
  if (pattern == "chain") return {column};
  if (pattern == "tree") return {column / 2};
  std::vector<std::uint32_t> found;
  const auto add = [&](std::uint64_t c) {  // what is below 0 is very large
    if (c < columns) found.push_back(static_cast<std::uint32_t>(c));
  };
  if (pattern == "stencil_1d" || pattern == "fft") {
    const auto rounds = std::max(1u, static_cast<unsigned>(std::bit_width(columns - 1)));
    const std::uint64_t apart =
        pattern == "fft" ? std::uint64_t{1} << (step + rounds - 1) % rounds : 1;
    add(column - apart);
    add(column);
    add(column + apart);
    return found;
  }
  // random_nearest: itself, and a quarter of the `radix` nearest.
  for (std::uint64_t c = std::uint64_t{column} - radix / 2; c != column + (radix - 1) / 2 + 1;
       ++c) {
    const std::uint64_t place = (std::uint64_t{step} << 32 | column) * radix + c;
    if (c == column || split_mix_64(place) >> 62 == 0) add(c);
  }
  return found;
}

}  // namespace detail

/// \pre a name of k_grid_patterns; columns, steps and radix at least 1, columns times steps at most
/// 2^28 and columns times steps times radix below 2^32
[[nodiscard]] inline task_grid make_task_grid(const std::string& pattern, std::uint32_t columns,
                                              std::uint32_t steps, std::uint32_t radix) {
  task_grid g;
  g.begin.push_back(0);
  std::uint32_t step_before = 0;  // its first node
  for (std::uint32_t step = 0; step != steps; ++step) {
    const std::uint32_t first = g.nodes;
    const std::uint32_t width = detail::nodes_of_step(pattern, columns, step);
    for (std::uint32_t column = 0; column != width; ++column) {
      if (step != 0)
        for (const std::uint32_t c : detail::columns_before(pattern, columns, radix, step, column))
          g.before.push_back(step_before + c);
      g.begin.push_back(static_cast<std::uint32_t>(g.before.size()));
    }
    g.nodes += width;
    step_before = first;
  }
  return g;
}

}  // namespace mgws::bench
