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
#include <mgws/backends/cpu/pool.hpp>
#include <mgws/core/worker.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/placement.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/base.hpp>
#include <mgws/runtime/crew_state.hpp>
#include <mgws/runtime/initial_set.hpp>
#include <mgws/runtime/plan.hpp>
#include <mgws/runtime/watch.hpp>
#include <mgws/transports/host.hpp>

namespace mgws {

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

/// The threads are kept between runs and then use no processor time. The thread that calls run() is
/// one of the workers, unless it has to watch them.
/// \tparam Bridged  as placed_view
template <class Tasks, class Accumulators, class Context, class Statistics, bool Bridged>
class cpu_crew {
  using B = cpu_backend::backend;
  using area = cpu_backend::area;
  using host_view = typename host_transport<B, area, Bridged>::view;

 public:
  using state_type = crew_state<host_view, area, B::line, Tasks, Accumulators, Context, Statistics>;
  using slot_type = typename state_type::slot_type;
  static constexpr std::chrono::seconds k_patience{1};

  /// \pre check(o) passed, and all devices are CPU groups
  /// \throws bad_configuration, not_possible
  cpu_crew(options& o, const domain_setting& domains) : state_(std::make_shared<state_t>()) {
    o.transport = transport_of(o).kind;
    if (o.initial_tasks == task_memory::remote) throw not_possible(transports::remote.without_gpus);
    if (o.initial_tasks == task_memory::device)
      throw not_possible(
          "initial tasks in device memory need a GPU, and this run has CPU workers "
          "only: keep them in host memory");
    state_t& s = *state_;
    s.direct = o.direct;
    const std::vector<std::uint32_t> workers = workers_by_group(o);
    const room each = room_of(o, workers);
    s.plan = make_plan(o, workers, each.spill, each.frames);
    s.plan.channels = domains.domains * domains.domains;
    const run_parameters& run = s.plan.run;
    try {
      s.allocate(
          o, false, [](auto, auto, std::size_t bytes) { return area(bytes); },
          [](auto, std::size_t bytes) { return area(bytes); });
      s.local = area(std::size_t{run.workers} * run.local_capacity * sizeof(slot_type));
      s.damping.resize(std::size_t{run.workers} * s.plan.damping_words);
      const bool caller_works = !o.pin && !progress_watch(o).wanted();
      pool_ = std::make_unique<cpu_backend::pool>(run.workers, o.pin, caller_works);
    } catch (const std::bad_alloc&) {
      throw not_possible(detail::sentence(
          {"the queues of ", run.workers,
           " workers need more memory than this machine gives: use fewer workers, or smaller ones "
           "(options spill, frames, public-queue, local-queue)"}));
    } catch (const std::system_error& e) {
      throw not_possible(
          detail::sentence({"this machine refuses ", run.workers, " worker threads: ", e.what()}));
    }
  }

  [[nodiscard]] state_type& state() { return *state_; }
  [[nodiscard]] const state_type& state() const { return *state_; }

  void check_all_there() const {
    if (pool_->running() != 0)
      throw not_possible("workers of an earlier run never came back: make a new runtime");
  }
  void prepare(std::span<const Context> contexts, std::shared_ptr<initial_set<Tasks>> seeds,
               std::span<const slot_type> dealt) {
    state_t& s = *state_;
    s.seeds = std::move(seeds);
    s.initial_bytes = s.seeds->bytes();
    s.contexts.clear();
    for (std::uint32_t d = 0; d != s.run.devices; ++d)
      s.contexts.push_back({contexts[contexts.size() == 1 ? 0 : d]});
    s.workers_view = s.shared->workers_view(dealt.data());
    std::ranges::fill(s.damping, 0u);
    s.thrown = nullptr;
    s.ended_ns = 0;
  }
  void launch() {
    state_->began_ns = B::now();
    pool_->launch([s = state_](std::uint32_t id) { run_worker(*s, id); });
  }
  bool ended_within(std::chrono::duration<double> time, bool limited) {
    if (limited) return pool_->wait_for(time);
    pool_->wait();
    return true;
  }
  void abandon() {}
  std::uint32_t lost(std::string& /*where*/) { return pool_->running(); }
  void collect() {}
  void rethrow() {
    if (state_->thrown) std::rethrow_exception(std::exchange(state_->thrown, nullptr));
  }

  [[nodiscard]] bool known_settled() const { return false; }
  [[nodiscard]] std::uint64_t executed(std::uint32_t w) const {
    return B::load(state_->workers_view.progress(w).executed, order::relaxed, scope::system);
  }

