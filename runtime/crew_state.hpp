/// \file
/// What every crew of a runtime has (skeleton.hpp), whoever works.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <mgws/core/frame.hpp>
#include <mgws/core/termination/chosen.hpp>
#include <mgws/core/worker.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/runtime/plan.hpp>
#include <mgws/runtime/worker_areas.hpp>
#include <mgws/transports/transport.hpp>

namespace mgws {

/// What the workers of a run share, and what each has to itself; without the types of their tasks.
/// \tparam Line  as worker_areas
template <class View, class Area, std::size_t Line>
struct crew_state {
  using view = View;
  using area = Area;
  using backend = typename View::backend;
  using transport = mgws::transport<View, Area>;
  using detector = chosen_detector<protocol, View>;
  static_assert(host_side_transport<transport>);
  static constexpr std::size_t k_line = Line;

  types_of_run types;
  mgws::plan plan;
  run_parameters run{};  ///< of the current run, as the workers have it
  std::unique_ptr<transport> shared;
  std::vector<worker_areas<Area, Line>> own;  ///< by device

  [[nodiscard]] std::uint32_t frames_of_worker() const { return 1u << plan.run.log_frames; }
  /// Of one worker.
  [[nodiscard]] std::size_t frame_bytes() const { return types.frame_bytes * frames_of_worker(); }
  [[nodiscard]] std::uint32_t global_cells() const {
    return detector::global_cells(plan.run.devices);
  }
  /// \param of_memory  as transport's `make` \param of_device  of_device(d, bytes): an Area there
  template <class OfMemory, class OfDevice>
  void allocate(const options& o, bool counters_with_signals, OfMemory&& of_memory,
                OfDevice&& of_device) {
    // Of workers that may be of one domain among others a number's upper bits say of which.
    // Of several devices' frames a link in a list has as much room.
    const unsigned log_most = bridged_view<View>                        ? k_log_frames_of_domain
                              : k_returns<View> && plan.run.devices > 1 ? returned_parts::log_frames
                                                                        : 32;
    if (frame_bytes() != 0 &&
        std::uint64_t{plan.run.workers} << plan.run.log_frames >= std::uint64_t{1} << log_most)
      detail::refuse<bad_configuration>({"the workers together are to have fewer frames than 2^",
                                         log_most, ": use fewer (option frames)"});
    transport_request request{
        .workers = plan.run.workers,
        .queues = plan.run.queues,
        .queue_bytes = plan.run.public_capacity * types.slot_bytes,
        .frame_bytes = frame_bytes(),
        .frame_lines = frame_bytes() == 0 ? 0 : free_frames<backend>::lines(frames_of_worker()),
        .global_cells = global_cells(),
        .channels = plan.channels,
        .inboxes = plan.inboxes,
        .inbox_bytes = std::size_t{plan.inbox_capacity} * types.slot_bytes,
        .devices = plan.devices,
        .counters_with_signals = counters_with_signals};
    for (const auto& d : plan.devices)
      request.device_cells.push_back(detector::device_cells(d.workers));
    shared = std::make_unique<transport>(request, of_memory);
    own.reserve(plan.devices.size());
    for (std::uint32_t d = 0; d != plan.devices.size(); ++d)
      own.emplace_back(types, plan, d, o.trace_events,
                       [&](std::size_t bytes) { return of_device(d, bytes); });
  }
};

/// The types of a run whose crew has such a state. \tparam View  its workers'
template <class State, class View, class Tasks, class Accumulators, class Context, class Statistics>
struct crew_types {
  using tasks = Tasks;
  using accumulators = Accumulators;
  using context = Context;
  using slot_type = slot<Tasks>;
  using configuration = mgws::configuration<protocol, View, Tasks, Accumulators, Context,
                                            chosen_detector<protocol, View>, Statistics>;

  [[nodiscard]] static constexpr types_of_run in_numbers() {
    return types_of_run::of<State::k_line, slot_type, Accumulators>(
        Tasks::has_frames ? sizeof(frame<typename State::backend, slot_type>) : 0,
        Statistics::enabled);
  }
};

}  // namespace mgws
