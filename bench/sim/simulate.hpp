/// \file
/// Runs core's workers on the simulator: the one place that puts core, the host transport's layout
/// and the simulator's backend together, as the runtime does for machines (runtime/gpu.hpp).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <mgws/backends/cpu/memory.hpp>
#include <mgws/backends/sim/backend.hpp>
#include <mgws/core/lanes.hpp>
#include <mgws/core/protocol.hpp>
#include <mgws/core/termination/chosen.hpp>
#include <mgws/core/widths.hpp>
#include <mgws/core/worker.hpp>
#include <mgws/options.hpp>
#include <mgws/runtime/initial_set.hpp>
#include <mgws/runtime/plan.hpp>
#include <mgws/transports/host.hpp>

#include "sim/setup.hpp"

namespace mgws::bench::sim {

/// The host transport's layout, reached at the scope of one device or of several, with a control
/// block for each device. Which device's memory a word lies in says its tag.
template <class B, class Scope>
class view : public host_transport<B, cpu_backend::area>::view {
  using base = typename host_transport<B, cpu_backend::area>::view;

 public:
  static constexpr Scope queue_scope{};
  static constexpr Scope device_scope{};
  static constexpr Scope global_scope{};

  view(const base& b, run_control<B>* controls) : base(b), controls_(controls) {}
  [[nodiscard]] run_control<B>& control(std::uint32_t device) const { return controls_[device]; }

 private:
  run_control<B>* controls_;
};

/// The parameters of a run that the runtime would choose, but for the queues' sizes and places.
inline void choose_parameters(run_parameters& run, std::uint32_t lanes) {
  run.far_detector = lanes > 1 && run.devices > 1;
  run.looks_between_questions = run.far_detector && run.termination != termination::tree ? 127 : 0;
}

template <std::uint32_t Lanes, class Scope, class Tasks, class Accumulators, class Context>
class simulation {
  using B = mgws::sim::backend<Lanes>;
  using transport = host_transport<B, cpu_backend::area>;
  using V = view<B, Scope>;
  using P = mgws::protocol;
  using detector = chosen_detector<P, V>;
  using C = configuration<P, V, Tasks, Accumulators, Context, detector, worker_statistics>;
  using slot_type = slot<Tasks>;
  static constexpr bool k_several = Lanes > 1;
  using kind = mgws::sim::word_kind;

  /// Slots, always the same: a simulation does not depend on the machine that runs it.
  static constexpr std::uint32_t k_spill_of_one_lane = 1u << 18;

 public:
  simulation(const setup& s, initial_set<Tasks>& seeds, const Context& context)
      : setup_(s), seeds_(seeds), context_(context) {}

  outcome run(Accumulators& result) {
    const auto began = std::chrono::steady_clock::now();
    options o;
    o.owners = setup_.owners;
    o.local_queue = setup_.local_queue;
    o.public_queue = setup_.public_queue;
    o.termination = setup_.termination;
    o.steal = setup_.steal;
    plan p = make_plan(o, std::vector<std::uint32_t>(setup_.devices, setup_.workers),
                       {.spill = k_several ? k_gpu_spill * Lanes : k_spill_of_one_lane,
                        .frames = k_several ? k_gpu_frames * Lanes : k_cpu_frames});
    run_parameters run = p.run;
    run.device = p.devices.data();
    constexpr units_of_widths units = widths<C>::of_each();
    const std::span<const slot_type> dealt = seeds_.deal(run, units);
    choose_parameters(run, Lanes);
    run.seed = setup_.seed;

    transport_request request{.workers = run.workers,
                              .queues = run.queues,
                              .queue_bytes = run.public_capacity * sizeof(slot_type),
                              .global_cells = detector::global_cells(run.devices)};
    for (const device_range& d : p.devices)
      request.device_cells.push_back(detector::device_cells(d.workers));
    transport shared(request);
    std::vector<run_control<B>> controls(run.devices);
    const V v(shared.workers_view(dealt.data()), controls.data());
    tag(v, run, request);

    cpu_backend::area spill(std::size_t{run.workers} * run.spill_capacity * sizeof(slot_type));
    std::vector<Accumulators> results(run.workers);
    std::vector<statistics_record> records(run.workers);
    std::vector<steals_from> steals(std::size_t{run.workers} * run.devices);
    std::vector<std::vector<trace_event>> traces(run.workers);
    for (std::uint32_t w = 0; w != run.workers; ++w) {
      records[w].steals = &steals[std::size_t{w} * run.devices];
      if (setup_.trace_events == 0) continue;
      traces[w].resize(setup_.trace_events);
      records[w].trace.events = traces[w].data();
      records[w].trace.capacity = setup_.trace_events;
    }

    mgws::sim::machine machine(setup_.costs, world_of(v, run, dealt));
    const mgws::sim::time_type makespan = machine.run([&](std::uint32_t id, std::uint32_t) {
      std::uint32_t device = 0;
      while (id >= p.devices[device].first_worker + p.devices[device].workers)
        ++device;
      const worker_memory<slot_type, Accumulators> memory{
          .local = static_cast<slot_type*>(static_cast<void*>(mgws::sim::machine::self().local)),
          .spill =
              reinterpret_cast<slot_type*>(spill.data()) + std::size_t{id} * run.spill_capacity,
          .damping = nullptr,
          .result = &results[id],
          .statistics = &records[id]};
      if constexpr (k_several) {
        lane_worker<C> me(v, run, device, id, memory);
        me.run(context_);
      } else {
        worker<C> me(v, run, context_, device, id, memory);
        me.run();
      }
    });
    result = {};
    for (const Accumulators& r : results)
      result.merge(r);

    outcome out = gather(machine, run, records);
    out.makespan_ns = static_cast<double>(makespan) / 1000;
    for (std::uint32_t w = 0; w != run.workers; ++w)
      if (setup_.trace_events != 0)
        out.report.records[w].trace = {traces[w].begin(),
                                       traces[w].begin() + records[w].trace.used};
    out.host_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return out;
  }

