/// \file
/// `taskbench`: nodes of a graph that stands ready before the run, each a chain of integer
/// operations that begins with what the nodes that it depends on have made.
#pragma once

#include <cstdint>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/graph.hpp>
#include <mgws_port.hpp>

#include "loop/instance.hpp"

namespace mgws::bench::taskbench {

struct context {
  const std::uint32_t* begin;   ///< of a node's dependences
  const std::uint32_t* before;  ///< the dependences of all
  std::uint64_t* values;        ///< of the nodes
  std::uint32_t iterations;     ///< of a node's chain
};

/// What a node makes of those that it depends on, before its chain.
[[nodiscard]] MGWS_FN inline std::uint64_t gathered(const context& c, std::uint32_t node) {
  std::uint64_t h = node;
  for (std::uint32_t i = c.begin[node]; i != c.begin[node + 1]; ++i)
    h = split_mix_64(h ^ c.values[c.before[i]]);
  return h;
}
/// And after it.
[[nodiscard]] MGWS_FN inline std::uint64_t value_of(std::uint64_t gathered, std::uint32_t chain) {
  return split_mix_64(gathered + chain);
}

MGWS_FN inline std::uint32_t chain_from(std::uint32_t x, std::uint32_t iterations) {
  constexpr linear_step step;
  for (std::uint32_t k = iterations; k != 0; --k) {
    x = step(x);
    hide(x);
  }
  return x;
}

struct node {
  std::uint32_t number;
  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    const std::uint64_t h = gathered(c, number);
    c.values[number] = value_of(h, chain_from(static_cast<std::uint32_t>(h), c.iterations));
  }
};
using grid = mgws::graph<node>;

/// For measuring how fast chains are where nothing depends on anything.
struct chains : sum<std::uint64_t> {};
struct lone_chain {
  MGWS_FN void operator()(auto& worker, task_index i) const {
    worker.accumulate(chains{}, chain_from(i, worker.context().iterations) | 1u);
  }
};

}  // namespace mgws::bench::taskbench
