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

/// Words in the host's memory, each alone on its line.
struct context {
  static constexpr std::uint32_t k_apart = 16;
  static constexpr std::uint32_t k_words = 4 * k_apart;
  placed<std::uint64_t> words;

  MGWS_FN std::uint64_t& answer() const { return words[0]; }
  /// What the host's clock shows, again and again while clocks are compared; how far it is ahead of
  /// the worker's, at least and at most; and the number of the comparison, when it is over.
  MGWS_FN std::uint64_t& host_clock() const { return words[k_apart]; }
  MGWS_FN std::uint64_t& ahead(std::uint32_t i) const { return words[2 * k_apart + i]; }
  MGWS_FN std::uint64_t& compared() const { return words[3 * k_apart]; }
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
  static constexpr int k_looks = 300;
  std::uint32_t number;
  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    std::int64_t least = INT64_MIN;
    std::int64_t most = INT64_MAX;
    for (int i = 0; i != k_looks; ++i) {
      const auto before = static_cast<std::int64_t>(worker.now());
      const auto host = static_cast<std::int64_t>(word(c.host_clock()).load(order::acquire));
      const auto after = static_cast<std::int64_t>(worker.now());
      if (host - after > least) least = host - after;
      if (host - before < most) most = host - before;
    }
    worker.accumulate(result{}, 1);
    c.ahead(0) = static_cast<std::uint64_t>(least);
    c.ahead(1) = static_cast<std::uint64_t>(most);
    word(c.compared()).store(number, order::release);
  }
};

}  // namespace mgws::bench::live
