/// \file
/// The bodies of gpu_workers: the queues and the memory of persistent kernels, and what is put
/// before and behind each.
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
#include <vector>

#include <unistd.h>

#include <mgws/errors.hpp>
#include <mgws/runtime/gpu.hpp>
#include <mgws/runtime/gpu_join.hpp>
#include <mgws/runtime/gpu_plan.hpp>
#include <mgws/runtime/impl/skeleton.hpp>
#include <mgws/transports/table.hpp>

namespace mgws {

template <class Port>
void try_to_join(const options& o) {
  static_cast<void>(join_gpus<Port>(o, transport_of(o)));
}

template <class Port, std::uint32_t Lanes, bool Bridged>
gpu_workers<Port, Lanes, Bridged>::gpu_workers(options& o, const domain_setting& domains,
                                               const types_of_run& types,
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
  s.plan = plan_of_what_fits(o, domains.beside, gpus, Lanes, types,
                             [&](const device& gpu, const plan& p) { return resident(gpu, p); });
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

template <class Port, std::uint32_t Lanes, bool Bridged>
gpu_workers<Port, Lanes, Bridged>::~gpu_workers() {
  // A kernel that still runs uses all of it, and giving it back would wait for the kernel. And
  // what a fork has copied is the first process' to give back.
  if (state_->lost || getpid() != made_in_) static_cast<void>(state_.release());
}

template <class Port, std::uint32_t Lanes, bool Bridged>
void gpu_workers<Port, Lanes, Bridged>::check_all_there() const {
  if (state_->lost)
    throw not_possible(
        "a GPU failed in an earlier run, or its kernel never ended: end the process");
}

template <class Port, std::uint32_t Lanes, bool Bridged>
void gpu_workers<Port, Lanes, Bridged>::brought_to_start() {
  for (const participant& p : state_->gpus)
    carry_out(*p.gpu, p.gpu->take_moves());
  if (state_->remote) carry_out(*state_->remote, state_->remote->take_moves());
}

// What is put before one GPU's kernel needs no waiting; several GPUs reach each other's memory,
// and each has an order of its own. Nothing but the kernel is given to a GPU while it runs: a
// request to stop must not meet a copy that waits for the kernel's end.
template <class Port, std::uint32_t Lanes, bool Bridged>
void gpu_workers<Port, Lanes, Bridged>::launch(const std::shared_ptr<start_line>& start) {
  if (!alone()) settle();
  if (start != nullptr) start->wait_to_launch();
  state_->began_ns = cpu_backend::backend::now();
  start_kernels();
  if (start == nullptr) return;
  // What a launch takes is before the time of a kernel, and of CPU workers that begin now.
  state_->began_ns = cpu_backend::backend::now();
  start->has_launched();
}

template <class Port, std::uint32_t Lanes, bool Bridged>
bool gpu_workers<Port, Lanes, Bridged>::ended_within(std::chrono::duration<double> time,
                                                     bool limited) {
  return state_->kernels->ended_within(time, limited);
}

template <class Port, std::uint32_t Lanes, bool Bridged>
void gpu_workers<Port, Lanes, Bridged>::abandon() {
  state_->lost = true;
  state_->kernels->wait_for_the_others(k_wait_for_the_others);
}

template <class Port, std::uint32_t Lanes, bool Bridged>
std::uint32_t gpu_workers<Port, Lanes, Bridged>::lost(std::string& where) {
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

template <class Port, std::uint32_t Lanes, bool Bridged>
void gpu_workers<Port, Lanes, Bridged>::collect() {
  look_behind();
  settle();
  state_->shared->take_over_requests();
}

template <class Port, std::uint32_t Lanes, bool Bridged>
bool gpu_workers<Port, Lanes, Bridged>::known_settled() const {
  const auto unsettled = survey();
  return std::none_of(unsettled.unsettled, unsettled.executed, [](auto word) { return word != 0; });
}

template <class Port, std::uint32_t Lanes, bool Bridged>
std::vector<std::uint64_t> gpu_workers<Port, Lanes, Bridged>::executed() const {
  const std::uint64_t* const tasks = survey().executed;
  return {tasks, tasks + state_->run.workers};
}

template <class Port, std::uint32_t Lanes, bool Bridged>
double gpu_workers<Port, Lanes, Bridged>::seconds() const {
  return state_->kernels->seconds();
}

template <class Port, std::uint32_t Lanes, bool Bridged>
device_report gpu_workers<Port, Lanes, Bridged>::describe(std::uint32_t d) const {
  const participant& p = state_->gpus[d];
  return {.name = state_->gpus.size() == 1 ? name_of(d)
                                           : name_of(d) + " " + std::to_string(p.gpu->index()),
          .kind = "gpu",
          .footprint = p.footprint,
          .clock_error_seconds = p.clock.error_seconds()};
}

template <class Port, std::uint32_t Lanes, bool Bridged>
std::uint64_t gpu_workers<Port, Lanes, Bridged>::on_host_clock(std::uint32_t d,
                                                               std::uint64_t ns) const {
  return state_->gpus[d].clock.on_host(ns);
}

template <class Port, std::uint32_t Lanes, bool Bridged>
memory_use gpu_workers<Port, Lanes, Bridged>::memory() const {
  memory_use m{.local_queues = state_->plan.run.workers * state_->shared_bytes,
               .control = state_->survey.bytes()};
  for (const participant& p : state_->gpus)
    m.control += p.ranges.bytes();
  return m;
}

template <class Port, std::uint32_t Lanes, bool Bridged>
std::size_t gpu_workers<Port, Lanes, Bridged>::initial_bytes() const {
  std::size_t n = 0;
  for (const participant& p : state_->gpus)
    n += p.initial.bytes();
  return n;
}

template <class Port, std::uint32_t Lanes, bool Bridged>
mgws::data_places gpu_workers<Port, Lanes, Bridged>::data_places() const {
  mgws::data_places all{.devices = {},
                        .host = std::make_shared<gpu::mapped_memory<api>>(),
                        .reached = state_->reached};
  for (const participant& p : state_->gpus)
    all.devices.push_back(std::make_shared<gpu::device_memory<api>>(p.gpu, who_reaches()));
  if (std::ranges::all_of(state_->gpus, [](const auto& p) { return p.gpu->properties().managed; }))
    all.managed = std::make_shared<gpu::managed_memory<api>>(state_->gpus.front().gpu);
  return all;
}

template <class Port, std::uint32_t Lanes, bool Bridged>
void gpu_workers<Port, Lanes, Bridged>::begin(std::span<const std::byte> dealt,
                                              std::uint64_t version) {
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

template <class Port, std::uint32_t Lanes, bool Bridged>
void gpu_workers<Port, Lanes, Bridged>::compare_clock(std::uint32_t d) {
  participant& p = state_->gpus[d];
  p.clock.compare(*p.gpu);
}

template <class Port, std::uint32_t Lanes, bool Bridged>
void gpu_workers<Port, Lanes, Bridged>::settle() const {
  for (const participant& p : state_->gpus)
    p.gpu->settle();
  if (state_->remote) state_->remote->settle();
}

template <class Port, std::uint32_t Lanes, bool Bridged>
std::string gpu_workers<Port, Lanes, Bridged>::name_of(std::uint32_t d) const {
  return state_->gpus[d].gpu->properties().name;
}

template <class Port, std::uint32_t Lanes, bool Bridged>
gpu::survey_words gpu_workers<Port, Lanes, Bridged>::survey() const {
  auto* const words = reinterpret_cast<std::uint64_t*>(state_->survey.data());
  return {words, words + state_->gpus.size()};
}

template <class Port, std::uint32_t Lanes, bool Bridged>
template <class View>
void gpu_workers<Port, Lanes, Bridged>::launch_survey(std::uint32_t d,
                                                      const gpu::moves& behind) const {
  const state_t& s = *state_;
  const device& gpu = *s.gpus[d].gpu;
  const device_range& of = s.plan.devices[d];
  api::use(gpu.index());
  api::launch_blocks(
      Port::template survey_kernel<View>(),
      gpu::survey_arguments<View>{state_type::transport::template seen_by<View>(s.given_to[d].view),
                                  s.given_to[d].run, d, survey(), behind},
      grid_of(gpu, std::max(of.workers, of.queues)), gpu.kernels());
}

template <class Port, std::uint32_t Lanes, bool Bridged>
void gpu_workers<Port, Lanes, Bridged>::look_behind() const {
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
    if (s.gpus.size() == 1) {
      launch_survey<view_of_one>(d, first);
    } else {
      launch_survey<host_view>(d, first);
    }
    carry_out(gpu, moves);
  }
  if (s.remote) carry_out(*s.remote, s.remote->take_moves());
}

template <class Port, std::uint32_t Lanes, bool Bridged>
void gpu_workers<Port, Lanes, Bridged>::carry_out(const device& gpu,
                                                  const std::vector<gpu::moves>& all) const {
  if (all.empty()) return;
  api::use(gpu.index());
  for (const gpu::moves& m : all)
    api::launch_blocks(Port::template move_kernel<B>(), m,
                       grid_of(gpu, m.bytes() / sizeof(gpu::moved_at_once)), gpu.kernels());
  gpu.copies_follow();
}

template <class Port, std::uint32_t Lanes, bool Bridged>
gpu::grid gpu_workers<Port, Lanes, Bridged>::grid_of(const device& gpu, std::uint64_t wanted) {
  constexpr std::uint32_t threads = 128;
  const std::uint64_t most = 2 * gpu.properties().multiprocessors;
  return {.blocks = static_cast<std::uint32_t>(
              std::clamp<std::uint64_t>((wanted + threads - 1) / threads, 1, most)),
          .threads = threads};
}

template <class Port, std::uint32_t Lanes, bool Bridged>
std::uint32_t gpu_workers<Port, Lanes, Bridged>::resident(const device& gpu, const plan& p) const {
  const std::size_t shared = gpu::shared_bytes<host_view>(p.run, state_->types.slot_bytes);
  if (shared > gpu.properties().shared_bytes) return 0;
  api::use(gpu.index());
  kernel_.allow_shared(shared);
  return kernel_.resident(shared);
}

template <class Port, std::uint32_t Lanes, bool Bridged>
gpu::reach gpu_workers<Port, Lanes, Bridged>::who_reaches() const {
  return state_->gpus.size() > 1 ? gpu::reach::shared : gpu::reach::own;
}

template <class Port, std::uint32_t Lanes, bool Bridged>
memory_of gpu_workers<Port, Lanes, Bridged>::found(memory_of where) const {
  if (where != memory_of::reached) return where;
  return state_->reached ? memory_of::device : memory_of::host;
}

template <class Port, std::uint32_t Lanes, bool Bridged>
void gpu_workers<Port, Lanes, Bridged>::allocate() {
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

}  // namespace mgws
