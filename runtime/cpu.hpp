/// \file
/// The crew of CPU workers: threads, through the host transport.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
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
#include <mgws/core/worker.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/placement.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/base.hpp>
#include <mgws/runtime/crew.hpp>
#include <mgws/runtime/crew_state.hpp>
#include <mgws/runtime/initial_set.hpp>
#include <mgws/runtime/plan.hpp>
#include <mgws/runtime/watch.hpp>
#include <mgws/transports/host.hpp>

namespace mgws {

namespace cpu_backend {
class pool;
}

/// Fewer slots than this are not tried where the system gives no address space for more.
inline constexpr std::uint32_t k_least_cpu_spill = 1u << 10;

/// How many of so many bytes each CPU worker can have where the options say nothing: as
/// options::spill says. A run that spawns without end meets the end of its areas before that of the
/// machine's memory. \param memory  bytes that the machine has
[[nodiscard]] constexpr std::uint32_t cpu_room(std::uint64_t workers, std::size_t bytes,
                                               std::uint64_t memory, std::uint32_t least,
                                               std::uint32_t most) {
  const std::uint64_t each =
      std::min(memory / 4 / std::max<std::uint64_t>(workers, 1), std::uint64_t{1} << 30);
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::bit_floor(each / bytes), least, most));
}
/// Slots of its spill area.
[[nodiscard]] constexpr std::uint32_t cpu_spill(std::uint64_t workers, std::size_t slot_bytes,
                                                std::uint64_t memory) {
  return cpu_room(workers, slot_bytes, memory, k_least_cpu_spill, k_cpu_spill);
}
/// Its frames.
[[nodiscard]] constexpr std::uint32_t cpu_frames(std::uint64_t workers, std::size_t frame_bytes,
                                                 std::uint64_t memory) {
  return cpu_room(workers, frame_bytes, memory, k_least_frames, k_cpu_frames);
}

/// Their state, of memory that the host's workers share.
template <bool Bridged>
using cpu_crew_state =
    crew_state<typename host_transport<cpu_backend::backend, cpu_backend::area, Bridged>::view,
               cpu_backend::area, cpu_backend::backend::line>;

/// What the threads of a run use: kept alive by each of them, because one that never returns from a
/// task may outlive the runtime.
template <bool Bridged>
struct cpu_workers_state : cpu_crew_state<Bridged> {
  cpu_workers_state(const cpu_workers_state&) = delete;
  cpu_workers_state& operator=(const cpu_workers_state&) = delete;

  /// The whole life of a worker, the rank-th of its device.
  virtual void work(std::uint32_t id, std::uint32_t d, std::uint32_t rank) = 0;

  direct_mode direct = direct_mode::off;
  typename cpu_crew_state<Bridged>::view workers_view{};
  cpu_backend::area local;
  std::vector<std::uint32_t> damping;
  std::size_t initial_bytes = 0;
  std::atomic<std::uint64_t> began_ns{0};
  std::atomic<std::uint64_t> ended_ns{0};
  std::mutex thrown_mutex;
  std::exception_ptr thrown;

 protected:
  cpu_workers_state();
  ~cpu_workers_state();
};

/// A crew of CPU workers but for the types of their tasks. The threads are kept between runs and
/// then use no processor time. The thread that calls run() is one of the workers, unless it has to
/// watch them.
/// \tparam Bridged  as placed_view
template <bool Bridged>
class cpu_workers : public crew<cpu_crew_state<Bridged>> {
  using B = cpu_backend::backend;
  using area = cpu_backend::area;
  using state_t = cpu_workers_state<Bridged>;

 public:
  using state_type = cpu_crew_state<Bridged>;

  cpu_workers(const cpu_workers&) = delete;
  cpu_workers& operator=(const cpu_workers&) = delete;

  [[nodiscard]] state_type& state() override { return *state_; }
  [[nodiscard]] const state_type& state() const override { return *state_; }
  [[nodiscard]] std::chrono::duration<double> patience() const override {
    return std::chrono::seconds(1);
  }

  void check_all_there() const override;
  void brought_to_start() override {}
  [[nodiscard]] std::uint32_t threads() const override { return state_->plan.run.workers; }
  void launch(const std::shared_ptr<start_line>& start) override;
  bool ended_within(std::chrono::duration<double> time, bool limited) override;
  void abandon() override {}
  std::uint32_t lost(std::string& where) override;
  void collect() override {}
  void rethrow() override;

