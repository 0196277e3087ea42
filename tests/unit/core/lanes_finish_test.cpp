// Finishes on workers of several lanes, on lanes that are threads: what comes after one runs once,
// and not early, whatever the widths below it.
#include <atomic>
#include <cstdint>

#include "catch.hpp"
#include "lanes_world.hpp"

namespace {

using namespace lanes_on_threads;
using mgws::shape;
using mgws::task_index;

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

}  // namespace

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
