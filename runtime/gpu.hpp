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
#include <mgws/core/widths.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/placement.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/base.hpp>
#include <mgws/runtime/crew.hpp>
#include <mgws/runtime/crew_state.hpp>
#include <mgws/runtime/initial_set.hpp>
#include <mgws/runtime/plan.hpp>
#include <mgws/transports/table.hpp>

namespace mgws {

/// Opens the GPUs that options name and joins them, or says why they cannot be.
/// \pre check(o) passed, and all devices are GPUs
/// \throws bad_configuration, not_possible, no_progress, device_error
template <class Port>
void try_to_join(const options& o);

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
  /// Of one GPU's workers, whose shared memory is with them.
  using view_of_one = placed_view<B, scope::device_t, 1, Bridged>;

  /// What the host asks of a kernel, whatever its arguments are.
  struct kernel_calls {
    void (*allow_shared)(std::size_t bytes);
    std::uint32_t (*resident)(std::size_t shared_bytes);
    gpu::kernel_properties (*properties)();
  };

  /// \pre check(o) passed, and all devices are GPUs
  /// \throws bad_configuration, not_possible, device_error
  gpu_workers(options& o, const domain_setting& domains, const types_of_run& types,
              const kernel_calls& kernel);
  ~gpu_workers();

 public:
  using state_type = typename gpu_workers::crew::state_type;
  using view = typename state_type::view;
  static_assert(device_area<area>);
  static_assert(sizeof(channel_head<B>) == sizeof(channel_head<cpu_backend::backend>));

  gpu_workers(const gpu_workers&) = delete;
  gpu_workers& operator=(const gpu_workers&) = delete;

  [[nodiscard]] state_type& state() override { return *state_; }
  [[nodiscard]] const state_type& state() const override { return *state_; }
  [[nodiscard]] std::chrono::duration<double> patience() const override {
    return k_wait_for_the_others;
  }

  void check_all_there() const override;
  void brought_to_start() override;
  [[nodiscard]] std::uint32_t threads() const override { return 0; }
  void launch(const std::shared_ptr<start_line>& start) override;
  bool ended_within(std::chrono::duration<double> time, bool limited) override;
  /// Nothing of the GPU works any more in this process. The others search for work that it will
  /// never give back. They have been told to stop, so that they are free when this process goes on.
  void abandon() override;
  std::uint32_t lost(std::string& where) override;
  void collect() override;
  void rethrow() override {}  // on a GPU nothing is thrown

  [[nodiscard]] bool known_settled() const override;
  [[nodiscard]] std::vector<std::uint64_t> executed() const override;

  [[nodiscard]] std::uint64_t began_ns() const override { return state_->began_ns; }
  [[nodiscard]] double seconds() const override;
  [[nodiscard]] device_report describe(std::uint32_t d) const override;
  [[nodiscard]] std::uint64_t on_host_clock(std::uint32_t d, std::uint64_t ns) const override;
  [[nodiscard]] memory_use memory() const override;
  [[nodiscard]] std::size_t initial_bytes() const override;
  [[nodiscard]] mgws::data_places data_places() const override;

 protected:
  static constexpr std::chrono::seconds k_wait_for_the_others{2};

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
    std::uint64_t began_ns = 0;
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
  void begin(std::span<const std::byte> dealt, std::uint64_t version);
  [[nodiscard]] state_t& own_state() { return *state_; }
  [[nodiscard]] bool is_direct() const { return options_.direct != direct_mode::off; }
  [[nodiscard]] bool is_one_at_a_time() const { return options_.direct == direct_mode::one; }

  /// With the host's. \pre no kernel runs
  void compare_clock(std::uint32_t d);

 private:
  /// With state().blocks, and what the derived class has prepared.
  virtual void start_kernels() = 0;

  /// Whether all that is put before a run is one GPU's, and so in the order of its kernels.
  [[nodiscard]] bool alone() const { return state_->gpus.size() == 1 && !state_->remote; }
  void settle() const;
  [[nodiscard]] std::string name_of(std::uint32_t d) const;

  /// Where the GPUs say how the run ended.
  [[nodiscard]] gpu::survey_words survey() const;
  /// \tparam View  the workers'
  template <class View>
  void launch_survey(std::uint32_t d, const gpu::moves& behind) const;
  void look_behind() const;
  void carry_out(const device& gpu, const std::vector<gpu::moves>& all) const;
  /// For a launch of about so many threads that need not all be there.
  [[nodiscard]] static gpu::grid grid_of(const device& gpu, std::uint64_t wanted);

  /// Workers of this plan that one multiprocessor of a GPU holds at once; 0 if one needs more
  /// shared memory than there is.
  [[nodiscard]] std::uint32_t resident(const device& gpu, const plan& p) const;

  /// The memory of each GPU.
  [[nodiscard]] gpu::reach who_reaches() const;
  /// Several GPUs that share host memory need not reach each other's.
  [[nodiscard]] memory_of found(memory_of where) const;

  void allocate();

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
  using transport = typename workers::state_type::transport;
  using view = std::conditional_t<std::is_same_v<Scope, scope::device_t>,
                                  typename workers::view_of_one, typename workers::view>;

 public:
  using types =
      crew_types<typename workers::state_type, view, Tasks, Accumulators, Context, Statistics>;
  using slot_type = typename types::slot_type;

  /// As gpu_workers.
  gpu_crew(options& o, const domain_setting& domains)
      : workers(o, domains, in_numbers(),
                {[](std::size_t bytes) { api::allow_shared(kernel(), bytes); },
                 [](std::size_t bytes) { return api::resident(kernel(), Lanes, bytes); },
                 [] { return api::properties_of(kernel()); }}) {}

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
      if constexpr (Statistics::enabled) this->compare_clock(d);
    }
  }

 private:
  using configuration = typename types::configuration;

  void start_kernels() override {
    const auto& s = this->own_state();
    s.kernels->start(kernel(), arguments_, s.blocks);
  }

  [[nodiscard]] static auto* kernel() { return Port::template kernel<configuration>(); }
  [[nodiscard]] static constexpr types_of_run in_numbers() {
    using team = typename workers::B::team;
    types_of_run n = types::in_numbers();
    n.scratch_bytes = scratch_bytes<Tasks>(team::k_lanes, team::k_lanes / team::k_warp_lanes);
    n.units = widths<configuration>::units();
    return n;
  }

  std::vector<gpu::kernel_arguments<configuration>> arguments_;  ///< of the current run
};

}  // namespace mgws

#if !defined(MGWS_COMPILED_APART)
#include <mgws/runtime/impl/gpu.hpp>
#endif
