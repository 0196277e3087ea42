/// \file
/// What a launch hands to the workers of one device, and what each of them does with it. The
/// vendor's kernel.hpp has the entry that a launch names.
///
/// A worker is a block; its number among the workers of its device is the block's. In the shared
/// memory that the launch gives lie its local queue, its damping map, and a copy of what it looks
/// up all the time in the launch's argument: reading that goes by the cache that every acquire
/// empties.
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
/// of a thread, to 80. Whether so many do is for the occupancy API to say, with the launch's shared
/// memory.
inline constexpr unsigned k_resident_warps = 24;
/// In blocks.
template <unsigned Lanes>
inline constexpr unsigned k_resident_blocks =
    Lanes < k_resident_warps * 32 ? k_resident_warps * 32 / Lanes : 1;

/// Words of a worker's damping map; none if thieves always look first.
[[nodiscard]] MGWS_FN constexpr std::uint32_t damping_words(const run_parameters& run) {
  return run.overflow == overflow_policy::damping ? damping_map::words(run.queues) : 0;
}

/// Where the copy of the argument begins in a block's shared memory.
[[nodiscard]] MGWS_FN constexpr std::size_t copy_begins(const run_parameters& run,
                                                        std::size_t slot_bytes) {
  constexpr std::size_t aligned = 16;
  const std::size_t damping = std::size_t{damping_words(run)} * sizeof(std::uint32_t);
  return std::size_t{run.local_capacity} * slot_bytes + (damping + aligned - 1) / aligned * aligned;
}

/// Bytes of shared memory that a launch must give each block.
template <class View>
[[nodiscard]] MGWS_FN constexpr std::size_t shared_bytes(const run_parameters& run,
                                                         std::size_t slot_bytes) {
  return copy_begins(run, slot_bytes) + sizeof(run_parameters) + View::bytes_of(run.devices);
}

/// Copies the first bytes of an object, by all lanes. They meet before the copy is read.
template <class Team, class T>
MGWS_FN const T& copied(std::byte* to, const T& from, std::size_t bytes) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(std::uint64_t) == 0);
  auto* const words = reinterpret_cast<std::uint64_t*>(to);
  for (std::uint32_t i = Team::lane(); i < bytes / sizeof *words; i += Team::k_lanes)
    words[i] = reinterpret_cast<const std::uint64_t*>(&from)[i];
  return *reinterpret_cast<const T*>(to);
}

/// How far apart the workers of one scheduler begin, in nanoseconds: as long as workers of
/// different schedulers that begin at once may differ by until they have claimed. That is while
/// they add to one word, one after the other; of several warps there are so many times fewer.
inline constexpr std::uint32_t k_apart_ns = 1600;

/// Workers of all schedulers before the second one of any: what is claimed first may be the
/// longest, and two long tasks on one scheduler take twice as long. Blocks start in clusters. Only
/// where there is something to claim for all: else a short run would only begin later.
template <class Team>
MGWS_FN void take_turns() {
  using I = typename Team::intrinsics;
  constexpr std::uint32_t warps = Team::k_lanes / Team::k_warp_lanes;
  const std::uint64_t at = I::now() + k_apart_ns / warps * I::rank_on_scheduler();
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
  auto* const copies =
      static_cast<std::byte*>(team::local_memory()) + copy_begins(a.run, sizeof(slot_type));
  const run_parameters& run = copied<team>(copies, a.run, sizeof a.run);
  const auto& view =
      copied<team>(copies + sizeof a.run, a.view, Config::view::bytes_of(a.run.devices));
  team::sync();

  const std::uint32_t id = a.run.device[a.device].first_worker + rank;
  worker_type worker(view, run, a.device, id,
                     {.local = local,
                      .spill = a.spill + std::size_t{rank} * a.run.spill_capacity,
                      .damping = words != 0 ? damping : nullptr,
                      .result = a.results + rank,
                      .statistics = a.statistics != nullptr ? a.statistics + rank : nullptr});
  if (a.direct) worker.take_share(share_of(a.run, id, a.one_at_a_time));
  if (!a.direct && a.run.initial_count > a.run.workers) take_turns<team>();
  worker.run(a.context);
}

}  // namespace mgws::gpu
