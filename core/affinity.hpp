/// \file
/// On which kind of worker the tasks of a type are to run, where a run has both CPU workers and
/// GPUs. A task type says it with `static constexpr mgws::affinity affinity`.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <mgws_port.hpp>

namespace mgws {

/// What a task's worker is. A backend whose workers are of one kind alone says which: `kind`.
enum class worker_kind : std::uint8_t { cpu, gpu };

/// What a task type wants. Who prefers a kind runs on the other one where workers of that have
/// nothing else to do; who is for one kind only need not compile for the other one.
enum class affinity : std::uint8_t { none, prefers_cpu, prefers_gpu, cpu_only, gpu_only };

/// Whether a task may run there at all.
[[nodiscard]] MGWS_FN constexpr bool allows(affinity a, worker_kind k) {
  return k == worker_kind::cpu ? a != affinity::gpu_only : a != affinity::cpu_only;
}
/// Whether it would rather, or can only, run on the other kind.
[[nodiscard]] MGWS_FN constexpr bool leaves(affinity a, worker_kind k) {
  return k == worker_kind::cpu ? a == affinity::prefers_gpu || a == affinity::gpu_only
                               : a == affinity::prefers_cpu || a == affinity::cpu_only;
}
/// Whether it would rather, but need not.
[[nodiscard]] MGWS_FN constexpr bool prefers(affinity a) {
  return a == affinity::prefers_cpu || a == affinity::prefers_gpu;
}
[[nodiscard]] MGWS_FN constexpr worker_kind other(worker_kind k) {
  return k == worker_kind::cpu ? worker_kind::gpu : worker_kind::cpu;
}

namespace detail {

template <class T>
constexpr affinity affinity_of() {
  if constexpr (requires { T::affinity; }) {
    static_assert(std::same_as<std::remove_cv_t<decltype(T::affinity)>, mgws::affinity>,
                  "mgws: a task type's `affinity` must be an mgws::affinity");
    return T::affinity;
  } else {
    return affinity::none;
  }
}

/// Whether workers of a backend are compiled for tasks of this type.
template <class T, class B>
constexpr bool is_for() {
  if constexpr (requires { B::kind; }) {
    return allows(affinity_of<T>(), B::kind);
  } else {
    return true;
  }
}

}  // namespace detail

}  // namespace mgws
