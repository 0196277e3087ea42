/// \file
/// Coherence domains: which devices may share queues, and where the driver and the litmus runs
/// disagree. Conclusions from findings alone; where they disagree, the litmus runs decide.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <mgws/probe/findings.hpp>

namespace mgws {

/// Positions in the list of devices.
using device_group = std::vector<std::uint32_t>;

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

/// Whether a litmus run of the two there passed. What was not tried has not passed.
[[nodiscard]] inline bool passed(const probe_report& r, std::uint32_t x, std::uint32_t y,
                                 memory_place memory, bool system_scope, litmus what) {
  const litmus_finding* const f = r.find(x, y, memory, system_scope, what);
  return f != nullptr && f->outcome.verdict == litmus_verdict::passed;
}

/// Everything that the queue protocol does.
[[nodiscard]] inline bool coherent(const probe_report& r, std::uint32_t x, std::uint32_t y,
                                   memory_place memory, bool system_scope) {
  for (std::uint32_t k = 0; k != k_litmuses; ++k)
    if (!passed(r, x, y, memory, system_scope, static_cast<litmus>(k))) return false;
  return true;
}

/// Whether f(x, y) holds for every two members, and for each with itself.
template <class F>
[[nodiscard]] bool for_all_pairs(const device_group& group, F&& f) {
  for (std::size_t i = 0; i != group.size(); ++i)
    for (std::size_t j = i; j != group.size(); ++j)
      if (!f(group[i], group[j])) return false;
  return true;
}

/// Alone, a GPU's workers reach everything at device scope; with others at system scope, as does
/// the CPU.
[[nodiscard]] inline bool at_system_scope(const probe_report& r, const device_group& group) {
  return group.size() > 1 || r.devices[group.front()].kind == device_kind::cpu;
}

[[nodiscard]] inline bool may_share_own_memory(const probe_report& r, const device_group& group) {
  return std::ranges::all_of(group, [&](std::uint32_t owner) {
    return for_all_pairs(group, [&](std::uint32_t x, std::uint32_t y) {
      return coherent(r, x, y, owner, at_system_scope(r, group));
    });
  });
}
[[nodiscard]] inline bool may_share_host_memory(const probe_report& r, const device_group& group) {
  return for_all_pairs(group, [&](std::uint32_t x, std::uint32_t y) {
    return coherent(r, x, y, k_host_memory, at_system_scope(r, group));
  });
}
[[nodiscard]] inline bool may_exchange_messages(const probe_report& r, const device_group& group) {
  return for_all_pairs(group, [&](std::uint32_t x, std::uint32_t y) {
    return x == y || passed(r, x, y, k_host_memory, true, litmus::message);
  });
}

/// Each device joins the first group in which everything still holds with it, else it begins one.
/// Where "may share" is not transitive there are other partitions as good as this one.
template <class May>
[[nodiscard]] std::vector<device_group> grouped(const device_group& devices, May&& may) {
  std::vector<device_group> groups;
  for (const std::uint32_t d : devices) {
    bool placed = false;
    for (device_group& g : groups) {
      g.push_back(d);
      placed = may(g);
      if (placed) break;
      g.pop_back();
    }
    if (!placed && may(device_group{d})) groups.push_back({d});
  }
  return groups;
}

}  // namespace detail

/// A device that is not even coherent with itself is in no group.
[[nodiscard]] inline coherence_domains domains_of(const probe_report& r) {
  device_group all;
  device_group gpus;
  for (std::uint32_t d = 0; d != r.devices.size(); ++d) {
    all.push_back(d);
    if (r.devices[d].kind == device_kind::gpu) gpus.push_back(d);
  }
  coherence_domains found;
  found.p2p = detail::grouped(
      gpus, [&](const device_group& g) { return detail::may_share_own_memory(r, g); });
  found.host = detail::grouped(
      all, [&](const device_group& g) { return detail::may_share_host_memory(r, g); });
  found.messages = detail::grouped(
      all, [&](const device_group& g) { return detail::may_exchange_messages(r, g); });
  return found;
}

/// Runs whose verdict on read-modify-writes is not what the driver says. Runs that never took
/// place, or showed nothing, contradict nobody.
[[nodiscard]] inline std::vector<litmus_finding> disagreements(const probe_report& r) {
  std::vector<litmus_finding> all;
  for (const litmus_finding& f : r.litmus) {
    if (!f.claim.has_value()) continue;
    const litmus_verdict v = f.outcome.verdict;
    const bool shown =
        v == litmus_verdict::passed || v == litmus_verdict::wrong || v == litmus_verdict::gave_up;
    if (shown && *f.claim != (v == litmus_verdict::passed)) all.push_back(f);
  }
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
