// Rounds of one slot by workers of several warps: every instance runs once.
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

/// It is never time to look around.
struct timeless : four {
  static std::uint32_t ticks() { return 0; }
};

struct leaf {
  void operator()(auto& worker) const { worker.accumulate(ended{}, 1); }
};

/// Counts how often each instance ran; some take long, and some spawn.
template <shape Width>
struct counted {
  static constexpr shape width = Width;
  std::atomic<std::uint32_t>* ran;
  std::uint32_t spawns_each;
  void operator()(auto& worker, task_index i) const {
    if (worker.lane() != 0) return;
    worker.accumulate(ended{}, 1);
    ran[i].fetch_add(1, std::memory_order_relaxed);
    if (i % 41 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (spawns_each != 0 && i % spawns_each == 0) worker.spawn(leaf{});
  }
};

template <class B, shape Width>
void check_each_once(std::uint32_t workers, std::uint32_t spawns_each) {
  constexpr std::uint32_t n = 1501;
  std::vector<std::atomic<std::uint32_t>> ran(n);
  world<B, mgws::task_set<counted<Width>, leaf>> w({.workers = workers, .local = 8, .shared = 8});
  w.seed(counted<Width>{ran.data(), spawns_each}, n);
  const outcome o = w.run(k_counter);
  CHECK(o.failed == mgws::failure::none);
  std::uint32_t wrong = 0;
  for (const auto& times : ran)
    wrong += times.load() == 1 ? 0 : 1;
  CHECK(wrong == 0);
  const std::uint32_t spawned = spawns_each == 0 ? 0 : (n + spawns_each - 1) / spawns_each;
  CHECK(o.results.template get<ended>() == n + spawned);
  CHECK(o.executed == n + spawned);
}

}  // namespace

TEST_CASE("rounds: each instance runs once") {
  for (const std::uint32_t workers : {1u, 2u})
    for (const std::uint32_t spawns_each : {0u, 3u, 97u}) {
      check_each_once<timeless, shape::lane>(workers, spawns_each);
      check_each_once<timeless, shape::warp>(workers, spawns_each);
      check_each_once<four, shape::lane>(workers, spawns_each);
    }
}
