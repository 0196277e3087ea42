/// \file
/// The bodies of run_skeleton: a run from its call to its report.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <mgws/core/protocol.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws/errors.hpp>
#include <mgws/runtime/dump.hpp>
#include <mgws/runtime/outcome.hpp>
#include <mgws/runtime/plan.hpp>
#include <mgws/runtime/skeleton.hpp>
#include <mgws/runtime/watch.hpp>
#include <mgws/transports/impl/transport.hpp>

namespace mgws {

template <class State>
run_skeleton<State>::run_skeleton(options&& o, crew<State>& c) : options_(std::move(o)), crew_(c) {}
template <class State>
run_skeleton<State>::~run_skeleton() = default;

template <class State>
void run_skeleton<State>::check_possible(bool live) const {
  if (live) check_live();
  crew_.check_all_there();
}

template <class State>
std::exception_ptr run_skeleton<State>::run_untyped(run_report& r, live_door_frame* door,
                                                    const bridge_links* bridge) {
  State& s = crew_.state();
  const auto before = clock::now();
  std::exception_ptr thrown;
  {
    struct at_the_end {
      run_skeleton& of;
      ~at_the_end() { of.end_run(); }
    } const whatever_comes{*this};
    prepare(door, bridge);
    const std::uint32_t recorded = s.types.statistics ? s.run.workers : 0;
    r.workers.reserve(s.run.workers);
    r.records.reserve(recorded);
    // Before the launch, which of CPU workers may be all of the run, and before others launch.
    if (door != nullptr)
      door->open(inboxes(), s.run.devices, bridge != nullptr ? bridge->kind : worker_kind::cpu,
                 options_.inboxes_of);
    try {
      crew_.launch(bridge != nullptr ? bridge->start : nullptr);
      r.workers.resize(s.run.workers);
      r.records.resize(recorded);  // of thousands a megabyte to fill: while they work
      thrown = watch(door, bridge);
    } catch (const device_error&) {
      stop(stop_reason::failed);
      crew_.abandon();
      throw;
    }
  }
  crew_.collect();
  const view v = s.shared->host_view();
  if (!thrown) thrown = what_went_wrong(v);
  r.status = thrown ? status::failed : was_stopped(v) ? status::cancelled : status::completed;
  stopped_ = r.status != status::completed;
  r.began_ns = crew_.began_ns();
  r.setup_seconds = std::chrono::duration<double>(std::chrono::nanoseconds(r.began_ns) -
                                                  before.time_since_epoch())
                        .count();
  r.seconds = crew_.seconds();
  fill(r);
  if (thrown) r.call_seconds = std::chrono::duration<double>(clock::now() - before).count();
  return thrown;
}

template <class State>
void run_skeleton<State>::cancel_run() {
  const std::scoped_lock lock(cancel_mutex_);
  if (running_) stop(stop_reason::cancelled);
}

template <class State>
memory_use run_skeleton<State>::memory_of_run() const {
  memory_use m = crew_.memory();
  const State& s = crew_.state();
  m.public_queues = s.shared->queue_bytes();
  m.control += s.shared->control_bytes() + sizeof(State);
  for (const auto& own : s.own) {
    m.spill_areas += own.spill_bytes();
    m.control += own.control_bytes();
  }
  return m;
}

template <class State>
void run_skeleton<State>::check_live() const {
  if (options_.direct != direct_mode::off)
    throw bad_configuration(
        "a live run hands its tasks to whoever is idle: it cannot be direct, which assigns them "
        "beforehand");
  if (crew_.state().plan.inboxes == 0)
    throw bad_configuration("a live run needs inboxes, and options::inboxes is 0");
  for (const device_range& d : crew_.state().plan.devices)
    if (d.workers + 1 >= k_gate_opened)  // the first worker comes to all devices' gates
      detail::refuse<bad_configuration>(
          {"a device of a live run has at most ", k_gate_opened - 2, " workers, not ", d.workers});
}

template <class State>
live_door_frame::inboxes run_skeleton<State>::inboxes() const {
  const State& s = crew_.state();
  live_door_frame::inboxes all;
  for (std::uint32_t i = 0; i != s.plan.inboxes; ++i)
    for (std::uint32_t d = 0; d != s.run.devices; ++d)
      all.push_back(make_inbox(d, i));
  return all;
}

template <class State>
void run_skeleton<State>::prepare(const live_door_frame* door, const bridge_links* bridge) {
  State& s = crew_.state();
  s.run = s.plan.run;
  if (door != nullptr) {
    s.run.inboxes = s.plan.inboxes;
    s.run.inbox_capacity = s.plan.inbox_capacity;
  }
  if (bridge != nullptr) {
    s.run.domains = bridge->domains;
    s.run.domain = bridge->domain;
    s.run.kind = bridge->kind;
    s.run.other_kind = bridge->other_kind;
    s.run.all_workers = bridge->workers;
    s.run.all_lanes = bridge->lanes;
    s.run.first_worker = bridge->first_worker;
    s.run.first_lane = bridge->first_lane;
    s.run.first_device = bridge->first_device;
    s.run.bridge_capacity = bridge->capacity;
    s.run.bridge = bridge->channels.data();
  }
  // Only a single count tells the first worker whether all others are idle.
  if (door != nullptr || bridge != nullptr) s.run.termination = termination::counter;
  deal(draw_seed(options_));
  const std::scoped_lock lock(cancel_mutex_);
  s.shared->reset();
  if (std::exchange(stopped_, true)) s.shared->clear_frames();
  for (const auto& own : s.own)
    own.reset();
  crew_.brought_to_start();
  running_ = true;
  if (bridge != nullptr && *bridge->over) stop(stop_reason::cancelled);
}

template <class State>
void run_skeleton<State>::end_run() noexcept {
  {
    const std::scoped_lock lock(cancel_mutex_);
    running_ = false;
  }
  seeds_used();
}

template <class State>
void run_skeleton<State>::stop(stop_reason reason) const {
  for (std::uint32_t d = 0; d != crew_.state().plan.run.devices; ++d) {
    try {
      crew_.state().shared->stop(d, reason);
    } catch (const device_error&) {
    }
  }
}

template <class State>
std::exception_ptr run_skeleton<State>::watch(const live_door_frame* door,
                                              const bridge_links* bridge) {
  progress_watch watch(options_);
  while (!crew_.ended_within(watch.interval(), watch.wanted())) {
    bool stuck = false;
    try {
      stuck = look_stuck(watch, door, bridge);
    } catch (const device_error&) {
      throw;
    } catch (...) {
      // The workers use what the caller may free as soon as run() is left.
      stop(stop_reason::failed);
      static_cast<void>(crew_.ended_within(watch.interval(), false));
      return std::current_exception();
    }
    if (stuck) return stop_without_progress(watch);
  }
  return nullptr;
}

template <class State>
bool run_skeleton<State>::look_stuck(progress_watch& watch, const live_door_frame* door,
                                     const bridge_links* bridge) {
  const State& s = crew_.state();
  s.shared->look_at_signals();
  const view v = s.shared->live_view();
  std::uint64_t tasks = 0;
  std::uint64_t beats = 0;
  bool works = false;
  for (std::uint32_t w = 0; w != s.run.workers; ++w) {
    tasks += read(v.progress(w).executed);
    beats += read(v.progress(w).beats);
    works = works || read(v.progress(w).now) == static_cast<std::uint32_t>(phase::working);
  }
  const bool rests = (door != nullptr && door->all_ended()) ||
                     (bridge != nullptr && bridge->rests() && !(door != nullptr && works));
  return watch.stuck(tasks, beats, progress_watch::clock::now(), rests);
}

template <class State>
std::exception_ptr run_skeleton<State>::stop_without_progress(const progress_watch& watch) {
  const State& s = crew_.state();
  if constexpr (!view::mirrored) s.shared->look();
  // Workers that stop leave their queues as they are; what they do is what they did when found.
  std::string text =
      dump<protocol>(s.shared->live_view(), s.run, s.global_cells(), !view::mirrored);
  stop(stop_reason::no_progress);
  std::uint32_t lost = 0;
  std::string where;
  if (!crew_.ended_within(crew_.patience(), true)) {
    s.shared->look_at_signals();
    lost = crew_.lost(where);
  }
  if constexpr (view::mirrored) {
    if (lost != 0) {
      text += "queues cannot be read while a kernel runs\n";
    } else {
      s.shared->look();
      text += "then, after the workers had stopped:\n" +
              dump<protocol>(s.shared->host_view(), s.run, s.global_cells());
    }
  }
  no_progress stuck(watch.complaint(lost, where), text, lost);
  if (lost == 0) return std::make_exception_ptr(std::move(stuck));
  leave_seeds();
  throw no_progress(std::move(stuck));
}

template <class State>
std::exception_ptr run_skeleton<State>::what_went_wrong(const view& v) {
  try {
    crew_.rethrow();
    throw_failure(v.control(0), crew_.state().types.most_instances);
    if (!was_stopped(v)) check_end(v);
  } catch (const device_error&) {
    throw;
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

template <class State>
void run_skeleton<State>::check_end(const view& v) const {
  const State& s = crew_.state();
  if (options_.direct == direct_mode::off && !crew_.known_settled()) {
    s.shared->look();
    check_settled(v, s.run, s.global_cells());
  }
  if (s.types.frame_bytes != 0) {
    s.shared->look();
    check_joins_of(v);
  }
}

template <class State>
void run_skeleton<State>::fill(run_report& r) const {
  const State& s = crew_.state();
  r.seed = s.run.seed;
  r.memory = memory_of_run();
  r.memory.initial_tasks = crew_.initial_bytes();
  r.slot_bytes = s.types.slot_bytes;
  r.statistics = s.types.statistics;
  const std::vector<std::uint64_t> tasks = crew_.executed();
  for (std::uint32_t d = 0; d != s.run.devices; ++d) {
    report_device(r, s.plan, d, crew_.describe(d), tasks, s.own[d].left(),
                  [&](std::uint64_t ns) { return crew_.on_host_clock(d, ns); });
  }
}

}  // namespace mgws
