/// \file
/// What came of a run, read by the host after all workers have ended: failures, whether everything
/// was done, and the report. The views are such that the host can follow them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <mgws/core/protocol.hpp>
#include <mgws/core/transport.hpp>
#include <mgws/errors.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/dump.hpp>
#include <mgws/runtime/plan.hpp>

namespace mgws {

/// Throws what a worker has reported as an error. \tparam Slot  of the run's task set
template <class Slot, class B>
void throw_failure(const run_control<B>& control) {
  const auto read = [](const auto& x) { return B::load(x, order::relaxed, scope::system); };
  if (read(control.failures) == 0) return;
  switch (static_cast<failure>(read(control.kind))) {
    case failure::out_of_space:
      throw out_of_space(read(control.worker), read(control.detail));
    case failure::too_many_instances:
      throw bad_configuration("spawn_n of " + std::to_string(read(control.detail)) +
                              " instances: a slot of this task set stands for at most " +
                              std::to_string(Slot::max_instances));
    case failure::task:
    case failure::none:
      break;
  }
  throw task_failed(read(control.worker), read(control.detail));
}

/// A balanced run that ended by itself has taken every initial slot and left every queue and board
/// empty, with every claim completed. It costs a look at each queue to be sure. \throws
/// internal_error
template <transport_view V>
void check_quiescent(const V& view, const run_parameters& run, std::uint32_t global_cells) {
  using B = typename V::backend;
  const auto read = [](const auto& x) { return B::load(x, order::relaxed, scope::system); };
  bool right = true;
  for (std::uint32_t d = 0; d != run.devices; ++d) {
    const initial_part part(run, d);
    const auto& board = view.board(d);
    right = right && read(view.initial_next(d).value) >= part.size() && read(board.busy) == 0 &&
            read(board.taken) == read(board.until);
  }
  for (std::uint32_t q = 0; q != run.queues; ++q) {
    const auto& head = view.head(q);
    const auto f = protocol::layout::decode(read(head.word));
    right = right && !f.lock && f.remaining() == 0;
    for (std::uint32_t e = 0; e != 2; ++e)
      right = right &&
              read(head.completed[e]) == read(head.claimed[e]) + (f.epoch == e ? f.claimed() : 0);
  }
  if (!right)
    throw internal_error("the run ended with work left:\n" +
                         dump<protocol>(view, run, global_cells));
}

/// One worker's part of a report.
struct worker_result {
  std::uint64_t tasks = 0;
  worker_counts counts{};
  std::vector<trace_event> trace{};
  std::uint64_t trace_dropped = 0;
  const steals_from* steals = nullptr;  ///< by device, or nullptr
  std::uint64_t first_work_ns = 0;      ///< on the clock of the report; 0: never
};

/// Adds one device and its workers to a report. \param device  what it is
/// \param of  returns the worker_result of a worker \pre r.began_ns is set
template <class Of>
void report_device(run_report& r, const plan& p, std::uint32_t d, device_report device, Of&& of) {
  const device_range& range = p.devices[d];
  if (r.steal_matrix.empty())
    r.steal_matrix.assign(p.run.devices, std::vector<steals_from>(p.run.devices));
  device.first_worker = range.first_worker;
  device.workers = range.workers;
  for (std::uint32_t w = range.first_worker; w != range.first_worker + range.workers; ++w) {
    worker_result result = of(w);
    device.tasks += result.tasks;
    if (result.first_work_ns != 0) {
      // As numbers with a sign: compared clocks may differ by a little.
      const double since =
          static_cast<double>(static_cast<std::int64_t>(result.first_work_ns - r.began_ns));
      device.first_task_seconds =
          std::min(device.first_task_seconds.value_or(since * 1e-9), since * 1e-9);
    }
    if (result.steals != nullptr)
      for (std::uint32_t from = 0; from != p.run.devices; ++from)
        r.steal_matrix[d][from] += result.steals[from];
    r.workers.push_back({.device = d,
                         .tasks = result.tasks,
                         .counts = result.counts,
                         .trace = std::move(result.trace),
                         .trace_dropped = result.trace_dropped});
  }
  r.tasks += device.tasks;
  r.devices.push_back(std::move(device));
}

}  // namespace mgws
