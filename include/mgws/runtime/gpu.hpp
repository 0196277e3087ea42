/// \file
/// The runtime of GPU workers: persistent kernels of which all blocks run at once, one a GPU.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <mgws/backends/gpu/device.hpp>
#include <mgws/backends/gpu/kernel.hpp>
#include <mgws/core/termination/chosen.hpp>
#include <mgws/core/worker.hpp>
#include <mgws/dump.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/base.hpp>
#include <mgws/runtime/gpu_memory.hpp>
#include <mgws/runtime/outcome.hpp>
#include <mgws/runtime/plan.hpp>
#include <mgws/runtime/watch.hpp>
#include <mgws/transports/p2p/transport.hpp>

namespace mgws {

namespace detail {

template <class... Ts>
constexpr bool has_block_tasks(const task_set<Ts...>* /*set*/) {
  return ((task_set<Ts...>::template width<Ts> == shape::block) || ...);
}

}  // namespace detail

/// Lanes of a GPU's worker: one warp, whose barriers cost next to nothing; four where tasks want
/// all lanes of a worker.
template <class Tasks>
inline constexpr std::uint32_t k_gpu_lanes =
    detail::has_block_tasks(static_cast<const Tasks*>(nullptr)) ? 128 : 32;

/// \tparam Port   what the vendor's port supplies: `api`, `backend<Lanes>`, and the entry
///                `kernel<Config>()`
/// \tparam Scope  scope::device_t if all workers are on one GPU and their shared memory with them
///
/// The GPU's queues and memory are kept between runs. A kernel that does not stop when told loses
/// the device for this process; the runtime then leaves everything as it is (no_progress).
template <class Port, std::uint32_t Lanes, class Scope, class Tasks, class Accumulators,
          class Context, class Statistics>
class gpu_runtime final : public runtime_base<Tasks, Accumulators, Context> {
  using base = runtime_base<Tasks, Accumulators, Context>;
  using api = typename Port::api;
  using B = typename Port::template backend<Lanes>;
  using device = gpu::device<api>;
  using area = gpu::area<api>;
  using transport = p2p_transport<B, Scope, area>;
  using view = typename transport::view;
  using detector = chosen_detector<protocol, view>;
  using configuration_t =
      configuration<protocol, view, Tasks, Accumulators, Context, detector, Statistics>;
  using arguments = gpu::kernel_arguments<configuration_t>;
  using typename base::report_type;
  using typename base::slot_type;
  using memory_t = gpu_worker_memory<api, slot_type, Accumulators>;

 public:
  /// \pre check(o) passed, and all devices are GPUs
  /// \throws bad_configuration, not_possible, device_error
  explicit gpu_runtime(options o) : options_(std::move(o)), state_(std::make_unique<state>()) {
    state& s = *state_;
    if (options_.devices.size() > 1)
      throw not_possible("a run over several GPUs is not built yet: name one GPU");
    s.gpu = std::make_shared<device>(options_.devices.front().index);
    s.plan = plan_of_what_fits();
    try {
      allocate();
    } catch (const std::bad_alloc&) {
      throw not_possible("the queues of " + std::to_string(s.plan.run.workers) +
                         " workers need more memory than " + s.gpu->properties().name +
                         " has free: use fewer workers or smaller queues");
    }
  }

  ~gpu_runtime() override {
    // A kernel that still runs uses all of it, and giving it back would wait for the kernel.
    if (state_->lost) static_cast<void>(state_.release());
  }

  report_type run(const Context& context) override {
    state& s = *state_;
    if (s.lost) throw not_possible("a kernel of an earlier run never ended: end the process");
    api::use(s.gpu->index());
    const auto before = std::chrono::steady_clock::now();
    const arguments a = prepare(context);
    const auto launched = std::chrono::steady_clock::now();
    api::record(s.began, s.gpu->kernels());
    api::launch(kernel(), a, s.run.workers, Lanes, s.shared_bytes, s.gpu->kernels());
    api::record(s.ended, s.gpu->kernels());
    watch();
    end_run();
    s.shared->look();
    const view v = s.shared->host_view();
    throw_failure<slot_type>(v.control());
    auto r = make_report(v);
    r.setup_seconds = std::chrono::duration<double>(launched - before).count();
    r.seconds = api::seconds_between(s.began, s.ended);
    return r;
  }

  void cancel() override {
    const std::scoped_lock lock(state_->cancel_mutex);
    if (state_->running) state_->shared->stop(stop_reason::cancelled);
  }

  [[nodiscard]] memory_use memory() const override {
    const state& s = *state_;
    const run_parameters& run = s.plan.run;
    return {.local_queues = run.workers * s.shared_bytes,
            .public_queues = s.shared->queue_bytes(),
            .spill_areas = s.own.spill_bytes(),
            .initial_tasks = 0,
            .control = s.shared->control_bytes() + s.own.control_bytes() + sizeof(state)};
  }
  [[nodiscard]] std::uint32_t workers() const override { return state_->plan.run.workers; }
  [[nodiscard]] std::shared_ptr<memory_space> data_memory() const override {
    return std::make_shared<gpu::device_memory<api>>(state_->gpu);
  }

