/// \file
/// Termination by one counter of idle workers (MGWS section 5.6.1, its race closed: a worker counts
/// itself idle only when no thief is still copying from its queue, and a thief that was counted
/// leaves the count before it says that its copy is done).
#pragma once

#include <cstdint>

#include <mgws/core/protocol.hpp>
#include <mgws/core/termination/detector.hpp>
#include <mgws_port.hpp>

namespace mgws {

template <class P, transport_view V>
class counter_detector {
  using B = typename V::backend;

 public:
  /// Cells for all devices together, given their number; cells of one device, given its workers.
  static constexpr std::uint32_t global_cells(std::uint32_t) { return 1; }
  static constexpr std::uint32_t device_cells(std::uint32_t) { return 0; }

  MGWS_FN counter_detector(const V& view, const run_parameters& run, std::uint32_t /*device*/,
                           std::uint32_t /*worker*/)
      : idle_(&view.global_cell(0)), workers_(run.workers) {}

  MGWS_FN bool out_of_work(std::uint64_t /*given*/) {
    return B::fetch_add(idle_->value, std::uint64_t{1}, P::idle_up, V::global_scope) + 1 ==
           workers_;
  }
  MGWS_FN void regained_work() {
    B::fetch_add(idle_->value, ~std::uint64_t{0}, P::idle_down, V::global_scope);
  }
  MGWS_FN verdict ask() {
    const auto idle = B::load(idle_->value, P::idle_read, V::global_scope);
    return idle == workers_ ? verdict::over : verdict::running;
  }

 private:
  cell<B>* idle_;
  std::uint32_t workers_;
};

}  // namespace mgws
