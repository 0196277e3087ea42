/// \file
/// What a worker consists of, however many lanes it has: its place, its signals, what it holds, and
/// its search for more. worker.hpp and lanes_leader.hpp add how its tasks are run.
#pragma once

#include <cstdint>
#include <type_traits>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/backend.hpp>
#include <mgws/core/elsewhere.hpp>
#include <mgws/core/holdings.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/scratch.hpp>
#include <mgws/core/search.hpp>
#include <mgws/core/signals.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// For tasks that need nothing shared.
struct no_context {};

/// What a run is made of.
template <class Protocol, transport_view View, class Tasks, class Accumulators, class Context,
          class Detector, class Statistics>
struct configuration {
  using protocol = Protocol;
  using view = View;
  using backend = typename View::backend;
  using tasks = Tasks;
  using accumulators = Accumulators;
  using context = Context;
  using detector = Detector;
  using statistics = Statistics;
};

/// Memory of one worker, handed to it at launch and used by it alone.
template <class Slot, class Accumulators>
struct worker_memory {
  Slot* local;             ///< run_parameters::local_capacity slots, the fastest memory there is
  Slot* spill;             ///< run_parameters::spill_capacity slots
  std::uint32_t* damping;  ///< damping_map::words(queues) zeroed words, or nullptr
  Accumulators* result;    ///< written when the worker ends
  statistics_record* statistics;
};

/// Workers of several lanes have their tasks' scratch memory beside themselves (lane_task.hpp).
template <class C>
class worker_base
    : public scratch_of_worker<typename C::tasks,
                               C::tasks::has_scratch && !team_backend<typename C::backend>>,
      public std::conditional_t<elsewhere<typename C::view, typename C::tasks>::k_homes,
                                detail::ran_for_others, detail::ran_its_own> {
  using V = typename C::view;

 public:
  using memory_type = worker_memory<slot<typename C::tasks>, typename C::accumulators>;

  MGWS_FN worker_base(const V& view, const run_parameters& run, std::uint32_t device,
                      std::uint32_t id, const memory_type& memory)
      : run_(run),
        place_(run, device, id),
        statistics_(memory.statistics),
        host_(view, run, place_, statistics_),
        mine_(view, run, place_, memory.local, memory.spill, statistics_),
        search_(view, run, place_, memory.damping, mine_, host_, statistics_),
        result_(memory.result) {}

  worker_base(const worker_base&) = delete;
  worker_base& operator=(const worker_base&) = delete;

  /// Before it runs, for the static baseline: initial slots of its own, and no public queue.
  MGWS_FN void take_share(const fixed_share& share) { mine_.take_share(share); }

  [[nodiscard]] MGWS_FN signals<C>& host() { return host_; }
  [[nodiscard]] MGWS_FN const signals<C>& host() const { return host_; }
  [[nodiscard]] MGWS_FN const worker_place& place() const { return place_; }
  [[nodiscard]] MGWS_FN const run_parameters& parameters() const { return run_; }
  [[nodiscard]] MGWS_FN holdings<C>& mine() { return mine_; }
  [[nodiscard]] MGWS_FN auto& sent() { return search_.sent(); }
  [[nodiscard]] MGWS_FN const holdings<C>& mine() const { return mine_; }

 protected:
  /// For the host: what is held.
  MGWS_FN void publish_holdings() { host_.holds(mine_.local().size(), mine_.set_aside()); }
  MGWS_FN void leave(std::uint64_t executed) {
    if constexpr (elsewhere<V, typename C::tasks>::k_homes) executed -= this->tasks_for_others;
    host_.executed(executed);
    publish_holdings();
    host_.enter(phase::finished);
  }

  const run_parameters& run_;
  worker_place place_;
  typename C::statistics statistics_;
  signals<C> host_;
  holdings<C> mine_;
  search<C> search_;
  typename C::accumulators* result_;
};

}  // namespace mgws