 private:
  /// Tells the machine what each word is, and in whose memory.
  static void tag(const V& v, const run_parameters& run, const transport_request& request) {
    const auto set = [](const auto& word, kind k, std::uint32_t device, std::uint32_t index) {
      word.tag = {.kind = k, .device = static_cast<std::uint16_t>(device), .index = index};
    };
    for (std::uint32_t i = 0; i != request.global_cells; ++i)
      set(v.global_cell(i).value, kind::signal, 0, i);
    for (std::uint32_t d = 0; d != run.devices; ++d) {
      const device_range& here = run.device[d];
      for (std::uint32_t q = here.first_queue; q != here.first_queue + here.queues; ++q) {
        auto& head = v.head(q);
        set(head.word, kind::queue, d, q);
        for (int e = 0; e != 2; ++e) {
          set(head.completed[e], kind::completed, d, q);
          set(head.claimed[e], kind::plain, d, q);
        }
        set(head.acquired, kind::plain, d, q);
        set(head.asked, kind::plain, d, q);
      }
      for (std::uint32_t i = 0; i != request.device_cells[d]; ++i)
        set(v.device_cell(d, i).value, kind::signal, d, i);
      set(v.initial_next(d).value, kind::initial, d, d);
      set(v.board(d).left, kind::board, d, d);
      set(v.board(d).taken, kind::plain, d, d);
      set(v.board(d).until, kind::plain, d, d);
      set(v.board(d).busy, kind::plain, d, d);
      run_control<B>& c = v.control(d);
      set(c.stop, kind::signal, d, 0);
      set(c.over, kind::signal, d, 0);
      for (auto& s : c.spent)
        set(s, kind::signal, d, 0);
      for (std::uint32_t w = here.first_worker; w != here.first_worker + here.workers; ++w)
        set(v.progress(w).now, kind::phase, d, w);
    }
  }

  [[nodiscard]] mgws::sim::world world_of(const V& v, const run_parameters& run,
                                          std::span<const slot_type> dealt) {
    mgws::sim::world w;
    w.seed = run.seed;
    w.lanes = Lanes;
    w.queues = run.queues;
    w.owners = run.owners;
    for (std::uint32_t d = 0; d != run.devices; ++d) {
      const device_range& here = run.device[d];
      w.devices.push_back({here.first_worker, here.workers});
      for (std::uint32_t q = 0; q != here.queues; ++q)
        w.first_owner.push_back(here.first_worker + q * run.owners);
    }
    w.local_bytes = run.local_capacity * sizeof(slot_type);
    w.reduced_bytes = sizeof(Accumulators);
    w.slots = static_cast<const std::byte*>(v.slots(0));
    w.queue_bytes = run.public_capacity * sizeof(slot_type);
    w.slot_bytes = sizeof(slot_type);
    w.instances = [](const void* s) -> std::uint32_t {
      return static_cast<const slot_type*>(s)->read_header().count();
    };
    w.available = [](std::uint64_t word) -> std::uint32_t { return P::layout::available(word); };
    w.shown = [v](std::uint32_t d, std::uint64_t steps) {
      const auto h = static_cast<const slot_type*>(v.board_slot(d))->read_header();
      const std::uint32_t log = widths<C>::log_units(h.type());
      return h.count() - ((steps_of(h.count(), log) - steps) << log);
    };
    w.skips_looks = setup_.skips_looks;
    w.claimed = [&run, dealt](std::uint32_t d, std::uint64_t from, std::uint64_t to) {
      const initial_part part(run, d);
      const initial_pieces<B, slot_type> pieces(dealt.data(), run);
      std::uint64_t n = 0;
      for (std::uint64_t i = from; i < std::min(to, part.size()); ++i)
        n += pieces.instances(part.begin + i, &widths<C>::log_units);
      return n;
    };
    return w;
  }

