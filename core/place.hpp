/// \file
/// Where a worker stands among the others: its device, and which public queue is its own.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/run.hpp>
#include <mgws_port.hpp>

namespace mgws {

struct place_in_run {
  std::uint32_t id;      ///< among all workers
  std::uint32_t device;  ///< which device it belongs to
  std::uint32_t queue;   ///< its public queue, among all queues
  std::uint32_t owners;  ///< workers that share that queue
  bool others_take;      ///< whether any other worker may take what this one makes public

  MGWS_FN place_in_run(const run_parameters& run, std::uint32_t in_device, std::uint32_t worker)
      : id(worker), device(in_device) {
    const device_range& here = run.device[device];
    const std::uint32_t rank = id - here.first_worker;
    queue = here.first_queue + rank / run.owners;
    // The last queue of a device may have fewer owners than the others.
    owners = std::min(run.owners, here.workers - rank / run.owners * run.owners);
    others_take = owners > 1 || (run.steal == steal_policy::local  ? here.workers > 1
                                 : run.steal == steal_policy::none ? false
                                                                   : run.workers > 1);
  }
};

}  // namespace mgws
