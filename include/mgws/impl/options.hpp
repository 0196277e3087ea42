/// \file
/// What check() of options refuses.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <mgws/errors.hpp>
#include <mgws/options.hpp>

namespace mgws {

namespace detail {

inline void check_power_of_two(const char* name, std::uint32_t value, std::uint32_t least,
                               std::uint32_t most) {
  if (std::has_single_bit(value) && value >= least && value <= most) return;
  detail::refuse<bad_configuration>(
      {name, " must be a power of two between ", least, " and ", most, ", not ", value});
}

[[noreturn]] inline void throw_no_enumerator(const char* name, unsigned value) {
  refuse<bad_configuration>({name, " has no value with the number ", value});
}

/// \param last  the largest enumerator
template <class E>
void check_enumerator(const char* name, E value, E last) {
  if (value > last) throw_no_enumerator(name, static_cast<unsigned>(value));
}

inline void check_enumerators(const options& o) {
  for (const device_choice& d : o.devices)
    check_enumerator("a device's kind", d.kind, device_kind::gpu);
  check_enumerator("transport", o.transport, transport_kind::remote);
  check_enumerator("domains", o.domains, domain_split::each);
  check_enumerator("initial-tasks", o.initial_tasks, task_memory::remote);
  check_enumerator("inboxes-of", o.inboxes_of, inbox_devices::one);
  check_enumerator("termination", o.termination, termination::hierarchical);
  check_enumerator("overflow", o.overflow, overflow_policy::damping);
  check_enumerator("steal", o.steal, steal_policy::none);
  check_enumerator("direct", o.direct, direct_mode::bulk);
}

inline void check_group(const options& o) {
  const process_group& g = o.processes;
  if (g.ranks == 0 || g.ranks > k_most_domains)
    refuse<bad_configuration>(
        {"a group is of 1 to ", k_most_domains, " processes, not of ", g.ranks});
  if (g.rank >= g.ranks)
    refuse<bad_configuration>(
        {"the ranks of ", g.ranks, " processes are 0 to ", g.ranks - 1, ", not ", g.rank});
  if (!is_of_group(o)) return;
  constexpr std::size_t longest = 128;
  const auto usual = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  if (g.name.empty() || g.name.size() > longest || !std::ranges::all_of(g.name, usual))
    refuse<bad_configuration>({"the name of a group of processes is of 1 to ", longest,
                               " letters, digits, '.', '_' and '-', not '", g.name, "'"});
  if (!(g.patience.count() >= 0 && g.patience.count() <= 1e6))
    throw bad_configuration("the patience of a group must be 0 to 1,000,000 seconds");
  if (uses_bridge(o))
    throw bad_configuration(
        "a process of a group is one coherence domain: CPU workers and GPUs, and devices of a "
        "domain each, are to be in processes of their own");
}

}  // namespace detail

MGWS_SEPARABLE void check(const options& o) {
  detail::check_enumerators(o);
  if (uses_remote_memory(o) && o.devices.size() > 1)
    detail::refuse<bad_configuration>(
        {"the remote transport and remote initial tasks are for one computing GPU, not ",
         o.devices.size(), " devices"});
  if (o.remote_gpu && !uses_remote_memory(o))
    throw bad_configuration(
        "a remote GPU was named, and nothing lies there: use the remote transport or remote "
        "initial tasks");
  std::uint64_t workers = o.devices.empty() ? o.workers : 0;
  for (const device_choice& d : o.devices)
    workers += d.workers != 0 ? d.workers : o.workers;
  if (workers > k_max_workers)
    detail::refuse<bad_configuration>(
        {"at most ", k_max_workers, " workers fit the queue word, not ", workers});
  if (o.owners != 1 && o.owners != 2 && o.owners != 4)
    detail::refuse<bad_configuration>({"owners must be 1, 2 or 4, not ", o.owners});
  if (o.public_queue != 0)
    detail::check_power_of_two("public-queue", o.public_queue, 2, k_most_queue);
  if (o.local_queue != 0) detail::check_power_of_two("local-queue", o.local_queue, 2, k_most_queue);
  if (o.spill != 0) detail::check_power_of_two("spill", o.spill, 1, k_most_spill);
  if (o.frames != 0) detail::check_power_of_two("frames", o.frames, k_least_frames, k_most_frames);
  detail::check_power_of_two("inbox-slots", o.inbox_slots, 1, k_most_inbox_slots);
  detail::check_power_of_two("bridge-slots", o.bridge_slots, 1, k_most_inbox_slots);
  detail::check_group(o);
  if ((uses_bridge(o) || is_of_group(o)) && o.direct != direct_mode::off)
    throw bad_configuration(
        "a direct run assigns tasks beforehand: it cannot be over several coherence domains, which "
        "exchange them");
  if (o.domains == domain_split::each && o.devices.size() > k_most_domains)
    detail::refuse<bad_configuration>(
        {"at most ", k_most_domains, " coherence domains can share a run, not ", o.devices.size()});
  if (o.inboxes > k_most_inboxes)
    detail::refuse<bad_configuration>(
        {"a device has at most ", k_most_inboxes, " inboxes, not ", o.inboxes});
  if (!(o.own_device_bias >= 0 && o.own_device_bias <= 1))
    throw bad_configuration("the bias must be a probability between 0 and 1");
  if (!(o.timeout.count() >= 0 && std::isfinite(o.timeout.count())))
    throw bad_configuration("the timeout must be a number of seconds, 0 or more");
}

}  // namespace mgws
