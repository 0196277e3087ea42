/// \file
/// What every crew of a runtime has (skeleton.hpp), whoever works.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <mgws/core/termination/chosen.hpp>
#include <mgws/core/worker.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/runtime/plan.hpp>
#include <mgws/runtime/worker_areas.hpp>
#include <mgws/transports/transport.hpp>

namespace mgws {

/// What the workers of a run share, what each has to itself, and the types that they are made of.
/// \tparam Line  as worker_areas
template <class View, class Area, std::size_t Line, class Tasks, class Accumulators, class Context,
          class Statistics>
struct crew_state {
  using view = View;
  using backend = typename View::backend;
  using tasks = Tasks;
  using accumulators = Accumulators;
  using context = Context;
  using statistics = Statistics;
  using slot_type = slot<Tasks>;
  using transport = mgws::transport<View, Area>;
  using detector = chosen_detector<protocol, View>;
  using configuration =
      mgws::configuration<protocol, View, Tasks, Accumulators, Context, detector, Statistics>;
  static_assert(host_side_transport<transport>);

  mgws::plan plan;
  run_parameters run{};  ///< of the current run, as the workers have it
  std::unique_ptr<transport> shared;
  std::vector<worker_areas<Area, slot_type, Accumulators, Line>> own;  ///< by device

  using frames_type = free_frames<backend>;
  [[nodiscard]] std::uint32_t frames_of_worker() const { return 1u << plan.run.log_frames; }
  /// Of one worker.
  [[nodiscard]] std::size_t frame_bytes() const {
    return tasks::has_frames ? sizeof(frame<backend, slot_type>) * frames_of_worker() : 0;
  }
  [[nodiscard]] std::uint32_t global_cells() const {
    return detector::global_cells(plan.run.devices);
  }
  /// \param of_memory  as transport's `make` \param of_device  of_device(d, bytes): an Area there
  template <class OfMemory, class OfDevice>
  void allocate(const options& o, bool counters_with_signals, OfMemory&& of_memory,
                OfDevice&& of_device) {
    if (frame_bytes() != 0 &&
        std::uint64_t{plan.run.workers} << plan.run.log_frames > std::uint64_t{1} << 32)
      throw bad_configuration(
          "all workers together have more frames than 2^32: use fewer (option "
          "frames)");
    transport_request request{
        .workers = plan.run.workers,
        .queues = plan.run.queues,
        .queue_bytes = plan.run.public_capacity * sizeof(slot_type),
        .frame_bytes = frame_bytes(),
        .frame_lines = frame_bytes() == 0 ? 0 : frames_type::lines(frames_of_worker()),
        .global_cells = global_cells(),
        .channels = plan.channels,
        .inboxes = plan.inboxes,
        .inbox_bytes = std::size_t{plan.inbox_capacity} * sizeof(slot_type),
        .devices = plan.devices,
        .counters_with_signals = counters_with_signals};
    for (const auto& d : plan.devices)
      request.device_cells.push_back(detector::device_cells(d.workers));
    shared = std::make_unique<transport>(request, of_memory);
    for (std::uint32_t d = 0; d != plan.devices.size(); ++d)
      own.emplace_back(plan, d, o.trace_events, Statistics::enabled,
                       [&](std::size_t bytes) { return of_device(d, bytes); });
  }
};

}  // namespace mgws
