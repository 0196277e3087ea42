/// \file
/// The runtime of CPU workers: threads, through the host transport.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/backends/cpu/memory.hpp>
#include <mgws/backends/cpu/pool.hpp>
#include <mgws/core/termination/chosen.hpp>
#include <mgws/core/worker.hpp>
#include <mgws/dump.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/base.hpp>
#include <mgws/runtime/outcome.hpp>
#include <mgws/runtime/plan.hpp>
#include <mgws/runtime/watch.hpp>
#include <mgws/transports/host/transport.hpp>

namespace mgws {

/// The threads are kept between runs and then use no processor time. The thread that calls run() is
/// one of the workers, unless it has to watch them.
template <class Tasks, class Accumulators, class Context, class Statistics>
class cpu_runtime final : public runtime_base<Tasks, Accumulators, Context> {
  using base = runtime_base<Tasks, Accumulators, Context>;
  using B = cpu_backend::backend;
  using transport = host_transport<B, cpu_backend::area>;
  using view = typename transport::view;
  using detector = chosen_detector<protocol, view>;
  using worker_t =
      worker<configuration<protocol, view, Tasks, Accumulators, Context, detector, Statistics>>;
  using typename base::report_type;
  using typename base::slot_type;

 public:
  /// \pre check(o) passed, and all devices are CPU groups
  /// \throws bad_configuration, not_possible
  explicit cpu_runtime(options o) : options_(std::move(o)), state_(std::make_shared<state>()) {
    if (options_.transport == transport_kind::p2p)
      throw not_possible(
          "the p2p transport keeps queues in the memory of GPUs, and this run has CPU workers only:"
          " use the host transport");
    if (uses_remote_memory(options_))
      throw not_possible("the remote transport and remote initial tasks need a GPU that computes");
    if (options_.initial_tasks == place::device)
      throw not_possible(
          "initial tasks in device memory need a GPU, and this run has CPU workers "
          "only: keep them in host memory");
    state_->plan = make_plan(options_, workers_by_group(), k_cpu_spill);
    const std::uint32_t n = state_->plan.run.workers;
    try {
      allocate();
      const bool caller_works = !options_.pin && !progress_watch(options_).wanted();
      pool_ = std::make_unique<cpu_backend::pool>(n, options_.pin, caller_works);
    } catch (const std::bad_alloc&) {
      throw not_possible("the queues of " + std::to_string(n) +
                         " workers need more memory than this machine gives");
    } catch (const std::system_error& e) {
      throw not_possible("this machine refuses " + std::to_string(n) +
                         " worker threads: " + e.what());
    }
  }

  report_type perform(std::span<const Context> contexts) override {
    if (pool_->running() != 0)
      throw not_possible("workers of an earlier run never came back: make a new runtime");
    const auto before = std::chrono::steady_clock::now();
    auto launched = before;
    try {
      prepare(contexts);
      launched = std::chrono::steady_clock::now();
      state_->began_ns = B::now();
      pool_->launch(
          [s = state_, direct = options_.direct](std::uint32_t id) { run_worker(*s, direct, id); });
    } catch (...) {
      // No memory: nothing was started.
      return_seeds();
      throw;
    }
    watch();
    const std::uint64_t ended = state_->ended_ns.load(std::memory_order_relaxed);
    pool_->forget();
    return_seeds();
    if (state_->thrown) std::rethrow_exception(std::exchange(state_->thrown, nullptr));
    throw_failure<slot_type>(state_->workers_view.control(0));
    auto r = make_report();
    r.setup_seconds = std::chrono::duration<double>(launched - before).count();
    r.seconds = static_cast<double>(ended - state_->began_ns) * 1e-9;
    return r;
  }

  void cancel() override {
    const std::scoped_lock lock(state_->cancel_mutex);
    auto none = static_cast<std::uint32_t>(stop_reason::none);
    const view v = state_->shared->workers_view(nullptr);
    v.control(0).stop.compare_exchange_strong(none,
                                              static_cast<std::uint32_t>(stop_reason::cancelled));
    v.parking().notify_all();
  }

  [[nodiscard]] memory_use memory() const override {
    const run_parameters& run = state_->plan.run;
    return {.local_queues = std::size_t{run.workers} * run.local_capacity * sizeof(slot_type),
            .public_queues = state_->shared->queue_bytes(),
            .spill_areas = std::size_t{run.workers} * run.spill_capacity * sizeof(slot_type),
            .initial_tasks = 0,
            .control =
                state_->shared->control_bytes() + sizeof(state) +
                run.workers * (sizeof(result) + state_->plan.damping_words * sizeof(std::uint32_t) +
                               run.devices * sizeof(std::uint64_t) +
                               options_.trace_events * sizeof(trace_event))};
  }
  [[nodiscard]] std::uint32_t workers() const override { return state_->plan.run.workers; }
  [[nodiscard]] std::uint32_t devices() const override { return state_->plan.run.devices; }
  [[nodiscard]] mgws::data_places data_places() const override {
    const auto host = std::make_shared<host_memory>();
    return {.devices = {devices(), host}, .host = host};
  }

