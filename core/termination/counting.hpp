/// \file
/// Termination by counting idle workers (MGWS section 5.6.1, its race closed: a worker counts
/// itself idle only when no thief is still copying from its queue, and a thief that was counted
/// leaves the count before it says that its copy is done): by one counter for all, or,
/// hierarchically, by one a device and one of idle devices, so that the common case touches only
/// the own device's memory. (MGWS chapter 7 leaves it open.)
///
/// Whoever makes the last worker of a device idle adds 1 to the global counter; whoever ends that
/// state takes 1 away, before the giver of its tasks can become passive. The two changes of one
/// worker may arrive late, and late additions understate only.
#pragma once

#include <cstdint>

#include <mgws/core/termination/detector.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Hierarchical if the run's parameters say so, else one counter.
template <class P, transport_view V>
class counting_detector {
  using B = typename V::backend;

 public:
  /// Cells for all devices together, given their number; cells of one device, given its workers.
  static constexpr std::uint32_t global_cells(std::uint32_t) { return 1; }
  static constexpr std::uint32_t device_cells(std::uint32_t) { return 1; }

  MGWS_FN counting_detector(const V& view, const run_parameters& run, std::uint32_t device,
                            std::uint32_t /*worker*/)
      : here_(run.termination == termination::hierarchical ? &view.device_cell(device, 0)
                                                           : nullptr),
        idle_(&view.global_cell(0)),
        workers_here_(run.device[device].workers),
        all_(here_ != nullptr ? run.devices : run.workers),
        live_(run.inboxes != 0 || run.domains != 0) {}

  MGWS_FN bool out_of_work(std::uint64_t /*given*/) {
    if (here_ != nullptr) {
      // With one device the count of workers is as good as the one counter: it becomes full once,
      // and orders nothing.
      const auto before =
          all_ == 1
              ? B::fetch_add(here_->value, std::uint64_t{1}, P::idle_up, V::device_scope)
              : B::fetch_add(here_->value, std::uint64_t{1}, P::device_idle_up, V::device_scope);
      if (before + 1 != workers_here_) return false;
    }
    const auto before =
        live_ ? B::fetch_add(idle_->value, std::uint64_t{1}, P::idle_up_live, V::global_scope)
              : B::fetch_add(idle_->value, std::uint64_t{1}, P::idle_up, V::global_scope);
    // The first worker of a live run, which is not idle, has to hear that all others are.
    return before + (live_ ? 2 : 1) >= all_;
  }
  /// For a worker that is not idle, of a run into which work may come, which has one counter:
  /// whether all others are. What they wrote is seen then.
  [[nodiscard]] MGWS_FN bool others_idle() const {
    return B::load(idle_->value, P::idle_read_live, V::global_scope) + 1 == all_;
  }
  [[nodiscard]] MGWS_FN bool half_idle(std::uint32_t more) const {
    return 2 * (B::load(idle_->value, P::idle_read, V::global_scope) + more) >= all_;
  }
  MGWS_FN void regained_work() {
    constexpr auto minus_one = ~std::uint64_t{0};
    if (here_ != nullptr && B::fetch_add(here_->value, minus_one, P::device_idle_down,
                                         V::device_scope) != workers_here_)
      return;
    B::fetch_add(idle_->value, minus_one, P::idle_down, V::global_scope);
  }
  MGWS_FN verdict ask() {
    const auto idle = B::load(idle_->value, P::idle_read, V::global_scope);
    return idle == all_ ? verdict::over : verdict::running;
  }

 private:
  cell<B>* here_;  ///< the own device's, if it has one
  cell<B>* idle_;
  std::uint32_t workers_here_;
  std::uint32_t all_;  ///< devices or workers that are to be idle
  bool live_;
};

}  // namespace mgws
