/// \file
/// Statistics as a compile-time policy: with `no_statistics` every hook is empty and nothing of it
/// is left in the program; with `worker_statistics` a worker counts in memory of its own and reads
/// the clock only when its phase changes, never for a task. It counts by the port's MGWS_TALLY, as
/// nobody reads before it ends.
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
  std::uint64_t slots_submitted = 0;  ///< taken from inboxes, or given by another domain
  std::uint64_t slots_given = 0;      ///< to another domain
  std::uint64_t answers = 0;      ///< of other domains, of which this worker took the first slots
  std::uint64_t slots_shown = 0;  ///< on the device's board
  std::uint64_t shown_taken = 0;  ///< times that steps were taken from a board
  std::uint64_t slots_spilled = 0;
  std::uint64_t finish_adds = 0;  ///< atomic additions to what finishes count (purse.hpp)
  std::uint64_t times_idle = 0;
  std::uint64_t sleeps = 0;
  std::uint64_t steps = 0;       ///< of a worker of several lanes: times its lanes ran side by side
  std::uint64_t lanes_used = 0;  ///< lanes that ran an instance, summed over these steps
  std::uint64_t working_ns = 0;
  std::uint64_t stealing_ns = 0;
  std::uint64_t searching_ns = 0;
  std::uint64_t idle_ns = 0;
  std::uint64_t answer_ns = 0;  ///< from the question to another domain until an answer was taken
};

/// What a trace records: intervals of a worker, and steals; and from a domain's question to another
/// one, which any of its workers may have asked, until this worker took the first of the answer.
struct trace_event {
  enum class kind : std::uint32_t { working, searching, idle, stolen, given };
  std::uint64_t begin_ns;
  std::uint64_t end_ns;
  kind what;
  std::uint32_t queue;  ///< stolen: from which queue; given: by which domain
  std::uint32_t n;      ///< stolen, given: slots; working: steps, of a worker of several lanes
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

/// The attempts that won at queues of one device, and where their time went.
struct steals_from {
  std::uint64_t won = 0;
  std::uint64_t slots = 0;
  std::uint64_t look_ns = 0;    ///< choosing a target, and looking at it or at several
  std::uint64_t take_ns = 0;    ///< from the claim until the slots are in the local queue
  std::uint64_t settle_ns = 0;  ///< being counted as busy again, and telling the owner

  MGWS_FN steals_from& operator+=(const steals_from& o) {
    won += o.won;
    slots += o.slots;
    look_ns += o.look_ns;
    take_ns += o.take_ns;
    settle_ns += o.settle_ns;
    return *this;
  }
};

/// A worker's statistics, filled when it ends. `steals` has an entry for each device: the worker's
/// from there.
struct statistics_record {
  worker_counts counts;
  trace_buffer trace;
  steals_from* steals = nullptr;
  std::uint64_t first_work_ns = 0;  ///< when it first had tasks, on the device's clock; 0: never
};

/// The same hooks as of worker_statistics, all of them empty.
struct no_statistics {
  static constexpr bool enabled = false;
  MGWS_FN explicit no_statistics(statistics_record* /*record*/) {}
  MGWS_FN static void enter(auto...) {}
  MGWS_FN static void reaches(auto...) {}
  MGWS_FN static void attempt_ends(auto...) {}
  MGWS_FN static void count(auto...) {}
  MGWS_FN static void released(auto...) {}
  MGWS_FN static void stepped(auto...) {}
  MGWS_FN static void answered(auto...) {}
};

/// Points in an attempt to steal that lead to a steals_from's times.
enum class attempt : std::uint8_t { begins, claims, took };

class worker_statistics {
 public:
  static constexpr bool enabled = true;

  MGWS_FN explicit worker_statistics(statistics_record* record)
      : r_(record), steals_(record->steals), traces_(record->trace.capacity != 0) {}