  [[nodiscard]] static outcome gather(mgws::sim::machine& m, const run_parameters& run,
                                      const std::vector<statistics_record>& records) {
    outcome out;
    out.report.statistics = true;
    std::uint64_t lanes = 0;
    mgws::sim::time_type working = 0;
    mgws::sim::time_type last = 0;
    for (std::uint32_t d = 0; d != run.devices; ++d)
      out.report.devices.push_back({.name = "device " + std::to_string(d),
                                    .kind = "sim",
                                    .first_worker = run.device[d].first_worker,
                                    .workers = run.device[d].workers});
    for (std::uint32_t w = 0; w != run.workers; ++w) {
      const mgws::sim::worker_result& r = m.result(w);
      out.instances += r.instances;
      out.iterations += r.lane_iterations;
      out.slowest += r.iterations;
      out.steps += r.steps;
      out.leads += r.leads;
      out.looks_skipped += r.looks_skipped;
      lanes += r.lanes;
      working += r.working;
      last = std::max(last, r.ended);
      const worker_counts& c = records[w].counts;
      out.counts.steals_tried += c.steals_tried;
      out.counts.steals_won += c.steals_won;
      out.counts.steals_empty += c.steals_empty;
      out.counts.steals_lost += c.steals_lost;
      out.counts.slots_stolen += c.slots_stolen;
      out.counts.releases += c.releases;
      out.counts.slots_released += c.slots_released;
      out.counts.releases_postponed += c.releases_postponed;
      out.counts.acquires += c.acquires;
      out.counts.slots_acquired += c.slots_acquired;
      out.counts.initial_slots += c.initial_slots;
      out.counts.slots_shown += c.slots_shown;
      out.counts.shown_taken += c.shown_taken;
      out.counts.slots_spilled += c.slots_spilled;
      out.counts.times_idle += c.times_idle;
      out.counts.working_ns += c.working_ns;
      out.counts.stealing_ns += c.stealing_ns;
      out.counts.searching_ns += c.searching_ns;
      out.counts.idle_ns += c.idle_ns;
      out.report.workers.push_back({.device = 0, .tasks = r.instances});
      out.report.records.push_back({.counts = c});
    }
    for (std::uint32_t d = 0; d != run.devices; ++d)
      for (std::uint32_t w = 0; w != run.device[d].workers; ++w)
        out.report.workers[run.device[d].first_worker + w].device = d;
    out.lanes_filled = static_cast<double>(lanes) /
                       static_cast<double>(std::max<std::uint64_t>(out.steps, 1)) / Lanes;
    out.busy = static_cast<double>(working) / static_cast<double>(last) / run.workers;
    out.worst = m.watcher().worst();
    out.violations = m.watcher().violations();
    out.consistent = m.watcher().consistent();
    out.events = m.events();
    return out;
  }

  setup setup_;
  initial_set<Tasks>& seeds_;
  const Context& context_;
};

/// Simulates as the setup says. \throws bad_configuration
template <class Tasks, class Accumulators, class Context>
outcome simulate(const setup& s, initial_set<Tasks>& seeds, const Context& context,
                 Accumulators& result) {
  const auto with = [&]<std::uint32_t Lanes>() {
    if (s.devices == 1)
      return simulation<Lanes, scope::device_t, Tasks, Accumulators, Context>(s, seeds, context)
          .run(result);
    return simulation<Lanes, scope::system_t, Tasks, Accumulators, Context>(s, seeds, context)
        .run(result);
  };
  switch (s.lanes) {
    case 32:
      return with.template operator()<32>();
    case 4:
      return with.template operator()<4>();
    case 1:
      return with.template operator()<1>();
    default:
      throw bad_configuration("lanes must be 32, 4 or 1, not " + std::to_string(s.lanes));
  }
}

}  // namespace mgws::bench::sim