 private:
  struct alignas(B::line) result {
    Accumulators values{};
    statistics_record statistics{};
  };

  /// Tasks hold references to it, which the bits of a std::vector<bool> have not.
  struct kept_context {
    Context value;
  };

  /// What the threads of a run use: kept alive by each of them, because one that never returns from
  /// a task may outlive the runtime.
  struct state {
    mgws::plan plan;
    run_parameters run{};  ///< of the current run
    std::unique_ptr<transport> shared;
    initial_set<Tasks> seeds;
    std::vector<kept_context> contexts;  ///< by device
    view workers_view{};
    cpu_backend::area local;
    cpu_backend::area spill;
    std::vector<std::uint32_t> damping;
    std::vector<result> results;
    std::vector<steals_from> steals;
    std::vector<trace_event> traces;
    std::size_t initial_bytes = 0;
    std::uint64_t began_ns = 0;
    std::atomic<std::uint64_t> ended_ns{0};
    std::mutex cancel_mutex;  ///< cancel() may come while a run is set up
    std::mutex thrown_mutex;
    std::exception_ptr thrown;
  };

  [[nodiscard]] std::vector<std::uint32_t> workers_by_group() const {
    const std::uint32_t otherwise =
        options_.workers != 0 ? options_.workers
                              : static_cast<std::uint32_t>(cpu_backend::usable_processors().size());
    if (options_.devices.empty()) return {otherwise};
    std::vector<std::uint32_t> workers;
    for (const device_choice& d : options_.devices)
      workers.push_back(d.workers != 0 ? d.workers : otherwise);
    return workers;
  }

  [[nodiscard]] std::uint32_t global_cells() const {
    return detector::global_cells(state_->plan.run.devices);
  }

  void allocate() {
    state& s = *state_;
    const run_parameters& run = s.plan.run;
    transport_request request{.workers = run.workers,
                              .queues = run.queues,
                              .queue_bytes = run.public_capacity * sizeof(slot_type),
                              .global_cells = global_cells()};
    for (const auto& d : s.plan.devices)
      request.device_cells.push_back(detector::device_cells(d.workers));
    s.shared = std::make_unique<transport>(request);
    s.local = cpu_backend::area(std::size_t{run.workers} * run.local_capacity * sizeof(slot_type));
    s.spill = cpu_backend::area(std::size_t{run.workers} * run.spill_capacity * sizeof(slot_type));
    s.damping.resize(std::size_t{run.workers} * s.plan.damping_words);
    s.results.resize(run.workers);
    s.steals.resize(std::size_t{run.workers} * run.devices);
    s.traces.resize(std::size_t{run.workers} * options_.trace_events);
  }

  void return_seeds() {
    if (this->keep_seeds_) this->seeds_ = std::move(state_->seeds);
    state_->seeds.clear();
  }

  void prepare(std::span<const Context> contexts) {
    state& s = *state_;
    s.run = s.plan.run;
    s.seeds = std::move(this->seeds_);
    this->seeds_.clear();
    const auto initial = s.seeds.deal(s.run.workers, 1);
    s.run.initial_count = initial.size();
    s.run.slots_of_step = 1;
    s.initial_bytes = s.seeds.bytes();
    s.run.seed = draw_seed(options_);
    s.contexts.clear();
    for (std::uint32_t d = 0; d != s.run.devices; ++d)
      s.contexts.push_back({contexts[contexts.size() == 1 ? 0 : d]});
    {
      const std::scoped_lock lock(s.cancel_mutex);
      s.shared->reset();
      s.workers_view = s.shared->workers_view(initial.data());
    }
    std::ranges::fill(s.damping, 0u);
    std::ranges::fill(s.steals, steals_from{});
    for (std::uint32_t w = 0; w != s.run.workers; ++w) {
      s.results[w] = {};
      s.results[w].statistics.steals = &s.steals[std::size_t{w} * s.run.devices];
      s.results[w].statistics.trace = {
          .events = s.traces.data() + std::size_t{w} * options_.trace_events,
          .capacity = options_.trace_events};
    }
    s.thrown = nullptr;
    s.ended_ns = 0;
  }