  [[nodiscard]] bool known_settled() const override { return false; }
  [[nodiscard]] std::vector<std::uint64_t> executed() const override;

  [[nodiscard]] std::uint64_t began_ns() const override { return state_->began_ns; }
  /// To the exit of the worker whose clock is the last.
  [[nodiscard]] double seconds() const override;
  [[nodiscard]] device_report describe(std::uint32_t d) const override;
  [[nodiscard]] std::uint64_t on_host_clock(std::uint32_t /*d*/, std::uint64_t ns) const override {
    return ns;
  }
  [[nodiscard]] memory_use memory() const override;
  [[nodiscard]] std::size_t initial_bytes() const override { return state_->initial_bytes; }
  [[nodiscard]] mgws::data_places data_places() const override;

 protected:
  /// \pre check(o) passed, and all devices are CPU groups
  /// \throws bad_configuration, not_possible
  cpu_workers(options& o, const domain_setting& domains, std::shared_ptr<state_t> state);

  ~cpu_workers();

  /// Before a launch. \param dealt  the initial slots
  void begin(std::size_t initial_bytes, const void* dealt);

 private:
  [[nodiscard]] static std::vector<std::uint32_t> workers_by_group(const options& o);

  /// What the options leave open: of spill areas and frames as much of the machine's memory as
  /// there is address space for, where the system counts that (ulimit -v, strict overcommitment),
  /// and as much again for everything else.
  [[nodiscard]] static capacities unsaid(const options& o,
                                         const std::vector<std::uint32_t>& workers,
                                         const types_of_run& types);

  static void run_worker(state_t& s, std::uint32_t id);

  std::shared_ptr<state_t> state_;
  std::unique_ptr<cpu_backend::pool> pool_;
};

/// \tparam Bridged  as placed_view
template <class Tasks, class Accumulators, class Context, class Statistics, bool Bridged>
class cpu_crew final : public cpu_workers<Bridged> {
  using workers = cpu_workers<Bridged>;

 public:
  using types = crew_types<typename workers::state_type, typename workers::state_type::view, Tasks,
                           Accumulators, Context, Statistics>;
  using slot_type = typename types::slot_type;

  /// As cpu_workers.
  cpu_crew(options& o, const domain_setting& domains)
      : cpu_crew(o, domains, std::make_shared<state_t>()) {}

  void prepare(std::span<const Context> contexts, std::shared_ptr<initial_set<Tasks>> seeds,
               std::span<const slot_type> dealt) {
    state_t& s = *typed_state_;
    s.seeds = std::move(seeds);
    s.contexts.clear();
    for (std::uint32_t d = 0; d != s.run.devices; ++d)
      s.contexts.push_back({contexts[contexts.size() == 1 ? 0 : d]});
    this->begin(s.seeds->bytes(), dealt.data());
  }

 private:
  /// Tasks hold references to it, which the bits of a std::vector<bool> have not.
  struct kept_context {
    Context value;
  };

  struct state_t final : cpu_workers_state<Bridged> {
    state_t() { this->types = types::in_numbers(); }

    void work(std::uint32_t id, std::uint32_t d, std::uint32_t rank) override {
      const std::size_t words = this->plan.damping_words;
      const auto& mine = this->own[d];
      const worker_memory<slot_type, Accumulators> memory{
          .local = reinterpret_cast<slot_type*>(this->local.data()) +
                   std::size_t{id} * this->run.local_capacity,
          .spill = mine.template spill<slot_type>(std::size_t{rank} * this->run.spill_capacity),
          .damping = words != 0 ? this->damping.data() + id * words : nullptr,
          .result = mine.template result<Accumulators>(rank),
          .statistics = mine.statistics(rank)};
      worker<typename types::configuration> w(this->workers_view, this->run, contexts[d].value, d,
                                              id, memory);
      if (this->direct != direct_mode::off)
        w.take_share(share_of(this->run, id, this->direct == direct_mode::one));
      try {
        w.run();
      } catch (...) {
        w.leave();
        throw;
      }
    }

    std::shared_ptr<initial_set<Tasks>> seeds;
    std::vector<kept_context> contexts;  ///< by device
  };

  cpu_crew(options& o, const domain_setting& domains, std::shared_ptr<state_t> state)
      : workers(o, domains, state), typed_state_(state.get()) {}

  state_t* typed_state_;  ///< the same as state()
};

}  // namespace mgws

#if !defined(MGWS_COMPILED_APART)
#include <mgws/runtime/impl/cpu.hpp>
#endif
