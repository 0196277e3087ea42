/// \file
/// `live`: tasks that threads submit to a run that goes on. What it costs to hand work over, and
/// how long that takes.
#pragma once

#include <cstdint>

#include <mgws/atomic_ref.hpp>
#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/placement.hpp>
#include <mgws_port.hpp>

namespace mgws::bench::live {

/// Words in the host's memory; those that two sides write are on lines of their own.
struct context {
  static constexpr std::uint32_t k_apart = 16;
  /// In a comparison of clocks; of each: what the worker's clock showed before and after, and the
  /// host's in between.
  static constexpr std::uint32_t k_looks = 300;
  static constexpr std::uint32_t k_words = 3 * k_apart + 3 * k_looks;
  placed<std::uint64_t> words;

  MGWS_FN std::uint64_t& answer() const { return words[0]; }
  /// What the host's clock shows, again and again while clocks are compared, and the number of the
  /// comparison, when it is over.
  MGWS_FN std::uint64_t& host_clock() const { return words[k_apart]; }
  MGWS_FN std::uint64_t& compared() const { return words[2 * k_apart]; }
  MGWS_FN std::uint64_t& look(std::uint32_t i, std::uint32_t which) const {
    return words[3 * k_apart + 3 * i + which];
  }
};
using word = atomic_ref<std::uint64_t, scope::system_t>;

struct result : sum<std::uint64_t> {};

/// Counts.
struct mark {
  MGWS_FN void operator()(auto& worker, task_index /*i*/) const { worker.accumulate(result{}, 1); }
};
/// Answers with its number.
struct echo {
  std::uint32_t number;
  MGWS_FN void operator()(auto& worker) const {
    worker.accumulate(result{}, 1);
    word(worker.context().answer()).store(number, order::release);
  }
};
/// Answers with the time of its first instruction, by the worker's clock.
struct arrival {
  std::uint32_t number;
  MGWS_FN void operator()(auto& worker) const {
    word(worker.context().answer()).store(worker.now(), order::relaxed);
    worker.accumulate(result{}, 1);
  }
};
/// Compares the clocks: what it reads of the host's was shown between two looks at its own.
struct comparison {
  std::uint32_t number;
  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    for (std::uint32_t i = 0; i != context::k_looks; ++i) {
      const std::uint64_t before = worker.now();
      const std::uint64_t host = word(c.host_clock()).load(order::acquire);
      const std::uint64_t after = worker.now();
      c.look(i, 0) = before;
      c.look(i, 1) = host;
      c.look(i, 2) = after;
    }
    worker.accumulate(result{}, 1);
    word(c.compared()).store(number, order::release);
  }
};

}  // namespace mgws::bench::live
