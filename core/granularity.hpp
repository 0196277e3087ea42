/// \file
/// How long tasks take, measured cheaply. Fine tasks are released by halves and seldom looked at;
/// coarse ones are all made stealable before each is run, so that none is stranded behind a long
/// one (hazard 29).
#pragma once

#include <cstdint>

#include <mgws_port.hpp>

namespace mgws {

/// Counts a worker's tasks, by one decrement each, and reads the clock once in many.
class granularity {
 public:
  /// A release costs some tens of nanoseconds: at most 1% of a task from here on.
  static constexpr std::uint64_t k_coarse_ns = 8192;
  /// Tasks over which the time is taken: few coarse ones, so that it is known soon, but not one
  /// alone, which may be the root that only spawned the others.
  static constexpr std::uint32_t k_coarse_window = 16;
  static constexpr std::uint32_t k_fine_window = 64;

  /// \param start    the clock
  /// \param matters  whether anybody asks for coarse(); if not, the clock is not read
  ///
  /// Coarse until shown otherwise: the first tasks strand nothing.
  MGWS_FN granularity(std::uint64_t start, bool matters)
      : since_(start), matters_(matters), coarse_(matters) {
    begin_step();
  }

  [[nodiscard]] MGWS_FN bool coarse() const { return coarse_; }

  /// Counts a task. \return whether a step is complete and tick() is due: after each coarse task,
  /// after 64 fine ones
  [[nodiscard]] MGWS_FN bool after_task() { return --left_ == 0; }

  /// Takes the time, if enough tasks have run, and begins the next step.
  MGWS_FN void tick(std::uint64_t (*now)()) {
    executed_ += step_;
    if (matters_ && executed_ - window_begin_ >= (coarse_ ? k_coarse_window : k_fine_window)) {
      const std::uint64_t t = now();
      coarse_ = t - since_ > k_coarse_ns * (executed_ - window_begin_);
      since_ = t;
      window_begin_ = executed_;
    }
    begin_step();
  }

  /// Leaves out time that was not spent on tasks.
  MGWS_FN void exclude(std::uint64_t ns) { since_ += ns; }

  /// Tasks counted so far.
  [[nodiscard]] MGWS_FN std::uint64_t executed() const { return executed_ + (step_ - left_); }

 private:
  MGWS_FN void begin_step() { left_ = step_ = coarse_ ? 1 : k_fine_window; }

  std::uint32_t left_ = 0;
  std::uint32_t step_ = 0;
  std::uint64_t executed_ = 0;  ///< in complete steps
  std::uint64_t window_begin_ = 0;
  std::uint64_t since_;
  bool matters_;
  bool coarse_;
};

}  // namespace mgws
