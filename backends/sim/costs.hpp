/// \file
/// What each operation costs in virtual time. docs/simulator.md says where each number is from.
#pragma once

#include <cstdint>

namespace mgws::sim {

/// Virtual time in picoseconds.
using time_type = std::int64_t;

[[nodiscard]] constexpr time_type from_ns(double ns) {
  return static_cast<time_type>(ns * 1000);
}

/// Where a word or a slot lies, as the worker sees it that reaches it.
enum class distance : std::uint8_t { own, peer, host };

/// Operations on one kind of memory, in nanoseconds.
struct memory_costs {
  double load;           ///< relaxed, until the value is there
  double next_look;      ///< another look at some queue while the one before is on its way
  double store;          ///< relaxed: nobody waits for it
  double modify;         ///< fetch_add or exchange, relaxed
  double copy;           ///< of slots, but for
  double copy_kib;       ///< each KiB of them
  double load_interval;  ///< between two loads of one word by anybody
  double interval;       ///< between two read-modify-writes of one word by anybody
};

struct costs {
  memory_costs own;
  memory_costs peer;
  memory_costs host;

  // What an order adds to the relaxed operation.
  double acquire_device;
  double release_device;
  double acquire_system;
  double release_system;

  double now;             ///< reading the clock
  double lead;            ///< having the leader do something while the other lanes wait
  double shortest_pause;  ///< of a worker without work
  double pause_part;      ///< past `patience`, of what it has paused so far, the next one
  double longest_pause;   ///< up to this, unless the run says otherwise
  double patience;        ///< a pause so long is as good as sleep

  // ---- Where tasks run ----

  std::uint32_t multiprocessors;  ///< of a device; 0: each worker has a processor of its own
  std::uint32_t schedulers;       ///< of a multiprocessor
  double ghz;
  double iteration_latency;  ///< cycles of one iteration of a worker that is alone
  double iteration_issue;    ///< of them, cycles in which its scheduler serves nobody else
  double step_latency;       ///< the same of what a step does besides its tasks
  double step_issue;
  double slot_latency;  ///< and for each slot that it spawns, on top
  double slot_issue;

  // What leaders do between the steps, in the scheduler's cycles, which the workers on it share.
  double instruction;   ///< cycles for each of them, if nobody else is there
  double lead_issue;    ///< being asked at all
  double modify_issue;  ///< an operation on a shared word that changes it, and what goes with it
  double lock_issue;    ///< an owner's change of its public queue, and what goes with it: cutting
                        ///< slots into pieces, copying them, booking claims
  double unlike;        ///< that or a theft besides, in nanoseconds that nobody else loses: their
                        ///< instructions are not in the cache, and the step's are not after them
  double copy_issue;    ///< copying slots
  double search_issue;  ///< an attempt to find work

  // ---- A run ----

  double launch;   ///< until the first worker begins
  double begin;    ///< until a worker looks for work
  double apart;    ///< between two workers that a device starts
  double stagger;  ///< between the first looks of two workers of a scheduler
  double jitter;   ///< by which a worker begins later, at most, by chance
  double end;      ///< from the last worker's end to the run's

  /// An NVIDIA H200 and its peers over NVLink, and tasks that multiply and add.
  [[nodiscard]] static costs gpu();
  /// The same with tasks whose chain is slower.
  [[nodiscard]] static costs gpu_slower_chain();
  /// A processor core for each worker, of one lane.
  [[nodiscard]] static costs cpu();
};

}  // namespace mgws::sim
