/// \file
/// What a device's workers have to themselves besides their local queues.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include <mgws/core/statistics.hpp>
#include <mgws/runtime/plan.hpp>

namespace mgws {

/// One device's workers' spill areas, results, statistics and traces: of each kind one piece in
/// which the device's w-th worker has the w-th part.
/// \tparam Area  an owner of zeroed memory, with write() and read() for the host
/// \tparam Line  bytes that keep two workers' results and statistics apart
template <class Area, class Slot, class Accumulators, std::size_t Line>
class worker_areas {
  template <class T>
  struct alignas(std::max(Line, alignof(T))) apart {
    T value{};
  };

 public:
  /// \param d     which device of the plan
  /// \param make  make(bytes): an Area of that device
  template <class Make>
  worker_areas(const plan& p, std::uint32_t d, std::uint32_t trace_events, bool statistics,
               Make&& make)
      : workers_(p.devices[d].workers),
        devices_(p.run.devices),
        trace_events_(statistics ? trace_events : 0),
        spill_(make(spill_bytes_of(workers_, p.run.spill_capacity))),
        results_(make(workers_ * sizeof(apart<Accumulators>))) {
    if (!statistics) return;
    records_ = make(workers_ * sizeof(apart<statistics_record>));
    steals_ = make(std::size_t{workers_} * devices_ * sizeof(steals_from));
    traces_ = make(std::size_t{workers_} * trace_events_ * sizeof(trace_event));
  }

  // Of the device's w-th worker, as the workers reach it.
  [[nodiscard]] Slot* spill() const { return reinterpret_cast<Slot*>(spill_.data()); }
  [[nodiscard]] Accumulators* result(std::size_t w = 0) const {
    return &reinterpret_cast<apart<Accumulators>*>(results_.data())[w].value;
  }
  /// nullptr without statistics.
  [[nodiscard]] statistics_record* statistics(std::size_t w = 0) const {
    if (records_.bytes() == 0) return nullptr;
    return &reinterpret_cast<apart<statistics_record>*>(records_.data())[w].value;
  }

  /// Everything as at the start of a run.
  void reset() const {
    const std::vector<apart<Accumulators>> results(workers_);
    results_.write(0, results.data(), results_.bytes());
    if (records_.bytes() == 0) return;
    std::vector<apart<statistics_record>> records(workers_);
    for (std::size_t w = 0; w != workers_; ++w) {
      records[w].value.steals = reinterpret_cast<steals_from*>(steals_.data()) + w * devices_;
      records[w].value.trace = {
          .events = reinterpret_cast<trace_event*>(traces_.data()) + w * trace_events_,
          .capacity = trace_events_};
    }
    records_.write(0, records.data(), records_.bytes());
    const std::vector<steals_from> none(std::size_t{workers_} * devices_);
    steals_.write(0, none.data(), steals_.bytes());
  }

  /// What a run left, in host memory.
  class kept {
   public:
    explicit kept(const worker_areas& of)
        : devices_(of.devices_),
          results_(fetch<apart<Accumulators>>(of.results_)),
          records_(fetch<apart<statistics_record>>(of.records_)),
          steals_(fetch<steals_from>(of.steals_)) {
      // Of the room for a trace only what was used: it may be large, and takes no memory until
      // then.
      for (std::size_t w = 0; w != records_.size(); ++w) {
        std::vector<trace_event>& events = traces_.emplace_back(records_[w].value.trace.used);
        of.traces_.read(events.data(), w * of.trace_events_ * sizeof(trace_event),
                        events.size() * sizeof(trace_event));
      }
    }

    [[nodiscard]] const Accumulators& result(std::size_t w) const { return results_[w].value; }
    /// nullptr without statistics. What it points to is the device's.
    [[nodiscard]] const statistics_record* record(std::size_t w) const {
      return records_.empty() ? nullptr : &records_[w].value;
    }
    [[nodiscard]] const steals_from* steals(std::size_t w) const { return &steals_[w * devices_]; }
    [[nodiscard]] const std::vector<trace_event>& trace(std::size_t w) const { return traces_[w]; }

   private:
    template <class T>
    static std::vector<T> fetch(const Area& from) {
      std::vector<T> all(from.bytes() / sizeof(T));
      from.read(all.data(), 0, from.bytes());
      return all;
    }

    std::uint32_t devices_;
    std::vector<apart<Accumulators>> results_;
    std::vector<apart<statistics_record>> records_;  ///< empty without statistics
    std::vector<steals_from> steals_;
    std::vector<std::vector<trace_event>> traces_;
  };
  [[nodiscard]] kept download() const { return kept(*this); }

  [[nodiscard]] std::size_t spill_bytes() const { return spill_.bytes(); }
  [[nodiscard]] std::size_t control_bytes() const {
    return results_.bytes() + records_.bytes() + steals_.bytes() + traces_.bytes();
  }

 private:
  /// \throws std::bad_alloc for more than can be addressed
  static std::size_t spill_bytes_of(std::size_t workers, std::size_t slots) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(workers * slots, sizeof(Slot), &bytes)) throw std::bad_alloc();
    return bytes;
  }

  std::uint32_t workers_ = 0;
  std::uint32_t devices_ = 0;
  std::uint32_t trace_events_ = 0;
  Area spill_;
  Area results_;
  Area records_;
  Area steals_;
  Area traces_;
};

}  // namespace mgws
