/// \file
/// What every runtime is to its user, whichever devices it drives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/memory.hpp>
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

  virtual report_type run(const Context& context) = 0;
  virtual void cancel() = 0;
  [[nodiscard]] virtual memory_use memory() const = 0;
  [[nodiscard]] virtual std::uint32_t workers() const = 0;
  [[nodiscard]] virtual std::shared_ptr<memory_space> data_memory() const = 0;

 protected:
  initial_set<Tasks> seeds_;
  bool keep_seeds_ = false;
};

}  // namespace mgws
