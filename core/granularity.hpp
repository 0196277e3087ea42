/// \file
/// How long tasks take, measured cheaply, and what follows from it: how many tasks are run between
/// two looks at the public queue. Coarse tasks are run one by one, and everything else is made
/// stealable before each, so that none is stranded behind a long one (hazard 29).
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws_port.hpp>

namespace mgws {

/// Takes the time over windows of tasks, one reading of the clock a window.
class granularity {
 public:
  /// A release costs some tens of nanoseconds: at most 1% of a task from here on. Also about how
  /// long a burst lasts.
  static constexpr std::uint64_t k_coarse_ns = 8192;
  /// Most tasks of a burst.
  static constexpr std::uint32_t k_longest_burst = 8192;
  /// Tasks over which the time is taken: few coarse ones, so that it is known soon, but not one
  /// alone, which may be the root that only spawned the others; many where a reading of the clock
  /// would be noticed.
  static constexpr std::uint32_t k_coarse_window = 16;
  static constexpr std::uint32_t k_fine_window = 64;
  static constexpr std::uint32_t k_tiny_window = 256;
  static constexpr std::uint64_t k_tiny_ns = 128;

  /// \param start  the clock
  ///
  /// Coarse until shown otherwise: the first tasks strand nothing.
  MGWS_FN explicit granularity(std::uint64_t start) : since_(start) {}

  [[nodiscard]] MGWS_FN bool coarse() const { return burst_ == 1; }

  /// Tasks to run before the next look: 1 if they are coarse, else about as many as take
  /// k_coarse_ns.
  [[nodiscard]] MGWS_FN std::uint32_t burst() const { return burst_; }

  /// Told after each burst how many tasks have run in all. \param now  reads the clock
  template <class Now>
  MGWS_FN void ran(std::uint64_t executed, Now&& now) {
    if (executed - window_begin_ < window_) return;
    const std::uint64_t t = now();
    const std::uint64_t each = (t - since_) / (executed - window_begin_);
    since_ = t;
    window_begin_ = executed;
    if (each > k_coarse_ns) {
      burst_ = 1;
      window_ = k_coarse_window;
    } else {
      // At least 2: a burst of 1 means coarse.
      burst_ = static_cast<std::uint32_t>(
          std::clamp<std::uint64_t>(k_coarse_ns / (each + 1), 2, k_longest_burst));
      window_ = each < k_tiny_ns ? k_tiny_window : k_fine_window;
    }
  }

  /// Leaves out time that was not spent on tasks.
  MGWS_FN void exclude(std::uint64_t ns) { since_ += ns; }

 private:
  std::uint64_t since_;
  std::uint64_t window_begin_ = 0;
  std::uint32_t window_ = k_coarse_window;
  std::uint32_t burst_ = 1;
};

/// The same for a worker of several lanes, in steps: what its lanes run side by side. A step is
/// many tasks at once, so that a single one tells something. The other side of it: a release takes
/// microseconds.
class step_granularity {
 public:
  /// From here on a step is coarse.
  static constexpr std::uint32_t k_coarse_ns = 65536;
  /// How long a burst should last: several times as long as the leader takes between two. While it
  /// lasts, fine tasks are shared all the same.
  static constexpr std::uint32_t k_burst_ns = 4 * k_coarse_ns;
  static constexpr std::uint32_t k_longest_burst = 64;
  /// How long a worker keeps for itself what it found, if its tasks have spawned nothing so far:
  /// less is not worth the hand-over.
  static constexpr std::uint32_t k_private_ns = k_coarse_ns / 2;
  /// Of bursts that end early because nothing is left, one in so many is timed.
  static constexpr std::uint32_t k_timed = 8;

  /// \param matters  whether there is anybody to share with
  /// \param step_ns  how long a step is known to take; 0: coarse until shown otherwise
  MGWS_FN step_granularity(bool matters, std::uint32_t step_ns)
      : fit_(!matters       ? k_burst_ns
             : step_ns == 0 ? 1
                            : k_burst_ns / step_ns),
        burst_(matters && (step_ns == 0 || step_ns > k_coarse_ns) ? 1
               : fit_ < k_longest_burst                           ? fit_
                                                                  : k_longest_burst),
        matters_(matters) {}

  [[nodiscard]] MGWS_FN bool coarse() const { return burst_ == 1; }
  /// Steps to run before the next look at the clock and at the stop request.
  [[nodiscard]] MGWS_FN std::uint32_t burst() const { return burst_; }
  /// Steps that take about k_burst_ns, however many that are.
  [[nodiscard]] MGWS_FN std::uint32_t steps_at_once() const { return fit_; }
  /// Steps of a burst that lasts k_private_ns at most; below 2 if a step may be as long.
  [[nodiscard]] MGWS_FN std::uint32_t private_burst() const {
    const std::uint32_t fit = fit_ / (k_burst_ns / k_private_ns);
    return fit < k_longest_burst ? fit : k_longest_burst;
  }

  /// Told when tasks begin to run after a search for them. \param now  reads the clock
  template <class Now>
  MGWS_FN void begins(Now&& now) {
    timed_ = matters_ && (burst_ < k_longest_burst || ++untimed_ == k_timed);
    if (!timed_) return;
    untimed_ = 0;
    since_ = now();
  }

  /// Told after each burst how many steps it had, at least one. Bursts grow by doubling: what was
  /// short may have been the beginning only.
  template <class Now>
  MGWS_FN void ran(std::uint32_t steps, Now&& now) {
    if (!matters_) return;
    if (!timed_) {
      // A whole burst: more are to come.
      timed_ = steps == burst_;
      if (timed_) since_ = now();
      return;
    }
    const std::uint64_t t = now();
    // 32 bits, because a GPU divides 64 in a hundred instructions; two seconds are coarse enough,
    // and one more than them still has its place.
    constexpr std::uint64_t k_enough = ~std::uint32_t{0} / 2;
    const std::uint32_t a_step = static_cast<std::uint32_t>(std::min(t - since_, k_enough)) / steps;
    since_ = t;
    const std::uint32_t longest = 2 * burst_ < k_longest_burst ? 2 * burst_ : k_longest_burst;
    fit_ = k_burst_ns / (a_step + 1);
    if (a_step > k_coarse_ns) {
      burst_ = 1;
    } else {
      burst_ = fit_ < longest ? fit_ : longest;
    }
  }

 private:
  std::uint64_t since_ = 0;
  std::uint32_t fit_ = 1;
  std::uint32_t burst_;
  std::uint32_t untimed_ = 0;
  bool matters_;
  bool timed_ = false;
};

}  // namespace mgws
