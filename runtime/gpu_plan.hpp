/// \file
/// How many workers a run has on each of its GPUs, and what they leave to its caches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <mgws/backends/gpu/device.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/runtime/plan.hpp>
#include <mgws/runtime/worker_areas.hpp>

namespace mgws {

/// Whether somebody in another coherence domain has workers on a GPU.
template <class Api>
[[nodiscard]] bool is_on(const device_choice& other, const gpu::device<Api>& gpu) {
  return other.kind == device_kind::gpu && static_cast<int>(other.index) == gpu.index();
}

/// What a GPU's worker has where the options do not say. Of its local queue, which lies in shared
/// memory, as much as leaves room for as many workers as two steps' slots would; or for one, where
/// these do not fit.
/// \param lanes     of a worker
/// \param units     tasks that run side by side in a step, at most
/// \param resident  resident(capacities): workers that a multiprocessor of each GPU holds
template <class Resident>
[[nodiscard]] capacities gpu_capacities(const options& o, std::uint32_t lanes, std::uint32_t units,
                                        const Resident& resident) {
  capacities least{.local_queue = 2 * units,
                   .public_queue = k_gpu_queue * lanes,
                   .spill = k_gpu_spill * lanes,
                   .frames = k_gpu_frames * lanes};
  if (o.local_queue != 0) return least;
  std::vector<std::uint32_t> most = resident(least);
  while (least.local_queue > 2 && std::ranges::find(most, 0u) != most.end()) {
    least.local_queue /= 2;
    most = resident(least);
  }
  capacities longer = least;
  for (longer.local_queue = k_gpu_queue * lanes; longer.local_queue > least.local_queue;
       longer.local_queue /= 2)
    if (resident(longer) == most) return longer;
  return least;
}

/// As many workers as are asked for, and no more than are resident at once: one that never starts
/// never becomes idle, and the run would not end.
/// \param beside      devices of other coherence domains, whose workers are to be resident, too
/// \param lanes       of a worker \param types  whose tasks it runs
/// \param resident    resident(gpu, plan): workers of a plan that one multiprocessor holds
/// \throws bad_configuration
template <class Api, class Resident>
[[nodiscard]] plan plan_of_what_fits(const options& o, const std::vector<device_choice>& beside,
                                     const std::vector<std::shared_ptr<gpu::device<Api>>>& gpus,
                                     std::uint32_t lanes, const types_of_run& types,
                                     Resident&& resident) {
  /// Blocks that any multiprocessor holds at most.
  constexpr std::uint32_t most_resident = 64;
  const auto asked_of = [&](std::size_t d) {
    return o.devices[d].workers != 0 ? o.devices[d].workers : o.workers;
  };
  std::vector<std::uint32_t> workers;
  for (std::size_t d = 0; d != gpus.size(); ++d)
    workers.push_back(asked_of(d) != 0 ? asked_of(d)
                                       : gpus[d]->properties().multiprocessors * most_resident);

  // A damping map has a bit for each queue: a plan for many workers shows how many fit at least.
  const capacities unsaid = gpu_capacities(o, lanes, types.units, [&](const capacities& c) {
    std::vector<std::uint32_t> each;
    for (const auto& gpu : gpus)
      each.push_back(resident(*gpu, make_plan(o, workers, c)));
    return each;
  });
  const plan largest = make_plan(o, workers, unsaid);
  for (std::size_t d = 0; d != gpus.size(); ++d) {
    const gpu::properties& gpu = gpus[d]->properties();
    const auto is_this = [&](const device_choice& other) { return is_on(other, *gpus[d]); };
    const bool shared = std::ranges::any_of(beside, is_this);
    // Where the kernels of two domains were to fill a GPU, the second was seen never to start.
    const std::uint32_t each = resident(*gpus[d], largest);
    const std::uint32_t fit = (each - (shared && each > 1 ? 1 : 0)) * gpu.multiprocessors;
    if (fit == 0)
      throw bad_configuration("not one worker of this task set fits on " + gpu.name +
                              ": a local queue of " + std::to_string(largest.run.local_capacity) +
                              " slots of " + std::to_string(types.slot_bytes) +
                              " bytes needs too much shared memory");
    // Whoever of a GPU named several times asks for no number has a part of what others leave.
    std::uint64_t asked = 0;
    std::uint32_t sharing = 0;
    for (std::size_t other = 0; other != gpus.size(); ++other) {
      if (gpus[other]->index() != gpus[d]->index()) continue;
      asked += asked_of(other);
      sharing += asked_of(other) == 0 ? 1 : 0;
    }
    for (const device_choice& other : beside) {
      if (!is_this(other)) continue;
      const std::uint32_t workers_there = other.workers != 0 ? other.workers : o.workers;
      asked += workers_there;
      sharing += workers_there == 0 ? 1 : 0;
    }
    if (asked + sharing > fit)
      throw bad_configuration(std::to_string(asked + sharing) + " workers do not fit on " +
                              gpu.name + " at once: at most " + std::to_string(fit) +
                              " of this task set with these queues");
    if (asked_of(d) == 0) workers[d] = (fit - static_cast<std::uint32_t>(asked)) / sharing;
  }
  return make_plan(o, workers, unsaid);
}

/// The blocks of each GPU's kernel, a worker each. All of a GPU, also where it is named several
/// times, leave to its caches what they need not; but where those of another domain are to be
/// resident on it, too, nothing: how much they need is not known here.
/// \param shared_bytes  of a worker, given by the launch
/// \param declared      of a worker, declared by the kernel
template <class Api>
[[nodiscard]] std::vector<gpu::grid> grids_of(
    const plan& p, const std::vector<device_choice>& beside,
    const std::vector<std::shared_ptr<gpu::device<Api>>>& gpus, std::uint32_t lanes,
    std::size_t shared_bytes, std::size_t declared) {
  std::vector<gpu::grid> all;
  for (std::size_t d = 0; d != gpus.size(); ++d) {
    const gpu::properties& gpu = gpus[d]->properties();
    std::uint32_t workers = 0;
    for (std::size_t other = 0; other != gpus.size(); ++other)
      if (gpus[other]->index() == gpus[d]->index()) workers += p.devices[other].workers;
    const bool alone =
        std::ranges::none_of(beside, [&](const auto& other) { return is_on(other, *gpus[d]); });
    const std::uint32_t together = (workers + gpu.multiprocessors - 1) / gpu.multiprocessors;
    all.push_back({.blocks = p.devices[d].workers,
                   .threads = lanes,
                   .shared_bytes = shared_bytes,
                   .shared_percent =
                       alone ? gpu::shared_percent(gpu, shared_bytes + declared, together) : 100});
  }
  return all;
}

}  // namespace mgws
