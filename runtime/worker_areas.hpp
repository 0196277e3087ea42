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

/// \tparam Line  bytes that keep what two workers write apart
template <class T, std::size_t Line>
struct alignas(std::max(Line, alignof(T))) apart {
  T value{};
};

/// What the host has to know of the types that a run is made of. What drives the run is compiled
/// for these numbers, once, and not again for each set of tasks.
struct types_of_run {
  std::size_t slot_bytes = 0;
  std::uint64_t most_instances = 0;  ///< that a slot stands for
  std::size_t frame_bytes = 0;       ///< 0: tasks wait for nothing
  std::size_t scratch_bytes = 0;     ///< of a GPU's worker; 0: tasks want none
  std::uint32_t units = 1;           ///< tasks that a GPU's worker runs side by side, at most
  bool statistics = false;
  // Accumulators:
  std::size_t result_bytes = 0;  ///< from one worker's to the next one's
  std::size_t result_align = 0;
  void (*begin_result)(void* at) = nullptr;  ///< makes one, as it is before a run

  template <std::size_t Line, class Slot, class Accumulators>
  [[nodiscard]] static constexpr types_of_run of(std::size_t frame_bytes, bool statistics) {
    using result = apart<Accumulators, Line>;
    return {.slot_bytes = sizeof(Slot),
            .most_instances = Slot::max_instances,
            .frame_bytes = frame_bytes,
            .statistics = statistics,
            .result_bytes = sizeof(result),
            .result_align = alignof(result),
            .begin_result = [](void* at) { new (at) result(); }};
  }
};

/// One device's workers' spill areas, results, statistics and traces: of each kind one piece in
/// which the device's w-th worker has the w-th part.
/// \tparam Area  an owner of zeroed memory, with write() and read() for the host
/// \tparam Line  bytes that keep two workers' results and statistics apart
template <class Area, std::size_t Line>
class worker_areas {
  /// What lies in the block that begins at an address: results, statistics, and for each worker its
  /// steals from each device.
  struct pieces {
    pieces(const worker_areas& of, std::byte* at) {
      std::uintptr_t next = reinterpret_cast<std::uintptr_t>(at);
      const auto skip_to = [&](std::size_t align) { next = (next + align - 1) / align * align; };
      const auto place = [&]<class T>(T*& where, std::size_t n) {
        skip_to(alignof(T));
        where = reinterpret_cast<T*>(next);
        next += n * sizeof(T);
      };
      skip_to(of.types_.result_align);
      results = reinterpret_cast<std::byte*>(next);
      next += of.workers_ * of.types_.result_bytes;
      place(records, of.records_);
      place(steals, std::size_t{of.records_} * of.devices_);
      bytes = next - reinterpret_cast<std::uintptr_t>(at);
    }
    std::byte* results = nullptr;
    apart<statistics_record, Line>* records = nullptr;
    steals_from* steals = nullptr;
    std::size_t bytes = 0;
  };

 public:
  /// \param d     which device of the plan
  /// \param make  make(bytes): an Area of that device
  template <class Make>
  worker_areas(const types_of_run& types, const plan& p, std::uint32_t d,
               std::uint32_t trace_events, Make&& make)
      : types_(types),
        workers_(p.devices[d].workers),
        devices_(p.run.devices),
        trace_events_(types.statistics ? trace_events : 0),
        records_(types.statistics ? workers_ : 0),
        spill_(make(spill_bytes_of(workers_, p.run.spill_capacity, types.slot_bytes))),
        traces_(make(std::size_t{records_} * trace_events_ * sizeof(trace_event))) {
    const pieces all(*this, nullptr);
    written_ = block<Area>([&] { return make(all.bytes); }, start());
    reset();
  }

  // Of the device's w-th worker, as the workers reach it.
  /// \tparam Slot  of the run \param i  which slot of all
  template <class Slot>
  [[nodiscard]] Slot* spill(std::size_t i = 0) const {
    return reinterpret_cast<Slot*>(spill_.data()) + i;
  }
  template <class Accumulators>
  [[nodiscard]] Accumulators* result(std::size_t w = 0) const {
    return reinterpret_cast<Accumulators*>(result_at(written_.words().data(), w));
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

    template <class Accumulators>
    [[nodiscard]] const Accumulators& result(std::size_t w) const {
      return *reinterpret_cast<const Accumulators*>(pieces_.results + w * of_.types_.result_bytes);
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
      for (std::size_t w = 0; w != workers_; ++w)
        types_.begin_result(here.results + w * types_.result_bytes);
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
  static std::size_t spill_bytes_of(std::size_t workers, std::size_t slots, std::size_t slot) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(workers * slots, slot, &bytes)) throw std::bad_alloc();
    return bytes;
  }
  [[nodiscard]] std::byte* result_at(std::byte* block, std::size_t w) const {
    return pieces(*this, block).results + w * types_.result_bytes;
  }

  types_of_run types_;
  std::uint32_t workers_ = 0;
  std::uint32_t devices_ = 0;
  std::uint32_t trace_events_ = 0;
  std::uint32_t records_ = 0;  ///< workers that keep statistics: all or none
  Area spill_;
  Area traces_;
  block<Area> written_;
};

}  // namespace mgws
