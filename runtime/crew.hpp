/// \file
/// The workers of a runtime as what drives a run knows them (skeleton.hpp): threads (cpu.hpp) or
/// persistent kernels (gpu.hpp), whatever their tasks are.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <mgws/placement.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/start_line.hpp>

namespace mgws {

/// What is derived from it settles in its constructor what the options leave open, makes a plan and
/// allocates.
/// \tparam State  a crew_state
template <class State>
class crew {
 public:
  using state_type = State;

  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  [[nodiscard]] virtual State& state() = 0;
  [[nodiscard]] virtual const State& state() const = 0;
  /// How long workers may take to stop when told.
  [[nodiscard]] virtual std::chrono::duration<double> patience() const = 0;

  /// \throws not_possible if an earlier run took workers away
  virtual void check_all_there() const = 0;
  /// What was brought to its start is there before launch()'s workers, and before whatever the host
  /// writes or reads from now on: a request to stop must not be undone. \throws device_error
  virtual void brought_to_start() = 0;
  /// Threads that come to a start line; 0: one that launches kernels does.
  [[nodiscard]] virtual std::uint32_t threads() const = 0;
  /// Starts all workers. \param start  where to wait for others before, or nullptr
  /// \throws device_error
  virtual void launch(const std::shared_ptr<start_line>& start) = 0;
  /// Waits for the workers' end, so long if that is limited. \throws device_error
  virtual bool ended_within(std::chrono::duration<double> time, bool limited) = 0;
  /// After a device_error and a request to stop: waits for who can end.
  virtual void abandon() = 0;
  /// How many have not ended when the patience has; on which devices.
  virtual std::uint32_t lost(std::string& where) = 0;
  /// After the end: makes host_view() show control, and state().own what workers left.
  virtual void collect() = 0;
  /// Throws what a task threw.
  virtual void rethrow() = 0;

  /// Whether the crew has seen that the run is settled (settled.hpp).
  [[nodiscard]] virtual bool known_settled() const = 0;
  /// Tasks that each worker ran.
  [[nodiscard]] virtual std::vector<std::uint64_t> executed() const = 0;

  // For the report.
  /// When the first could begin, on the host's steady clock.
  [[nodiscard]] virtual std::uint64_t began_ns() const = 0;
  [[nodiscard]] virtual double seconds() const = 0;
  [[nodiscard]] virtual device_report describe(std::uint32_t d) const = 0;
  [[nodiscard]] virtual std::uint64_t on_host_clock(std::uint32_t d, std::uint64_t ns) const = 0;
  /// Local queues, and control memory that the skeleton does not know of.
  [[nodiscard]] virtual memory_use memory() const = 0;
  [[nodiscard]] virtual std::size_t initial_bytes() const = 0;
  [[nodiscard]] virtual mgws::data_places data_places() const = 0;

 protected:
  crew() = default;
  ~crew() = default;
};

}  // namespace mgws
