/// \file
/// What a device's workers have to themselves besides their local queues.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include <mgws/core/statistics.hpp>
#include <mgws/runtime/plan.hpp>
#include <mgws/transports/block.hpp>

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

  /// What lies in the block that begins at an address: results, statistics, and for each worker its
  /// steals from each device.
  struct pieces {
    pieces(const worker_areas& of, std::byte* at) {
      std::uintptr_t next = reinterpret_cast<std::uintptr_t>(at);
      const auto place = [&]<class T>(T*& where, std::size_t n) {
        next = (next + alignof(T) - 1) / alignof(T) * alignof(T);
        where = reinterpret_cast<T*>(next);
        next += n * sizeof(T);
      };
      place(results, of.workers_);
      place(records, of.records_);
      place(steals, std::size_t{of.records_} * of.devices_);
      bytes = next - reinterpret_cast<std::uintptr_t>(at);
    }
    apart<Accumulators>* results = nullptr;
    apart<statistics_record>* records = nullptr;
    steals_from* steals = nullptr;
    std::size_t bytes = 0;
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
        records_(statistics ? workers_ : 0),
        spill_(make(spill_bytes_of(workers_, p.run.spill_capacity))),
        traces_(make(std::size_t{records_} * trace_events_ * sizeof(trace_event))) {
    const pieces all(*this, nullptr);
    written_ = block<Area>([&] { return make(all.bytes); }, start());
    reset();
  }

  // Of the device's w-th worker, as the workers reach it.
  [[nodiscard]] Slot* spill() const { return reinterpret_cast<Slot*>(spill_.data()); }
  [[nodiscard]] Accumulators* result(std::size_t w = 0) const {
    return &pieces(*this, written_.words().data()).results[w].value;
  }
  /// nullptr without statistics.
  [[nodiscard]] statistics_record* statistics(std::size_t w = 0) const {
    return records_ == 0 ? nullptr : &pieces(*this, written_.words().data()).records[w].value;
  }

  /// Everything as at the start of a run.
  void reset() const { written_.reset(start()); }
  /// Shows left() what there is when the device has done what it has been given to do so far.
  void look_behind() const requires device_area<Area> {
    written_.look_behind(written_.words().bytes());
  }

  /// What a run left, as the host has it until the next run begins.
  class left_behind {
   public:
    explicit left_behind(const worker_areas& of) : of_(of), pieces_(of, of.written_.seen()) {}

    [[nodiscard]] const Accumulators& result(std::size_t w) const {
      return pieces_.results[w].value;
    }
    /// nullptr without statistics. What it points to is the device's.
    [[nodiscard]] const statistics_record* record(std::size_t w) const {
      return of_.records_ == 0 ? nullptr : &pieces_.records[w].value;
    }
    [[nodiscard]] const steals_from* steals(std::size_t w) const {
      return pieces_.steals + w * of_.devices_;
    }
    /// Of the room for a trace only what was used: it may be large, and takes no memory until then.
    [[nodiscard]] std::vector<trace_event> trace(std::size_t w) const {
      std::vector<trace_event> events(record(w)->trace.used);
      of_.traces_.read(events.data(), w * of_.trace_events_ * sizeof(trace_event),
                       events.size() * sizeof(trace_event));
      return events;
    }

   private:
    const worker_areas& of_;
    pieces pieces_;
  };
  /// \pre a look, and no worker is running
  [[nodiscard]] left_behind left() const { return left_behind(*this); }

  [[nodiscard]] std::size_t spill_bytes() const { return spill_.bytes(); }
  [[nodiscard]] std::size_t control_bytes() const { return written_.bytes() + traces_.bytes(); }

 private:
  [[nodiscard]] auto start() const {
    return [this](std::byte* at, std::byte* there) {
      const pieces here(*this, at);
      std::uninitialized_value_construct_n(here.results, workers_);
      std::uninitialized_value_construct_n(here.records, records_);
      std::uninitialized_value_construct_n(here.steals, std::size_t{records_} * devices_);
      steals_from* const steals = pieces(*this, there).steals;
      for (std::size_t w = 0; w != records_; ++w) {
        here.records[w].value.steals = steals + w * devices_;
        here.records[w].value.trace = {
            .events = reinterpret_cast<trace_event*>(traces_.data()) + w * trace_events_,
            .capacity = trace_events_};
      }
    };
  }

  /// \throws std::bad_alloc for more than can be addressed
  static std::size_t spill_bytes_of(std::size_t workers, std::size_t slots) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(workers * slots, sizeof(Slot), &bytes)) throw std::bad_alloc();
    return bytes;
  }

  std::uint32_t workers_ = 0;
  std::uint32_t devices_ = 0;
  std::uint32_t trace_events_ = 0;
  std::uint32_t records_ = 0;  ///< workers that keep statistics: all or none
  Area spill_;
  Area traces_;
  block<Area> written_;
};

}  // namespace mgws
