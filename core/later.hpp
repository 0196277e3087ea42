/// \file
/// Tasks of a priority below the highest: a queue for each level in a part of the worker's spill
/// area, oldest first; and one more for tasks that cannot run here (elsewhere.hpp). A task set
/// without either has none of this, and its spill area whole.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <mgws/core/local_queue.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// \tparam Priorities  levels, the highest included, which is not here
/// \tparam Away  whether there are tasks that cannot run here
template <class B, class Slot, std::uint32_t Priorities, bool Away = false>
class later_tasks {
 public:
  /// How many parts a spill area has: a power of two, as their sizes are. The first one is for what
  /// spills of level 0.
  static constexpr std::uint32_t k_spill_parts = std::bit_ceil(Priorities + (Away ? 1 : 0));

  /// \param area  the worker's spill area \param part  slots of each part, a power of two
  MGWS_FN later_tasks(Slot* area, std::uint32_t part) {
    for (std::uint32_t i = 0; i != k_queues; ++i)
      level_[i] = local_queue<B, Slot>(area + std::size_t{part} * (i + 1), part);
  }

  [[nodiscard]] MGWS_FN bool empty() const { return best() == Priorities; }
  [[nodiscard]] MGWS_FN std::uint32_t size() const {
    std::uint32_t n = 0;
    for (const auto& q : level_)
      n += q.size();
    return n;
  }

  /// Adds a slot, which fill(slot) completes: where its level is full, at the next lower one that
  /// has room, or the next higher one. Any lane of a worker. \pre level is 1 or more
  /// \return false if there is none
  template <class Fill>
  [[nodiscard]] MGWS_FN bool push(std::uint32_t level, Fill&& fill) {
    for (std::uint32_t i = level - 1; i != k_lower_levels; ++i)
      if (level_[i].push_if_room(fill)) return true;
    for (std::uint32_t i = level - 1; i-- != 0;)
      if (level_[i].push_if_room(fill)) return true;
    return false;
  }
  /// How many were added since checked(): for workers of one lane.
  [[nodiscard]] MGWS_FN std::uint32_t grow() { return ++grown_; }
  MGWS_FN void checked() { grown_ = 0; }
  /// After lanes have added some: none has more than fit.
  MGWS_FN void settle() {
    for (auto& q : level_)
      q.drop_overrun();
  }

  /// The queue of the highest level of which there are any. \pre !empty()
  [[nodiscard]] MGWS_FN local_queue<B, Slot>& next() { return level_[best() - 1]; }
  /// Moves up to n slots from there to where they are the next to be taken, the oldest first, by
  /// steps of so many. \return whether there were any
  MGWS_FN bool load(local_queue<B, Slot>& local, std::uint32_t n, std::uint32_t step) {
    if (empty()) return false;
    loaded_ = best();
    local.take_oldest_first(next(), n, step);
    return true;
  }

  /// The queue of one level. \pre level is 1 or more
  [[nodiscard]] MGWS_FN local_queue<B, Slot>& of_level(std::uint32_t level) {
    return level_[level - 1];
  }
  /// The queue of those that cannot run here, which is of no level. \pre Away
  [[nodiscard]] MGWS_FN local_queue<B, Slot>& away() { return level_[k_lower_levels]; }
  /// Slots of a spill area in which it has room for one more.
  [[nodiscard]] MGWS_FN std::uint64_t room_for_more_away() const {
    return k_spill_parts * (std::uint64_t{level_[k_lower_levels].capacity()} + 1);
  }
  [[nodiscard]] MGWS_FN bool has_away() const {
    if constexpr (Away) return !level_[k_lower_levels].empty();
    return false;
  }

  // ---- What goes before what, about ----

  /// What is local now came from elsewhere, or back from the public queue.
  MGWS_FN void loaded() { loaded_ = 0; }
  MGWS_FN void took_back() { loaded_ = shared_; }
  /// What is local is made public, or the next that waits is.
  MGWS_FN void shares_local() { shared_ = loaded_; }
  MGWS_FN void shares_next() { shared_ = best(); }
  /// Whether any waits that goes before what is public, or is no worse than what is local.
  [[nodiscard]] MGWS_FN bool before_public() const { return best() < shared_; }
  [[nodiscard]] MGWS_FN bool like_local() const { return best() <= loaded_; }

 private:
  static constexpr std::uint32_t k_lower_levels = Priorities - 1;
  static constexpr std::uint32_t k_queues = k_lower_levels + (Away ? 1 : 0);
  /// The highest level of which there are any, or Priorities.
  [[nodiscard]] MGWS_FN std::uint32_t best() const {
    std::uint32_t at = 0;
    while (at != k_lower_levels && level_[at].empty())
      ++at;
    return at + 1;
  }

  local_queue<B, Slot> level_[k_queues];
  std::uint32_t loaded_ = 0;  ///< level of what was loaded last
  std::uint32_t shared_ = 0;  ///< level of what was shared last
  std::uint32_t grown_ = 0;
};

template <class B, class Slot>
class later_tasks<B, Slot, 1, false> {
 public:
  static constexpr std::uint32_t k_spill_parts = 1;
  MGWS_FN later_tasks(Slot* /*area*/, std::uint32_t /*part*/) {}
  [[nodiscard]] MGWS_FN static constexpr bool empty() { return true; }
  [[nodiscard]] MGWS_FN static constexpr bool has_away() { return false; }
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t size() { return 0; }
  MGWS_FN static void checked() {}
  MGWS_FN static void settle() {}
  MGWS_FN static bool load(local_queue<B, Slot>& /*local*/, std::uint32_t /*n*/,
                           std::uint32_t /*step*/) {
    return false;
  }
  MGWS_FN static void loaded() {}
  MGWS_FN static void took_back() {}
  MGWS_FN static void shares_local() {}
  [[nodiscard]] MGWS_FN static constexpr bool before_public() { return false; }
  [[nodiscard]] MGWS_FN static constexpr bool like_local() { return false; }
};

}  // namespace mgws
