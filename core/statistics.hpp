/// \file
/// Statistics as a compile-time policy: with `no_statistics` every hook is empty and nothing of it
/// is left in the program; with `worker_statistics` a worker counts in memory of its own and reads
/// the clock only when its phase changes, never for a task.
#pragma once

#include <cstdint>

#include <mgws/core/run.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// What one worker did; times in nanoseconds. "Stealing" is time in attempts that won, "searching"
/// time in attempts that did not, as SWS (section 5.3) tells them apart.
struct worker_counts {
  std::uint64_t steals_tried = 0;
  std::uint64_t steals_won = 0;
  std::uint64_t steals_empty = 0;  ///< a look showed nothing
  std::uint64_t steals_lost = 0;   ///< others were faster
  std::uint64_t slots_stolen = 0;
  std::uint64_t releases = 0;
  std::uint64_t slots_released = 0;
  std::uint64_t releases_postponed = 0;  ///< no room, or thieves still copying
  std::uint64_t acquires = 0;
  std::uint64_t slots_acquired = 0;
  std::uint64_t initial_slots = 0;
  std::uint64_t slots_spilled = 0;
  std::uint64_t times_idle = 0;
  std::uint64_t sleeps = 0;
  std::uint64_t working_ns = 0;
  std::uint64_t stealing_ns = 0;
  std::uint64_t searching_ns = 0;
  std::uint64_t idle_ns = 0;
};

/// What a trace records: intervals of a worker, and steals.
struct trace_event {
  enum class kind : std::uint32_t { working, searching, idle, stolen };
  std::uint64_t begin_ns;
  std::uint64_t end_ns;
  kind what;
  std::uint32_t queue;  ///< stolen: from which queue
  std::uint32_t slots;  ///< stolen: how many
};

/// Where a worker writes its trace: a fixed array; what does not fit is counted.
struct trace_buffer {
  trace_event* events = nullptr;
  std::uint32_t capacity = 0;
  std::uint32_t used = 0;
  std::uint64_t dropped = 0;

  MGWS_FN void add(const trace_event& e) {
    if (used == capacity) {
      if (capacity != 0) ++dropped;
      return;
    }
    events[used++] = e;
  }
};

/// A worker's statistics, filled when it ends. `device_steals` has a row entry for each device: how
/// many slots the worker stole from there.
struct statistics_record {
  worker_counts counts;
  trace_buffer trace;
  std::uint64_t* device_steals = nullptr;
  std::uint64_t first_work_ns = 0;  ///< when it first had tasks, on the device's clock; 0: never
};

struct no_statistics {
  static constexpr bool enabled = false;
  MGWS_FN explicit no_statistics(statistics_record* /*record*/) {}
  MGWS_FN void enter(phase /*p*/, std::uint64_t (* /*now*/)()) {}
  MGWS_FN void attempt_begins(std::uint64_t (* /*now*/)()) {}
  MGWS_FN void attempt_ends(bool /*won*/, bool /*empty*/, std::uint32_t /*queue*/,
                            std::uint32_t /*device*/, std::uint32_t /*slots*/,
                            std::uint64_t (* /*now*/)()) {}
  MGWS_FN void released(std::uint32_t /*slots*/) {}
  MGWS_FN void acquired(std::uint32_t /*slots*/) {}
  MGWS_FN void loaded_initial(std::uint32_t /*slots*/) {}
  MGWS_FN void spilled(std::uint32_t /*slots*/) {}
  MGWS_FN void sleeps() {}
};

class worker_statistics {
 public:
  static constexpr bool enabled = true;

  MGWS_FN explicit worker_statistics(statistics_record* record) : r_(record) {}

  MGWS_FN void enter(phase p, std::uint64_t (*now)()) {
    if (p == phase_) return;
    const std::uint64_t t = now();
    close(t);
    if (p == phase::idle) ++r_->counts.times_idle;
    if (p == phase::working && !worked_) {
      worked_ = true;
      r_->first_work_ns = t;
    }
    phase_ = p;
    since_ = t;
  }
  MGWS_FN void attempt_begins(std::uint64_t (*now)()) { attempt_ = now(); }
  MGWS_FN void attempt_ends(bool won, bool empty, std::uint32_t queue, std::uint32_t device,
                            std::uint32_t slots, std::uint64_t (*now)()) {
    worker_counts& c = r_->counts;
    ++c.steals_tried;
    if (!won) {
      ++(empty ? c.steals_empty : c.steals_lost);
      return;
    }
    const std::uint64_t t = now();
    ++c.steals_won;
    c.slots_stolen += slots;
    c.stealing_ns += t - attempt_;
    stolen_within_ += t - attempt_;
    r_->device_steals[device] += slots;
    r_->trace.add({attempt_, t, trace_event::kind::stolen, queue, slots});
  }
  MGWS_FN void released(std::uint32_t slots) {
    if (slots == 0) {
      ++r_->counts.releases_postponed;
    } else {
      ++r_->counts.releases;
      r_->counts.slots_released += slots;
    }
  }
  MGWS_FN void acquired(std::uint32_t slots) {
    ++r_->counts.acquires;
    r_->counts.slots_acquired += slots;
  }
  MGWS_FN void loaded_initial(std::uint32_t slots) { r_->counts.initial_slots += slots; }
  MGWS_FN void spilled(std::uint32_t slots) { r_->counts.slots_spilled += slots; }
  MGWS_FN void sleeps() { ++r_->counts.sleeps; }

 private:
  MGWS_FN void close(std::uint64_t t) {
    const std::uint64_t span = t - since_;
    switch (phase_) {
      case phase::working:
        r_->counts.working_ns += span;
        r_->trace.add({since_, t, trace_event::kind::working, 0, 0});
        break;
      case phase::searching:
        r_->counts.searching_ns += span - stolen_within_;
        r_->trace.add({since_, t, trace_event::kind::searching, 0, 0});
        break;
      case phase::idle:
        r_->counts.idle_ns += span - stolen_within_;
        r_->trace.add({since_, t, trace_event::kind::idle, 0, 0});
        break;
      default:
        break;
    }
    stolen_within_ = 0;
  }

  statistics_record* r_;
  phase phase_ = phase::starting;
  bool worked_ = false;
  std::uint64_t since_ = 0;
  std::uint64_t attempt_ = 0;
  std::uint64_t stolen_within_ = 0;  ///< of the current phase, time spent in steals that won
};

}  // namespace mgws
