/// \file
/// What is simulated, and what came of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <mgws/backends/sim/costs.hpp>
#include <mgws/backends/sim/observer.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws/report.hpp>

namespace mgws::bench::sim {

struct setup {
  std::uint32_t devices = 1;
  std::uint32_t workers = 4224;  ///< of a device
  std::uint32_t lanes = 32;
  std::uint32_t owners = 1;
  std::uint32_t local_queue = 256;
  std::uint32_t public_queue = 256;
  std::uint64_t seed = 1;
  mgws::termination termination = mgws::termination::hierarchical;
  mgws::steal_policy steal = mgws::steal_policy::bias;
  std::uint32_t trace_events = 0;
  bool skips_looks = true;
  mgws::sim::costs costs = mgws::sim::costs::gpu();
};

/// What the work itself asks for, whoever shares it out.
struct work_of {
  std::uint64_t instances = 0;
  std::uint64_t iterations = 0;
  std::uint64_t longest = 0;  ///< iterations of the longest instance
  std::uint64_t chain = 0;    ///< of the longest chain of instances that wait for each other
};

struct outcome {
  double makespan_ns = 0;
  std::uint64_t instances = 0;   ///< that ran, by the simulator's count
  std::uint64_t iterations = 0;  ///< the same
  std::uint64_t slowest = 0;     ///< iterations of the slowest lanes of all steps
  std::uint64_t steps = 0;
  std::uint64_t leads = 0;  ///< times that a leader was asked to do something
  double lanes_filled = 0;  ///< of all lanes, in steps
  double busy = 0;          ///< of all workers' time, in steps
  worker_counts counts{};   ///< of all workers together
  std::uint64_t looks_skipped = 0;
  mgws::sim::violation worst{};
  std::uint64_t violations = 0;
  bool consistent = true;
  std::uint64_t events = 0;
  double host_seconds = 0;
  run_report report{};  ///< for a trace
};

/// Lower bounds of a run's length, in nanoseconds.
struct bounds {
  double work = 0;     ///< all of it at full throughput, shared evenly
  double longest = 0;  ///< the longest instance by itself
  double chain = 0;

  bounds(const setup& s, const work_of& w) {
    const mgws::sim::costs& c = s.costs;
    const auto lanes = static_cast<double>(s.lanes);
    const double iterations = static_cast<double>(w.iterations) / lanes;
    double side_by_side = static_cast<double>(s.devices) * s.workers;
    double cycles = c.iteration_latency;
    if (c.multiprocessors != 0) {
      const auto schedulers = static_cast<double>(c.multiprocessors * c.schedulers) * s.devices;
      // Too few workers do not keep the schedulers busy.
      if (side_by_side * c.iteration_issue > schedulers * c.iteration_latency) {
        side_by_side = schedulers;
        cycles = c.iteration_issue;
      }
    }
    work = iterations * cycles / side_by_side / c.ghz;
    longest = static_cast<double>(w.longest) * c.iteration_latency / c.ghz;
    chain = static_cast<double>(w.chain) * c.iteration_latency / c.ghz;
  }
  [[nodiscard]] double largest() const { return std::max({work, longest, chain}); }
};

}  // namespace mgws::bench::sim
