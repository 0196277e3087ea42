/// \file
/// When workers ended their last work, and in which part of a run they had none.
#pragma once

#include <cstdint>
#include <vector>

#include <mgws/report.hpp>

namespace mgws::bench {

/// From the events of a run. Times are seconds since the launch, and sums of all workers' seconds.
struct ending {
  /// When each worker that had work ended its last, in ascending order.
  std::vector<double> last;
  std::uint32_t never = 0;  ///< workers that had no work at all

  // Of the workers' time, what was no work.
  double before = 0;   ///< until a worker's first work
  double between = 0;  ///< between its first and its last
  double after = 0;    ///< after its last, until the run ended
  double without = 0;  ///< of those that had none

  /// When this part of the workers that had work had ended their last.
  /// \pre some had work, 0 < part <= 1
  [[nodiscard]] double ended(double part) const;
  /// How many of them had not ended it at that time.
  [[nodiscard]] std::uint32_t left(double time) const;
  /// Where a drawing of the end begins: before a tenth of the workers ended their last work, but at
  /// the launch at the earliest. \pre some had work
  [[nodiscard]] double begin_of_end(double seconds) const;
};

/// \pre no worker's events were left out
[[nodiscard]] ending ending_of(const run_report& r);

}  // namespace mgws::bench
