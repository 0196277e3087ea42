/// \file
/// What every runtime is to its user, whichever devices it drives.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <mgws/core/run.hpp>
#include <mgws/options.hpp>
#include <mgws/placement.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/initial_set.hpp>
#include <mgws/runtime/live_door.hpp>
#include <mgws/runtime/start_line.hpp>

namespace mgws {

/// The coherence domains of a runtime, as one of them is told.
struct domain_setting {
  std::uint32_t domains = 0;            ///< 0: it is the only one
  std::vector<device_choice> beside{};  ///< devices of the others, which take room on the same GPUs
};

/// What one coherence domain's run has of the bridge to the others (bridged.hpp).
struct bridge_links {
  std::uint32_t domains = 0;
  std::uint32_t domain = 0;
  worker_kind kind = worker_kind::cpu;  ///< of this one's workers
  std::uint64_t other_kind = 0;         ///< domains of the other one, as bits
  std::uint32_t workers = 0;            ///< of all domains
  std::uint32_t lanes = 0;              ///< likewise
  std::uint32_t first_worker = 0;       ///< of the domain, among all
  std::uint32_t first_lane = 0;
  std::uint32_t first_device = 0;
  std::uint32_t capacity = 0;                ///< slots of a channel
  std::span<const bridge_channel> channels;  ///< from a to b at a * domains + b
  const std::atomic<bool>* over = nullptr;   ///< somebody has ended the run before its end
  std::shared_ptr<start_line> start;         ///< where the others start as well, if in this process
  std::function<bool()> rests;               ///< whether all that came to this domain has ended
};

/// What a run has to do with, besides its tasks.
template <class Slot>
struct run_links {
  live_door<Slot>* door = nullptr;       ///< through which tasks come while it goes on
  const bridge_links* bridge = nullptr;  ///< if it is one domain's part of a run
};

/// Not thread-safe, except cancel(). One run at a time.
template <class Tasks, class Accumulators, class Context>
class runtime_base {
 public:
  runtime_base() = default;
  runtime_base(const runtime_base&) = delete;
  runtime_base& operator=(const runtime_base&) = delete;
  virtual ~runtime_base() = default;

  /// A run. \param contexts  one for each device, or one for all
  virtual report<Accumulators> run(std::span<const Context> contexts,
                                   const run_links<slot<Tasks>>& links) = 0;
  virtual void cancel() = 0;
  /// Threads that come to a start line, if it is one domain of CPU workers; 0: one that launches
  /// does.
  [[nodiscard]] virtual std::uint32_t threads() const { return 0; }
  [[nodiscard]] virtual memory_use memory() const = 0;
  [[nodiscard]] virtual const run_parameters& plan() const = 0;
  /// Of all workers.
  [[nodiscard]] virtual std::uint32_t lanes() const = 0;
  /// Tasks that a worker runs at once.
  [[nodiscard]] virtual units_of_widths units() const = 0;
  [[nodiscard]] virtual mgws::data_places data_places() const = 0;

  /// The initial set of the next run, and whether it is left for others. Shared with workers that
  /// read it in place, of whom one may outlive the runtime.
  std::shared_ptr<initial_set<Tasks>> seeds = std::make_shared<initial_set<Tasks>>();
  bool keep_seeds = false;
  /// Of the last run, if that failed and its workers have ended.
  std::optional<report<Accumulators>> failed{};
};

}  // namespace mgws
