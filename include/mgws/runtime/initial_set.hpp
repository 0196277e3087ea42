/// \file
/// The initial tasks of a run, as the host collects them and as they are dealt out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mgws/core/task_set.hpp>
#include <mgws/errors.hpp>

namespace mgws {

/// Movable, and empty after it was moved from.
template <class Tasks>
class initial_set {
 public:
  using slot_type = slot<Tasks>;

  initial_set() = default;
  initial_set(initial_set&&) noexcept = default;
  initial_set& operator=(initial_set&&) noexcept = default;

  /// Adds `count` instances of a task. \throws bad_configuration if a slot cannot stand for so many
  template <class T>
  void add(const T& t, task_index count) {
    static_assert(Tasks::template contains<T>,
                  "mgws: seed of a task type that is not in the task_set");
    if (count > slot_type::max_instances)
      throw bad_configuration("a slot of this task set stands for at most " +
                              std::to_string(slot_type::max_instances) + " instances, not " +
                              std::to_string(count));
    if (count == 0) return;
    slots_.emplace_back().write(t, 0, count);
    instances_ += count;
    dealt_for_ = 0;
    ++version_;
  }
  void reserve(std::size_t n) { slots_.reserve(slots_.size() + n); }
  void clear() {
    slots_ = {};
    split_ = {};
    instances_ = 0;
    dealt_for_ = 0;
    ++version_;
  }

  /// The set as it is dealt out: bulk seeds in pieces, so that each of so many workers gets some.
  /// Valid until the set is changed.
  [[nodiscard]] std::span<const slot_type> deal(std::uint32_t workers) {
    if (dealt_for_ == workers) return dealt();
    dealt_for_ = workers;
    split_ = {};
    if (instances_ == slots_.size()) return slots_;
    const std::uint64_t wanted = k_pieces * std::uint64_t{workers};
    for (const auto& s : slots_) {
      const auto h = s.read_header();
      const std::uint64_t pieces =
          std::clamp<std::uint64_t>(wanted * h.count() / instances_, 1, h.count());
      for (std::uint64_t i = 0; i != pieces; ++i) {
        const std::uint64_t begin = h.count() * i / pieces;
        const std::uint64_t end = h.count() * (i + 1) / pieces;
        split_.push_back(s);
        split_.back().write_header(
            slot_type::header::make(h.type(), static_cast<task_index>(h.first() + begin),
                                    static_cast<std::uint32_t>(end - begin)));
      }
    }
    return split_;
  }

  [[nodiscard]] std::uint64_t instances() const { return instances_; }
  /// Differs whenever what deal() returns differs.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] std::size_t bytes() const {
    return (slots_.capacity() + split_.capacity()) * sizeof(slot_type);
  }

  /// How many slots a worker claims of such a set at a time. \param pieces  of its fair share
  [[nodiscard]] static std::uint32_t batch(std::uint64_t slots, std::uint32_t workers,
                                           std::uint32_t pieces) {
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
        slots / (std::uint64_t{pieces} * workers), 1, std::numeric_limits<std::uint32_t>::max()));
  }

  /// How many slots of such a set each worker may have without a claim, if there is several times
  /// as much as it runs side by side: so much, so that nothing waits behind a long task; or as many
  /// as are known to be done soon.
  /// \param slot_ns  how long a worker takes for one on average; 0 if that is not known
  [[nodiscard]] static std::uint32_t from_the_start(std::uint64_t slots, std::uint32_t workers,
                                                    std::uint32_t side_by_side, double slot_ns) {
    if (slots / workers < std::uint64_t{4} * side_by_side) return 0;
    if (slot_ns == 0) return side_by_side;
    const double soon = k_soon_ns / slot_ns;
    const auto equal = static_cast<std::uint32_t>(
        std::min<std::uint64_t>((slots + workers - 1) / workers, ~std::uint32_t{0}));
    return soon < equal ? std::max(static_cast<std::uint32_t>(soon), side_by_side) : equal;
  }

 private:
  /// Of a worker's fair share, so that workers that are late or slow leave some to others.
  static constexpr std::uint64_t k_pieces = 16;
  /// What is done so soon need not be dealt out while the run lasts: claims and steals would take
  /// as long as they save.
  static constexpr double k_soon_ns = 131072;

  [[nodiscard]] std::span<const slot_type> dealt() const {
    return split_.empty() ? std::span<const slot_type>(slots_) : split_;
  }

  std::vector<slot_type> slots_;
  std::vector<slot_type> split_;  ///< the set if bulk seeds had to be split
  std::uint32_t dealt_for_ = 0;   ///< the number of workers that split_ is for; 0: it is for none
  std::uint64_t instances_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace mgws
