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

/// A word in the host's memory.
struct context {
  placed<std::uint32_t> answer;
};

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
    atomic_ref<std::uint32_t, scope::system_t>(worker.context().answer[0])
        .store(number, order::release);
  }
};

}  // namespace mgws::bench::live