  static void run_worker(state& s, direct_mode direct, std::uint32_t id) {
    std::uint32_t device = 0;
    while (id >= s.plan.devices[device].first_worker + s.plan.devices[device].workers)
      ++device;
    auto* local = reinterpret_cast<slot_type*>(s.local.data());
    auto* spill = reinterpret_cast<slot_type*>(s.spill.data());
    const std::size_t damping = s.plan.damping_words;
    const worker_memory<slot_type, Accumulators> memory{
        .local = local + std::size_t{id} * s.run.local_capacity,
        .spill = spill + std::size_t{id} * s.run.spill_capacity,
        .damping = damping != 0 ? s.damping.data() + id * damping : nullptr,
        .result = &s.results[id].values,
        .statistics = &s.results[id].statistics};
    try {
      worker_t w(s.workers_view, s.run, s.contexts[device].value, device, id, memory);
      if (direct != direct_mode::off) w.take_share(share_of(s.run, id, direct == direct_mode::one));
      w.run();
    } catch (...) {
      {
        const std::scoped_lock lock(s.thrown_mutex);
        if (!s.thrown) s.thrown = std::current_exception();
      }
      s.workers_view.control(0).stop.store(static_cast<std::uint32_t>(stop_reason::failed));
      s.workers_view.parking().notify_all();
    }
    // The last worker's clock is the largest.
    const std::uint64_t now = B::now();
    for (auto seen = s.ended_ns.load();
         seen < now && !s.ended_ns.compare_exchange_weak(seen, now);) {
    }
  }

  [[nodiscard]] std::uint64_t executed(std::uint32_t worker) const {
    return state_->workers_view.progress(worker).executed.load(std::memory_order_relaxed);
  }

  /// Waits for the run's end, reports progress, and stops a run that makes none.
  void watch() {
    progress_watch watch(options_);
    if (!watch.wanted()) return pool_->wait();
    while (!pool_->wait_for(watch.interval())) {
      std::uint64_t tasks = 0;
      std::uint64_t beats = 0;
      for (std::uint32_t w = 0; w != state_->run.workers; ++w) {
        tasks += executed(w);
        beats += state_->workers_view.progress(w).beats.load(std::memory_order_relaxed);
      }
      bool stuck = false;
      try {
        stuck = watch.stuck(tasks, beats);
      } catch (...) {
        // The workers use what the caller may free as soon as run() is left.
        stop(stop_reason::failed);
        pool_->wait();
        pool_->forget();
        return_seeds();
        throw;
      }
      if (stuck) stop_without_progress(watch);
    }
  }

  void stop(stop_reason reason) {
    state_->workers_view.control(0).stop.store(static_cast<std::uint32_t>(reason));
    state_->workers_view.parking().notify_all();
  }

  [[noreturn]] void stop_without_progress(const progress_watch& watch) {
    const std::string text = dump<protocol>(state_->workers_view, state_->run, global_cells());
    stop(stop_reason::no_progress);
    pool_->wait_for(std::chrono::seconds(1));
    const std::uint32_t lost = pool_->running();
    if (lost == 0) {
      pool_->forget();
      return_seeds();
    }
    throw no_progress(watch.complaint(lost), text, lost);
  }

  report_type make_report() {
    const state& s = *state_;
    report_type r;
    r.status = s.workers_view.control(0).stop.load() == 0 ? status::completed : status::cancelled;
    if (r.status == status::completed && options_.direct == direct_mode::off)
      check_quiescent(s.workers_view, s.run, global_cells());
    r.seed = s.run.seed;
    r.memory = memory();
    r.slot_bytes = sizeof(slot_type);
    r.memory.initial_tasks = s.initial_bytes;
    r.statistics = Statistics::enabled;
    r.began_ns = s.began_ns;
    for (std::uint32_t d = 0; d != s.run.devices; ++d)
      report_device(r, s.plan, d, s.run.devices == 1 ? "cpu" : "cpu group " + std::to_string(d),
                    "cpu", [&](std::uint32_t w) {
                      const result& of = s.results[w];
                      r.results.merge(of.values);
                      const trace_buffer& t = of.statistics.trace;
                      return worker_result{.tasks = executed(w),
                                           .counts = of.statistics.counts,
                                           .trace = {t.events, t.events + t.used},
                                           .trace_dropped = t.dropped,
                                           .steals = of.statistics.steals,
                                           .first_work_ns = of.statistics.first_work_ns};
                    });
    return r;
  }

  options options_;
  std::shared_ptr<state> state_;
  std::unique_ptr<cpu_backend::pool> pool_;
};

}  // namespace mgws
