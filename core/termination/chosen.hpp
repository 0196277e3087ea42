/// \file
/// The detector that the run's parameters name, chosen when a worker begins. Detectors are asked by
/// workers without work only, so the choice costs nothing that matters, and one worker type serves
/// all of them: a third of the code to compile and to ship to devices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include <mgws/core/termination/counter.hpp>
#include <mgws/core/termination/hierarchical.hpp>
#include <mgws/core/termination/tree.hpp>
#include <mgws_port.hpp>

namespace mgws {

template <class P, transport_view V>
class chosen_detector {
  using B = typename V::backend;
  using counter = counter_detector<P, V>;
  using tree = tree_detector<P, V>;
  using hierarchical = hierarchical_detector<P, V>;

 public:
  /// Enough for each of them.
  static constexpr std::uint32_t global_cells(std::uint32_t devices) {
    return std::max({counter::global_cells(devices), tree::global_cells(devices),
                     hierarchical::global_cells(devices)});
  }
  static constexpr std::uint32_t device_cells(std::uint32_t workers) {
    return std::max({counter::device_cells(workers), tree::device_cells(workers),
                     hierarchical::device_cells(workers)});
  }

  MGWS_FN chosen_detector(const V& view, const run_parameters& run, std::uint32_t device,
                          std::uint32_t worker)
      : which_(run.termination) {
    switch (which_) {
      case termination::tree:
        new (&tree_) tree(view, run, device, worker);
        break;
      case termination::hierarchical:
        new (&hierarchical_) hierarchical(view, run, device, worker);
        break;
      case termination::counter:
        new (&counter_) counter(view, run, device, worker);
        break;
    }
  }

  MGWS_FN bool out_of_work(std::uint64_t given) {
    switch (which_) {
      case termination::tree:
        return tree_.out_of_work(given);
      case termination::hierarchical:
        return hierarchical_.out_of_work(given);
      case termination::counter:
        break;
    }
    return counter_.out_of_work(given);
  }
  MGWS_FN void regained_work() {
    switch (which_) {
      case termination::tree:
        return tree_.regained_work();
      case termination::hierarchical:
        return hierarchical_.regained_work();
      case termination::counter:
        return counter_.regained_work();
    }
  }
  MGWS_FN verdict ask() {
    switch (which_) {
      case termination::tree:
        return tree_.ask();
      case termination::hierarchical:
        return hierarchical_.ask();
      case termination::counter:
        break;
    }
    return counter_.ask();
  }

 private:
  static_assert(std::is_trivially_destructible_v<counter> &&
                std::is_trivially_destructible_v<tree> &&
                std::is_trivially_destructible_v<hierarchical>);

  termination which_;
  union {
    counter counter_;
    tree tree_;
    hierarchical hierarchical_;
  };
};

}  // namespace mgws
