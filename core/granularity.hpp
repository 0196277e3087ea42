/// \file
/// How long tasks take, measured cheaply. Fine tasks are released by halves and seldom looked at;
/// coarse ones are all made stealable before each is run, so that none is stranded behind a long
/// one (hazard 29).
#pragma once

#include <cstdint>

#include <mgws_port.hpp>

namespace mgws {

class granularity {
 public:
  /// \param start  the backend's clock
  MGWS_FN explicit granularity(std::uint64_t start) : since_(start) {}

  /// A release costs some tens of nanoseconds: at most 1% of a task from here on.
  static constexpr std::uint64_t k_coarse_ns = 8192;
  /// Tasks between two readings of the clock: few coarse ones, so that their time is known soon,
  /// but not one alone, which may be the root that only spawned the others.
  static constexpr std::uint32_t k_sample_coarse = 16;
  static constexpr std::uint32_t k_sample_fine = 64;

  /// Coarse until shown otherwise: the first tasks strand nothing.
  [[nodiscard]] MGWS_FN bool coarse() const { return coarse_; }

  /// After each task. \param now  the backend's clock
  MGWS_FN void after_task(std::uint64_t (*now)()) {
    if (--countdown_ != 0) return;
    const std::uint64_t t = now();
    coarse_ = t - since_ > k_coarse_ns * sample_size();
    since_ = t;
    countdown_ = sample_size();
  }
  /// Leaves out time that was not spent on tasks.
  MGWS_FN void exclude(std::uint64_t ns) { since_ += ns; }

 private:
  [[nodiscard]] MGWS_FN std::uint32_t sample_size() const {
    return coarse_ ? k_sample_coarse : k_sample_fine;
  }

  std::uint64_t since_;
  std::uint32_t countdown_ = k_sample_coarse;
  bool coarse_ = true;
};

}  // namespace mgws
