/// \file
/// What every runtime is to its user, whichever devices it drives.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <mgws/placement.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/initial_set.hpp>
#include <mgws/runtime/live_door.hpp>

namespace mgws {

/// Not thread-safe, except cancel(). One run at a time.
template <class Tasks, class Accumulators, class Context>
class runtime_base {
 public:
  runtime_base() = default;
  runtime_base(const runtime_base&) = delete;
  runtime_base& operator=(const runtime_base&) = delete;
  virtual ~runtime_base() = default;

  /// A run. \param contexts  one for each device, or one for all \param door  through which tasks
  /// are to come while it goes on, or nullptr
  virtual report<Accumulators> run(std::span<const Context> contexts,
                                   live_door<slot<Tasks>>* door) = 0;
  virtual void cancel() = 0;
  [[nodiscard]] virtual memory_use memory() const = 0;
  [[nodiscard]] virtual const run_parameters& plan() const = 0;
  [[nodiscard]] virtual mgws::data_places data_places() const = 0;

  /// The initial set of the next run, and whether it is left for others. Shared with workers that
  /// read it in place, of whom one may outlive the runtime.
  std::shared_ptr<initial_set<Tasks>> seeds = std::make_shared<initial_set<Tasks>>();
  bool keep_seeds = false;
};

}  // namespace mgws
