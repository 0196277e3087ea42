/// \file
/// The runs of `live`.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runs/runs.hpp"
#include "workloads/live.hpp"

namespace mgws::bench::live {

struct variant {
  std::uint64_t tasks = 0;
  std::uint32_t instances = 0;  ///< that one submission stands for
  std::uint32_t producers = 0;
  std::uint32_t trips = 0;
  std::uint32_t arrivals = 0;
};
using results = accumulators<result>;

/// What producers measured, by the host's clock.
struct measured {
  bool submits = true;        ///< else another process does
  std::vector<double> trips;  ///< seconds of each, from submit() to the answer
  /// Of each arrival: to the answer, and to the task's first instruction, at least and at most.
  std::vector<double> arrival_trips;
  std::vector<double> arrived_at_least;
  std::vector<double> arrived_at_most;
  std::uint32_t comparisons = 0;  ///< of clocks, each a task
  double submitted = 0;           ///< seconds until the last submit() of all producers returned
  double done = 0;                ///< until wait_idle() did
};

/// A run that ends when all that it submits has ended. Of processes that share it, rank 0 submits,
/// and the others lend it their workers.
class live_runs : public runs<context, results> {
 public:
  [[nodiscard]] virtual const measured& last() const = 0;
};

template <class Port>
std::unique_ptr<live_runs> make_runs(const options& o, const variant& v);

}  // namespace mgws::bench::live
