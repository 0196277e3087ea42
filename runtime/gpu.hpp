/// \file
/// The crew of GPU workers: persistent kernels of which all blocks run at once, one a GPU.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <unistd.h>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/backends/gpu/device.hpp>
#include <mgws/backends/gpu/host_clock.hpp>
#include <mgws/backends/gpu/kernel.hpp>
#include <mgws/backends/gpu/launch.hpp>
#include <mgws/backends/gpu/moves.hpp>
#include <mgws/backends/gpu/survey.hpp>
#include <mgws/core/scratch.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/placement.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/base.hpp>
#include <mgws/runtime/crew.hpp>
#include <mgws/runtime/crew_state.hpp>
#include <mgws/runtime/gpu_join.hpp>
#include <mgws/runtime/gpu_plan.hpp>
#include <mgws/runtime/initial_set.hpp>
#include <mgws/runtime/plan.hpp>
#include <mgws/transports/table.hpp>

namespace mgws {

/// A crew of GPU workers but for the types of their tasks.
/// \tparam Port   what the vendor's port supplies: `api`, `backend<Lanes>`, the entries
///                `kernel<Config>()`, `clock_kernel<Backend>()`, `move_kernel<Backend>()` and
///                `survey_kernel<View>()`, and for several GPUs what gpu_litmus wants
/// \tparam Bridged  as placed_view
///
/// Several GPUs take part if each reaches the memory of the others, and a litmus run of every two
/// of them finds nothing wrong there.
///
/// The GPU's queues and memory are kept between runs. A kernel that does not stop when told loses
/// the device for this process (no_progress), and so does a GPU that fails (device_error); the
/// other GPUs are told to stop and waited for. The runtime then leaves everything as it is.
template <class Port, std::uint32_t Lanes, bool Bridged>
class gpu_workers : public crew<crew_state<placed_view<typename Port::template backend<Lanes>,
                                                       scope::system_t, k_most_gpus, Bridged>,
                                           gpu::area<typename Port::api>, 1>> {
 protected:
  using api = typename Port::api;
  using B = typename Port::template backend<Lanes>;
  using device = gpu::device<api>;
  using area = gpu::area<api>;

  /// As the state has it; workers may have a narrower one.
  using host_view = placed_view<B, scope::system_t, k_most_gpus, Bridged>;

  /// What the host asks of a kernel, whatever its arguments are.
  struct kernel_calls {
    void (*allow_shared)(std::size_t bytes);
    std::uint32_t (*resident)(std::size_t shared_bytes);
    gpu::kernel_properties (*properties)();
    /// Launches the survey.
    void (*survey)(const gpu::survey_arguments<host_view>&, const gpu::grid&, typename api::stream);
  };

  /// \pre check(o) passed, and all devices are GPUs
  /// \throws bad_configuration, not_possible, device_error
  gpu_workers(options& o, const domain_setting& domains, const types_of_run& types,
              const kernel_calls& kernel)
      : options_(o), kernel_(kernel), state_(std::make_unique<state_t>()) {
    state_t& s = *state_;
    s.types = types;
    s.row = transport_of(o);
    o.transport = s.row.kind;
    const auto [gpus, reached, remote] = join_gpus<Port>(o, s.row);
    s.reached = reached;
    s.remote = remote;
    s.kernels = std::make_unique<gpu::launch<api>>(gpus);
    s.plan = plan_of_what_fits(
        o, domains.beside, gpus, [&](const device& gpu, const plan& p) { return resident(gpu, p); },
        types.slot_bytes);
    s.plan.channels = domains.domains * domains.domains;
    s.shared_bytes = gpu::shared_bytes<host_view>(s.plan.run, types.slot_bytes);
    for (const auto& gpu : gpus)
      s.gpus.emplace_back().gpu = gpu;
    try {
      allocate();
    } catch (const std::bad_alloc&) {
      throw not_possible("the queues of " + std::to_string(s.plan.run.workers) +
                         " workers need more memory than " + name_of(0) +
                         " has free: use fewer workers or smaller queues");
    }
    s.blocks = grids_of(s.plan, domains.beside, gpus, Lanes, s.shared_bytes,
                        kernel_.properties().static_shared_bytes);
  }
  ~gpu_workers() {
    // A kernel that still runs uses all of it, and giving it back would wait for the kernel. And
    // what a fork has copied is the first process' to give back.
    if (state_->lost || getpid() != made_in_) static_cast<void>(state_.release());
  }

 public:
  using state_type = typename gpu_workers::crew::state_type;
  using view = typename state_type::view;
  static_assert(device_area<area>);
  static_assert(sizeof(channel_head<B>) == sizeof(channel_head<cpu_backend::backend>));

  gpu_workers(const gpu_workers&) = delete;
  gpu_workers& operator=(const gpu_workers&) = delete;

  [[nodiscard]] state_type& state() override { return *state_; }
  [[nodiscard]] const state_type& state() const override { return *state_; }
  [[nodiscard]] std::chrono::duration<double> patience() const override { return k_patience; }

  void check_all_there() const override {
    if (state_->lost)
      throw not_possible(
          "a GPU failed in an earlier run, or its kernel never ended: end the process");
  }
  void brought_to_start() override {
    for (const participant& p : state_->gpus)
      carry_out(*p.gpu, p.gpu->take_moves());
    if (state_->remote) carry_out(*state_->remote, state_->remote->take_moves());
  }
  bool ended_within(std::chrono::duration<double> time, bool limited) override {
    return state_->kernels->ended_within(time, limited);
  }
  /// Nothing of the GPU works any more in this process. The others search for work that it will
  /// never give back. They have been told to stop, so that they are free when this process goes on.
  void abandon() override {
    state_->lost = true;
    state_->kernels->wait_for_the_others(k_patience);
  }
  std::uint32_t lost(std::string& where) override {
    state_t& s = *state_;
    s.lost = true;
    const view v = s.shared->live_view();
    std::uint32_t lost = 0;
    for (std::uint32_t d = 0; d != s.gpus.size(); ++d) {
      if (s.kernels->done(d)) continue;
      where += (where.empty() ? " on GPU " : ", GPU ") + std::to_string(s.gpus[d].gpu->index());
      std::uint32_t here = 0;
      const device_range& of = s.plan.devices[d];
      for (std::uint32_t w = of.first_worker; w != of.first_worker + of.workers; ++w)
        here += static_cast<phase>(B::load(v.progress(w).now, order::relaxed, scope::system)) !=
                phase::finished;
      lost += std::max(here, 1u);
    }
    return std::max(lost, 1u);
  }
  void collect() override {
    look_behind();
    settle();
    state_->shared->take_over_requests();
  }
  void rethrow() override {}  // on a GPU nothing is thrown

  [[nodiscard]] bool known_settled() const override {
    const auto unsettled = survey();
    return std::none_of(unsettled.unsettled, unsettled.executed,
                        [](auto word) { return word != 0; });
  }
  [[nodiscard]] std::vector<std::uint64_t> executed() const override {
    const std::uint64_t* const tasks = survey().executed;
    return {tasks, tasks + state_->run.workers};
  }

  [[nodiscard]] double seconds() const override { return state_->kernels->seconds(); }
  [[nodiscard]] device_report describe(std::uint32_t d) const override {
    const participant& p = state_->gpus[d];
    return {.name = state_->gpus.size() == 1 ? name_of(d)
                                             : name_of(d) + " " + std::to_string(p.gpu->index()),
            .kind = "gpu",
            .footprint = p.footprint,
            .clock_error_seconds = p.clock.error_seconds()};
  }
  [[nodiscard]] std::uint64_t on_host_clock(std::uint32_t d, std::uint64_t ns) const override {
    return state_->gpus[d].clock.on_host(ns);
  }
  [[nodiscard]] memory_use memory() const override {
    memory_use m{.local_queues = state_->plan.run.workers * state_->shared_bytes,
                 .control = state_->survey.bytes()};
    for (const participant& p : state_->gpus)
      m.control += p.ranges.bytes();
    return m;
  }
  [[nodiscard]] std::size_t initial_bytes() const override {
    std::size_t n = 0;
    for (const participant& p : state_->gpus)
      n += p.initial.bytes();
    return n;
  }
  [[nodiscard]] mgws::data_places data_places() const override {
    mgws::data_places all{.devices = {},
                          .host = std::make_shared<gpu::mapped_memory<api>>(),
                          .reached = state_->reached};
    for (const participant& p : state_->gpus)
      all.devices.push_back(std::make_shared<gpu::device_memory<api>>(p.gpu, who_reaches()));
    return all;
  }

 protected:
  static constexpr std::chrono::seconds k_patience{2};

  /// One GPU, and what it has of the run.
  struct participant {
    std::shared_ptr<device> gpu;
    area ranges;                  ///< the plan's, where its workers read them
    area channels;                ///< the bridge's, likewise
    gpu::held_copy<api> initial;  ///< the initial tasks, where the workers load them from
    worker_footprint footprint{};
    gpu::host_clock<Port, B> clock;
  };

  struct state_t : state_type {
    std::shared_ptr<device>
        remote;  ///< if anything lies in the memory of one that does not compute
    std::vector<participant> gpus;
    transport_row row{};
    bool reached = true;  ///< each GPU's memory by the others
    std::size_t shared_bytes = 0;
    std::vector<gpu::grid> blocks;  ///< of each GPU's kernel
    std::unique_ptr<gpu::launch<api>> kernels;
    area survey;
    /// Of the current run, what each GPU's kernel is given: run.device is where that has it.
    struct given {
      typename state_type::view view;
      run_parameters run;
    };
    std::vector<given> given_to;
    bool lost = false;
  };

  /// Brings the initial slots to where the workers read them, and makes state().given_to.
  /// \param version  differs whenever the slots do
  void begin(std::span<const std::byte> dealt, std::uint64_t version) {
    state_t& s = *state_;
    // The bus carries some hundred million words a second, of one and the same about a million:
    // thousands of workers without work must leave most of it to those that have some, and seldom
    // ask for the word that all of them read: who makes the count full asks at once, and tells the
    // others through the GPU's memory. (A tree's members wait for each other's answers.) Over the
    // links between GPUs it is the same, but for the pauses.
    const bool over_the_bus = s.row.queues == memory_of::host;
    if (over_the_bus) s.run.longest_pause_ns = 1u << 15;
    s.run.far_detector = over_the_bus || s.run.devices > 1;
    s.run.looks_between_questions =
        s.run.far_detector && options_.termination != termination::tree ? 127 : 0;
    s.run.far_counter = over_the_bus && found(s.row.counters) == memory_of::host;
    const bool in_host = options_.initial_tasks == task_memory::host;
    const bool apart = options_.initial_tasks == task_memory::remote;
    s.given_to.clear();
    for (std::uint32_t d = 0; d != s.gpus.size(); ++d) {
      participant& p = s.gpus[d];
      // In host memory there is one copy, the first's.
      if (!in_host || d == 0)
        p.initial.hold(apart ? *s.remote : *p.gpu, dealt, version, in_host,
                       apart ? gpu::reach::shared : gpu::reach::own);
      s.given_to.push_back({s.shared->workers_view(s.gpus[in_host ? 0 : d].initial.data()), s.run});
      run_parameters& run = s.given_to.back().run;
      run.device = reinterpret_cast<const device_range*>(p.ranges.data());
      if (run.bridge != nullptr) {
        p.channels.write(0, run.bridge, p.channels.bytes());
        run.bridge = reinterpret_cast<const bridge_channel*>(p.channels.data());
      }
    }
  }
  [[nodiscard]] state_t& own_state() { return *state_; }
  [[nodiscard]] bool is_direct() const { return options_.direct != direct_mode::off; }
  [[nodiscard]] bool is_one_at_a_time() const { return options_.direct == direct_mode::one; }

  /// Whether all that is put before a run is one GPU's, and so in the order of its kernels.
  [[nodiscard]] bool alone() const { return state_->gpus.size() == 1 && !state_->remote; }
  void settle() const {
    for (const participant& p : state_->gpus)
      p.gpu->settle();
    if (state_->remote) state_->remote->settle();
  }

 private:
  [[nodiscard]] std::string name_of(std::uint32_t d) const {
    return state_->gpus[d].gpu->properties().name;
  }

  /// Where the GPUs say how the run ended.
  [[nodiscard]] gpu::survey_words survey() const {
    auto* const words = reinterpret_cast<std::uint64_t*>(state_->survey.data());
    return {words, words + state_->gpus.size()};
  }
  void look_behind() const {
    const state_t& s = *state_;
    std::memset(s.survey.data(), 0, s.survey.bytes());
    for (const auto& own : s.own)
      own.look_behind();
    s.shared->look_at_control_behind();
    for (std::uint32_t d = 0; d != s.gpus.size(); ++d) {
      device& gpu = *s.gpus[d].gpu;
      std::vector<gpu::moves> moves = gpu.take_moves();
      gpu::moves first{};
      if (!moves.empty()) {
        first = moves.back();
        moves.pop_back();
      }
      const device_range& of = s.plan.devices[d];
      api::use(gpu.index());
      kernel_.survey({s.given_to[d].view, s.given_to[d].run, d, survey(), first},
                     grid_of(gpu, std::max(of.workers, of.queues)), gpu.kernels());
      carry_out(gpu, moves);
    }
    if (s.remote) carry_out(*s.remote, s.remote->take_moves());
  }
  void carry_out(const device& gpu, const std::vector<gpu::moves>& all) const {
    if (all.empty()) return;
    api::use(gpu.index());
    for (const gpu::moves& m : all)
      api::launch_blocks(Port::template move_kernel<B>(), m,
                         grid_of(gpu, m.bytes() / sizeof(gpu::moved_at_once)), gpu.kernels());
    gpu.copies_follow();
  }
  /// For a launch of about so many threads that need not all be there.
  [[nodiscard]] static gpu::grid grid_of(const device& gpu, std::uint64_t wanted) {
    constexpr std::uint32_t threads = 128;
    const std::uint64_t most = 2 * gpu.properties().multiprocessors;
    return {.blocks = static_cast<std::uint32_t>(
                std::clamp<std::uint64_t>((wanted + threads - 1) / threads, 1, most)),
            .threads = threads};
  }

  /// Workers of this plan that one multiprocessor of a GPU holds at once; 0 if one needs more
  /// shared memory than there is.
  [[nodiscard]] std::uint32_t resident(const device& gpu, const plan& p) const {
    const std::size_t shared = gpu::shared_bytes<host_view>(p.run, state_->types.slot_bytes);
    if (shared > gpu.properties().shared_bytes) return 0;
    api::use(gpu.index());
    kernel_.allow_shared(shared);
    return kernel_.resident(shared);
  }

  /// The memory of each GPU.
  [[nodiscard]] gpu::reach who_reaches() const {
    return state_->gpus.size() > 1 ? gpu::reach::shared : gpu::reach::own;
  }
  /// Several GPUs that share host memory need not reach each other's.
  [[nodiscard]] memory_of found(memory_of where) const {
    if (where != memory_of::reached) return where;
    return state_->reached ? memory_of::device : memory_of::host;
  }

  void allocate() {
    state_t& s = *state_;
    const auto of_memory = [&](std::uint32_t m, transport_memory what, std::size_t bytes) {
      const bool signals = what == transport_memory::signals;
      const auto where = found(signals                           ? s.row.signals
                               : what == transport_memory::slots ? s.row.slots
                                                                 : s.row.queues);
      if (what == transport_memory::mirror || what == transport_memory::inboxes ||
          where == memory_of::host)
        return area(bytes);
      if (where == memory_of::apart) return area(*s.remote, bytes, gpu::reach::shared);
      return area(*s.gpus[m].gpu, bytes, signals ? gpu::reach::shared : who_reaches());
    };
    s.allocate(options_, found(s.row.counters) != found(s.row.queues), of_memory,
               [&](std::uint32_t d, std::size_t bytes) { return area(*s.gpus[d].gpu, bytes); });
    s.survey = area((s.plan.devices.size() + s.plan.run.workers) * sizeof(std::uint64_t));
    for (participant& p : s.gpus) {
      api::use(p.gpu->index());
      kernel_.allow_shared(s.shared_bytes);
      const gpu::kernel_properties k = kernel_.properties();
      p.footprint = {.lanes = Lanes,
                     .registers = k.registers,
                     .shared_bytes = k.static_shared_bytes + s.shared_bytes,
                     .scratch_bytes = s.types.scratch_bytes,
                     .local_bytes = k.local_bytes,
                     .resident = kernel_.resident(s.shared_bytes),
                     .resident_without_scratch = kernel_.resident(
                         s.shared_bytes - std::min(s.shared_bytes, s.types.scratch_bytes)),
                     .multiprocessors = p.gpu->properties().multiprocessors};
      p.ranges = area(*p.gpu, s.plan.devices.size() * sizeof(device_range));
      p.ranges.write(0, s.plan.devices.data(), p.ranges.bytes());
      if (s.plan.channels != 0) p.channels = area(*p.gpu, s.plan.channels * sizeof(bridge_channel));
    }
  }

  const options& options_;
  const kernel_calls kernel_;
  const pid_t made_in_ = getpid();
  std::unique_ptr<state_t> state_;
};

/// The template parameters are those of gpu_workers and of mgws::runtime.
/// \tparam Scope  scope::device_t if all workers are on one GPU and their shared memory with them
template <class Port, std::uint32_t Lanes, class Scope, class Tasks, class Accumulators,
          class Context, class Statistics, bool Bridged>
class gpu_crew final : public gpu_workers<Port, Lanes, Bridged> {
  using workers = gpu_workers<Port, Lanes, Bridged>;
  using api = typename Port::api;
  using host_view = typename workers::view;
  using transport = typename workers::state_type::transport;
  using view = placed_view<typename workers::B, Scope,
                           std::is_same_v<Scope, scope::device_t> ? 1 : k_most_gpus, Bridged>;

