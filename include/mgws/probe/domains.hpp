/// \file
/// Coherence domains: which devices may share queues, and where the driver and the litmus runs
/// disagree. Conclusions from findings alone; where they disagree, the litmus runs decide.
#pragma once

// clang-format off
#include <mgws/language.hpp>  // before all others
// clang-format on

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <mgws/probe/findings.hpp>

namespace mgws {

/// Positions in the list of devices.
using device_group = std::vector<std::uint32_t>;

/// Which devices may share queues, and which may only send each other messages.
struct coherence_domains {
  /// GPUs that the p2p transport may join: every two of them are right on the memory of each.
  std::vector<device_group> p2p;
  /// Devices that the host transport may join: every two of them are right on host memory.
  std::vector<device_group> host;
  /// Devices between which messages of loads and stores in host memory are safe: what a bridge may
  /// join where read-modify-writes are not coherent.
  std::vector<device_group> messages;
};

namespace detail {

/// What devices need to share queues, or something less.
struct need {
  bool own_memory = false;  ///< GPUs, in the memory of each; else in the host's
  std::uint32_t chosen = litmus_bounds{}.chosen;  ///< bit i: the litmus run of that number
  bool alone = true;                              ///< also of two workers of one device
};

/// Whether all litmus runs that are needed passed. What was not tried has not passed.
[[nodiscard]] inline bool may_share(const probe_report& r, const device_group& group,
                                    const need& needed) {
  // Alone, a GPU's workers reach everything at device scope; with others at system scope, as does
  // the CPU.
  const bool system = group.size() > 1 || r.devices[group.front()].kind == device_kind::cpu;
  const auto passed = [&](std::uint32_t x, std::uint32_t y, memory_place memory) {
    for (std::uint32_t k = 0; k != k_litmuses; ++k) {
      if ((needed.chosen >> k & 1) == 0) continue;
      const litmus_finding* const f = r.find(x, y, memory, system, static_cast<litmus>(k));
      if (f == nullptr || f->outcome.verdict != litmus_verdict::passed) return false;
    }
    return true;
  };
  for (const memory_place memory : needed.own_memory ? group : device_group{k_host_memory})
    for (const std::uint32_t x : group)
      for (const std::uint32_t y : group)
        if ((x < y || (x == y && needed.alone)) && !passed(x, y, memory)) return false;
  return true;
}

/// Each device joins the first group in which everything still holds with it, else it begins one.
/// Where "may share" is not transitive there are other partitions as good as this one.
[[nodiscard]] inline std::vector<device_group> grouped(const probe_report& r, const need& needed) {
  std::vector<device_group> groups;
  for (std::uint32_t d = 0; d != r.devices.size(); ++d) {
    if (needed.own_memory && r.devices[d].kind == device_kind::cpu) continue;
    const auto home = std::ranges::find_if(groups, [&](device_group with) {
      with.push_back(d);
      return may_share(r, with, needed);
    });
    if (home != groups.end()) {
      home->push_back(d);
    } else if (may_share(r, {d}, needed)) {
      groups.push_back({d});
    }
  }
  return groups;
}

}  // namespace detail

/// A device that is not even coherent with itself is in no group.
[[nodiscard]] inline coherence_domains domains_of(const probe_report& r) {
  constexpr std::uint32_t messages = 1u << static_cast<std::uint32_t>(litmus::message);
  return {.p2p = detail::grouped(r, {.own_memory = true}),
          .host = detail::grouped(r, {}),
          .messages = detail::grouped(r, {.chosen = messages, .alone = false})};
}

/// Runs whose verdict on read-modify-writes is not what the driver says. Runs that never took
/// place, or showed nothing, contradict nobody.
[[nodiscard]] inline std::vector<litmus_finding> disagreements(const probe_report& r) {
  using enum litmus_verdict;
  std::vector<litmus_finding> all;
  std::ranges::copy_if(r.litmus, std::back_inserter(all), [](const litmus_finding& f) {
    const litmus_verdict v = f.outcome.verdict;
    const bool shown = v == passed || v == wrong || v == gave_up;
    return f.claim.has_value() && shown && *f.claim != (v == passed);
  });
  return all;
}

/// What no machine may show: a participant that never appeared, or workers of one device that are
/// not coherent with each other in its own memory. Empty if there is no such thing.
[[nodiscard]] inline std::string fault_of(const probe_report& r) {
  for (const litmus_finding& f : r.litmus) {
    const bool cpu = r.devices[f.a].kind == device_kind::cpu;
    const bool at_home =
        f.a == f.b && f.memory == (cpu ? k_host_memory : f.a) && f.system_scope == cpu;
    const litmus_verdict v = f.outcome.verdict;
    if (v == litmus_verdict::absent || (at_home && v != litmus_verdict::passed))
      return objection(f, r.devices);
  }
  return "";
}

}  // namespace mgws
