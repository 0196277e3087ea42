// Live runs that processes share.
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include <signal.h>
#include <unistd.h>

#include "behaviour.hpp"
#include "catch.hpp"
#include "processes.hpp"

namespace {

using namespace contract;

using live_joined = mgws::runtime<mgws::task_set<tree>, counts, mgws::no_context,
                                  mgws::no_statistics, 32, mgws::compiled_for::together>;

}  // namespace

TEST_CASE("processes: live runs, in each of them or in one alone") {
  const std::string name = fresh_name();
  children all(3, [&](std::uint32_t rank) {
    auto o = of_group(name, rank, 3);
    o.bridge_slots = 4;
    live_joined rt(o);
    bool right = true;
    for (std::uint32_t i = 0; i != 5; ++i) {
      const bool alone = i % 2 == 1;
      rt.seed(tree{5});
      if (alone && rank != 1) {
        right = right && rt.run().get<count>() == 41 * nodes(5);
        continue;
      }
      auto live = rt.start();
      for (std::uint32_t n = 0; n != 40; ++n) {
        live.submit(tree{5});
        if (n % 8 == rank) live.wait_idle();
      }
      const auto r = live.close();
      const std::uint64_t trees = alone ? 41 : 121;
      right = right && r.get<count>() == trees * nodes(5) && r.tasks == trees * nodes(5);
    }
    return right;
  });
  CHECK(all.wrong() == 0);
}

TEST_CASE("processes: a live run without work is not stuck, and ends if one is killed") {
  const std::string name = fresh_name();
  children all(2, [&](std::uint32_t rank) {
    auto o = of_group(name, rank, 2);
    o.timeout = std::chrono::duration<double>(0.2);
    live_joined rt(o);
    auto live = rt.start();
    std::this_thread::sleep_for(milliseconds(500));
    live.submit(tree{3});
    live.wait_idle();
    if (rank == 1) {
      std::this_thread::sleep_for(milliseconds(200));
      kill(getpid(), SIGKILL);
    }
    return throws_about<mgws::process_failed>([&] { live.close(); }, "rank 1");
  });
  CHECK(all.wrong() == 0);
}
