/// \file
/// What a worker tells the host and what the host tells it: its sign of life, its failures, and the
/// request to stop.
///
/// Where the host cannot look at the words while workers run (mirrored_view), the request lies in
/// the host's memory, and so does a second sign of life. That is at most a millisecond older than
/// the worker's own, but for two things that are in it at once: that the worker has work, and that
/// it has stopped when told to. So what the host finds of one that never returns from its task is
/// true. A store to the host's memory costs more than many a task; a short run does one a worker.
#pragma once

#include <cstdint>

#include <mgws/core/policy.hpp>
#include <mgws/core/protocol.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws/core/transport.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// One worker's end of its device's control block and of its progress words; also where its
/// statistics hear of phases. \tparam C  a configuration (worker_base.hpp)
template <class C>
class signals {
  using P = typename C::protocol;
  using V = typename C::view;
  using B = typename V::backend;

  static constexpr bool k_mirrored = mirrored_view<V>;
  static_assert(!k_mirrored || B::stop_interval_ns != 0, "the mirror is kept by the clock");

 public:
  MGWS_FN signals(const V& view, const run_parameters& run, const worker_place& place,
                  typename C::statistics& statistics)
      : view_(view),
        control_(view.control(place.device)),
        requests_(requests(view, place.device)),
        progress_(view.progress(place.id)),
        run_(run),
        id_(place.id),
        statistics_(statistics),
        look_ns_(B::now() + B::stop_interval_ns * (id_ + 1)),
        mirror_ns_(look_ns_ + policy::k_mirror_interval_ns) {}

  /// Whether the run was cancelled or has failed. Any lane.
  [[nodiscard]] MGWS_FN bool asked_to_stop() const {
    return B::load(requests_.stop, P::stop, scope::system) != 0;
  }
  /// The same for the loop. Where the request lies in far memory the workers take turns to look.
  [[nodiscard]] MGWS_FN bool stopping() {
    if constexpr (B::stop_interval_ns == 0) {
      return asked_to_stop();
    } else {
      const std::uint64_t t = B::now();
      if constexpr (k_mirrored) mirror(t);
      if (!is_past(look_ns_, t)) return false;
      look_ns_ = t + B::stop_interval_ns * run_.workers;
      told_to_stop_ = asked_to_stop();
      return told_to_stop_;
    }
  }

  /// Whether somebody has said that the run is over. One lane.
  [[nodiscard]] MGWS_FN bool told_over() const {
    return B::load(control_.over, P::over, V::global_scope) != 0;
  }
  /// Tells all devices. \pre the detector has said so
  MGWS_FN void tell_over() {
    for (std::uint32_t d = 0; d != run_.devices; ++d)
      B::store(view_.control(d).over, 1u, P::over, V::global_scope);
  }

  /// Ends the run with an error: the first one reported reaches the caller of run(). Any lane.
  MGWS_FN void report(failure kind, std::uint64_t detail) {
    run_control<B>& first = view_.control(0);
    if (B::fetch_add(first.failures, 1u, order::relaxed, scope::system) == 0) {
      B::store(first.kind, static_cast<std::uint32_t>(kind), P::beat, scope::system);
      B::store(first.worker, id_, P::beat, scope::system);
      B::store(first.detail, detail, P::beat, scope::system);
    }
    // Relaxed is enough: the host reads the record after all workers have ended.
    for (std::uint32_t d = 0; d != run_.devices; ++d)
      B::store(requests(view_, d).stop, static_cast<std::uint32_t>(stop_reason::failed), P::stop,
               scope::system);
    view_.parking().notify_all();
  }

  /// For the watchdog: a long task is alive. Any lane: the value has only to differ.
  MGWS_FN void beat(std::uint64_t value) {
    if constexpr (k_mirrored) {
      B::store(view_.host_progress(id_).beats, value, P::beat, scope::system);
    } else {
      B::store(progress_.beats, value, P::beat, scope::system);
    }
  }
  /// For the watchdog: tasks that have run.
  MGWS_FN void executed(std::uint64_t n) {
    B::store(progress_.executed, n, P::beat, scope::system);
  }

  // For the dump.
  MGWS_FN void holds(std::uint32_t local, std::uint32_t spilled) {
    B::store(progress_.local, local, P::beat, scope::system);
    B::store(progress_.spilled, spilled, P::beat, scope::system);
  }
  MGWS_FN void tries(std::uint32_t target) {
    B::store(progress_.target, target, P::beat, scope::system);
  }
  MGWS_FN void enter(phase p) {
    statistics_.enter(p, &B::now);
    if (p == phase_) return;
    phase_ = p;
    B::store(progress_.now, static_cast<std::uint32_t>(p), P::beat, scope::system);
    if constexpr (k_mirrored)
      if (p == phase::working || (p == phase::finished && told_to_stop_)) mirror_phase();
  }

 private:
  /// Where a device's workers look for requests.
  [[nodiscard]] MGWS_FN static run_control<B>& requests(const V& view, std::uint32_t device) {
    if constexpr (k_mirrored) {
      return view.host_control(device);
    } else {
      return view.control(device);
    }
  }

  [[nodiscard]] MGWS_FN static bool is_past(std::uint64_t at, std::uint64_t t) {
    return static_cast<std::int64_t>(t - at) >= 0;
  }

  /// One lane.
  MGWS_FN void mirror(std::uint64_t t) {
    if (!is_past(mirror_ns_, t)) return;
    mirror_ns_ = t + policy::k_mirror_interval_ns;
    worker_progress<B>& there = view_.host_progress(id_);
    const auto copy = [](auto& to, const auto& from) {
      B::store(to, B::load(from, P::beat, scope::system), P::beat, scope::system);
    };
    copy(there.executed, progress_.executed);
    copy(there.target, progress_.target);
    copy(there.local, progress_.local);
    copy(there.spilled, progress_.spilled);
    mirror_phase();
  }
  MGWS_FN void mirror_phase() {
    if (mirrored_phase_ == phase_) return;
    mirrored_phase_ = phase_;
    B::store(view_.host_progress(id_).now, static_cast<std::uint32_t>(phase_), P::beat,
             scope::system);
  }
  const V& view_;
  run_control<B>& control_;
  run_control<B>& requests_;
  worker_progress<B>& progress_;
  const run_parameters& run_;
  std::uint32_t id_;
  typename C::statistics& statistics_;
  phase phase_ = phase::starting;
  std::uint64_t look_ns_;  ///< when to look for a stop request again
  // Of the mirror.
  std::uint64_t mirror_ns_;  ///< when to bring it up to date
  phase mirrored_phase_ = phase::starting;
  bool told_to_stop_ = false;
};

}  // namespace mgws
