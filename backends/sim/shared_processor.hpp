/// \file
/// A scheduler of a multiprocessor, which the workers on it share. Each that runs alone would keep
/// it busy for a part of the time; together they run at full speed as long as these parts are no
/// more than the whole, and beyond that all are slower by the same factor. For m workers that all
/// run iterations of a chain, an iteration takes max(latency, m * issue).
///
/// Short things that leaders do between the steps, and the looks of workers that search, are not
/// jobs: they take from the scheduler's time at once (interrupt, crowd).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <mgws/backends/sim/costs.hpp>

namespace mgws::sim {

class shared_processor {
 public:
  /// A worker begins something now. \pre no earlier than the last change
  /// \param alone   how long it takes if nobody else is there, in picoseconds
  /// \param demand  the part of the scheduler's time that it then takes
  void begin(time_type now, std::uint32_t worker, double alone, double demand) {
    advance(now);
    jobs_.push_back({served_ + alone, demand, worker});
    measure();
  }

  /// A worker does something short: a scheduler's time of `issue`, which takes it `alone` if nobody
  /// else is there. The jobs are put back by what it takes from them. \return how long it takes
  double interrupt(time_type now, double alone, double issue) {
    const double demand = issue / alone;
    const double took = alone * std::max(demand_ + demand, 1.0);
    served_ -= took * (1 / slower_ - 1 / std::max(demand_ + demand, 1.0));
    // Others' interrupts come before or after, but not at once.
    const double free = std::max(static_cast<double>(now), free_);
    free_ = free + issue;
    return std::max(took, free_ - static_cast<double>(now));
  }
  /// Workers begin or cease to search, for so much of the scheduler's time. \pre as begin()
  void crowd(time_type now, double demand) {
    advance(now);
    crowd_ += demand;
    measure();
  }

  [[nodiscard]] bool idle() const { return jobs_.empty(); }
  /// When the first of the workers is done, if nothing changes. \pre !idle()
  [[nodiscard]] time_type next_end() const {
    return since_ + static_cast<time_type>(std::ceil((first().end - served_) * slower_));
  }
  /// That worker is done. \pre now is next_end() \return its number
  std::uint32_t end(time_type now) {
    const job done = first();
    served_ = std::max(served_, done.end);
    since_ = now;
    jobs_.erase(std::find_if(jobs_.begin(), jobs_.end(),
                             [&](const job& j) { return j.worker == done.worker; }));
    measure();
    return done.worker;
  }

 private:
  struct job {
    double end;  ///< when so much of `served_` has passed
    double demand;
    std::uint32_t worker;
  };

  [[nodiscard]] const job& first() const {
    return *std::min_element(jobs_.begin(), jobs_.end(), [](const job& a, const job& b) {
      return a.end < b.end || (a.end == b.end && a.worker < b.worker);
    });
  }
  void advance(time_type now) {
    served_ += static_cast<double>(now - since_) / slower_;
    since_ = now;
  }
  void measure() {
    demand_ = crowd_;
    for (const job& j : jobs_)
      demand_ += j.demand;
    slower_ = std::max(demand_, 1.0);
  }

  std::vector<job> jobs_;
  double served_ = 0;  ///< what each worker that was always there has been served, in picoseconds
  double demand_ = 0;  ///< of all of them
  double crowd_ = 0;   ///< the part of those that search
  double slower_ = 1;
  double free_ = 0;      ///< when the last interrupt's instructions are through
  time_type since_ = 0;  ///< of the last change
};

}  // namespace mgws::sim
