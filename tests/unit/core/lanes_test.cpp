// The executor of workers with several lanes, on lanes that are threads: every instance runs once,
// whatever the widths, however small the queues.
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <mgws/backends/cpu/memory.hpp>
#include <mgws/core/lanes.hpp>
#include <mgws/core/termination/chosen.hpp>
#include <mgws/transports/host.hpp>

#include "catch.hpp"
#include "threads_team.hpp"

namespace {

using mgws::shape;
using mgws::task_index;

struct ended : mgws::sum<std::uint64_t> {};  ///< tasks, each counted by one of its lanes
struct lanes : mgws::sum<std::uint64_t> {};  ///< lanes that ran them
struct indices : mgws::sum<std::uint64_t> {};
struct numbers : mgws::sum<std::uint64_t> {};

struct by_lane;
struct by_warp;
struct by_block;
struct in_bulk;

/// 6 children of 4 types.
void branch(auto& worker, std::uint32_t levels);

struct by_lane {
  std::uint32_t levels;
  void operator()(auto& worker) const {
    worker.accumulate(ended{}, 1);
    worker.accumulate(lanes{}, 1);
    branch(worker, levels);
  }
};
struct by_warp {
  static constexpr shape width = shape::warp;
  std::uint32_t levels;
  void operator()(auto& worker) const {
    worker.accumulate(lanes{}, 1);
    const bool somebody = worker.any(worker.lane() == worker.lanes() - 1);
    if (worker.lane() == 0) {
      worker.accumulate(ended{}, somebody ? 1 : 1000);
      branch(worker, levels);
    }
  }
};
struct by_block {
  static constexpr shape width = shape::block;
  std::uint32_t levels;
  std::uint32_t padding[9];
  void operator()(auto& worker) const {
    worker.accumulate(lanes{}, 1);
    if (worker.lane() == 1) {
      worker.accumulate(ended{}, 1);
      branch(worker, levels);
    }
    worker.sync();
    if (levels % 2 == 0) worker.release();
  }
};
struct in_bulk {
  std::uint32_t levels;
  void operator()(auto& worker, task_index i) const {
    worker.accumulate(ended{}, 1);
    worker.accumulate(lanes{}, 1);
    worker.accumulate(indices{}, i);
    branch(worker, levels);
  }
};
void branch(auto& worker, std::uint32_t levels) {
  if (levels == 0) return;
  worker.spawn(by_lane{levels - 1});
  worker.spawn(by_warp{levels - 1});
  worker.spawn(by_block{levels - 1, {}});
  worker.spawn_n(in_bulk{levels - 1}, 3);
}

struct twig {
  std::uint32_t levels;
  void operator()(auto& worker) const {
    worker.accumulate(ended{}, 1);
    if (levels == 0) return;
    worker.spawn(twig{levels - 1});
    worker.spawn(twig{levels - 1});
  }
};

/// Counts the leaves below it, by a join of each width: three children deliver what they found.
template <shape Width>
struct found {
  static constexpr shape width = Width;
  static constexpr bool continuation = true;
  mgws::place<std::uint64_t> to;
  std::uint64_t leaves[3];
  void operator()(auto& worker) const {
    worker.accumulate(lanes{}, 1);
    if (worker.lane() != 0) return;
    worker.accumulate(ended{}, 1);
    const std::uint64_t sum = leaves[0] + leaves[1] + leaves[2];
    if (to) return worker.deliver(to, sum);
    worker.accumulate(numbers{}, sum);
  }
};
template <shape Width>
struct count_leaves {
  static constexpr shape width = Width;
  std::uint32_t levels;
  mgws::place<std::uint64_t> to;
  void operator()(auto& worker) const {
    if (worker.lane() != worker.lanes() - 1) return;
    worker.accumulate(ended{}, 1);
    if (levels == 0) return worker.deliver(to, 1);
    const auto all = worker.join(found<Width>{to, {}}, 3);
    const auto at = [&](std::size_t i) { return all.to(&found<Width>::leaves, i); };
    worker.spawn(count_leaves<shape::lane>{levels - 1, at(0)});
    worker.spawn(count_leaves<shape::warp>{levels - 1, at(1)});
    worker.spawn(count_leaves<shape::block>{levels - 1, at(2)});
  }
};

/// Below a finish: three children of each width, and two instances in bulk. Counts in memory, for
/// what comes after the finish to see: any lane of those that run a task may spawn.
struct tally {
  std::atomic<std::uint64_t> ended{0};
};
template <shape Width>
struct leafy {
  static constexpr shape width = Width;
  std::uint32_t levels;
  tally* all;
  void operator()(auto& worker) const;
};
struct leafy_bulk {
  std::uint32_t levels;
  tally* all;
  void operator()(auto& worker, task_index i) const;
};
void grow(auto& worker, std::uint32_t levels, tally* all) {
  if (levels == 0) return;
  const std::uint32_t last = worker.lanes() - 1;
  if (worker.lane() == 0) {
    worker.spawn(leafy<shape::lane>{levels - 1, all});
    worker.spawn_n(leafy_bulk{levels - 1, all}, 2);
  }
  if (worker.lane() == last) worker.spawn(leafy<shape::warp>{levels - 1, all});
  if (worker.lane() == last / 2) worker.spawn(leafy<shape::block>{levels - 1, all});
}
constexpr std::uint64_t grown(std::uint32_t levels) {
  return levels == 0 ? 1 : 1 + 5 * grown(levels - 1);
}
void ends(auto& worker, tally* all) {
  if (worker.lane() != 0) return;
  worker.accumulate(ended{}, 1);
  all->ended.fetch_add(1, std::memory_order_relaxed);
}
template <shape Width>
void leafy<Width>::operator()(auto& worker) const {
  grow(worker, levels, all);
  worker.sync();
  ends(worker, all);
}
void leafy_bulk::operator()(auto& worker, task_index /*i*/) const {
  grow(worker, levels, all);
  ends(worker, all);
}
/// The next of several phases, and by its number what has ended before.
template <shape Width>
struct phase {
  static constexpr shape width = Width;
  static constexpr bool after_finish = true;
  std::uint32_t number;
  std::uint32_t levels;
  tally* all;
  void operator()(auto& worker) const {
    if (worker.lane() != worker.lanes() - 1) return;
    const std::uint64_t of_one = 2 * grown(levels) + 2;
    if (all->ended.load(std::memory_order_relaxed) == number * of_one)
      worker.accumulate(numbers{}, 1);
    if (number == 4) return;
    const phase<shape::lane> next{number + 1, levels, all};
    const phase<shape::block> next_wide{number + 1, levels, all};
    if (number % 2 == 0) {
      worker.finish(next_wide, leafy<shape::block>{levels, all}, leafy<shape::lane>{levels, all},
                    leafy<shape::warp>{0, all}, leafy<shape::warp>{0, all});
    } else {
      worker.finish(next, two_in_bulk{levels, all}, leafy<shape::lane>{0, all});
    }
  }
  struct two_in_bulk {
    static constexpr shape width = shape::warp;
    std::uint32_t levels;
    tally* all;
    void operator()(auto& worker) const {
      ends(worker, all);
      if (worker.lane() == 1) worker.spawn_n(leafy_bulk{levels, all}, 2);
    }
  };
};
/// A finish of its own for each of many tasks: lanes side by side work below different ones.
struct small {
  static constexpr bool after_finish = true;
  std::uint32_t levels;
  void operator()(auto& worker) const { worker.accumulate(numbers{}, 1); }
};
struct smaller {
  std::uint32_t levels;
  void operator()(auto& worker) const {
    worker.accumulate(ended{}, 1);
    if (levels == 0) return;
    worker.finish(small{levels}, smaller{levels - 1}, smaller{levels - 1});
    if (levels % 2 == 0) worker.spawn(smaller{0});
  }
};

/// Lasts so long that workers share everything before they run it.
struct long_one {
  std::uint32_t number;
  void operator()(auto& worker, task_index i) const {
    worker.accumulate(ended{}, 1);
    worker.accumulate(numbers{}, number);
    worker.accumulate(indices{}, i);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
};

using accumulators = mgws::accumulators<ended, lanes, indices, numbers>;

struct outcome {
  accumulators results;
  std::uint64_t executed = 0;
  mgws::failure failed = mgws::failure::none;
};

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

template <class B, class Tasks>
class world {
  using transport = mgws::host_transport<B, mgws::cpu_backend::area>;
  using view = typename transport::view;
  using detector = mgws::chosen_detector<mgws::protocol, view>;
  using configuration = mgws::configuration<mgws::protocol, view, Tasks, accumulators,
                                            mgws::no_context, detector, mgws::no_statistics>;
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

