/// \file
/// Puts a runtime together for the devices that the options name: the one place where core, a
/// backend, a transport and a port meet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <mgws/core/later.hpp>
#include <mgws/core/scratch.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/runtime/base.hpp>
#include <mgws/runtime/bridged.hpp>
#include <mgws/runtime/cpu.hpp>
#include <mgws/runtime/kinds.hpp>
#include <mgws/runtime/processes.hpp>
#include <mgws/runtime/separate.hpp>
#include <mgws/runtime/skeleton.hpp>

namespace mgws {

/// Lanes of a GPU's worker: four warps of NVIDIA's, which one search, theft or release serves
/// (docs/tuning.md, "Workers of several warps"); and k_gpu_lanes of a set of tasks.
inline constexpr std::uint32_t k_block_lanes = 128;

namespace detail {
/// One warp if four would want more scratch memory than a kernel may declare, and one wants less.
template <class Tasks>
[[nodiscard]] constexpr std::uint32_t lanes_with_scratch() {
  const std::size_t wanted = scratch_bytes<Tasks>(k_block_lanes, k_block_lanes / 32);
  return wanted <= k_most_scratch || wanted == scratch_bytes<Tasks>(32, 1) ? k_block_lanes : 32;
}
}  // namespace detail

template <class Tasks>
inline constexpr std::uint32_t k_gpu_lanes = k_block_lanes;
template <class... Ts>
inline constexpr std::uint32_t k_gpu_lanes<task_set<Ts...>> =
    detail::lanes_with_scratch<task_set<Ts...>>();

namespace detail {

[[noreturn]] inline void refuse_gpus() {
  throw not_possible("a GPU cannot be used: this program was built for the CPU only");
}

template <class Port>
concept port_of_gpus = requires {
  typename Port::api;
};

/// The GPUs of a port. Here of one that has none; else see make_gpus.hpp, which a program for the
/// CPU alone is spared.
template <class Port>
struct gpus_of {
  static_assert(!port_of_gpus<Port>, "mgws: <mgws/runtime/make_gpus.hpp> is missing");
  /// As runtime.hpp's join_gpus(), of checked options.
  [[noreturn]] static void join(const options& /*o*/) { refuse_gpus(); }
  /// A runtime of the GPUs that checked options name.
  template <std::uint32_t Lanes, bool Bridged, class Tasks, class Accumulators, class Context,
            class Statistics>
  [[noreturn]] static std::unique_ptr<runtime_base<Tasks, Accumulators, Context>> make(
      options&& /*o*/, const domain_setting& /*domains*/) {
    refuse_gpus();
  }
};

template <class Port, std::uint32_t Lanes, compiled_for For, class Tasks, class Accumulators,
          class Context, class Statistics>
std::unique_ptr<runtime_base<Tasks, Accumulators, Context>> make_domain(
    options&& o, const domain_setting& domains) {
  if (!uses_gpus(o)) {
    if constexpr (For == compiled_for::gpus) {
      throw not_possible("CPU workers cannot be used: this runtime was compiled for GPUs only");
    } else {
      return std::make_unique<crew_runtime<
          cpu_crew<Tasks, Accumulators, Context, Statistics, For == compiled_for::together>>>(
          std::move(o), domains);
    }
  }
  if constexpr (For == compiled_for::cpu) {
    refuse_gpus();
  } else {
    return gpus_of<Port>::template make<Lanes, For == compiled_for::together, Tasks, Accumulators,
                                        Context, Statistics>(std::move(o), domains);
  }
}

}  // namespace detail

/// \param records  whether the runtime has statistics \return whether it is one coherence domain's
/// \throws bad_configuration
[[nodiscard]] inline bool check_for_runtime(const options& o, bool records) {
  check(o);
  if (o.trace_events != 0 && !records)
    throw bad_configuration(
        "trace_events needs a runtime that records: give mgws::runtime worker_statistics as its "
        "fourth argument");
  return !uses_bridge(o) && !is_of_group(o);
}

/// \tparam Port  the port's `port_devices`
/// \throws bad_configuration, not_possible, device_error
template <class Port, std::uint32_t Lanes, compiled_for For, class Tasks, class Accumulators,
          class Context, class Statistics>
std::unique_ptr<runtime_base<Tasks, Accumulators, Context>> make_runtime(options&& o) {
  const bool one_domain = check_for_runtime(o, Statistics::enabled);
  // Each level of priority has a part of the spill area, of two slots at least.
  constexpr bool away = Tasks::has_affinity || detail::some_go_home<Tasks>;
  constexpr std::uint32_t parts =
      later_tasks<cpu_backend::backend, slot<Tasks>,
                  Tasks::priorities + (Tasks::has_preferences ? 1 : 0), away>::k_spill_parts;
  if ((Tasks::priorities > 1 || away) && o.spill != 0) o.spill = std::max(o.spill, 2 * parts);
  if (one_domain) {
    const worker_kind kind = kind_of(o);
    check_affinity<Tasks>({&kind, 1});
    return detail::make_domain<Port, Lanes, For, Tasks, Accumulators, Context, Statistics>(
        std::move(o), {});
  }
  if constexpr (For != compiled_for::together) {
    throw not_possible(
        "this runtime is not compiled for work that crosses between coherence domains, as the CPU "
        "and a GPU, or several processes, are: give mgws::runtime compiled_for::together as its "
        "last argument");
  } else {
    using head = channel_head<cpu_backend::backend>;
    const auto make_one = [](options part, const domain_setting& domains) {
      return detail::make_domain<Port, Lanes, For, Tasks, Accumulators, Context, Statistics>(
          std::move(part), domains);
    };
    if (is_of_group(o))
      return std::make_unique<joined_runtime<Tasks, Accumulators, Context, head>>(o, make_one);
    return std::make_unique<bridged_runtime<Tasks, Accumulators, Context, head>>(o, make_one);
  }
}

}  // namespace mgws
