/// \file
/// Watches one sentence: while some worker idles, no worker holds work privately that has not begun
/// for longer than 20 microseconds or one step.
#pragma once

#include <cstdint>
#include <vector>

#include <mgws/backends/sim/costs.hpp>

namespace mgws::sim {

/// The longest time that the sentence did not hold of one worker.
struct violation {
  time_type excess = 0;  ///< beyond what is allowed; 0: there was none
  time_type begin = 0;
  time_type end = 0;
  std::uint32_t worker = 0;
  std::int64_t held = 0;  ///< instances that had not begun, when it began
};

/// Told by the machine of everything that bears on it, in order of time. Work is counted in task
/// instances, by what a worker claims, copies, spawns and begins.
class observer {
 public:
  /// \param owners  workers a queue, numbered as the workers are
  observer(std::uint32_t workers, std::uint32_t queues) : workers_(workers), stocked_(queues, 0) {}

  static constexpr time_type k_allowed = from_ns(20000);

  /// The worker holds so many instances more, or fewer.
  void holds(time_type now, std::uint32_t w, std::int64_t more) {
    workers_[w].held += more;
    if (workers_[w].held < 0) consistent_ = false;
    look(now, w);
  }
  /// The worker has the queue for its own, alone or with others.
  void owns(std::uint32_t w, std::uint32_t queue) { workers_[w].queue = queue; }
  /// The queue has something to steal or not. \param first, owners  whose queue it is
  void stocked(time_type now, std::uint32_t queue, bool some, std::uint32_t first,
               std::uint32_t owners) {
    if ((stocked_[queue] != 0) == some) return;
    stocked_[queue] = some ? 1 : 0;
    for (std::uint32_t w = first; w != first + owners; ++w)
      look(now, w);
  }
  [[nodiscard]] bool is_stocked(std::uint32_t queue) const { return stocked_[queue] != 0; }
  /// The worker is looking for work, or not any more.
  void idles(time_type now, std::uint32_t w, bool yes) {
    worker& me = workers_[w];
    if (me.idle == yes) return;
    me.idle = yes;
    idle_ += yes ? 1 : -1;
    if (yes && idle_ == 1) idling_.push_back({now, k_open});
    if (!yes && idle_ == 0) idling_.back().end = now;
  }
  /// The worker ran a step.
  void stepped(std::uint32_t w, time_type length) {
    worker& me = workers_[w];
    if (me.since != k_open && length > me.longest_step) me.longest_step = length;
  }
  /// The run is over.
  void ends(time_type now) {
    for (std::uint32_t w = 0; w != workers_.size(); ++w)
      close(now, w);
  }

  [[nodiscard]] const violation& worst() const { return worst_; }
  /// How many times, and of how many workers.
  [[nodiscard]] std::uint64_t violations() const { return violations_; }
  /// Whether what was counted can be: nobody ever held less than nothing.
  [[nodiscard]] bool consistent() const { return consistent_; }
  [[nodiscard]] std::int64_t held(std::uint32_t w) const { return workers_[w].held; }

 private:
  static constexpr time_type k_open = -1;
  struct span {
    time_type begin;
    time_type end;
  };
  struct worker {
    std::int64_t held = 0;
    std::int64_t held_at_first = 0;
    time_type since = k_open;  ///< when it began to hold work with nothing to steal beside it
    time_type longest_step = 0;
    std::uint32_t queue = 0;
    bool idle = false;
  };

  void look(time_type now, std::uint32_t w) {
    worker& me = workers_[w];
    const bool hoards = me.held > 0 && stocked_[me.queue] == 0;
    if (hoards == (me.since != k_open)) return;
    if (!hoards) {
      close(now, w);
      return;
    }
    me.since = now;
    me.held_at_first = me.held;
    me.longest_step = 0;
  }
  void close(time_type now, std::uint32_t w) {
    worker& me = workers_[w];
    if (me.since == k_open) return;
    const time_type allowed = me.longest_step > k_allowed ? me.longest_step : k_allowed;
    if (now - me.since > allowed) judge(now, w, allowed);
    me.since = k_open;
  }
  /// The longest time of the worker's hoarding in which somebody idled.
  void judge(time_type now, std::uint32_t w, time_type allowed) {
    const worker& me = workers_[w];
    for (auto s = idling_.rbegin(); s != idling_.rend(); ++s) {
      const time_type end = s->end == k_open || s->end > now ? now : s->end;
      if (end <= me.since) break;
      const time_type begin = s->begin > me.since ? s->begin : me.since;
      if (end - begin <= allowed) continue;
      ++violations_;
      if (end - begin - allowed > worst_.excess)
        worst_ = {end - begin - allowed, begin, end, w, me.held_at_first};
    }
  }

  std::vector<worker> workers_;
  std::vector<std::uint8_t> stocked_;  ///< by queue
  std::vector<span> idling_;           ///< when anybody idled
  std::int64_t idle_ = 0;
  violation worst_;
  std::uint64_t violations_ = 0;
  bool consistent_ = true;
};

}  // namespace mgws::sim
