/// \file
/// What a run reports.
#pragma once

// clang-format off
#include <mgws/language.hpp>  // before all others
// clang-format on

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mgws/core/statistics.hpp>

namespace mgws {

/// How a run ended.
enum class status : std::uint8_t {
  completed,
  cancelled,  ///< runtime::cancel() was called; not all tasks have run
  failed      ///< an error has ended the run: runtime::report_of_failed_run()
};

/// Memory of a run, fixed before it starts; in bytes.
struct memory_use {
  std::size_t local_queues = 0;
  std::size_t public_queues = 0;
  std::size_t spill_areas = 0;  ///< address space; the system backs what is touched
  std::size_t initial_tasks = 0;
  std::size_t control = 0;  ///< queue words, counters, progress, statistics

  memory_use& operator+=(const memory_use& m) {
    local_queues += m.local_queues;
    public_queues += m.public_queues;
    spill_areas += m.spill_areas;
    initial_tasks += m.initial_tasks;
    control += m.control;
    return *this;
  }
  [[nodiscard]] std::size_t total() const {
    return local_queues + public_queues + spill_areas + initial_tasks + control;
  }
};

/// What a GPU's worker takes, and how many of them that leaves room for. All 0 for CPU workers.
struct worker_footprint {
  std::uint32_t lanes = 0;
  std::uint32_t registers = 0;    ///< of a lane
  std::size_t shared_bytes = 0;   ///< the local queue and what stands beside it
  std::size_t scratch_bytes = 0;  ///< of these, for the scratch memory of tasks (core/scratch.hpp)
  std::size_t local_bytes = 0;    ///< of a lane, in device memory: arrays and spilled registers
  std::uint32_t resident = 0;     ///< workers that one multiprocessor holds at once
  std::uint32_t resident_without_scratch = 0;  ///< how many it would hold if tasks wanted none
  std::uint32_t multiprocessors = 0;
};

/// One of the run's devices.
struct device_report {
  std::string name;
  std::string kind;  ///< "cpu" or "gpu"
  std::uint32_t first_worker = 0;
  std::uint32_t workers = 0;
  std::uint64_t tasks = 0;
  std::uint32_t local_queue = 0;   ///< slots
  std::uint32_t public_queue = 0;  ///< slots
  worker_footprint footprint{};
  /// From the run's launch until a worker of the device first had tasks; none without statistics or
  /// tasks.
  std::optional<double> first_task_seconds{};
  /// By how much that and the trace may be wrong against other devices: their clocks are compared.
  double clock_error_seconds = 0;
};

/// One of the run's workers.
struct worker_report {
  std::uint32_t device = 0;  ///< its position in run_report::devices
  std::uint64_t tasks = 0;
};

/// What a worker recorded, where statistics are.
struct worker_record {
  worker_counts counts{};
  std::vector<trace_event> trace{};
  std::uint64_t trace_dropped = 0;
};

/// One of the processes that shared a run.
struct process_report {
  std::uint64_t process = 0;  ///< as the system numbers it
  std::uint32_t workers = 0;
  std::uint64_t tasks = 0;
  double seconds = 0;  ///< from its launch to its last worker's exit
};

/// A run's report without its results.
///
/// Where processes share a run (options::processes), status, tasks, seconds and results are of all
/// of them, and everything else is of this one.
struct run_report {
  mgws::status status = status::completed;
  std::uint64_t tasks = 0;   ///< task instances that ran
  double seconds = 0;        ///< from the launch to the last worker's exit
  double setup_seconds = 0;  ///< before that
  double call_seconds = 0;   ///< all that run() took, with set-up and this report
  std::uint64_t seed = 0;
  memory_use memory{};
  std::size_t slot_bytes = 0;  ///< of what queues hold: a task of the set's largest type
  bool statistics = false;     ///< whether counts, steal matrix and traces were recorded
  std::uint64_t began_ns = 0;  ///< the launch, on the host's steady clock, as the traces are
  std::vector<device_report> devices{};
  std::vector<worker_report> workers{};
  std::vector<worker_record> records{};     ///< of each worker; none without statistics
  std::vector<process_report> processes{};  ///< by rank, where several share the run
  /// What was stolen and how long that took, [thief's device][target's device].
  std::vector<std::vector<steals_from>> steal_matrix{};

  /// The part of the run that workers spent in tasks, of all of them: 1 if none ever searched or
  /// waited. None without statistics.
  [[nodiscard]] std::optional<double> busy() const {
    const double all = seconds * static_cast<double>(workers.size());
    if (!statistics || all <= 0) return std::nullopt;
    double working = 0;
    for (const auto& r : records)
      working += static_cast<double>(r.counts.working_ns) * 1e-9;
    return working / all;
  }

  /// Where several lanes of a worker run side by side: how many of them had an instance, of all, in
  /// the mean of the steps. 1 for workers of one lane. None if it was not counted.
  [[nodiscard]] std::optional<double> lanes() const {
    if (!statistics) return std::nullopt;
    double used = 0;
    double there = 0;
    bool several = false;
    for (std::size_t w = 0; w != records.size(); ++w) {
      const std::uint32_t device = workers[w].device;
      const std::uint32_t of_worker = device < devices.size() ? devices[device].footprint.lanes : 0;
      several = several || of_worker > 1;
      used += static_cast<double>(records[w].counts.lanes_used);
      there += static_cast<double>(records[w].counts.steps) * of_worker;
    }
    if (!several) return 1;
    if (used == 0 || there == 0) return std::nullopt;
    return used / there;
  }

  /// Standard deviation over mean of the tasks of a device's workers, or of the devices if there
  /// are several (Eq. 1 of "Multi-GPU Work Sharing in a Task-Based Dataflow Programming Model").
  [[nodiscard]] double imbalance() const {
    std::vector<double> n;
    if (devices.size() > 1) {
      for (const auto& d : devices)
        n.push_back(static_cast<double>(d.tasks));
    } else {
      for (const auto& w : workers)
        n.push_back(static_cast<double>(w.tasks));
    }
    double mean = 0;
    for (const double x : n)
      mean += x / static_cast<double>(n.size());
    if (mean == 0) return 0;
    double variance = 0;
    for (const double x : n)
      variance += (x - mean) * (x - mean) / static_cast<double>(n.size());
    return std::sqrt(variance) / mean;
  }
};

/// A run's report with the values of its accumulators.
template <class Accumulators>
struct report : run_report {
  Accumulators results{};

  template <class A>
  [[nodiscard]] auto get() const {
    return results.template get<A>();
  }
};

}  // namespace mgws
