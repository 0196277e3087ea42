/// \file
/// A run of workers whose lanes are threads: core's executor of several lanes on one device.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <mgws/backends/cpu/memory.hpp>
#include <mgws/core/lanes.hpp>
#include <mgws/core/termination/chosen.hpp>
#include <mgws/transports/host.hpp>
#include <mgws/transports/impl/transport.hpp>

#include "threads_team.hpp"

namespace lanes_on_threads {

struct ended : mgws::sum<std::uint64_t> {};  ///< tasks, each counted by one of its lanes
struct lanes : mgws::sum<std::uint64_t> {};  ///< lanes that ran them
struct indices : mgws::sum<std::uint64_t> {};
struct numbers : mgws::sum<std::uint64_t> {};
using accumulators = mgws::accumulators<ended, lanes, indices, numbers>;

template <class Results>
struct outcome_of {
  Results results;
  std::uint64_t executed = 0;
  mgws::failure failed = mgws::failure::none;
};
using outcome = outcome_of<accumulators>;

/// Sizes of a run.
struct sizes {
  std::uint32_t workers = 2;
  std::uint32_t owners = 1;
  std::uint32_t local = 16;
  std::uint32_t shared = 16;
  std::uint32_t spill = 1024;
  mgws::overflow_policy overflow = mgws::overflow_policy::probe;
  bool direct = false;
  std::uint32_t frames = 64;
};

template <class B, class Tasks, class Results = accumulators, class Context = mgws::no_context>
class world {
  using transport = mgws::host_transport<B, mgws::cpu_backend::area>;
  using view = typename transport::view;
  using detector = mgws::chosen_detector<mgws::protocol, view>;
  using configuration = mgws::configuration<mgws::protocol, view, Tasks, Results, Context, detector,
                                            mgws::no_statistics>;
  using slot = mgws::slot<Tasks>;
  using team = typename B::team;
  using memory = typename team::memory;

 public:
  explicit world(const sizes& s) : sizes_(s) {
    const std::uint32_t queues = (s.workers + s.owners - 1) / s.owners;
    device_ = {0, s.workers, 0, queues};
    run_.workers = s.workers;
    run_.queues = queues;
    run_.owners = s.owners;
    run_.devices = 1;
    run_.device = &device_;
    run_.local_capacity = s.local;
    run_.public_capacity = s.shared;
    run_.spill_capacity = s.spill;
    run_.log_frames = static_cast<std::uint8_t>(std::countr_zero(s.frames));
    run_.max_batch = std::min(s.shared, 2 * s.local);
    run_.seed = 1;
    run_.overflow = s.overflow;
  }

  template <class T>
  void seed(const T& t, std::uint32_t instances = 1) {
    seeds_.emplace_back().template write<T>(t, 0, instances);
  }

  outcome_of<Results> run(mgws::termination termination, const Context& context = {}) {
    run_.termination = termination;
    run_.initial_count = seeds_.size();
    transport shared({.workers = run_.workers,
                      .queues = run_.queues,
                      .queue_bytes = run_.public_capacity * sizeof(slot),
                      .frame_bytes = sizes_.frames * sizeof(mgws::frame<B, slot>),
                      .frame_lines = mgws::free_frames<B>::lines(sizes_.frames),
                      .global_cells = detector::global_cells(1),
                      .device_cells = {detector::device_cells(run_.workers)}});
    const view v = shared.workers_view(seeds_.data());
    std::vector<std::unique_ptr<memory>> memories;
    std::vector<std::vector<slot>> spills(run_.workers, std::vector<slot>(run_.spill_capacity));
    std::vector<std::uint32_t> damping(run_.workers);
    std::vector<Results> results(run_.workers);
    std::vector<std::thread> threads;
    for (std::uint32_t w = 0; w != run_.workers; ++w) {
      memories.push_back(std::make_unique<memory>(run_.local_capacity * sizeof(slot)));
      for (std::uint32_t lane = 0; lane != team::k_lanes; ++lane)
        threads.emplace_back([&, &m = *memories.back(), w, lane] {
          team::join(m, lane);
          mgws::lane_worker<configuration> worker(
              v, run_, 0, w,
              {.local = static_cast<slot*>(team::local_memory()),
               .spill = spills[w].data(),
               .damping = run_.overflow == mgws::overflow_policy::damping ? &damping[w] : nullptr,
               .result = &results[w],
               .statistics = nullptr});
          if (sizes_.direct) worker.take_share(mgws::share_of(run_, w, w % 2 == 1));
          worker.run(context);
        });
    }
    for (auto& t : threads)
      t.join();
    outcome_of<Results> o;
    for (std::uint32_t w = 0; w != run_.workers; ++w) {
      o.results.merge(results[w]);
      o.executed += v.progress(w).executed.load();
    }
    o.failed = static_cast<mgws::failure>(v.control(0).kind.load());
    return o;
  }

 private:
  sizes sizes_;
  mgws::device_range device_{};
  mgws::run_parameters run_{};
  std::vector<slot> seeds_;
};

inline constexpr auto k_counter = mgws::termination::counter;
using four = backend<4, 2>;
using one_warp = backend<4, 4>;

}  // namespace lanes_on_threads
