/// \file
/// `bpc`: the bouncing producer-consumer of SWS (section 5.2.1). A producer spawns the next
/// producer and n consumers; the producer is the oldest of them, so it is stolen first.
#pragma once

#include <cstdint>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws::bench::bpc {

struct context {
  std::uint32_t consumers;    ///< a producer spawns
  std::uint64_t producer_ns;  ///< how long each takes
  std::uint64_t consumer_ns;
  bool bulk;  ///< a producer's consumers as one slot
};

struct produced : sum<std::uint64_t> {};
struct consumed : sum<std::uint64_t> {};

MGWS_FN void take_time(auto& worker, std::uint64_t ns) {
  for (const std::uint64_t begin = worker.now(); worker.now() - begin < ns;) {
  }
}

struct consumer {
  std::uint32_t level;
  MGWS_FN void operator()(auto& worker, task_index /*i*/) const {
    take_time(worker, worker.context().consumer_ns);
    worker.accumulate(consumed{}, 1);
  }
};

struct producer {
  std::uint32_t levels;  ///< producers still to come
  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    if (levels != 0) {
      worker.spawn(producer{levels - 1});
      if (c.bulk) {
        worker.spawn_n(consumer{levels}, c.consumers);
      } else {
        for (std::uint32_t i = 0; i != c.consumers; ++i)
          worker.spawn(consumer{levels});
      }
    }
    take_time(worker, c.producer_ns);
    worker.accumulate(produced{}, 1);
  }
};

}  // namespace mgws::bench::bpc
