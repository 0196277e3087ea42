/// \file
/// What a GPU's workers have to themselves besides their local queues, and the initial tasks as
/// they lie in the memory of a GPU or of the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <mgws/backends/gpu/device.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws/runtime/outcome.hpp>
#include <mgws/runtime/plan.hpp>

namespace mgws {

/// One GPU's workers' spill areas, results, statistics and traces, in its memory: of each kind one
/// piece in which the GPU's w-th worker has the w-th part.
template <class Api, class Slot, class Accumulators>
class gpu_worker_memory {
  using area = gpu::area<Api>;

 public:
  gpu_worker_memory() = default;
  /// \param d  which device of the plan
  gpu_worker_memory(const gpu::device<Api>& gpu, const plan& p, std::uint32_t d,
                    std::uint32_t trace_events, bool statistics)
      : workers_(p.devices[d].workers),
        devices_(p.run.devices),
        trace_events_(statistics ? trace_events : 0),
        statistics_(statistics),
        ranges_(gpu, p.devices.size() * sizeof(device_range)),
        spill_(gpu, std::size_t{workers_} * p.run.spill_capacity * sizeof(Slot)),
        results_(gpu, workers_ * sizeof(Accumulators)) {
    ranges_.write(0, p.devices.data(), ranges_.bytes());
    if (!statistics) return;
    records_ = area(gpu, workers_ * sizeof(statistics_record));
    steals_ = area(gpu, std::size_t{workers_} * devices_ * sizeof(steals_from));
    traces_ = area(gpu, std::size_t{workers_} * trace_events_ * sizeof(trace_event));
  }

  [[nodiscard]] const device_range* ranges() const {
    return reinterpret_cast<const device_range*>(ranges_.data());
  }
  [[nodiscard]] Slot* spill() const { return reinterpret_cast<Slot*>(spill_.data()); }
  [[nodiscard]] Accumulators* results() const {
    return reinterpret_cast<Accumulators*>(results_.data());
  }
  /// nullptr without statistics.
  [[nodiscard]] statistics_record* statistics() const {
    return reinterpret_cast<statistics_record*>(records_.data());
  }

  /// Everything as at the start of a run.
  void reset() const {
    const std::vector<Accumulators> results(workers_);
    results_.write(0, results.data(), results_.bytes());
    if (!statistics_) return;
    std::vector<statistics_record> records(workers_);
    for (std::size_t w = 0; w != workers_; ++w) {
      records[w].steals = reinterpret_cast<steals_from*>(steals_.data()) + w * devices_;
      records[w].trace = {
          .events = reinterpret_cast<trace_event*>(traces_.data()) + w * trace_events_,
          .capacity = trace_events_};
    }
    records_.write(0, records.data(), records_.bytes());
    const std::vector<steals_from> none(std::size_t{workers_} * devices_);
    steals_.write(0, none.data(), steals_.bytes());
  }

  /// What a run left, in host memory.
  struct kept {
    std::vector<Accumulators> results;
    std::vector<statistics_record> records;  ///< empty without statistics
    std::vector<steals_from> steals;
    std::vector<trace_event> traces;
    std::uint32_t devices = 0;
    std::uint32_t trace_events = 0;

    /// All but the number of tasks, on the device's clock.
    [[nodiscard]] worker_result worker(std::size_t w) const {
      if (records.empty()) return {};
      const statistics_record& r = records[w];
      const auto begin = traces.begin() + static_cast<std::ptrdiff_t>(w * trace_events);
      return {.counts = r.counts,
              .trace = {begin, begin + r.trace.used},
              .trace_dropped = r.trace.dropped,
              .steals = &steals[w * devices],
              .first_work_ns = r.first_work_ns};
    }
  };
  [[nodiscard]] kept download() const {
    kept k;
    k.devices = devices_;
    k.trace_events = trace_events_;
    fetch(k.results, results_, workers_);
    if (!statistics_) return k;
    fetch(k.records, records_, workers_);
    fetch(k.steals, steals_, std::size_t{workers_} * devices_);
    fetch(k.traces, traces_, std::size_t{workers_} * trace_events_);
    return k;
  }

  [[nodiscard]] std::size_t spill_bytes() const { return spill_.bytes(); }
  [[nodiscard]] std::size_t control_bytes() const {
    return ranges_.bytes() + results_.bytes() + records_.bytes() + steals_.bytes() +
           traces_.bytes();
  }

 private:
  template <class T>
  static void fetch(std::vector<T>& to, const area& from, std::size_t n) {
    to.resize(n);
    from.read(to.data(), 0, n * sizeof(T));
  }

  std::uint32_t workers_ = 0;
  std::uint32_t devices_ = 0;
  std::uint32_t trace_events_ = 0;
  bool statistics_ = false;
  area ranges_;
  area spill_;
  area results_;
  area records_;
  area steals_;
  area traces_;
};

/// The initial tasks where the workers load them from; copied there when they have changed.
template <class Api, class Slot>
class initial_memory {
 public:
  /// \param version  differs whenever the slots do \param in_host  leave them in host memory
  /// \param who      else reaches the GPU's memory \throws std::bad_alloc
  void hold(const gpu::device<Api>& gpu, std::span<const Slot> slots, std::uint64_t version,
            bool in_host, gpu::reach who) {
    if (held_ && version == version_) return;
    held_ = false;
    if (area_.bytes() < slots.size_bytes()) {
      area_ = {};
      area_ = in_host ? gpu::area<Api>(slots.size_bytes())
                      : gpu::area<Api>(gpu, slots.size_bytes(), who);
    }
    if (!slots.empty()) area_.write(0, slots.data(), slots.size_bytes());
    version_ = version;
    held_ = true;
  }
  [[nodiscard]] const void* data() const { return area_.data(); }
  [[nodiscard]] std::size_t bytes() const { return area_.bytes(); }

 private:
  gpu::area<Api> area_;
  std::uint64_t version_ = 0;
  bool held_ = false;
};

}  // namespace mgws
