/// \file
/// What a launch hands to the workers of one device, and what each of them does with it. The
/// vendor's kernel.hpp has the entry that a launch names.
///
/// A worker is a block; its number among the workers of its device is the block's. Its local queue
/// and, behind it, its damping map lie in the shared memory that the launch gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <mgws/core/lanes.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws/core/target.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws::gpu {

/// The argument of a launch, by value. Every pointer is one that this device may follow.
/// \tparam Config  a configuration (worker_base.hpp) whose backend has several lanes
template <class Config>
struct kernel_arguments {
  using slot_type = slot<typename Config::tasks>;

  typename Config::view view;
  /// run.device points to memory of the device.
  run_parameters run;
  typename Config::context context;
  /// Which of run.device this is.
  std::uint32_t device;

  // One of each for every worker of the device, in the device's memory.
  slot_type* spill;                        ///< run.spill_capacity slots for each worker
  typename Config::accumulators* results;  ///< written as the worker ends
  statistics_record* statistics;           ///< may be null without statistics

  /// Without public queues: each worker runs its own share of the initial set (options::direct).
  bool direct;
  bool one_at_a_time;  ///< direct: each slot straight from the set instead of in batches
};

/// Warps of 32 lanes that are to fit on one of NVIDIA's multiprocessors: this bounds the registers
/// of a thread, to 64 for 32 warps and to 80 for 24. More do not fit with local queues of the
/// default size; whether so many do is for the occupancy API to say, with the launch's shared
/// memory.
template <class Config>
inline constexpr unsigned k_resident_warps = sizeof(slot<typename Config::tasks>) <= 16 ? 32 : 24;

/// Words of a worker's damping map; none if thieves always look first.
[[nodiscard]] MGWS_FN constexpr std::uint32_t damping_words(const run_parameters& run) {
  return run.overflow == overflow_policy::damping ? damping_map::words(run.queues) : 0;
}

/// Bytes of shared memory that a launch must give each block.
[[nodiscard]] MGWS_FN constexpr std::size_t shared_bytes(const run_parameters& run,
                                                         std::size_t slot_bytes) {
  return std::size_t{run.local_capacity} * slot_bytes +
         std::size_t{damping_words(run)} * sizeof(std::uint32_t);
}

/// How far apart the workers of one scheduler begin, in nanoseconds: as long as workers of
/// different schedulers that begin at once may differ by until they have claimed.
inline constexpr std::uint32_t k_apart_ns = 1600;

/// Workers of all schedulers before the second one of any: what is claimed first may be the
/// longest, and two long tasks on one scheduler take twice as long. Blocks start in clusters. Only
/// where there is something to claim for all: else a short run would only begin later.
template <class I>
MGWS_FN void take_turns() {
  const std::uint64_t at = I::now() + k_apart_ns * I::rank_on_scheduler();
  while (static_cast<std::int64_t>(I::now() - at) < 0) {
  }
}

/// The whole life of a worker. Called by every thread of its block.
template <class Config>
MGWS_FN void run_block(const kernel_arguments<Config>& a, std::uint32_t rank) {
  using slot_type = slot<typename Config::tasks>;
  using worker_type = lane_worker<Config>;

  using team = typename Config::backend::team;
  auto* local = static_cast<slot_type*>(team::local_memory());
  const std::uint32_t words = damping_words(a.run);
  auto* damping = reinterpret_cast<std::uint32_t*>(local + a.run.local_capacity);
  for (std::uint32_t i = team::lane(); i < words; i += team::k_lanes)
    damping[i] = 0;
  if (team::lane() == 0) team::intrinsics::prepare_copies();  // the worker meets before it copies

  const std::uint32_t id = a.run.device[a.device].first_worker + rank;
  worker_type worker(a.view, a.run, a.device, id,
                     {.local = local,
                      .spill = a.spill + std::size_t{rank} * a.run.spill_capacity,
                      .damping = words != 0 ? damping : nullptr,
                      .result = a.results + rank,
                      .statistics = a.statistics != nullptr ? a.statistics + rank : nullptr});
  if (a.direct) worker.take_share(share_of(a.run, id, a.one_at_a_time));
  if (!a.direct && a.run.initial_count > a.run.workers) take_turns<typename team::intrinsics>();
  worker.run(a.context);
}

}  // namespace mgws::gpu
