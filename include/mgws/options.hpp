/// \file
/// The options of a runtime and their limits.
#pragma once

// clang-format off
#include <mgws/language.hpp>  // before all others
// clang-format on

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <mgws/core/protocol.hpp>
#include <mgws/core/run.hpp>
#include <mgws/errors.hpp>

namespace mgws {

/// What a GPU's worker has for each of its lanes where the options say nothing: slots of a local
/// queue (at most) and of a public one, slots of a spill area, frames.
inline constexpr std::uint32_t k_gpu_queue = 8;
inline constexpr std::uint32_t k_gpu_spill = 512;
inline constexpr std::uint32_t k_gpu_frames = 64;
/// What a CPU worker has: slots of either queue; at most of a spill area, and at most frames.
inline constexpr std::uint32_t k_cpu_queue = 256;
inline constexpr std::uint32_t k_cpu_spill = 1u << 24;
inline constexpr std::uint32_t k_cpu_frames = 1u << 16;
inline constexpr std::uint32_t k_least_frames = 64;

/// The static baseline: initial tasks dealt out evenly in advance, no public queues.
enum class direct_mode : std::uint8_t {
  off,
  one,  ///< each initial task straight from the set
  bulk  ///< loaded in batches
};

/// What a device of a run is.
enum class device_kind : std::uint8_t {
  cpu,  ///< a group of CPU workers
  gpu
};

/// Whose workers a runtime's code is compiled for.
enum class compiled_for : std::uint8_t {
  any_device,  ///< CPU workers, and GPUs where the compiler and the port are a GPU's
  cpu,
  gpus,
  /// CPU workers and GPUs in one run, and options::domains (docs/bridge.md). Apart, because what it
  /// takes costs a GPU's workers some percent, in all runs.
  together
};

/// Who works.
struct device_choice {
  device_kind kind = device_kind::cpu;
  std::uint32_t index = 0;    ///< which GPU, as the vendor's library counts them
  std::uint32_t workers = 0;  ///< 0: options::workers
};

/// Where the public queues, the counters and everything else that workers share lies.
enum class transport_kind : std::uint8_t {
  automatic,  ///< the first that was built and that such devices may join: host for CPU workers,
              ///< p2p for GPUs, unless Meson's -Dtransports says otherwise
  host,       ///< host memory
  p2p,        ///< each GPU's own memory
  remote      ///< another GPU's memory than the computing one's, on purpose: for experiments
};

/// Which devices of a run share queues, and which are joined by a bridge alone.
enum class domain_split : std::uint8_t {
  by_kind,  ///< CPU workers are one coherence domain, GPUs another
  each      ///< each device is one: for trying, and for GPUs that do not reach each other
};

/// Processes of one machine that share a run, each with the devices of its own options
/// (docs/processes.md). They make their runtimes, and call run(), as often as each other.
struct process_group {
  /// By which they find each other: letters, digits, '.', '_' and '-'. Unused as soon as all are
  /// there.
  std::string name{};
  std::uint32_t rank = 0;   ///< which of them this one is: 0 to ranks - 1
  std::uint32_t ranks = 1;  ///< 1: this process runs alone
  /// Whether the initial set of each is its own; without this all have the same one, and each
  /// begins with a part of it.
  bool own_seeds = false;
  /// How long the constructor of a runtime waits for the others.
  std::chrono::duration<double> patience{30};
};

/// Into whose rings goes what is submitted to a live run (docs/live.md).
enum class inbox_devices : std::uint8_t {
  each,  ///< each device's, in turn
  one    ///< one device's: workers of the others steal it there
};

/// Where the initial tasks lie.
enum class task_memory : std::uint8_t {
  automatic,
  host,
  device,
  remote  ///< in the memory of options::remote_gpu
};

/// What a runtime is made with. As they stand: CPU workers, one for each processor that the process
/// may use.
struct options {
  /// The devices of a run; empty: the CPU. Several groups of CPU workers count as several devices
  /// to target selection and termination detection (sockets, say). So do the workers of a GPU that
  /// is named several times, which share what it holds: for trying on one GPU what several run.
  std::vector<device_choice> devices{};
  /// Workers of a device that names no number; 0: one for each processor that the process may use,
  /// or as many as are resident on a GPU at once. What the process may use is what its first thread
  /// may, whichever thread makes the runtime; CPU workers run there, until somebody sets their
  /// threads' processors from outside (taskset, sched_setaffinity).
  std::uint32_t workers = 0;
  /// Bind CPU worker i to the i-th usable processor. Without this, `timeout` and `on_progress` the
  /// thread that calls run() is CPU worker 0 meanwhile: nobody has to be woken for what one worker
  /// does, and what the caller has just written is in its processor's cache.
  bool pin = false;

  /// Where what workers share lies.
  transport_kind transport = transport_kind::automatic;
  /// Where the initial tasks lie; automatic: with the workers.
  task_memory initial_tasks = task_memory::automatic;
  /// transport_kind::remote, task_memory::remote: the GPU whose memory that is; without it the next
  /// one after the computing GPU.
  std::optional<std::uint32_t> remote_gpu{};

  /// What shares queues. Devices of different domains, as the CPU's workers and a GPU are, exchange
  /// work through rings in host memory, by loads and stores alone (docs/bridge.md).
  domain_split domains = domain_split::by_kind;
  /// Slots of each such ring, a power of two.
  std::uint32_t bridge_slots = 1024;

