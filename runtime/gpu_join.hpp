/// \file
/// The GPUs that options name, opened and joined by a transport, or why they cannot be:
/// litmus runs decide, whatever the driver claims.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include <mgws/backends/gpu/device.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/probe/findings.hpp>
#include <mgws/runtime/probe/gpus.hpp>
#include <mgws/transports/row.hpp>
#include <mgws/transports/view.hpp>

namespace mgws {

template <class Api>
struct joined_gpus {
  std::vector<std::shared_ptr<gpu::device<Api>>> gpus;
  bool reached = true;                         ///< each GPU's memory by the others
  std::shared_ptr<gpu::device<Api>> remote{};  ///< if anything lies in the memory of one that does
                                               ///< not compute
};

/// Why two GPUs must not share queues in a memory, for a sentence; empty if nothing speaks against
/// it. Short litmus runs, about a millisecond, whose outcomes are kept for the life of the process:
/// hardware does not change. What showed nothing, because something else kept a GPU busy, is tried
/// again the next time. Thread-safe: one trial of the process at a time.
/// \param f  whose, on which memory, at which scope; of one GPU, at one position or two, it is two
///           workers
/// \pre   both reach the memory
/// \throws no_progress, device_error
template <class Port>
[[nodiscard]] std::string against(gpu_machine<Port>& machine, litmus_finding f) {
  static std::mutex mutex;
  static std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, bool>, litmus_outcomes> kept;
  const auto index = [&](memory_place d) {
    return d == k_host_memory ? -1 : std::int64_t{machine.devices()[d].index};
  };
  const std::tuple key{std::min(index(f.a), index(f.b)), std::max(index(f.a), index(f.b)),
                       index(f.memory), f.system_scope};
  const std::scoped_lock lock(mutex);
  litmus_outcomes& outcomes = kept[key];
  // Whether the runs show what the hardware does: something wrong, or that all is right.
  const auto conclusive = [&] {
    const auto count = [&](auto v) {
      return std::ranges::count(outcomes, v, &litmus_outcome::verdict);
    };
    return count(litmus_verdict::wrong) != 0 || count(litmus_verdict::passed) == k_litmuses;
  };
  // Nothing wrong, but something kept one of them waiting, perhaps other work on its GPU: again.
  for (const std::uint64_t looks : {1u << 14, 1u << 18}) {
    if (conclusive()) break;
    outcomes = machine.outcomes(f, {.rounds = 256, .looks = looks});
  }
  f.claim = machine.claim(f);
  for (const litmus_finding& one : findings_of(f, outcomes))
    if (std::string why = objection(one, machine.devices()); !why.empty()) return why;
  return "";
}

/// Work stealing needs more than access: read-modify-writes there that are the memory's own, and
/// plain data that is there when the word before it says so.
/// \return whether each reaches the memory of the others
/// \throws bad_configuration, not_possible, which names the pair, the memory and the operation;
/// no_progress, device_error
template <class Port>
bool join_peers(gpu_machine<Port>& machine, const transport_row& transport) {
  const std::vector<probed_device>& gpus = machine.devices();
  const auto n = static_cast<std::uint32_t>(gpus.size());
  if (n == 1) return true;
  if (n > k_most_gpus)
    throw bad_configuration("at most " + std::to_string(k_most_gpus) + " GPUs can share a run");

  const bool in_host = transport.queues == memory_of::host;
  bool reached = true;
  std::vector<memory_place> memories(in_host ? 1 : n, k_host_memory);
  if (!in_host) std::iota(memories.begin(), memories.end(), 0u);
  for (std::uint32_t from = 0; from != n; ++from) {
    for (std::uint32_t to = 0; to != n; ++to) {
      if (machine.reach(from, to)) continue;
      reached = false;
      if (!in_host)
        throw not_possible(gpus[from].spoken() + " has no access to the memory of " +
                           gpus[to].spoken() + ", which stealing between them needs: name one GPU");
    }
  }
  for (std::uint32_t a = 0; a != n; ++a)
    for (std::uint32_t b = a + 1; b != n; ++b)
      for (const memory_place memory : memories) {
        const std::string why = against(machine, {.a = a, .b = b, .memory = memory});
        if (why.empty()) continue;
        throw not_possible(why +
                           (in_host ? ": over several GPUs use the p2p transport, or "
                                    : ", which stealing between them needs: ") +
                           (gpus[a].label() == gpus[b].label()
                                ? "name " + gpus[a].spoken() + " once"
                                : "name one GPU"));
      }
  return reached;
}

/// Opens the GPU in whose memory a computing GPU's workers meet, or read their initial tasks, and
/// lets them reach it. Whether two of them are right there, litmus runs decide; of what is only
/// read, access is enough.
/// \param machine  with the computing GPU alone; the other one becomes its second
/// \param o  without remote_gpu it is the one behind the computing one, in their order
/// \param meet  whether workers meet there
/// \throws bad_configuration, not_possible, no_progress, device_error
template <class Port>
std::shared_ptr<gpu::device<typename Port::api>> join_remote(gpu_machine<Port>& machine,
                                                             const options& o, bool meet) {
  const probed_device self = machine.devices().front();
  std::string no_gpu;
  const auto all = static_cast<std::uint32_t>(Port::api::count(no_gpu));
  if (!o.remote_gpu && all < 2)
    throw not_possible("the memory of another GPU than " + self.spoken() +
                       ", which computes, was asked for, and this machine has no other");
  const std::uint32_t there = o.remote_gpu.value_or((self.index + 1) % std::max(all, 1u));
  if (there == self.index)
    throw bad_configuration("the remote GPU must be another one than " + self.spoken() +
                            ", which computes");
  machine.add({.kind = device_kind::gpu, .index = there});
  std::string why;
  // The transport's scope: all who meet there are workers of the one that computes.
  if (!machine.reach(0, 1)) {
    why = self.spoken() + " has no access to the memory of " + machine.devices().back().spoken();
  } else if (meet) {
    why = against(machine, {.memory = 1, .system_scope = false});
  }
  if (!why.empty()) throw not_possible(why + ": name another remote GPU, or use the p2p transport");
  return machine.gpus().back();
}

/// \tparam Port  as gpu_machine
/// \param transport  that they are to be joined by, whatever the options say
/// \pre    check(o) passed, and all devices are GPUs
/// \throws bad_configuration, not_possible, no_progress, device_error
template <class Port>
[[nodiscard]] joined_gpus<typename Port::api> join_gpus(const options& o,
                                                        const transport_row& transport) {
  gpu_machine<Port> machine(std::chrono::seconds(20));
  for (const device_choice& d : o.devices)
    machine.add({.kind = d.kind, .index = d.index});
  joined_gpus<typename Port::api> joined{machine.gpus(), join_peers(machine, transport)};
  const bool meet_apart = transport.queues == memory_of::apart;
  if (meet_apart || o.initial_tasks == task_memory::remote)
    joined.remote = join_remote(machine, o, meet_apart);
  return joined;
}

}  // namespace mgws
