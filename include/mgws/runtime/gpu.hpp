/// \file
/// The runtime of GPU workers: persistent kernels of which all blocks run at once, one a GPU.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
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
#include <mgws/runtime/gpu_clock.hpp>
#include <mgws/runtime/gpu_join.hpp>
#include <mgws/runtime/gpu_launch.hpp>
#include <mgws/runtime/gpu_memory.hpp>
#include <mgws/runtime/gpu_plan.hpp>
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

/// \tparam Port   what the vendor's port supplies: `api`, `backend<Lanes>`, the entries
///                `kernel<Config>()` and `clock_kernel<Backend>()`, and for several GPUs what
///                gpu_litmus wants
/// \tparam Scope  scope::device_t if all workers are on one GPU and their shared memory with them
///
/// Several GPUs take part if each reaches the memory of the others, and a litmus run of every two
/// of them finds nothing wrong there.
///
/// The GPU's queues and memory are kept between runs. A kernel that does not stop when told loses
/// the device for this process (no_progress), and so does a GPU that fails (device_error); the
/// other GPUs are told to stop and waited for. The runtime then leaves everything as it is.
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
    const auto [gpus, reached, remote] = join_gpus<Port>(options_);
    s.reached = reached;
    s.remote = remote;
    s.kernels = std::make_unique<gpu_launch<api>>(gpus);
    s.plan = plan_of_what_fits(options_, gpus, &resident, sizeof(slot_type));
    s.shared_bytes = gpu::shared_bytes<configuration_t>(s.plan.run);
    for (const auto& gpu : gpus)
      s.gpus.emplace_back().gpu = gpu;
    try {
      allocate();
    } catch (const std::bad_alloc&) {
      throw not_possible("the queues of " + std::to_string(s.plan.run.workers) +
                         " workers need more memory than " + first().properties().name +
                         " has free: use fewer workers or smaller queues");
    }
  }

  ~gpu_runtime() override {
    // A kernel that still runs uses all of it, and giving it back would wait for the kernel. And
    // what a fork has copied is the first process' to give back.
    if (state_->lost || !this->at_home()) static_cast<void>(state_.release());
  }

  report_type perform(std::span<const Context> contexts) override {
    state& s = *state_;
    if (s.lost)
      throw not_possible(
          "a GPU failed in an earlier run, or its kernel never ended: end the process");
    const auto before = std::chrono::steady_clock::now();
    const std::vector<arguments> all = prepare(contexts);
    if constexpr (Statistics::enabled)
      for (participant& p : s.gpus)
        p.clock.compare(*p.gpu);
    const auto launched = std::chrono::steady_clock::now();
    s.launched_ns = host_now();
    try {
      s.kernels->start(kernel(), all, std::span<const device_range>(s.plan.devices), Lanes,
                       s.shared_bytes);
      watch();
    } catch (const device_error&) {
      abandon();
      throw;
    }
    end_run();
    s.shared->look();
    const view v = s.shared->host_view();
    throw_failure<slot_type>(v.control(0));
    auto r = make_report(v);
    r.setup_seconds = std::chrono::duration<double>(launched - before).count();
    r.seconds = s.kernels->seconds();
    return r;
  }

  void cancel() override {
    const std::scoped_lock lock(state_->cancel_mutex);
    if (state_->running) stop(stop_reason::cancelled);
  }

  [[nodiscard]] memory_use memory() const override {
    const state& s = *state_;
    memory_use m{.local_queues = s.plan.run.workers * s.shared_bytes,
                 .public_queues = s.shared->queue_bytes(),
                 .control = s.shared->control_bytes() + sizeof(state)};
    for (const participant& p : s.gpus) {
      m.spill_areas += p.own.spill_bytes();
      m.control += p.own.control_bytes();
    }
    return m;
  }
  [[nodiscard]] std::uint32_t workers() const override { return state_->plan.run.workers; }
  [[nodiscard]] std::uint32_t devices() const override { return state_->plan.run.devices; }
  [[nodiscard]] mgws::data_places data_places() const override {
    mgws::data_places all{.devices = {}, .host = std::make_shared<gpu::mapped_memory<api>>()};
    for (const participant& p : state_->gpus)
      all.devices.push_back(std::make_shared<gpu::device_memory<api>>(p.gpu, who_reaches()));
    return all;
  }

 private:
  /// One GPU, and what its workers have to themselves.
  struct participant {
    std::shared_ptr<device> gpu;
    memory_t own;
    initial_memory<api, slot_type> initial;  ///< its copy; in host memory there is one, the first's
    gpu_clock<Port, B> clock;
  };

  struct state {
    std::shared_ptr<device>
        remote;  ///< if anything lies in the memory of one that does not compute
    std::vector<participant> gpus;
    bool reached = true;  ///< each GPU's memory by the others
    mgws::plan plan;
    run_parameters run{};  ///< of the current run, as the workers have it
    std::size_t shared_bytes = 0;
    std::unique_ptr<transport> shared;
    std::unique_ptr<gpu_launch<api>> kernels;
    std::uint64_t launched_ns = 0;  ///< the current run, on the host's clock
    std::mutex cancel_mutex;        ///< cancel() may come while a run is set up or has just ended
    bool running = false;
    bool lost = false;
  };

  /// How long workers may take to stop when told.
  static constexpr std::chrono::seconds k_patience{2};

  [[nodiscard]] static auto* kernel() { return Port::template kernel<configuration_t>(); }

  [[nodiscard]] const device& first() const { return *state_->gpus.front().gpu; }

  /// Workers of this plan that one multiprocessor of a GPU holds at once; 0 if one needs more
  /// shared memory than there is.
  [[nodiscard]] static std::uint32_t resident(const device& gpu, const plan& p) {
    const std::size_t shared = gpu::shared_bytes<configuration_t>(p.run);
    if (shared > gpu.properties().shared_bytes) return 0;
    api::use(gpu.index());
    api::allow_shared(kernel(), shared);
    return api::resident(kernel(), Lanes, shared);
  }

  /// The memory of each GPU.
  [[nodiscard]] gpu::reach who_reaches() const {
    return state_->gpus.size() > 1 ? gpu::reach::shared : gpu::reach::own;
  }

  /// On the host transport: whether the counters of initial tasks lie with the signals in the GPUs'
  /// memory, wherever the tasks are.
  [[nodiscard]] bool near_counter() const {
    return options_.transport == transport_kind::host && state_->reached;
  }

  void allocate() {
    state& s = *state_;
    const run_parameters& run = s.plan.run;
    p2p_request request{.devices = s.plan.devices,
                        .queue_bytes = run.public_capacity * sizeof(slot_type),
                        .global_cells = global_cells(),
                        .device_cells = {},
                        .near_initial_counter = near_counter()};
    for (const auto& d : s.plan.devices)
      request.device_cells.push_back(detector::device_cells(d.workers));
    s.shared = std::make_unique<transport>(request, [&](std::uint32_t d, p2p_memory what,
                                                        std::size_t bytes) {
      if (what == p2p_memory::mirror) return area(bytes);
      const bool signals = what == p2p_memory::signals;
      if (options_.transport == transport_kind::remote)
        return area(*s.remote, bytes, gpu::reach::shared);
      // Several GPUs that share host memory need not reach each other's.
      const bool in_host = options_.transport == transport_kind::host && !(signals && s.reached);
      return in_host ? area(bytes)
                     : area(*s.gpus[d].gpu, bytes, signals ? gpu::reach::shared : who_reaches());
    });
    for (std::uint32_t d = 0; d != s.gpus.size(); ++d) {
      participant& p = s.gpus[d];
      api::use(p.gpu->index());
      api::allow_shared(kernel(), s.shared_bytes);
      p.own = memory_t(*p.gpu, s.plan, d, options_.trace_events, Statistics::enabled);
    }
  }

  [[nodiscard]] std::vector<arguments> prepare(std::span<const Context> contexts) {
    state& s = *state_;
    s.run = s.plan.run;
    constexpr std::uint32_t side_by_side = holdings<configuration_t>::units();
    const auto dealt = this->seeds_.deal(s.run.workers, side_by_side);
    s.run.initial_count = dealt.size();
    // The bus carries some hundred million words a second, of one and the same about a million:
    // thousands of workers without work must leave most of it to those that have some, and seldom
    // ask for the word that all of them read: who makes the count full asks at once, and tells the
    // others through the GPU's memory. (A tree's members wait for each other's answers.) Over the
    // links between GPUs it is the same, but for the pauses.
    const bool over_the_bus = options_.transport == transport_kind::host;
    if (over_the_bus) s.run.longest_pause_ns = 1u << 15;
    s.run.far_detector = over_the_bus || s.run.devices > 1;
    s.run.looks_between_questions =
        s.run.far_detector && options_.termination != termination::tree ? 127 : 0;
    s.run.slots_of_step = this->seeds_.slots_of_step(side_by_side);
    s.run.far_counter = over_the_bus && !near_counter();
    s.run.seed = draw_seed(options_);
    const bool tasks_in_host = options_.initial_tasks == place::host;
    const bool remote_tasks = options_.initial_tasks == place::remote;
    for (participant& p : s.gpus)
      if (!tasks_in_host || &p == &s.gpus.front())
        p.initial.hold(remote_tasks ? *s.remote : *p.gpu, dealt, this->seeds_.version(),
                       tasks_in_host, remote_tasks ? gpu::reach::shared : gpu::reach::own);
    const std::scoped_lock lock(s.cancel_mutex);
    s.shared->reset();
    s.running = true;
    std::vector<arguments> all;
    for (std::uint32_t d = 0; d != s.gpus.size(); ++d) {
      const memory_t& own = s.gpus[d].own;
      own.reset();
      const auto& initial = s.gpus[tasks_in_host ? 0 : d].initial;
      all.push_back({.view = s.shared->workers_view(d, initial.data()),
                     .run = s.run,
                     .context = contexts[contexts.size() == 1 ? 0 : d],
                     .device = d,
                     .spill = own.spill(),
                     .results = own.results(),
                     .statistics = own.statistics(),
                     .direct = options_.direct != direct_mode::off,
                     .one_at_a_time = options_.direct == direct_mode::one});
      all.back().run.device = own.ranges();
    }
    return all;
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
    while (!state_->kernels->ended_within(next_look, watch.wanted())) {
      next_look = clock::now() + watch.interval();
      bool stuck = false;
      try {
        stuck = look_stuck(watch);
      } catch (const device_error&) {
        throw;
      } catch (...) {
        // The workers use what the caller may free as soon as run() is left.
        stop(stop_reason::failed);
        while (!state_->kernels->ended_within(clock::now() + watch.interval(), true)) {
        }
        end_run();
        throw;
      }
      if (stuck) stop_without_progress(watch);
    }
  }

  /// Asks all workers to stop. A GPU that has failed cannot be told and need not be.
  void stop(stop_reason reason) const {
    for (std::uint32_t d = 0; d != state_->gpus.size(); ++d) {
      try {
        state_->shared->stop(d, reason);
      } catch (const device_error&) {
      }
    }
  }

  /// A GPU has failed: nothing of it works any more in this process. The others search for work
  /// that it will never give back. They are stopped, so that they are free when this process goes
  /// on.
  void abandon() {
    state& s = *state_;
    s.lost = true;
    stop(stop_reason::failed);
    s.kernels->wait_for_the_others(std::chrono::steady_clock::now() + k_patience);
    end_run();
  }

  [[nodiscard]] bool look_stuck(progress_watch& watch) {
    state_->shared->look_at_signals();
    const view v = state_->shared->live_view();
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
    if constexpr (B::host_looks) s.shared->look();
    // Workers that stop leave their queues as they are; what they do is what they did when found.
    std::string text = dump<protocol>(s.shared->live_view(), s.run, global_cells(), B::host_looks);
    stop(stop_reason::no_progress);
    s.lost = !s.kernels->ended_within(std::chrono::steady_clock::now() + k_patience, true);
    if constexpr (!B::host_looks) {
      if (s.lost) {
        text += "queues cannot be read while a kernel runs\n";
      } else {
        s.shared->look();
        text += "then, after the workers had stopped:\n" +
                dump<protocol>(s.shared->host_view(), s.run, global_cells());
      }
    }
    std::uint32_t lost = 0;
    std::string where;
    if (s.lost) {
      s.shared->look_at_signals();
      const view v = s.shared->live_view();
      for (std::uint32_t d = 0; d != s.gpus.size(); ++d) {
        if (s.kernels->done(d)) continue;
        where += (where.empty() ? " on GPU " : ", GPU ") + std::to_string(s.gpus[d].gpu->index());
        std::uint32_t here = 0;
        const device_range& of = s.plan.devices[d];
        for (std::uint32_t w = of.first_worker; w != of.first_worker + of.workers; ++w)
          here += static_cast<phase>(read(v.progress(w).now)) != phase::finished;
        lost += std::max(here, 1u);
      }
      lost = std::max(lost, 1u);
    }
    end_run();
    throw no_progress(watch.complaint(lost, where), text, lost);
  }

  report_type make_report(const view& v) {
    const state& s = *state_;
    report_type r;
    r.status = read(v.control(0).stop) == 0 ? status::completed : status::cancelled;
    if (r.status == status::completed && options_.direct == direct_mode::off)
      check_quiescent(v, s.run, global_cells());
    r.seed = s.run.seed;
    r.memory = memory();
    r.slot_bytes = sizeof(slot_type);
    for (const participant& p : s.gpus)
      r.memory.initial_tasks += p.initial.bytes();
    r.statistics = Statistics::enabled;
    r.began_ns = s.launched_ns;
    for (std::uint32_t d = 0; d != s.run.devices; ++d) {
      const auto kept = s.gpus[d].own.download();
      const std::uint32_t first_worker = s.plan.devices[d].first_worker;
      const device& gpu = *s.gpus[d].gpu;
      const std::string name = gpu.properties().name;
      report_device(r, s.plan, d,
                    s.run.devices == 1 ? name : name + " " + std::to_string(gpu.index()), "gpu",
                    [&](std::uint32_t w) {
                      r.results.merge(kept.results[w - first_worker]);
                      worker_result of = kept.worker(w - first_worker);
                      of.tasks = read(v.progress(w).executed);
                      on_host_clock(s.gpus[d].clock, of);
                      return of;
                    });
      r.devices.back().footprint = footprint(gpu);
      r.devices.back().clock_error_seconds = s.gpus[d].clock.error_seconds();
    }
    return r;
  }

  static void on_host_clock(const gpu_clock<Port, B>& clock, worker_result& of) {
    if (of.first_work_ns != 0) of.first_work_ns = clock.on_host(of.first_work_ns);
    for (trace_event& e : of.trace) {
      e.begin_ns = clock.on_host(e.begin_ns);
      e.end_ns = clock.on_host(e.end_ns);
    }
  }

  [[nodiscard]] worker_footprint footprint(const device& gpu) const {
    api::use(gpu.index());
    const gpu::kernel_properties k = api::properties_of(kernel());
    return {.lanes = Lanes,
            .registers = k.registers,
            .shared_bytes = k.static_shared_bytes + state_->shared_bytes,
            .local_bytes = k.local_bytes,
            .resident = api::resident(kernel(), Lanes, state_->shared_bytes),
            .multiprocessors = gpu.properties().multiprocessors};
  }

  template <class T>
  [[nodiscard]] static auto read(const T& x) {
    return B::load(x, order::relaxed, scope::system);
  }
  [[nodiscard]] std::uint32_t global_cells() const {
    return detector::global_cells(state_->plan.run.devices);
  }

  options options_;
  std::unique_ptr<state> state_;
};

/// \throws bad_configuration, not_possible, device_error
template <class Port, std::uint32_t Lanes, class Tasks, class Accumulators, class Context,
          class Statistics>
std::unique_ptr<runtime_base<Tasks, Accumulators, Context>> make_gpu_runtime(options o) {
  if (o.devices.size() > 1)
    return std::make_unique<
        gpu_runtime<Port, Lanes, scope::system_t, Tasks, Accumulators, Context, Statistics>>(
        std::move(o));
  return std::make_unique<
      gpu_runtime<Port, Lanes, scope::device_t, Tasks, Accumulators, Context, Statistics>>(
      std::move(o));
}

}  // namespace mgws
