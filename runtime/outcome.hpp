/// \file
/// What came of a run, read by the host after all workers have ended: failures, whether everything
/// was done, and the report. The views are such that the host can follow them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <mgws/core/frame.hpp>
#include <mgws/core/protocol.hpp>
#include <mgws/core/settled.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/core/transport.hpp>
#include <mgws/errors.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/dump.hpp>
#include <mgws/runtime/plan.hpp>

namespace mgws {

/// Throws what a worker has reported as an error.
/// \param most_instances  that a slot of the run stands for
template <class B>
void throw_failure(const run_control<B>& control, std::uint64_t most_instances) {
  const auto read = [](const auto& x) { return B::load(x, order::relaxed, scope::system); };
  if (read(control.failures) == 0) return;
  switch (static_cast<failure>(read(control.kind))) {
    case failure::out_of_space:
      throw out_of_space(read(control.worker), read(control.detail));
    case failure::too_many_instances:
      detail::refuse<bad_configuration>({"spawn_n or finish_n of ", read(control.detail),
                                         " instances: a slot of this task set stands for at most ",
                                         most_instances});
    case failure::out_of_frames:
      throw out_of_frames(read(control.worker), read(control.detail));
    case failure::not_awaited:
      detail::refuse<bad_join>(
          {"a task on worker ", read(control.worker),
           " delivered to a place that awaits nothing: each is good for one delivery"});
    case failure::task:
    case failure::none:
      break;
  }
  throw task_failed(read(control.worker), read(control.detail));
}

/// A balanced run that ended by itself is settled (settled.hpp). It costs a look at each queue to
/// be sure. \throws internal_error
template <transport_view V>
void check_settled(const V& view, const run_parameters& run, std::uint32_t global_cells) {
  bool right = true;
  for (std::uint32_t d = 0; d != run.devices; ++d)
    right = right && device_settled(view, run, d);
  for (std::uint32_t q = 0; q != run.queues; ++q)
    right = right && queue_settled(view, q);
  if (!right)
    throw internal_error("the run ended with work left:\n" +
                         dump<protocol>(view, run, global_cells));
}

/// \throws bad_join if any joins wait; by type, in the order of the task set
inline void throw_open_joins(const std::vector<std::uint64_t>& by_type) {
  std::string text;
  for (std::size_t t = 0; t != by_type.size(); ++t)
    if (by_type[t] != 0) {
      text.append(text.empty() ? "" : ", ").append(std::to_string(by_type[t]));
      text.append(" of type ").append(std::to_string(t)).append(" of the task_set");
    }
  if (!text.empty()) throw bad_join(text.insert(0, "joins that never got all their parts: "));
}

/// A run that ended by itself has no continuation that still waits. \tparam Tasks  the task set
/// \param read_frames  read_frames(worker, to): copies a worker's frames to the host
/// \throws bad_join
template <class Tasks, transport_view V, class ReadFrames>
void check_joins(const V& view, const run_parameters& run, ReadFrames&& read_frames) {
  using B = typename V::backend;
  using frame_type = frame<B, slot<Tasks>>;
  const std::uint32_t frames = 1u << run.log_frames;
  const std::uint32_t words = frames / 64;
  std::vector<std::uint64_t> by_type(Tasks::size);
  for (std::uint32_t w = 0; w != run.workers; ++w) {
    const auto* const free = view.free_frames(w, free_frames<B>::lines(frames));
    std::vector<frame_type> copy;
    for (std::uint32_t i = 0; i != words; ++i) {
      std::uint64_t taken =
          B::load(free[i / free_frames<B>::words].taken[i % free_frames<B>::words], order::relaxed,
                  scope::system);
      if (taken == 0) continue;
      if (copy.empty()) {
        copy = std::vector<frame_type>(frames);
        read_frames(w, reinterpret_cast<std::byte*>(copy.data()));
      }
      for (; taken != 0; taken &= taken - 1)
        ++by_type[copy[i * 64 + std::countr_zero(taken)].slot.read_header().type()];
    }
  }
  throw_open_joins(by_type);
}

/// Adds one device and its workers, whose numbers of tasks are known, to a report.
/// \param kept     what its workers left (worker_areas)
/// \param on_host  a time of the device's clock on the report's
/// \pre r.began_ns is set, and r.workers, and r.records with statistics, have all of them
template <class Kept, class OnHost>
void report_device(run_report& r, const plan& p, std::uint32_t d, device_report device,
                   const std::vector<std::uint64_t>& tasks, const Kept& kept, OnHost&& on_host) {
  device.first_worker = p.devices[d].first_worker;
  device.workers = p.devices[d].workers;
  device.local_queue = p.run.local_capacity;
  device.public_queue = p.run.public_capacity;
  std::vector<steals_from>& steals = r.steal_matrix.emplace_back(p.run.devices);
  for (std::uint32_t w = 0; w != device.workers; ++w) {
    worker_report& worker = r.workers[device.first_worker + w];
    worker.device = d;
    worker.tasks = tasks[device.first_worker + w];
    device.tasks += worker.tasks;
    const statistics_record* const record = kept.record(w);
    if (record == nullptr) continue;
    worker_record& recorded = r.records[device.first_worker + w];
    recorded.counts = record->counts;
    recorded.trace_dropped = record->trace.dropped;
    recorded.trace = kept.trace(w);
    for (trace_event& e : recorded.trace) {
      e.begin_ns = on_host(e.begin_ns);
      e.end_ns = on_host(e.end_ns);
    }
    for (std::uint32_t from = 0; from != p.run.devices; ++from)
      steals[from] += kept.steals(w)[from];
    if (record->first_work_ns == 0) continue;
    // As numbers with a sign: compared clocks may differ by a little.
    const auto since = static_cast<std::int64_t>(on_host(record->first_work_ns) - r.began_ns);
    const double seconds = static_cast<double>(since) * 1e-9;
    device.first_task_seconds = std::min(device.first_task_seconds.value_or(seconds), seconds);
  }
  r.tasks += device.tasks;
  r.devices.push_back(std::move(device));
}

}  // namespace mgws
