/// \file
/// What the workers of one run share besides the queues: the run's parameters, its control block
/// and each worker's sign of life. All are plain data or atomics, laid out the same on host and
/// devices.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/affinity.hpp>
#include <mgws/core/backend.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// A device's workers and queues, both numbered across all devices.
struct device_range {
  std::uint32_t first_worker;
  std::uint32_t workers;
  std::uint32_t first_queue;
  std::uint32_t queues;
};

/// From whom a worker steals.
enum class steal_policy : std::uint8_t {
  uniform,  ///< any queue but its own
  bias,     ///< own device with a given probability, else another device
  local,    ///< own device only
  none      ///< nobody
};

/// Whether a thief looks at a queue's word before it adds to it.
enum class overflow_policy : std::uint8_t {
  probe,   ///< always
  damping  ///< only for targets that had nothing last time (SWS section 4.3)
};

/// How a run finds out that it is over (core/termination).
enum class termination : std::uint8_t { counter, tree, hierarchical };

/// A way of tasks from one coherence domain to another (bridge.hpp): a channel_head, and the slots
/// of its ring, as the workers of one of the two reach them.
struct bridge_channel {
  void* head = nullptr;
  void* slots = nullptr;
};

/// The parameters of a run, the same for all workers; replicated where that is faster.
struct run_parameters {
  std::uint32_t workers;
  std::uint32_t queues;
  std::uint32_t owners;  ///< workers a public queue
  std::uint32_t devices;
  const device_range* device;  ///< `devices` of them
  std::uint32_t local_capacity;
  std::uint32_t public_capacity;
  std::uint32_t spill_capacity;
  std::uint32_t max_batch;      ///< most slots of an epoch
  std::uint64_t initial_count;  ///< pieces of the initial set (initial_pieces.hpp)
  /// Slots of the set, with a table behind them; 0: each is a piece, and there is none.
  std::uint64_t bulk_seeds = 0;
  std::uint32_t pieces_of_seed = 1;  ///< on average, at least 1
  std::uint8_t log_bucket = 0;       ///< of the table
  /// Pieces that a worker runs side by side, on average: as many as it runs instances, fewer where
  /// pieces stand for several; at least 1. And steps that one of them stands for.
  std::uint32_t pieces_of_step = 1;
  float steps_of_piece = 1;
  /// Whether the counters of initial slots are far from all workers: then one claim is to be all
  /// that falls to its worker, and nothing of the invariant is promised.
  bool far_counter = false;
  /// log2 of a worker's frames (frames.hpp), at least 6. Only where a task type is a continuation.
  std::uint8_t log_frames = 0;
  std::uint64_t seed;
  steal_policy steal;
  std::uint32_t own_device_threshold;  ///< bias: own device if a random number is below this
  overflow_policy overflow;
  mgws::termination termination;
  /// The longest pause of a worker without work, where the backend counts it in nanoseconds; 0: the
  /// backend's own.
  std::uint32_t longest_pause_ns;
  /// Looks for work between two questions of a passive worker to the detector, beyond one: many
  /// where a word that all of them read is far away.
  std::uint32_t looks_between_questions;
  /// Whether the detector's words are far from many workers: then who hears that the run is over
  /// leaves word on every device, and workers without work look there first.
  bool far_detector;
  /// Inboxes of each device (inbox.hpp), and slots of each ring; 0: nothing comes from outside.
  std::uint32_t inboxes = 0;
  std::uint32_t inbox_capacity = 0;
  /// Coherence domains of which these are the workers of one; 0: there is no other. The channel
  /// from domain a to domain b is bridge[a * domains + b], and has so many slots.
  std::uint32_t domains = 0;
  std::uint32_t domain = 0;
  /// Of what kind these workers are, and the domains whose workers are of the other one, as bits.
  worker_kind kind = worker_kind::cpu;
  std::uint64_t other_kind = 0;
  /// Workers and lanes of all domains; and workers, lanes and devices of those before, by which all
  /// are numbered for tasks.
  std::uint32_t all_workers = 0;
  std::uint32_t all_lanes = 0;
  std::uint32_t first_worker = 0;
  std::uint32_t first_lane = 0;
  std::uint32_t first_device = 0;
  std::uint32_t bridge_capacity = 0;
  const bridge_channel* bridge = nullptr;
};

