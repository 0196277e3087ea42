/// \file
/// What every runtime is to its user, whichever devices it drives.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include <unistd.h>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/errors.hpp>
#include <mgws/memory.hpp>
#include <mgws/placement.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/initial_set.hpp>

namespace mgws {

/// Not thread-safe, except cancel(). One run at a time.
template <class Tasks, class Accumulators, class Context>
class runtime_base {
  static_assert(std::is_trivially_copyable_v<Context>,
                "mgws: a context must be trivially copyable: it is copied to every device");

 public:
  using slot_type = slot<Tasks>;
  using report_type = report<Accumulators>;

  runtime_base() = default;
  runtime_base(const runtime_base&) = delete;
  runtime_base& operator=(const runtime_base&) = delete;
  virtual ~runtime_base() = default;

  initial_set<Tasks>& seeds() { return seeds_; }
  void keep_seeds(bool keep) { keep_seeds_ = keep; }

  report_type run(const Context& context) { return run_each({&context, 1}); }
  /// \param contexts  one for each device, or one for all
  /// \throws bad_configuration; not_possible in a process that was forked off
  report_type run_each(std::span<const Context> contexts) {
    if (!at_home())
      throw not_possible(
          "this runtime belongs to another process: fork() brings neither its workers nor its GPUs "
          "along; make a new one in each process");
    if (contexts.size() != 1 && contexts.size() != devices())
      throw bad_configuration("a run on " + std::to_string(devices()) +
                              " devices needs a context for each or one for all, not " +
                              std::to_string(contexts.size()));
    const auto called = std::chrono::steady_clock::now();
    report_type r = perform(contexts);
    r.call_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - called).count();
    return r;
  }
  virtual void cancel() = 0;
  [[nodiscard]] virtual memory_use memory() const = 0;
  [[nodiscard]] virtual std::uint32_t workers() const = 0;
  [[nodiscard]] virtual std::uint32_t devices() const = 0;
  [[nodiscard]] virtual mgws::data_places data_places() const = 0;
  /// The first device's, which the others reach too.
  [[nodiscard]] std::shared_ptr<memory_space> data_memory() const {
    return data_places().devices.front();
  }

 protected:
  /// A run. \param contexts  one for each device, or one for all
  virtual report_type perform(std::span<const Context> contexts) = 0;

  /// Whether this is the process that made the runtime, and not one that was forked off.
  [[nodiscard]] bool at_home() const { return getpid() == made_in_; }

  initial_set<Tasks> seeds_;
  bool keep_seeds_ = false;

 private:
  const pid_t made_in_ = getpid();
};

}  // namespace mgws
