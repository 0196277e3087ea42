// Live runs over coherence domains: what is submitted to one crosses to the others.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "behaviour.hpp"
#include "catch.hpp"
#include "live.hpp"
#include "repeats.hpp"

namespace {

using namespace contract;

/// A task of a millisecond.
struct sleeps {
  void operator()(auto& worker, mgws::task_index /*i*/) const {
    std::this_thread::sleep_for(milliseconds(1));
    worker.accumulate(count{}, 1);
  }
};
std::atomic<bool> opened{false};
struct waits {
  void operator()(auto& worker) const {
    while (!opened && !worker.stopping())
      std::this_thread::yield();
  }
};
/// Counts a tree's leaves: joins halves, in whichever domain they are.
struct sum_of;
struct leaves_below {
  std::uint32_t depth;
  mgws::place<std::uint64_t> to;
  void operator()(auto& worker) const;
};
struct sum_of {
  static constexpr bool continuation = true;
  mgws::place<std::uint64_t> to;
  std::uint64_t part[2];
  void operator()(auto& worker) const {
    if (to) return worker.deliver(to, part[0] + part[1]);
    worker.accumulate(count{}, part[0] + part[1]);
  }
};
void leaves_below::operator()(auto& worker) const {
  if (depth == 0) return worker.deliver(to, 1);
  auto join = worker.join(sum_of{to, {}}, 2);
  worker.spawn(leaves_below{depth - 1, join.to(&sum_of::part, 0)});
  worker.spawn(leaves_below{depth - 1, join.to(&sum_of::part, 1)});
}
struct sums_up {
  std::uint32_t depth;
  void operator()(auto& worker) const {
    auto join = worker.join(sum_of{{}, {}}, 2);
    worker.spawn(leaves_below{depth - 1, join.to(&sum_of::part, 0)});
    worker.spawn(leaves_below{depth - 1, join.to(&sum_of::part, 1)});
  }
};
using tasks = mgws::task_set<tree, sleeps, waits, throws_up, leaves_below, sum_of, sums_up>;
using live_together = together<tasks, counts, mgws::no_context>;

}  // namespace

TEST_CASE("live over domains: what several threads submit is done, and seen by who waits") {
  for (const auto& groups : {std::vector<std::uint32_t>{1, 1}, {3, 1}, {1, 2, 1}})
    for (const std::uint32_t slots : {1u, 8u, 1024u})
      for (const std::uint32_t producers : {1u, 3u}) {
        INFO(groups.size() << " domains, " << slots << " slots, " << producers << " producers");
        auto o = domains(groups, slots);
        o.inbox_slots = slots == 1024 ? 1 : 64;
        o.inboxes = slots == 8 ? 3 : 1;
        o.inboxes_of = producers == 3 ? mgws::inbox_devices::one : mgws::inbox_devices::each;
        REQUIRE(lives::fault<together>(o, producers, 3) == "");
      }
}

TEST_CASE("live over domains: many short ones, the end racing with what is submitted") {
  const auto repeats = test::repeats(2000);
  live_together rt(domains({1, 1}, 2));
  std::uint64_t wrong = 0;
  for (std::uint32_t i = 0; i != repeats; ++i) {
    auto live = rt.start();
    for (std::uint32_t n = i % 4; n != 0; --n)
      live.submit(tree{1});
    if (i % 3 == 0) live.wait_idle();
    wrong += live.close().results.get<count>() != 3 * (i % 4);
  }
  CHECK(wrong == 0);
}

TEST_CASE("live over domains: joins come home, and the run goes on") {
  live_together rt(domains({2, 1, 1}, 4));
  rt.seed(sums_up{8});
  auto live = rt.start();
  for (std::uint32_t round = 0; round != 20; ++round) {
    live.submit(sums_up{8});
    live.wait_idle();
  }
  CHECK(live.close().results.get<count>() == 21 * 256);
}

TEST_CASE("live over domains: what one domain cannot do soon, the other one is given") {
  live_together rt(domains({1, 1}));
  auto live = rt.start();
  live.submit_n(sleeps{}, 200);
  live.wait_idle();
  const auto r = live.close();
  CHECK(r.results.get<count>() == 200);
  for (const auto& w : r.workers)
    CHECK(w.tasks >= 20);
}

TEST_CASE("live over domains: whoever waits for more, or for others, is not stuck") {
  opened = false;
  auto o = domains({1, 1});
  o.timeout = std::chrono::duration<double>(0.2);
  live_together rt(o);
  auto live = rt.start();
  std::this_thread::sleep_for(milliseconds(500));
  live.submit_n(sleeps{}, 1);
  live.wait_idle();
  std::this_thread::sleep_for(milliseconds(500));
  live.submit_n(sleeps{}, 1000);
  CHECK(live.close().results.get<count>() == 1001);
  for (const bool late : {false, true}) {
    auto other = rt.start();
    // By then nothing has crossed, and both have said so.
    if (late) std::this_thread::sleep_for(milliseconds(50));
    other.submit(waits{});
    CHECK_THROWS_AS(other.close(), mgws::no_progress);
  }
  rt.seed(tree{3});
  CHECK(rt.run().results.get<count>() == nodes(3));
}

TEST_CASE("live over domains: what a task throws comes out of close(), and who cancels ends all") {
  opened = false;
  live_together rt(domains({1, 2}));
  {
    auto live = rt.start();
    live.submit(throws_up{});
    CHECK_THROWS_WITH(live.close(), "thrown by a task");
  }
  {
    auto live = rt.start();
    live.submit(waits{});
    rt.cancel();
    CHECK(live.close().status == mgws::status::cancelled);
  }
  auto o = domains({1, 1});
  o.inboxes = 0;
  live_together none(o);
  CHECK(throws<mgws::error>([&] { static_cast<void>(none.start()); },
                            [](const mgws::error& e) {
                              CHECK(is_one_sentence_about(e.what(), "options::inboxes is 0"));
                            }));
}
