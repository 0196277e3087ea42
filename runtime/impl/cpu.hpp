/// \file
/// The bodies of cpu_workers: threads, and the memory of what they share.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <mgws/backends/cpu/memory.hpp>
#include <mgws/backends/cpu/pool.hpp>
#include <mgws/errors.hpp>
#include <mgws/runtime/cpu.hpp>
#include <mgws/runtime/plan.hpp>
#include <mgws/runtime/watch.hpp>
#include <mgws/transports/impl/transport.hpp>

namespace mgws {

template <bool Bridged>
cpu_workers_state<Bridged>::cpu_workers_state() = default;
template <bool Bridged>
cpu_workers_state<Bridged>::~cpu_workers_state() = default;

template <bool Bridged>
cpu_workers<Bridged>::~cpu_workers() = default;

template <bool Bridged>
std::uint32_t cpu_workers<Bridged>::lost(std::string& /*where*/) {
  return pool_->running();
}

template <bool Bridged>
void cpu_workers<Bridged>::check_all_there() const {
  if (pool_->running() != 0)
    throw not_possible("workers of an earlier run never came back: make a new runtime");
}

template <bool Bridged>
void cpu_workers<Bridged>::launch(const std::shared_ptr<start_line>& start) {
  state_->began_ns = start == nullptr ? B::now() : 0;
  pool_->launch([s = state_, start](std::uint32_t id) {
    if (start != nullptr) {
      start->thread_is_awake();
      std::uint64_t nobody = 0;
      s->began_ns.compare_exchange_strong(nobody, B::now());
    }
    run_worker(*s, id);
  });
}

template <bool Bridged>
bool cpu_workers<Bridged>::ended_within(std::chrono::duration<double> time, bool limited) {
  if (limited) return pool_->wait_for(time);
  pool_->wait();
  return true;
}

template <bool Bridged>
void cpu_workers<Bridged>::rethrow() {
  if (state_->thrown) std::rethrow_exception(std::exchange(state_->thrown, nullptr));
}

template <bool Bridged>
std::vector<std::uint64_t> cpu_workers<Bridged>::executed() const {
  std::vector<std::uint64_t> tasks;
  tasks.reserve(state_->run.workers);
  for (std::uint32_t w = 0; w != state_->run.workers; ++w)
    tasks.push_back(
        B::load(state_->workers_view.progress(w).executed, order::relaxed, scope::system));
  return tasks;
}

template <bool Bridged>
double cpu_workers<Bridged>::seconds() const {
  return static_cast<double>(state_->ended_ns.load() - state_->began_ns) * 1e-9;
}

template <bool Bridged>
device_report cpu_workers<Bridged>::describe(std::uint32_t d) const {
  return {.name = state_->run.devices == 1 ? "cpu" : "cpu group " + std::to_string(d),
          .kind = "cpu"};
}

template <bool Bridged>
memory_use cpu_workers<Bridged>::memory() const {
  return {.local_queues = state_->local.bytes(),
          .control = state_->damping.size() * sizeof(std::uint32_t)};
}

template <bool Bridged>
mgws::data_places cpu_workers<Bridged>::data_places() const {
  const auto host = std::make_shared<host_memory>();
  return {.devices = {state_->plan.run.devices, host}, .host = host, .managed = host};
}

template <bool Bridged>
cpu_workers<Bridged>::cpu_workers(options& o, const domain_setting& domains,
                                  std::shared_ptr<state_t> state)
    : state_(std::move(state)) {
  o.transport = transport_of(o).kind;
  if (o.initial_tasks == task_memory::remote) throw not_possible(transports::remote.without_gpus);
  if (o.initial_tasks == task_memory::device)
    throw not_possible(
        "initial tasks in device memory need a GPU, and this run has CPU workers "
        "only: keep them in host memory");
  state_t& s = *state_;
  s.direct = o.direct;
  const std::vector<std::uint32_t> workers = workers_by_group(o);
  s.plan = make_plan(o, workers, unsaid(o, workers, s.types));
  s.plan.channels = domains.domains * domains.domains;
  const run_parameters& run = s.plan.run;
  try {
    s.allocate(
        o, false, [](auto, auto, std::size_t bytes) { return area(bytes); },
        [](auto, std::size_t bytes) { return area(bytes); });
    s.local = area(std::size_t{run.workers} * run.local_capacity * s.types.slot_bytes);
    s.damping.resize(std::size_t{run.workers} * s.plan.damping_words);
    const bool caller_works = !o.pin && !progress_watch(o).wanted();
    pool_ = std::make_unique<cpu_backend::pool>(run.workers, o.pin, caller_works);
  } catch (const std::bad_alloc&) {
    detail::refuse<not_possible>(
        {"the queues of ", run.workers,
         " workers need more memory than this machine gives: use fewer workers, or smaller ones "
         "(options spill, frames, public-queue, local-queue)"});
  } catch (const std::system_error& e) {
    detail::refuse<not_possible>(
        {"this machine refuses ", run.workers, " worker threads: ", e.what()});
  }
}

template <bool Bridged>
void cpu_workers<Bridged>::begin(std::size_t initial_bytes, const void* dealt) {
  state_t& s = *state_;
  s.initial_bytes = initial_bytes;
  s.workers_view = s.shared->workers_view(dealt);
  std::ranges::fill(s.damping, 0u);
  s.thrown = nullptr;
  s.ended_ns = 0;
}

template <bool Bridged>
std::vector<std::uint32_t> cpu_workers<Bridged>::workers_by_group(const options& o) {
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

template <bool Bridged>
capacities cpu_workers<Bridged>::unsaid(const options& o, const std::vector<std::uint32_t>& workers,
                                        const types_of_run& types) {
  const std::size_t slot_bytes = types.slot_bytes;
  const bool has_frames = types.frame_bytes != 0;
  std::uint64_t in_all = 0;
  for (const std::uint32_t n : workers)
    in_all += n;
  const std::uint64_t memory = cpu_backend::memory_of_machine();
  capacities r{.local_queue = k_cpu_queue,
               .public_queue = k_cpu_queue,
               .spill = o.spill != 0 ? o.spill : cpu_spill(in_all, slot_bytes, memory),
               .frames = o.frames != 0 ? o.frames
                         : has_frames  ? cpu_frames(in_all, types.frame_bytes, memory)
                                       : k_least_frames};
  for (;;) {
    const std::size_t spill = r.spill * slot_bytes;
    const std::size_t frames = r.frames * types.frame_bytes;
    const bool less_spill = o.spill == 0 && r.spill > k_least_cpu_spill;
    const bool less_frames = has_frames && o.frames == 0 && r.frames > k_least_frames;
    if ((!less_spill && !less_frames) || area::available(2 * in_all * (spill + frames))) return r;
    (less_frames && (!less_spill || frames > spill) ? r.frames : r.spill) /= 2;
  }
}

template <bool Bridged>
void cpu_workers<Bridged>::run_worker(state_t& s, std::uint32_t id) {
  std::uint32_t d = 0;
  while (id >= s.plan.devices[d].first_worker + s.plan.devices[d].workers)
    ++d;
  try {
    s.work(id, d, id - s.plan.devices[d].first_worker);
  } catch (...) {
    {
      const std::scoped_lock lock(s.thrown_mutex);
      if (!s.thrown) s.thrown = std::current_exception();
    }
    s.shared->stop(d, stop_reason::failed);
  }
  const std::uint64_t now = B::now();
  for (auto seen = s.ended_ns.load(); seen < now && !s.ended_ns.compare_exchange_weak(seen, now);) {
  }
}

}  // namespace mgws