  MGWS_FN void enter(phase p, std::uint64_t (*now)()) {
    if (p == phase_) return;
    const std::uint64_t t = now();
    close(t);
    if (p == phase::idle) MGWS_TALLY(r_->counts.times_idle, 1u);
    if (p == phase::working && !worked_) {
      worked_ = true;
      r_->first_work_ns = t;
    }
    phase_ = p;
    since_ = t;
  }
  MGWS_FN void reaches(attempt point, std::uint64_t (*now)()) {
    attempt_[static_cast<std::uint32_t>(point)] = now();
  }
  MGWS_FN void attempt_ends(bool won, bool empty, std::uint32_t queue, std::uint32_t device,
                            std::uint32_t slots, std::uint64_t (*now)()) {
    worker_counts& c = r_->counts;
    MGWS_TALLY(c.steals_tried, 1u);
    if (!won) {
      MGWS_TALLY(empty ? c.steals_empty : c.steals_lost, 1u);
      return;
    }
    const auto [began, claimed, took] = attempt_;
    const std::uint64_t t = now();
    MGWS_TALLY(c.steals_won, 1u);
    MGWS_TALLY(c.slots_stolen, slots);
    MGWS_TALLY(c.stealing_ns, t - began);
    steals_from& from = steals_[device];
    MGWS_TALLY(from.won, 1u);
    MGWS_TALLY(from.slots, slots);
    MGWS_TALLY(from.look_ns, claimed - began);
    MGWS_TALLY(from.take_ns, took - claimed);
    MGWS_TALLY(from.settle_ns, t - took);
    stolen_within_ += t - began;
    record(began, t, trace_event::kind::stolen, queue, slots);
  }
  MGWS_FN void released(std::uint32_t slots) {
    if (slots == 0) {
      MGWS_TALLY(r_->counts.releases_postponed, 1u);
    } else {
      MGWS_TALLY(r_->counts.releases, 1u);
      MGWS_TALLY(r_->counts.slots_released, slots);
    }
  }
  /// Adds to one of the counts.
  MGWS_FN void count(std::uint64_t worker_counts::*what, std::uint32_t n = 1) {
    MGWS_TALLY(r_->counts.*what, n);
  }
  /// The first of what another domain has given since it was asked.
  MGWS_FN void answered(std::uint32_t domain, std::uint64_t asked_ns, std::uint32_t slots,
                        std::uint64_t (*now)()) {
    const std::uint64_t t = now();
    MGWS_TALLY(r_->counts.answers, 1u);
    MGWS_TALLY(r_->counts.answer_ns, t - asked_ns);
    record(asked_ns, t, trace_event::kind::given, domain, slots);
  }
  MGWS_FN void stepped(std::uint32_t steps, std::uint32_t lanes) {
    steps_ += steps;
    MGWS_TALLY(r_->counts.lanes_used, lanes);
  }

 private:
  MGWS_FN void close(std::uint64_t t) {
    const std::uint64_t span = t - since_ - stolen_within_;
    const auto end = [&](std::uint64_t& sum, trace_event::kind what, std::uint32_t n) {
      MGWS_TALLY(sum, span);
      record(since_, t, what, 0, n);
    };
    worker_counts& c = r_->counts;
    if (phase_ == phase::working) {
      end(c.working_ns, trace_event::kind::working, steps_);
      MGWS_TALLY(c.steps, steps_);
      steps_ = 0;
    }
    if (phase_ == phase::searching) end(c.searching_ns, trace_event::kind::searching, 0);
    if (phase_ == phase::idle) end(c.idle_ns, trace_event::kind::idle, 0);
    stolen_within_ = 0;
  }
  MGWS_FN void record(std::uint64_t begin, std::uint64_t end, trace_event::kind what,
                      std::uint32_t queue, std::uint32_t n) {
    if (traces_) r_->trace.add({begin, end, what, queue, n});
  }

  statistics_record* r_;
  steals_from* steals_;
  phase phase_ = phase::starting;
  bool traces_;
  bool worked_ = false;
  std::uint32_t steps_ = 0;  ///< since the tasks of this phase began
  std::uint64_t since_ = 0;
  std::uint64_t attempt_[3] = {};    ///< when the attempt that runs reached each point
  std::uint64_t stolen_within_ = 0;  ///< of the current phase, time spent in steals that won
};

}  // namespace mgws
