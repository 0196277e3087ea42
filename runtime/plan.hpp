/// \file
/// From options to the parameters of a run: who is where, and how large everything is.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

#include <mgws/core/run.hpp>
#include <mgws/core/target.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/transports/table.hpp>

namespace mgws {

/// A row of the placement table. \throws not_possible if it was not built
[[nodiscard]] inline const transport_row& built_transport(transport_kind kind) {
  std::string built;
  for (const transport_row& row : transports::k_built) {
    if (row.kind == kind) return row;
    built.append(built.empty() ? "" : ", ").append(row.name);
  }
  const auto* const asked = std::ranges::find(transports::k_all, kind, &transport_row::kind);
  detail::refuse<not_possible>({"the ", asked->name, " transport was not built, only ", built,
                                ": use what there is, or build with it (-Dtransports)"});
}

/// The transport that the options name, or of those that were built the first that their devices
/// may join. \throws not_possible
[[nodiscard]] inline const transport_row& transport_of(const options& o) {
  const bool gpus = uses_gpus(o);
  if (o.transport != transport_kind::automatic) {
    const transport_row& row = built_transport(o.transport);
    if (!gpus && row.without_gpus != nullptr) throw not_possible(row.without_gpus);
    return row;
  }
  return *std::ranges::find_if(transports::k_built, [&](const transport_row& row) {
    return (gpus || row.without_gpus == nullptr) &&
           (row.most_devices == 0 || o.devices.size() <= row.most_devices);
  });
}

struct plan {
  /// All but the initial set and the seed. `run.device` points into `devices`.
  run_parameters run{};
  std::vector<device_range> devices;
  std::uint32_t inboxes = 0;         ///< of each device, where a run is live
  std::uint32_t inbox_capacity = 0;  ///< slots of each
  std::uint32_t channels = 0;        ///< of a bridge, between all domains
  std::uint32_t damping_words = 0;   ///< of each worker's damping map; 0: it has none
};

/// How large what a worker has is.
struct capacities {
  std::uint32_t local_queue = 0;   ///< slots
  std::uint32_t public_queue = 0;  ///< slots
  std::uint32_t spill = 0;         ///< slots
  std::uint32_t frames = 0;
};

/// \param workers  of each device
/// \param unsaid   what the options leave open
[[nodiscard]] inline plan make_plan(const options& o, const std::vector<std::uint32_t>& workers,
                                    const capacities& unsaid) {
  plan p;
  run_parameters& run = p.run;
  for (const std::uint32_t n : workers) {
    const std::uint32_t queues = (n + o.owners - 1) / o.owners;
    p.devices.push_back({run.workers, n, run.queues, queues});
    run.workers += n;
    run.queues += queues;
  }
  run.owners = o.owners;
  run.devices = static_cast<std::uint32_t>(workers.size());
  run.device = p.devices.data();
  const auto said = [](std::uint32_t by_options, std::uint32_t otherwise) {
    return by_options != 0 ? by_options : otherwise;
  };
  run.local_capacity = said(o.local_queue, unsaid.local_queue);
  run.public_capacity = said(o.public_queue, unsaid.public_queue);
  run.spill_capacity = said(o.spill, unsaid.spill);
  run.log_frames = static_cast<std::uint8_t>(std::countr_zero(said(o.frames, unsaid.frames)));
  run.max_batch = std::min(run.public_capacity, 2 * run.local_capacity);
  run.steal = o.steal;
  run.own_device_threshold = static_cast<std::uint32_t>(std::min(
      o.own_device_bias * 0x1p32, static_cast<double>(std::numeric_limits<std::uint32_t>::max())));
  run.overflow = o.overflow;
  run.termination = o.termination;
  p.inboxes = o.inboxes;
  p.inbox_capacity = o.inbox_slots;
  if (o.overflow == overflow_policy::damping) p.damping_words = damping_map::words(run.queues);
  return p;
}

/// The seed of a run: the one asked for, or a fresh one. The system is asked for randomness once:
/// on a virtual machine an answer takes as long as a short run. From there on it is the counter of
/// SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
[[nodiscard]] inline std::uint64_t draw_seed(const options& o) {
  static std::atomic<std::uint64_t> counter{[] {
    std::uint64_t drawn = 0;
    if (getentropy(&drawn, sizeof drawn) != 0)
      throw std::system_error(errno, std::generic_category(), "getentropy");
    return drawn;
  }()};
  std::uint64_t seed = o.seed;
  while (seed == 0) {
    seed = counter.fetch_add(0x9e3779b97f4a7c15u, std::memory_order_relaxed);
    seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
    seed = (seed ^ seed >> 27) * 0x94d049bb133111ebu;
    seed ^= seed >> 31;
  }
  return seed;
}

}  // namespace mgws