  /// To the exit of the worker whose clock is the last.
  [[nodiscard]] double seconds() const {
    return static_cast<double>(state_->ended_ns.load() - state_->began_ns) * 1e-9;
  }
  [[nodiscard]] device_report describe(std::uint32_t d) const {
    return {.name = state_->run.devices == 1 ? "cpu" : "cpu group " + std::to_string(d),
            .kind = "cpu"};
  }
  [[nodiscard]] std::uint64_t on_host_clock(std::uint32_t /*d*/, std::uint64_t ns) const {
    return ns;
  }
  [[nodiscard]] memory_use memory() const {
    return {.local_queues = state_->local.bytes(),
            .control = state_->damping.size() * sizeof(std::uint32_t)};
  }
  [[nodiscard]] std::size_t initial_bytes() const { return state_->initial_bytes; }
  [[nodiscard]] mgws::data_places data_places() const {
    const auto host = std::make_shared<host_memory>();
    return {.devices = {state_->plan.run.devices, host}, .host = host};
  }

 private:
  /// Tasks hold references to it, which the bits of a std::vector<bool> have not.
  struct kept_context {
    Context value;
  };

  /// What the threads of a run use: kept alive by each of them, because one that never returns from
  /// a task may outlive the runtime.
  struct state_t : state_type {
    direct_mode direct = direct_mode::off;
    std::shared_ptr<initial_set<Tasks>> seeds;
    std::vector<kept_context> contexts;  ///< by device
    host_view workers_view{};
    area local;
    std::vector<std::uint32_t> damping;
    std::size_t initial_bytes = 0;
    std::uint64_t began_ns = 0;
    std::atomic<std::uint64_t> ended_ns{0};
    std::mutex thrown_mutex;
    std::exception_ptr thrown;
  };

  [[nodiscard]] static std::vector<std::uint32_t> workers_by_group(const options& o) {
    const std::uint32_t otherwise =
        o.workers != 0 ? o.workers
                       : static_cast<std::uint32_t>(cpu_backend::usable_processors().size());
    if (o.devices.empty()) return {otherwise};
    std::vector<std::uint32_t> workers;
    workers.reserve(o.devices.size());
    for (const device_choice& d : o.devices)
      workers.push_back(d.workers != 0 ? d.workers : otherwise);
    return workers;
  }

  /// Of each worker.
  struct room {
    std::uint32_t spill;  ///< slots of its spill area
    std::uint32_t frames;
  };
  /// What the options do not name of that: of the machine's memory as much as there is address
  /// space for, where the system counts that (ulimit -v, strict overcommitment), and as much again
  /// for everything else.
  [[nodiscard]] static room room_of(const options& o, const std::vector<std::uint32_t>& workers) {
    constexpr std::size_t frame_bytes = sizeof(frame<B, slot_type>);
    std::uint64_t in_all = 0;
    for (const std::uint32_t n : workers)
      in_all += n;
    const std::uint64_t memory = cpu_backend::memory_of_machine();
    room r{.spill = o.spill != 0 ? o.spill : cpu_spill(in_all, sizeof(slot_type), memory),
           .frames = o.frames != 0 ? o.frames : cpu_frames(in_all, frame_bytes, memory)};
    for (;;) {
      const std::size_t spill = r.spill * sizeof(slot_type);
      std::size_t frames = 0;
      if constexpr (Tasks::has_frames) frames = r.frames * frame_bytes;
      const bool less_spill = o.spill == 0 && r.spill > k_least_cpu_spill;
      const bool less_frames = Tasks::has_frames && o.frames == 0 && r.frames > k_least_frames;
      if ((!less_spill && !less_frames) || area::available(2 * in_all * (spill + frames))) return r;
      (less_frames && (!less_spill || frames > spill) ? r.frames : r.spill) /= 2;
    }
  }

  static void run_worker(state_t& s, std::uint32_t id) {
    std::uint32_t d = 0;
    while (id >= s.plan.devices[d].first_worker + s.plan.devices[d].workers)
      ++d;
    const std::uint32_t rank = id - s.plan.devices[d].first_worker;
    const std::size_t damping = s.plan.damping_words;
    const worker_memory<slot_type, Accumulators> memory{
        .local =
            reinterpret_cast<slot_type*>(s.local.data()) + std::size_t{id} * s.run.local_capacity,
        .spill = s.own[d].spill() + std::size_t{rank} * s.run.spill_capacity,
        .damping = damping != 0 ? s.damping.data() + id * damping : nullptr,
        .result = s.own[d].result(rank),
        .statistics = s.own[d].statistics(rank)};
    try {
      worker<typename state_type::configuration> w(s.workers_view, s.run, s.contexts[d].value, d,
                                                   id, memory);
      if (s.direct != direct_mode::off)
        w.take_share(share_of(s.run, id, s.direct == direct_mode::one));
      try {
        w.run();
      } catch (...) {
        w.leave();
        throw;
      }
    } catch (...) {
      {
        const std::scoped_lock lock(s.thrown_mutex);
        if (!s.thrown) s.thrown = std::current_exception();
      }
      s.shared->stop(d, stop_reason::failed);
    }
    const std::uint64_t now = B::now();
    for (auto seen = s.ended_ns.load();
         seen < now && !s.ended_ns.compare_exchange_weak(seen, now);) {
    }
  }

  std::shared_ptr<state_t> state_;
  std::unique_ptr<cpu_backend::pool> pool_;
};

}  // namespace mgws
