// The executor of workers with several lanes, on lanes that are threads: every instance runs once,
// whatever the widths, however small the queues.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "lanes_world.hpp"

namespace {

using namespace lanes_on_threads;
using mgws::shape;
using mgws::task_index;

struct by_lane;
struct by_warp;
struct by_block;
struct in_bulk;

/// 6 children of 4 types.
void branch(auto& worker, std::uint32_t levels);

/// Whether a task's lanes find out together what is so. Called by all of them; no other lane's
/// value may come into it.
bool agree(auto& worker) {
  const std::uint32_t lane = worker.lane();
  const std::uint32_t n = worker.lanes();
  bool right = worker.any(lane == n - 1) && !worker.any(false) && worker.first(false) == n;
  for (std::uint32_t one = 0; one != n; ++one) {
    right = worker.first(lane >= one) == one && right;
    const std::uint64_t of_one = worker.global_lane() - lane + one;
    right = worker.broadcast(std::uint64_t{worker.global_lane()}, one) == of_one && right;
  }
  const auto sum = worker.reduce(lane + 1, [](std::uint32_t a, std::uint32_t b) { return a + b; });
  return sum == n * (n + 1) / 2 && right;
}

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
    if (!agree(worker)) worker.accumulate(ended{}, 1000);
    if (worker.lane() == 0) {
      worker.accumulate(ended{}, 1);
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
    if (!agree(worker)) worker.accumulate(ended{}, 1000);
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

/// Counts, as wrong, lanes whose number in the run is another one's, or that of nobody.
template <shape Width>
struct numbered {
  static constexpr shape width = Width;
  std::atomic<std::uint32_t>* at_work;
  void operator()(auto& worker, task_index /*i*/) const {
    const std::uint32_t at = worker.global_lane();
    const bool right = agree(worker) && worker.global_lanes() == 3 * four::team::k_lanes &&
                       at / four::team::k_lanes == worker.id() &&
                       at % worker.lanes() == worker.lane();
    const bool alone = right && at_work[at].exchange(1) == 0;
    std::this_thread::yield();
    worker.accumulate(lanes{}, 1);
    if (!alone) worker.accumulate(numbers{}, 1);
    if (right) at_work[at] = 0;
  }
};

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

TEST_CASE("lanes: each has a number of its own in the run, at every width") {
  std::vector<std::atomic<std::uint32_t>> at_work(3 * four::team::k_lanes);
  world<four, mgws::task_set<numbered<shape::lane>, numbered<shape::warp>, numbered<shape::block>>>
      w({.workers = 3});
  w.seed(numbered<shape::lane>{at_work.data()}, 400);
  w.seed(numbered<shape::warp>{at_work.data()}, 200);
  w.seed(numbered<shape::block>{at_work.data()}, 100);
  const outcome o = w.run(k_counter);
  CHECK(o.results.get<lanes>() == 400 + 200 * four::team::k_warp_lanes + 100 * four::team::k_lanes);
  CHECK(o.results.get<numbers>() == 0);
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