  /// The processes that share a run with this one.
  process_group processes{};

  /// How the end of a run is found.
  mgws::termination termination = mgws::termination::hierarchical;
  /// Whether a thief always looks before it claims.
  overflow_policy overflow = overflow_policy::probe;
  /// Whom to steal from. On several devices what is stolen on the own one is nearer, and so is what
  /// a join waits for (docs/tuning.md); on one all policies that steal are the same.
  steal_policy steal = steal_policy::bias;
  /// steal_policy::bias: the probability of choosing a target on the own device.
  double own_device_bias = 0.75;
  /// A baseline to compare with: static assignment instead of stealing.
  direct_mode direct = direct_mode::off;

  /// Workers that share a public queue: 1, 2 or 4.
  std::uint32_t owners = 1;
  /// Slots of a public queue, from which others steal; a power of two. 0: k_cpu_queue, or
  /// k_gpu_queue for each lane of a worker.
  std::uint32_t public_queue = 0;
  /// Slots of a worker's local queue; a power of two. 0: k_cpu_queue; of a GPU's worker k_gpu_queue
  /// for each lane, halved while fewer workers would be resident than with two for each task of a
  /// step, and further while none fits.
  std::uint32_t local_queue = 0;
  /// Slots of a worker's spill area, where what no queue has room for goes; a power of two. 0: on a
  /// GPU, which has no memory on demand, k_gpu_spill for each lane; of CPU workers, whose areas
  /// take memory as they fill, what a quarter of the machine's memory has room for, at most
  /// k_cpu_spill and 1 GiB a worker. Where task types have n levels of priority, each level has a
  /// part of it, which is cut into bit_ceil(n) parts of at least two slots.
  std::uint32_t spill = 0;
  /// Joins and finishes that a worker can have open at once, a power of two, at least 64; what one
  /// has too few of its device's others give. 0: k_gpu_frames for each lane on a GPU; of CPU
  /// workers, whose frames take memory when they are used, at most k_cpu_frames, in as much memory
  /// as their spill areas.
  std::uint32_t frames = 0;

  /// Rings of each device through which tasks come during a live run (live.hpp), from so many
  /// threads at once, which wait for each other only where rings are full; 0: there is to be no
  /// live run.
  std::uint32_t inboxes = 1;
  /// Slots of such a ring, a power of two: what may wait there before who submits has to, until
  /// half of it was taken.
  std::uint32_t inbox_slots = 1024;
  /// Whose rings are used, where there are several devices.
  inbox_devices inboxes_of = inbox_devices::each;

  /// Seed of the workers' random numbers; 0: a fresh one for each run. A report names it.
  std::uint64_t seed = 0;

  /// A run in which no task ends for this long is stopped with an error; 0: never. A single task
  /// may take longer if it calls worker.heartbeat(). Time in which the process was stopped, or its
  /// machine asleep, does not count.
  std::chrono::duration<double> timeout{0};

  /// Called on the thread that called run(), for a live run on one of its own, about five times a
  /// second, with the number of tasks run so far.
  std::function<void(std::uint64_t tasks)> on_progress{};

  /// Events a worker can record for a trace; 0: no trace. Needs a runtime with worker_statistics.
  std::uint32_t trace_events = 0;
};

/// Whether any device is a GPU; CPU workers if none is named.
[[nodiscard]] inline bool uses_gpus(const options& o) {
  return std::ranges::any_of(o.devices,
                             [](const device_choice& d) { return d.kind == device_kind::gpu; });
}
/// Whether any device is the CPU.
[[nodiscard]] inline bool uses_cpu(const options& o) {
  return o.devices.empty() || std::ranges::any_of(o.devices, [](const device_choice& d) {
           return d.kind == device_kind::cpu;
         });
}
/// Most coherence domains of a run.
inline constexpr std::uint32_t k_most_domains = 16;
/// Whether the devices of this process need a bridge between coherence domains.
[[nodiscard]] inline bool uses_bridge(const options& o) {
  return (uses_gpus(o) && uses_cpu(o)) || (o.domains == domain_split::each && o.devices.size() > 1);
}
/// Whether other processes share the run.
[[nodiscard]] inline bool is_of_group(const options& o) {
  return o.processes.ranks > 1;
}

/// Most slots of a public or a local queue.
inline constexpr std::uint32_t k_most_queue = std::bit_floor(protocol::layout::max_capacity);

/// Most workers of a run: an epoch of a queue sees at most its steps and two attempts a worker
/// (damping_map), which the attempts of its word must be able to count.
inline constexpr std::uint32_t k_max_workers = static_cast<std::uint32_t>(
    (protocol::layout::max_attempts - steal_sequence::steps(protocol::layout::max_capacity)) / 2);

/// Whether anything lies in another GPU's memory on purpose.
[[nodiscard]] inline bool uses_remote_memory(const options& o) {
  return o.transport == transport_kind::remote || o.initial_tasks == task_memory::remote;
}

/// Most inboxes of a device, and slots of each.
inline constexpr std::uint32_t k_most_inboxes = 64;
inline constexpr std::uint32_t k_most_inbox_slots = 1u << 20;

/// \throws bad_configuration if an option is out of its range
MGWS_SEPARABLE void check(const options& o);

}  // namespace mgws

#if !defined(MGWS_COMPILED_APART)
#include <mgws/impl/options.hpp>
#endif