 private:
  struct state {
    std::shared_ptr<device> gpu;
    mgws::plan plan;
    run_parameters run{};  ///< of the current run, as the workers have it
    std::size_t shared_bytes = 0;
    std::unique_ptr<transport> shared;
    memory_t own;
    initial_memory<api, slot_type> initial;
    typename api::event began{};
    typename api::event ended{};
    std::mutex cancel_mutex;  ///< cancel() may come while a run is set up or has just ended
    bool running = false;
    bool lost = false;

    ~state() {
      if (gpu == nullptr) return;
      api::destroy(began);
      api::destroy(ended);
    }
  };

  [[nodiscard]] static auto* kernel() { return Port::template kernel<configuration_t>(); }

  /// Workers of this plan that one multiprocessor holds at once; 0 if one needs more shared memory
  /// than there is.
  [[nodiscard]] std::uint32_t resident(const plan& p) const {
    const std::size_t shared = gpu::shared_bytes<configuration_t>(p.run);
    if (shared > state_->gpu->properties().shared_bytes) return 0;
    api::allow_shared(kernel(), shared);
    return api::resident(kernel(), Lanes, shared);
  }

  /// As many workers as are asked for, and no more than are resident at once: one that never
  /// starts never becomes idle, and the run would not end.
  [[nodiscard]] plan plan_of_what_fits() {
    const gpu::properties& gpu = state_->gpu->properties();
    const auto plan_for = [&](std::uint32_t n) { return make_plan(options_, {n}, k_gpu_spill); };
    const device_choice& d = options_.devices.front();
    const std::uint32_t asked = d.workers != 0 ? d.workers : options_.workers;
    // A damping map has a bit for each queue: a plan for many workers shows how many fit at least.
    const std::uint32_t all = resident(plan_for(gpu.multiprocessors * k_most_resident));
    const std::uint32_t fit = (asked != 0 ? resident(plan_for(asked)) : all) * gpu.multiprocessors;
    if (fit == 0)
      throw bad_configuration("not one worker of this task set fits on " + gpu.name +
                              ": a local queue of " + std::to_string(options_.local_queue) +
                              " slots of " + std::to_string(sizeof(slot_type)) +
                              " bytes needs too much shared memory");
    if (asked > fit)
      throw bad_configuration(std::to_string(asked) + " workers do not fit on " + gpu.name +
                              " at once: at most " + std::to_string(fit) +
                              " of this task set with these queues");
    plan p = plan_for(asked != 0 ? asked : fit);
    state_->shared_bytes = gpu::shared_bytes<configuration_t>(p.run);
    api::allow_shared(kernel(), state_->shared_bytes);
    return p;
  }

  void allocate() {
    state& s = *state_;
    const run_parameters& run = s.plan.run;
    p2p_request request{.devices = s.plan.devices,
                        .queue_bytes = run.public_capacity * sizeof(slot_type),
                        .global_cells = global_cells(),
                        .device_cells = {}};
    for (const auto& d : s.plan.devices)
      request.device_cells.push_back(detector::device_cells(d.workers));
    const bool in_host = options_.transport == transport_kind::host;
    s.shared = std::make_unique<transport>(
        request, [&](std::uint32_t, p2p_memory what, std::size_t bytes) {
          return in_host && what != p2p_memory::signals ? area(bytes) : area(*s.gpu, bytes);
        });
    s.own = memory_t(*s.gpu, s.plan, options_.trace_events, Statistics::enabled);
    s.began = api::make_event();
    s.ended = api::make_event();
  }

  [[nodiscard]] arguments prepare(const Context& context) {
    state& s = *state_;
    s.run = s.plan.run;
    s.run.device = s.own.ranges();
    const auto dealt = this->seeds_.deal(s.run.workers);
    s.run.initial_count = dealt.size();
    // Looks across the bus share what it carries, some hundred million words a second: thousands of
    // workers without work must leave most of it to those that have some.
    if (options_.transport == transport_kind::host) s.run.longest_pause_ns = 1u << 15;
    // Read-modify-writes of one word cross the bus one after the other, about a million a second:
    // few of them there, each for many tasks.
    s.run.initial_batch = initial_set<Tasks>::batch(
        dealt.size(), s.run.workers, options_.transport == transport_kind::host ? 2 : 16);
    s.run.seed = draw_seed(options_);
    s.initial.hold(*s.gpu, dealt, this->seeds_.version(), options_.initial_tasks == place::host);
    s.own.reset();
    const std::scoped_lock lock(s.cancel_mutex);
    s.shared->reset();
    s.running = true;
    return {.view = s.shared->workers_view(0, s.initial.data()),
            .run = s.run,
            .context = context,
            .device = 0,
            .spill = s.own.spill(),
            .results = s.own.results(),
            .statistics = s.own.statistics(),
            .direct = options_.direct != direct_mode::off,
            .one_at_a_time = options_.direct == direct_mode::one};
  }

