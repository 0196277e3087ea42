/// \file
/// What a worker tells the host and what the host tells it: its sign of life, its failures, and the
/// request to stop.
#pragma once

#include <cstdint>

#include <mgws/core/place.hpp>
#include <mgws/core/protocol.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// One worker's end of its device's control block and of its progress words; also where its
/// statistics hear of phases. \tparam C  a configuration (worker.hpp)
template <class C>
class signals {
  using P = typename C::protocol;
  using V = typename C::view;
  using B = typename V::backend;

 public:
  MGWS_FN signals(typename B::group& g, const V& view, const run_parameters& run,
                  const place_in_run& place, typename C::statistics& statistics)
      : g_(g),
        view_(view),
        control_(view.control(place.device)),
        progress_(view.progress(place.id)),
        run_(run),
        id_(place.id),
        statistics_(statistics),
        look_ns_(B::now() + B::stop_interval_ns * (id_ + 1)) {}

  /// Whether the run was cancelled or has failed. Any lane.
  [[nodiscard]] MGWS_FN bool asked_to_stop() const {
    return B::load(control_.stop, P::stop, scope::system) != 0;
  }
  /// The same for the loop. Where the request lies in far memory the workers take turns to look.
  [[nodiscard]] MGWS_FN bool stopping() {
    if constexpr (B::stop_interval_ns == 0) {
      return g_.once([&] { return asked_to_stop(); });
    } else {
      return g_.once([&] {
        const std::uint64_t t = B::now();
        if (static_cast<std::int64_t>(t - look_ns_) < 0) return false;
        look_ns_ = t + B::stop_interval_ns * run_.workers;
        return asked_to_stop();
      });
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
      B::store(view_.control(d).stop, static_cast<std::uint32_t>(stop_reason::failed), P::stop,
               scope::system);
    view_.parking().notify_all();
  }
  MGWS_FN void fail(failure kind, std::uint64_t detail) {
    g_.once([&] {
      report(kind, detail);
      return 0;
    });
  }

  /// For the watchdog: a long task is alive. Any lane: the value has only to differ.
  MGWS_FN void heartbeat() { beat(++beats_); }
  MGWS_FN void beat(std::uint64_t value) {
    B::store(progress_.beats, value, P::beat, scope::system);
  }
  /// For the watchdog: tasks that have run.
  MGWS_FN void executed(std::uint64_t n) {
    if (leads()) B::store(progress_.executed, n, P::beat, scope::system);
  }

  // For the dump.
  MGWS_FN void holds(std::uint32_t local, std::uint32_t spilled) {
    if (!leads()) return;
    B::store(progress_.local, local, P::beat, scope::system);
    B::store(progress_.spilled, spilled, P::beat, scope::system);
  }
  MGWS_FN void tries(std::uint32_t target) {
    if (leads()) B::store(progress_.target, target, P::beat, scope::system);
  }
  MGWS_FN void enter(phase p) {
    statistics_.enter(p, &B::now);
    if (p == phase_) return;
    phase_ = p;
    if (leads()) B::store(progress_.now, static_cast<std::uint32_t>(p), P::beat, scope::system);
  }

 private:
  /// One lane writes for all.
  [[nodiscard]] MGWS_FN bool leads() const { return g_.lane() == 0; }

  typename B::group& g_;
  const V& view_;
  run_control<B>& control_;
  worker_progress<B>& progress_;
  const run_parameters& run_;
  std::uint32_t id_;
  typename C::statistics& statistics_;
  phase phase_ = phase::starting;
  std::uint64_t beats_ = 0;
  std::uint64_t look_ns_;  ///< when to look for a stop request again
};

}  // namespace mgws