 public:
  using types =
      crew_types<typename workers::state_type, view, Tasks, Accumulators, Context, Statistics>;
  using slot_type = typename types::slot_type;

  /// As gpu_workers.
  gpu_crew(options& o, const domain_setting& domains)
      : workers(o, domains, in_numbers(),
                {[](std::size_t bytes) { api::allow_shared(kernel(), bytes); },
                 [](std::size_t bytes) { return api::resident(kernel(), Lanes, bytes); },
                 [] { return api::properties_of(kernel()); },
                 [](const gpu::survey_arguments<host_view>& a, const gpu::grid& blocks,
                    typename api::stream stream) {
                   api::launch_blocks(
                       Port::template survey_kernel<view>(),
                       gpu::survey_arguments<view>{transport::template seen_by<view>(a.view), a.run,
                                                   a.device, a.to, a.behind},
                       blocks, stream);
                 }}) {}

  void prepare(std::span<const Context> contexts, const std::shared_ptr<initial_set<Tasks>>& seeds,
               std::span<const slot_type> dealt) {
    this->begin(std::as_bytes(dealt), seeds->version());
    auto& s = this->own_state();
    arguments_.clear();
    for (std::uint32_t d = 0; d != s.gpus.size(); ++d) {
      arguments_.push_back({.view = transport::template seen_by<view>(s.given_to[d].view),
                            .run = s.given_to[d].run,
                            .context = contexts[contexts.size() == 1 ? 0 : d],
                            .device = d,
                            .spill = s.own[d].template spill<slot_type>(),
                            .results = s.own[d].template result<Accumulators>(),
                            .statistics = s.own[d].statistics(),
                            .direct = this->is_direct(),
                            .one_at_a_time = this->is_one_at_a_time()});
      if constexpr (Statistics::enabled) s.gpus[d].clock.compare(*s.gpus[d].gpu);
    }
  }
  // What is put before one GPU's kernel needs no waiting; several GPUs reach each other's memory,
  // and each has an order of its own. Nothing but the kernel is given to a GPU while it runs: a
  // request to stop must not meet a copy that waits for the kernel's end.
  void launch() override {
    const auto& s = this->own_state();
    if (!this->alone()) this->settle();
    s.kernels->start(kernel(), arguments_, s.blocks);
  }

 private:
  using configuration = typename types::configuration;

  [[nodiscard]] static auto* kernel() { return Port::template kernel<configuration>(); }
  [[nodiscard]] static constexpr types_of_run in_numbers() {
    using team = typename workers::B::team;
    types_of_run n = types::in_numbers();
    n.scratch_bytes = scratch_bytes<Tasks>(team::k_lanes, team::k_lanes / team::k_warp_lanes);
    return n;
  }

  std::vector<gpu::kernel_arguments<configuration>> arguments_;  ///< of the current run
};

}  // namespace mgws
