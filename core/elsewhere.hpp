/// \file
/// Of a worker of a run over several coherence domains: which tasks it cannot run itself, or would
/// rather not (affinity.hpp), or that have something for another domain (homeward.hpp); and where
/// they wait (later.hpp).
#pragma once

#include <cstdint>

#include <mgws/core/affinity.hpp>
#include <mgws/core/homeward.hpp>
#include <mgws/core/later.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/core/transport.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// \tparam V  the view of a configuration (worker_base.hpp) \tparam Tasks  its task set
template <class V, class Tasks>
struct elsewhere {
  /// Whether another domain may have to be told something.
  static constexpr bool k_homes = bridged_view<V> && detail::some_go_home<Tasks>;
  /// Whether there is any such task. Without a bridge all workers of a run are of one kind.
  static constexpr bool k_any = bridged_view<V> && (Tasks::has_affinity || k_homes);
  static constexpr bool k_rather = k_any && Tasks::has_preferences;
  /// The levels of what waits here: those that prefer the other kind are below all others.
  static constexpr std::uint32_t k_levels = Tasks::priorities + (k_rather ? 1 : 0);

  using waiting = later_tasks<typename V::backend, slot<Tasks>, k_levels, k_any>;

  /// Whether tasks of this type cannot run here.
  template <class T>
  [[nodiscard]] MGWS_FN static bool must_leave(const run_parameters& run) {
    constexpr affinity a = detail::affinity_of<T>();
    if constexpr (k_any && a != affinity::none && !prefers(a)) {
      return run.other_kind != 0 && !allows(a, run.kind);
    } else {
      return false;
    }
  }
  template <class T>
  [[nodiscard]] MGWS_FN static bool must_leave(const run_parameters& run,
                                               [[maybe_unused]] const T& t) {
    if constexpr (k_homes && detail::goes_home<T>) {
      return t.home() != run.domain;
    } else {
      return must_leave<T>(run);
    }
  }
  /// The level of a task that can.
  template <class T>
  [[nodiscard]] MGWS_FN static std::uint32_t level_of([[maybe_unused]] const run_parameters& run,
                                                      const T& t) {
    constexpr affinity a = detail::affinity_of<T>();
    if constexpr (k_any && prefers(a))
      if (run.other_kind != 0 && leaves(a, run.kind)) return k_levels - 1;
    return detail::priority_of(t);
  }

  /// The same of a slot that somebody else wrote.
  [[nodiscard]] MGWS_FN static bool must_leave(const run_parameters& run, const slot<Tasks>& s) {
    bool leaves = false;
    if constexpr (k_any && Tasks::has_affinity)
      Tasks::with_type(s.read_header().type(), [&]<class T>() { leaves = must_leave<T>(run); });
    return leaves;
  }

  /// Whether a task of this type has something for its home, and is no work.
  [[nodiscard]] MGWS_FN static bool goes_home([[maybe_unused]] std::uint32_t type) {
    bool home = false;
    if constexpr (k_homes) Tasks::with_type(type, [&]<class T>() { home = detail::goes_home<T>; });
    return home;
  }
  /// Whether one that cannot do here what it is for can do it in that domain.
  [[nodiscard]] MGWS_FN static bool goes_to(const run_parameters& run, const slot<Tasks>& s,
                                            std::uint32_t domain) {
    bool goes = is_other(run, domain);
    if constexpr (k_homes)
      Tasks::with_type(s.read_header().type(), [&]<class T>() {
        if constexpr (detail::goes_home<T>) goes = s.template read<T>().get().home() == domain;
      });
    return goes;
  }

  /// Whether a domain's workers are of the other kind.
  [[nodiscard]] MGWS_FN static bool is_other(const run_parameters& run, std::uint32_t domain) {
    return (run.other_kind >> domain & 1) != 0;
  }
  /// Whether its workers are slower by far: hundreds of times fewer lanes.
  [[nodiscard]] MGWS_FN static bool is_slower(const run_parameters& run, std::uint32_t domain) {
    return run.kind == worker_kind::gpu && is_other(run, domain);
  }
  /// Whether those of all others are.
  [[nodiscard]] MGWS_FN static bool others_are_slower(const run_parameters& run) {
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - run.domains);
    return run.kind == worker_kind::gpu && (run.other_kind | std::uint64_t{1} << run.domain) == all;
  }
};

}  // namespace mgws