/// The pieces of the initial set that a device's workers take first: as many as its share of the
/// workers, the remainder with the devices in front.
struct initial_part {
  std::uint64_t begin = 0;
  std::uint64_t end;

  MGWS_FN initial_part(const run_parameters& run, std::uint32_t device) : end(run.initial_count) {
    if (run.devices != 1) {
      begin = share_of(run, run.device[device].first_worker);
      end = share_of(run, run.device[device].first_worker + run.device[device].workers);
    }
  }
  [[nodiscard]] MGWS_FN std::uint64_t size() const { return end - begin; }

 private:
  MGWS_FN static std::uint64_t share_of(const run_parameters& run, std::uint32_t workers) {
    return (run.initial_count * workers + run.workers - 1) / run.workers;
  }
};

/// Where a worker stands among the others: its device, and which public queue is its own.
struct worker_place {
  std::uint32_t id;      ///< among all workers
  std::uint32_t device;  ///< which device it belongs to
  std::uint32_t queue;   ///< its public queue, among all queues
  std::uint32_t owners;  ///< workers that share that queue
  bool others_take;      ///< whether any other worker may take what this one makes public

  MGWS_FN worker_place(const run_parameters& run, std::uint32_t in_device, std::uint32_t worker)
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

/// Why a run was asked to stop before its end.
enum class stop_reason : std::uint32_t { none, cancelled, failed, no_progress };

/// What a worker reports as an error.
enum class failure : std::uint32_t {
  none,
  task,                ///< a task called worker.fail(code)
  out_of_space,        ///< a spawn found local queue, public queue and spill area full
  too_many_instances,  ///< spawn_n asked for more instances than a slot can stand for
  out_of_frames,       ///< a join found no free frame on its device
  not_awaited,         ///< a delivery to a place that awaits none
};

/// A device's control block, in memory that the host and all workers reach. A request to stop goes
/// to every device, so that each worker looks at its own; a failure is recorded in the first one's.
template <class B>
struct run_control {
  alignas(B::line) atomic_of<B, std::uint32_t> stop{};  ///< a stop_reason

  /// By device, as far as there are so many: 1 once somebody has claimed the last of that device's
  /// part of the initial set. Who is late need not ask the counter there.
  static constexpr std::uint32_t most_parts = 16;
  alignas(B::line) atomic_of<B, std::uint32_t> spent[most_parts]{};

  /// run_parameters::far_detector: 1 once a worker has heard from the detector that the run is
  /// over.
  alignas(B::line) atomic_of<B, std::uint32_t> over{};

  /// The first failure wins: whoever raises `failures` from 0 fills in the rest.
  alignas(B::line) atomic_of<B, std::uint32_t> failures{};
  atomic_of<B, std::uint32_t> kind{};    ///< a failure
  atomic_of<B, std::uint32_t> worker{};  ///< who reported it
  atomic_of<B, std::uint64_t>
      detail{};  ///< the task's code, the slots needed, or the instances asked for
};

/// What a worker is doing, for the host to see.
enum class phase : std::uint32_t { starting, working, searching, idle, finished };

/// A worker's sign of life. Written by the worker only.
template <class B>
struct worker_progress {
  static constexpr std::uint32_t no_target = ~std::uint32_t{0};

  alignas(B::line) atomic_of<B, std::uint64_t> executed{};  ///< task instances run
  atomic_of<B, std::uint64_t> beats{};            ///< worker.heartbeat() calls of long tasks
  atomic_of<B, std::uint32_t> now{};              ///< a phase
  atomic_of<B, std::uint32_t> target{no_target};  ///< queue last stolen from
  atomic_of<B, std::uint32_t> local{};            ///< slots in the local queue, last published
  atomic_of<B, std::uint32_t> spilled{};          ///< slots in the spill area, last published
};

/// One counter on a line of its own.
template <class B>
struct cell {
  alignas(B::line) atomic_of<B, std::uint64_t> value{};
};

}  // namespace mgws