  void end_run() {
    {
      const std::scoped_lock lock(state_->cancel_mutex);
      state_->running = false;
    }
    if (!this->keep_seeds_) this->seeds_.clear();
  }

  /// Waits for the kernel's end, reports progress, and stops a run that makes none.
  void watch() {
    using clock = std::chrono::steady_clock;
    progress_watch watch(options_);
    auto next_look = clock::now() + watch.interval();
    while (!ended_within(next_look, watch.wanted())) {
      next_look = clock::now() + watch.interval();
      bool stuck = false;
      try {
        stuck = look_stuck(watch);
      } catch (const device_error&) {
        throw;
      } catch (...) {
        // The workers use what the caller may free as soon as run() is left.
        state_->shared->stop(stop_reason::failed);
        while (!ended_within(clock::now() + watch.interval(), true)) {
        }
        end_run();
        throw;
      }
      if (stuck) stop_without_progress(watch);
    }
  }

  /// Asks often at first: many runs take less than a millisecond, and the next step should not wait
  /// for a sleeper.
  template <class Time>
  [[nodiscard]] bool ended_within(Time until, bool limited) {
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    while (!api::done(state_->ended)) {
      const auto now = clock::now();
      if (limited && now >= until) return false;
      if (now - begin > std::chrono::milliseconds(20)) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      } else {
        std::this_thread::yield();
      }
    }
    return true;
  }

  [[nodiscard]] bool look_stuck(progress_watch& watch) {
    state_->shared->look();
    const view v = state_->shared->host_view();
    std::uint64_t tasks = 0;
    std::uint64_t beats = 0;
    for (std::uint32_t w = 0; w != state_->run.workers; ++w) {
      tasks += read(v.progress(w).executed);
      beats += read(v.progress(w).beats);
    }
    return watch.stuck(tasks, beats);
  }

  [[noreturn]] void stop_without_progress(const progress_watch& watch) {
    state& s = *state_;
    // The last look is what found the run stuck.
    const std::string text = dump<protocol>(s.shared->host_view(), s.run, global_cells());
    s.shared->stop(stop_reason::no_progress);
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    s.lost = !ended_within(patience, true);
    std::uint32_t lost = 0;
    if (s.lost) {
      s.shared->look();
      const view v = s.shared->host_view();
      for (std::uint32_t w = 0; w != s.run.workers; ++w)
        lost += static_cast<phase>(read(v.progress(w).now)) != phase::finished;
      lost = std::max(lost, 1u);
    } else {
      end_run();
    }
    throw no_progress(watch.complaint(lost), text, lost);
  }

  report_type make_report(const view& v) {
    const state& s = *state_;
    report_type r;
    r.status = read(v.control().stop) == 0 ? status::completed : status::cancelled;
    if (r.status == status::completed && options_.direct == direct_mode::off)
      check_quiescent(v, s.run, global_cells());
    r.seed = s.run.seed;
    r.memory = memory();
    r.memory.initial_tasks = s.initial.bytes();
    r.statistics = Statistics::enabled;
    const auto kept = s.own.download();
    r.began_ns = kept.first_event();
    for (std::uint32_t d = 0; d != s.run.devices; ++d)
      report_device(r, s.plan, d, s.gpu->properties().name, "gpu", [&](std::uint32_t w) {
        r.results.merge(kept.results[w]);
        worker_result of = kept.worker(w);
        of.tasks = read(v.progress(w).executed);
        return of;
      });
    r.devices.front().footprint = footprint();
    return r;
  }

  [[nodiscard]] worker_footprint footprint() const {
    const gpu::kernel_properties k = api::properties_of(kernel());
    return {.lanes = Lanes,
            .registers = k.registers,
            .shared_bytes = k.static_shared_bytes + state_->shared_bytes,
            .local_bytes = k.local_bytes,
            .resident = api::resident(kernel(), Lanes, state_->shared_bytes),
            .multiprocessors = state_->gpu->properties().multiprocessors};
  }

  template <class T>
  [[nodiscard]] static auto read(const T& x) {
    return B::load(x, order::relaxed, scope::system);
  }
  [[nodiscard]] std::uint32_t global_cells() const {
    return detector::global_cells(state_->plan.run.devices);
  }

  /// Blocks that any multiprocessor holds at most.
  static constexpr std::uint32_t k_most_resident = 64;

  options options_;
  std::unique_ptr<state> state_;
};

/// \throws bad_configuration, not_possible, device_error
template <class Port, std::uint32_t Lanes, class Tasks, class Accumulators, class Context,
          class Statistics>
std::unique_ptr<runtime_base<Tasks, Accumulators, Context>> make_gpu_runtime(options o) {
  if (o.transport == transport_kind::host)
    return std::make_unique<
        gpu_runtime<Port, Lanes, scope::system_t, Tasks, Accumulators, Context, Statistics>>(
        std::move(o));
  return std::make_unique<
      gpu_runtime<Port, Lanes, scope::device_t, Tasks, Accumulators, Context, Statistics>>(
      std::move(o));
}

}  // namespace mgws
