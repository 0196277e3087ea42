/// \file
/// Sizes and offsets of everything that host and device share, computed wherever this is compiled.
#pragma once

#include <cstddef>
#include <cstdint>

#include <mgws/core/public_queue.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws_port.hpp>

#include "contract/workload.hpp"

namespace gpu_test {

inline constexpr std::uint32_t k_layout_entries = 43;

/// Writes them in a fixed order. \tparam B  whose atomics the shared words are
template <class B>
MGWS_FN std::uint32_t fill_layout(std::uint64_t* out) {
  using head = mgws::queue_head<B>;
  using control = mgws::run_control<B>;
  using progress = mgws::worker_progress<B>;
  using run = mgws::run_parameters;
  using slot = mgws::slot<contract::mixed>;
  const std::uint64_t all[] = {
      sizeof(head),
      alignof(head),
      offsetof(head, word),
      offsetof(head, completed),
      offsetof(head, claimed),
      offsetof(head, acquired),
      sizeof(control),
      alignof(control),
      offsetof(control, stop),
      offsetof(control, over),
      offsetof(control, failures),
      offsetof(control, kind),
      offsetof(control, worker),
      offsetof(control, detail),
      sizeof(progress),
      alignof(progress),
      offsetof(progress, executed),
      offsetof(progress, beats),
      offsetof(progress, now),
      offsetof(progress, target),
      offsetof(progress, local),
      offsetof(progress, spilled),
      sizeof(mgws::cell<B>),
      sizeof(mgws::device_range),
      sizeof(run),
      offsetof(run, device),
      offsetof(run, local_capacity),
      offsetof(run, initial_count),
      offsetof(run, seed),
      offsetof(run, termination),
      offsetof(run, far_detector),
      sizeof(mgws::worker_counts),
      offsetof(mgws::worker_counts, idle_ns),
      sizeof(mgws::trace_event),
      offsetof(mgws::trace_event, n),
      sizeof(mgws::steals_from),
      sizeof(mgws::statistics_record),
      offsetof(mgws::statistics_record, trace),
      offsetof(mgws::statistics_record, steals),
      offsetof(mgws::statistics_record, first_work_ns),
      sizeof(slot),
      alignof(slot),
      sizeof(contract::results),
  };
  static_assert(sizeof all / sizeof all[0] == k_layout_entries);
  std::uint32_t n = 0;
  for (const std::uint64_t v : all)
    out[n++] = v;
  return n;
}

}  // namespace gpu_test
