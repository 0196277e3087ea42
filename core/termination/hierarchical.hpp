/// \file
/// Termination by a counter of idle workers a device and one counter of idle devices: the common
/// case touches only the own device's memory. (MGWS chapter 7 leaves it open.)
///
/// Whoever makes the last worker of a device idle adds 1 to the global counter; whoever ends that
/// state takes 1 away, before the giver of its tasks can become passive. The two changes of one
/// worker may arrive late, and late additions understate only.
///
/// With one device the count of workers is as good as the counter detector's: it becomes full once,
/// and orders nothing.
#pragma once

#include <cstdint>

#include <mgws/core/protocol.hpp>
#include <mgws/core/termination/detector.hpp>
#include <mgws_port.hpp>

namespace mgws {

template <class P, transport_view V>
class hierarchical_detector {
  using B = typename V::backend;

 public:
  static constexpr std::uint32_t global_cells(std::uint32_t) { return 1; }
  static constexpr std::uint32_t device_cells(std::uint32_t) { return 1; }

  MGWS_FN hierarchical_detector(const V& view, const run_parameters& run, std::uint32_t device,
                                std::uint32_t /*worker*/)
      : here_(&view.device_cell(device, 0)),
        devices_idle_(&view.global_cell(0)),
        workers_here_(run.device[device].workers),
        devices_(run.devices) {}

  MGWS_FN bool out_of_work(std::uint64_t /*given*/) {
    const auto before =
        devices_ == 1
            ? B::fetch_add(here_->value, std::uint64_t{1}, P::idle_up, V::device_scope)
            : B::fetch_add(here_->value, std::uint64_t{1}, P::device_idle_up, V::device_scope);
    if (before + 1 != workers_here_) return false;
    B::fetch_add(devices_idle_->value, std::uint64_t{1}, P::idle_up, V::global_scope);
    return true;
  }
  MGWS_FN void regained_work() {
    const auto before =
        B::fetch_add(here_->value, ~std::uint64_t{0}, P::device_idle_down, V::device_scope);
    if (before == workers_here_)
      B::fetch_add(devices_idle_->value, ~std::uint64_t{0}, P::idle_down, V::global_scope);
  }
  MGWS_FN verdict ask() {
    const auto idle = B::load(devices_idle_->value, P::idle_read, V::global_scope);
    return idle == devices_ ? verdict::over : verdict::running;
  }

 private:
  cell<B>* here_;
  cell<B>* devices_idle_;
  std::uint32_t workers_here_;
  std::uint32_t devices_;
};

}  // namespace mgws
