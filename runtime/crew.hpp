/// \file
/// The workers of a runtime as the skeleton (skeleton.hpp) drives them: a crew is threads (cpu.hpp)
/// or persistent kernels (gpu.hpp). What both have stands here.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mgws/core/termination/chosen.hpp>
#include <mgws/core/worker.hpp>
#include <mgws/options.hpp>
#include <mgws/placement.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/initial_set.hpp>
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

  [[nodiscard]] std::uint32_t global_cells() const {
    return detector::global_cells(plan.run.devices);
  }
  /// \param of_memory  as transport's `make` \param of_device  of_device(d, bytes): an Area there
  template <class OfMemory, class OfDevice>
  void allocate(const options& o, bool counters_with_signals, OfMemory&& of_memory,
                OfDevice&& of_device) {
    transport_request request{.workers = plan.run.workers,
                              .queues = plan.run.queues,
                              .queue_bytes = plan.run.public_capacity * sizeof(slot_type),
                              .global_cells = global_cells(),
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

template <class C>
concept crew = std::constructible_from<C, options&> &&
    requires(C& c, const C& k, std::span<const typename C::state_type::context> contexts,
             std::shared_ptr<initial_set<typename C::state_type::tasks>> seeds,
             std::span<const typename C::state_type::slot_type> dealt, std::uint32_t d,
             std::string& text, std::uint64_t ns) {
  { c.state() } -> std::same_as<typename C::state_type&>;
  /// How long workers may take to stop when told.
  { C::k_patience } -> std::convertible_to<std::chrono::seconds>;

  /// \throws not_possible if an earlier run took workers away
  k.check_all_there();
  /// Completes state().run, and brings contexts and initial slots to where the workers read them.
  c.prepare(contexts, seeds, dealt);
  /// Starts all workers. \throws device_error
  c.launch();
  /// Waits for the workers' end, so long if that is limited. \throws device_error
  { c.ended_within(std::chrono::duration<double>(), true) } -> std::same_as<bool>;
  /// After a device_error, and a request to stop: waits for those that can still end.
  c.abandon();
  /// How many have not ended when the patience has, and in the text on which devices, if known.
  { c.lost(text) } -> std::same_as<std::uint32_t>;
  /// After the end. \throws what a task threw
  c.collect();

  // For the report.
  { k.seconds() } -> std::same_as<double>;
  { k.describe(d) } -> std::same_as<device_report>;
  { k.on_host_clock(d, ns) } -> std::same_as<std::uint64_t>;
  /// Local queues, and control memory that the skeleton does not know of.
  { k.memory() } -> std::same_as<memory_use>;
  { k.initial_bytes() } -> std::same_as<std::size_t>;
  { k.data_places() } -> std::same_as<data_places>;
};

}  // namespace mgws
