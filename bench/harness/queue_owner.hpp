/// \file
/// Whose queue it is that an event of a trace names.
#pragma once

#include <cstdint>

#include <mgws/options.hpp>
#include <mgws/report.hpp>

namespace mgws::bench {

/// Which workers have queues together: what a report does not say.
struct queue_sharing {
  std::uint32_t owners = 1;  ///< workers that share one
  domain_split domains = domain_split::by_kind;
};

/// The first worker that owns a queue from which another one stole. Queues are numbered within the
/// thief's domain, beyond which nothing is stolen.
[[nodiscard]] inline std::uint32_t owner_of(const run_report& report, std::uint32_t thief,
                                            std::uint32_t queue, queue_sharing sharing) {
  const std::uint32_t own = report.workers[thief].device;
  std::uint32_t first_queue = 0;
  for (std::uint32_t i = 0; i != report.devices.size(); ++i) {
    const device_report& d = report.devices[i];
    const bool together =
        sharing.domains == domain_split::each ? i == own : d.kind == report.devices[own].kind;
    if (!together) continue;
    const std::uint32_t queues = (d.workers + sharing.owners - 1) / sharing.owners;
    if (queue < first_queue + queues)
      return d.first_worker + (queue - first_queue) * sharing.owners;
    first_queue += queues;
  }
  return 0;
}

}  // namespace mgws::bench
