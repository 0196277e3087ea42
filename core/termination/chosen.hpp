/// \file
/// The detector that the run's parameters name, chosen when a worker begins. Detectors are asked by
/// workers without work only, so the choice costs nothing that matters, and one worker type serves
/// all of them: less code to compile and to ship to devices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>

#include <mgws/core/termination/counting.hpp>
#include <mgws/core/termination/tree.hpp>
#include <mgws_port.hpp>

namespace mgws {

template <class P, transport_view V>
class chosen_detector {
  using counting = counting_detector<P, V>;
  using tree = tree_detector<P, V>;

 public:
  /// Enough for each of them.
  static constexpr std::uint32_t global_cells(std::uint32_t devices) {
    return std::max(counting::global_cells(devices), tree::global_cells(devices));
  }
  static constexpr std::uint32_t device_cells(std::uint32_t workers) {
    return std::max(counting::device_cells(workers), tree::device_cells(workers));
  }

  MGWS_FN chosen_detector(const V& view, const run_parameters& run, std::uint32_t device,
                          std::uint32_t worker)
      : votes_(run.termination == termination::tree) {
    if (votes_) {
      new (&tree_) tree(view, run, device, worker);
    } else {
      new (&counting_) counting(view, run, device, worker);
    }
  }

  MGWS_FN bool out_of_work(std::uint64_t given) {
    return votes_ ? tree_.out_of_work(given) : counting_.out_of_work(given);
  }
  MGWS_FN void regained_work() {
    return votes_ ? tree_.regained_work() : counting_.regained_work();
  }
  [[nodiscard]] MGWS_FN bool others_idle() const {
    return votes_ ? tree_.others_idle() : counting_.others_idle();
  }
  [[nodiscard]] MGWS_FN bool half_idle(std::uint32_t more) const {
    return votes_ ? tree_.half_idle(more) : counting_.half_idle(more);
  }
  MGWS_FN verdict ask() { return votes_ ? tree_.ask() : counting_.ask(); }

 private:
  static_assert(std::is_trivially_destructible_v<counting> &&
                std::is_trivially_destructible_v<tree>);

  bool votes_;
  union {
    counting counting_;
    tree tree_;
  };
};

}  // namespace mgws