  outcome run(mgws::termination termination) {
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
    std::vector<accumulators> results(run_.workers);
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
          worker.run({});
        });
    }
    for (auto& t : threads)
      t.join();
    outcome o;
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

constexpr auto k_counter = mgws::termination::counter;
using four = lanes_on_threads::backend<4, 2>;
using one_warp = lanes_on_threads::backend<4, 4>;

std::uint64_t power(std::uint64_t base, std::uint32_t exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

template <class B>
void check_mixed(const sizes& s, mgws::termination termination, std::uint32_t levels) {
  world<B, mgws::task_set<by_lane, by_warp, by_block, in_bulk>> w(s);
  w.seed(by_lane{levels});
  const outcome o = w.run(termination);
  std::uint64_t tasks = 0;
  std::uint64_t children = 0;
  for (std::uint32_t l = 0; l <= levels; ++l) {
    tasks += power(6, l);
    if (l != 0) children += power(6, l - 1);  // of each width; three times as many in bulk
  }
  CHECK(o.failed == mgws::failure::none);
  CHECK(o.results.template get<ended>() == tasks);
  CHECK(o.executed == tasks);
  CHECK(o.results.template get<indices>() == children * 3);
  CHECK(o.results.template get<lanes>() ==
        tasks - 2 * children + children * (B::team::k_lanes + B::team::k_warp_lanes));
}

}  // namespace

TEST_CASE("lanes: all widths and bulk tasks in one run, each instance once") {
  for (const std::uint32_t workers : {1u, 2u, 3u})
    check_mixed<four>({.workers = workers}, k_counter, 3);
  check_mixed<one_warp>({.workers = 2}, k_counter, 3);
  check_mixed<four>({.workers = 3, .owners = 2}, mgws::termination::tree, 3);
  check_mixed<four>({.workers = 2, .overflow = mgws::overflow_policy::damping},
                    mgws::termination::hierarchical, 3);
}

TEST_CASE("lanes: spawns that do not fit go on in the spill area, none is lost") {
  for (const std::uint32_t local : {4u, 8u, 64u}) {
    world<four, mgws::task_set<twig>> w({.workers = 2, .local = local, .shared = 4});
    w.seed(twig{9});
    const outcome o = w.run(k_counter);
    CHECK(o.failed == mgws::failure::none);
    CHECK(o.results.get<ended>() == 1023);
    CHECK(o.executed == 1023);
  }
}

TEST_CASE("lanes: the depth of a tree bounds what its slots take, not its size") {
  // A worker alone holds at most its lanes' siblings on each level.
  constexpr std::uint32_t levels = 9;
  world<four, mgws::task_set<twig>> w({.workers = 1, .local = 8, .spill = 32});
  w.seed(twig{levels});
  const outcome o = w.run(k_counter);
  CHECK(o.failed == mgws::failure::none);
  CHECK(o.results.get<ended>() == 1023);
}

TEST_CASE("lanes: no room anywhere ends the run with an error") {
  world<four, mgws::task_set<twig>> w({.workers = 1, .local = 4, .spill = 2});
  w.seed(twig{9});
  CHECK(w.run(k_counter).failed == mgws::failure::out_of_space);
}

TEST_CASE("lanes: a large initial set, claimed by those who come, or dealt out in advance") {
  for (const bool direct : {false, true}) {
    world<four, mgws::task_set<by_lane, by_warp, by_block, in_bulk>> w(
        {.workers = 2, .direct = direct});
    for (std::uint32_t i = 0; i != 700; ++i)
      w.seed(by_lane{0});
    w.seed(in_bulk{0}, 1001);
    const outcome o = w.run(k_counter);
    CHECK(o.failed == mgws::failure::none);
    CHECK(o.results.get<ended>() == 1701);
    CHECK(o.executed == 1701);
    CHECK(o.results.get<indices>() == 1001 * 1000 / 2);
  }
}

TEST_CASE("lanes: initial slots follow each other within a burst, and may spawn all the same") {
  // 8 slots fit.
  for (const std::uint32_t every : {1000u, 17u}) {
    for (const bool direct : {false, true}) {
      world<four, mgws::task_set<twig>> w({.workers = 2, .local = 8, .direct = direct});
      std::uint64_t tasks = 0;
      for (std::uint32_t i = 1; i != 200; ++i) {
        const std::uint32_t levels = i % every == 0 ? 3 : 0;
        w.seed(twig{levels});
        tasks += power(2, levels + 1) - 1;
      }
      const outcome o = w.run(k_counter);
      CHECK(o.failed == mgws::failure::none);
      CHECK(o.results.get<ended>() == tasks);
      CHECK(o.executed == tasks);
    }
  }
}

TEST_CASE("lanes: what a step has taken stays whole while the rest is split up and shared") {
  // Of a local queue of 4 slots a step takes the newest; the oldest stands for many instances, and
  // is split into as many slots as there is room for.
  constexpr std::uint32_t groups = 40;
  constexpr std::uint32_t many = 9;
  for (const std::uint32_t workers : {1u, 2u}) {
    world<one_warp, mgws::task_set<long_one>> w({.workers = workers, .local = 4, .shared = 4});
    std::uint64_t sum = 0;
    for (std::uint32_t g = 0; g != groups; ++g) {
      w.seed(long_one{4 * g}, many);
      sum += std::uint64_t{4} * g * many;
      for (std::uint32_t i = 1; i != 4; ++i) {
        w.seed(long_one{4 * g + i});
        sum += 4 * g + i;
      }
    }
    const outcome o = w.run(k_counter);
    CHECK(o.failed == mgws::failure::none);
    CHECK(o.results.get<ended>() == groups * (many + 3));
    CHECK(o.results.get<numbers>() == sum);
    CHECK(o.results.get<indices>() == groups * many * (many - 1) / 2);
  }
}

TEST_CASE("lanes: joins of all widths, by frames that lanes take from each other") {
  using tasks = mgws::task_set<count_leaves<shape::lane>, count_leaves<shape::warp>,
                               count_leaves<shape::block>, found<shape::lane>, found<shape::warp>,
                               found<shape::block>>;
  constexpr std::uint32_t k_levels = 5;
  std::uint64_t joins = 0;
  for (std::uint32_t l = 0; l != k_levels; ++l)
    joins += power(3, l);
  for (const std::uint32_t workers : {1u, 3u})
    for (const std::uint32_t local : {4u, 256u}) {
      world<four, tasks> w({.workers = workers, .local = local, .frames = 512});
      w.seed(count_leaves<shape::lane>{k_levels, {}});
      const outcome o = w.run(k_counter);
      CHECK(o.failed == mgws::failure::none);
      CHECK(o.results.get<numbers>() == power(3, k_levels));
      CHECK(o.results.get<ended>() == 2 * joins + power(3, k_levels));
    }
}

TEST_CASE("lanes: phases of all widths, each after a finish, none early") {
  using tasks = mgws::task_set<leafy<shape::lane>, leafy<shape::warp>, leafy<shape::block>,
                               leafy_bulk, phase<shape::lane>, phase<shape::block>,
                               phase<shape::lane>::two_in_bulk, phase<shape::block>::two_in_bulk>;
  constexpr std::uint32_t k_levels = 3;
  constexpr std::uint32_t k_phases = 4;
  for (const std::uint32_t workers : {1u, 3u})
    for (const std::uint32_t local : {4u, 256u}) {
      tally all;
      world<four, tasks> w({.workers = workers, .local = local});
      w.seed(phase<shape::lane>{0, k_levels, &all});
      const outcome o = w.run(k_counter);
      CHECK(o.failed == mgws::failure::none);
      CHECK(o.results.get<numbers>() == k_phases + 1);
      CHECK(o.results.get<ended>() == k_phases * (2 * grown(k_levels) + 2));
    }
}

TEST_CASE("lanes: side by side below different finishes, and dealt out in advance") {
  constexpr std::uint32_t k_levels = 6;
  const auto finishes = [](auto&& self, std::uint32_t levels) -> std::uint64_t {
    return levels == 0 ? 0 : 1 + 2 * self(self, levels - 1);
  };
  for (const bool direct : {false, true})
    for (const std::uint32_t local : {4u, 64u}) {
      world<one_warp, mgws::task_set<small, smaller>> w(
          {.workers = 2, .local = local, .direct = direct, .frames = 256});
      for (std::uint32_t i = 0; i != 4; ++i)
        w.seed(smaller{k_levels});
      const outcome o = w.run(mgws::termination::hierarchical);
      CHECK(o.failed == mgws::failure::none);
      CHECK(o.results.get<numbers>() == 4 * finishes(finishes, k_levels));
    }
}
