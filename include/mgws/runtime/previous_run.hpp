/// \file
/// What a run has shown of its initial tasks, for the next run of the same ones.
#pragma once

#include <algorithm>
#include <cstdint>

namespace mgws {

/// Known only of runs in which no task spawned another. By the clock of the whole run, so that it
/// errs towards long.
class previous_run {
 public:
  /// \param version  of the initial set \param seconds  from launch to end
  /// \param slots  of the set \param side_by_side  tasks that a worker runs at once
  void keep(std::uint64_t version, double seconds, std::uint32_t workers, std::uint64_t slots,
            std::uint64_t tasks, std::uint32_t side_by_side) {
    const double ns = seconds * 1e9;
    const double steps = static_cast<double>(tasks) / side_by_side;
    version_ = version;
    slot_ns_ = ns * workers / static_cast<double>(slots);
    // In a short run most of it is not the tasks'.
    step_ns_ =
        static_cast<std::uint32_t>(std::clamp((ns - k_beginning_ns) * workers / steps, 1.0, 1e9));
  }
  void forget() { *this = {}; }

  /// A worker's time for a slot of this set; 0 if it is not known.
  [[nodiscard]] double slot_ns(std::uint64_t version) const {
    return version == version_ ? slot_ns_ : 0;
  }
  /// The same for what runs side by side.
  [[nodiscard]] std::uint32_t step_ns(std::uint64_t version) const {
    return version == version_ ? step_ns_ : 0;
  }

 private:
  /// What of a run may be its beginning and its end.
  static constexpr double k_beginning_ns = 1e5;

  std::uint64_t version_ = 0;
  double slot_ns_ = 0;
  std::uint32_t step_ns_ = 0;
};

}  // namespace mgws
