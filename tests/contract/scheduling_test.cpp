// Who runs what, and when: the properties for which work stealing is there. They tell "shared" from
// "not shared", not fast from slow.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>

#include <mgws/backends/cpu/pool.hpp>

#include "at_once.hpp"
#include "behaviour.hpp"
#include "catch.hpp"
#include "platform.hpp"

namespace {

using namespace contract;

struct board {
  std::atomic<std::uint32_t> short_ones_done{0};
  std::atomic<std::uint32_t> done_at_end_of_long_one{0};
};
struct shared_board {
  board* b = nullptr;
};

struct short_one {
  void operator()(auto& worker) const {
    std::this_thread::sleep_for(milliseconds(1));
    worker.context().b->short_ones_done.fetch_add(1);
  }
};
constexpr std::uint32_t k_short_ones = 64;
/// A few may be out of the others' reach, as the contract says.
constexpr std::uint32_t k_within_reach = 60;

/// Lasts until the others have done what they can reach, or until nobody can doubt that they do
/// not: 20 seconds for 64 milliseconds of work. \param meanwhile  called every 10 ms
template <class F>
void last_long(board& b, F&& meanwhile) {
  for (int i = 0; i != 2000 && b.short_ones_done.load() < k_within_reach; ++i) {
    meanwhile();
    std::this_thread::sleep_for(milliseconds(10));
  }
  b.done_at_end_of_long_one = b.short_ones_done.load();
}
struct long_one {
  void operator()(auto& worker) const {
    last_long(*worker.context().b, [] {});
  }
};

/// Spawns the short ones, then the long one, which is newest and so runs first.
struct long_one_last {
  void operator()(auto& worker) const {
    for (std::uint32_t i = 0; i != k_short_ones; ++i)
      worker.spawn(short_one{});
    worker.spawn(long_one{});
  }
};
/// Spawns the short ones and is the long one.
struct long_one_itself {
  void operator()(auto& worker) const {
    for (std::uint32_t i = 0; i != k_short_ones; ++i)
      worker.spawn(short_one{});
    long_one{}(worker);
  }
};
/// The same after so many tiny tasks that the worker has come to expect tiny ones.
struct tiny {
  std::uint32_t left;
  void operator()(auto& worker) const {
    if (left == 0) {
      worker.spawn(long_one_last{});
    } else {
      worker.spawn(tiny{left - 1});
    }
  }
};
/// Spawns, says that it will take long, and does.
struct releases_itself {
  std::uint32_t left;
  void operator()(auto& worker) const {
    if (left != 0) return worker.spawn(releases_itself{left - 1});
    for (std::uint32_t i = 0; i != k_short_ones; ++i)
      worker.spawn(short_one{});
    last_long(*worker.context().b, [&] { worker.release(); });
  }
};

struct nothing {
  void operator()(auto&) const {}
};

using set = mgws::task_set<short_one, long_one, long_one_last, long_one_itself, tiny,
                           releases_itself, nothing>;

/// \param around  seeds that do nothing, before the root and behind it
template <class Platform, class Root>
std::uint32_t done_meanwhile(const Root& root, const mgws::options& o, std::uint32_t around = 0) {
  typename Platform::template runtime<set, mgws::accumulators<>, shared_board> rt(o);
  board b;
  for (std::uint32_t i = 0; i != around; ++i)
    rt.seed(nothing{});
  rt.seed(root);
  for (std::uint32_t i = 0; i != around; ++i)
    rt.seed(nothing{});
  rt.run({&b});
  CHECK(b.short_ones_done == k_short_ones);
  return b.done_at_end_of_long_one;
}

/// Lets the others fall asleep, then has one task for whoever of them may take it, again and again.
struct rouser {
  static constexpr std::uint32_t rounds = 20;
  void operator()(auto& worker) const;
};
struct waker_board {
  std::atomic<std::uint32_t> answered{0};
  std::atomic<std::uint32_t> in_time{0};
};
struct shared_waker_board {
  waker_board* b = nullptr;
};
struct answer {
  void operator()(auto& worker) const { worker.context().b->answered.fetch_add(1); }
};
void rouser::operator()(auto& worker) const {
  waker_board& b = *worker.context().b;
  for (std::uint32_t i = 0; i != rounds; ++i) {
    std::this_thread::sleep_for(milliseconds(20));
    const auto before = b.answered.load();
    worker.spawn(answer{});
    std::this_thread::sleep_for(milliseconds(40));
    if (b.answered != before) b.in_time.fetch_add(1);
    while (b.answered == before)
      std::this_thread::sleep_for(milliseconds(1));
  }
}

struct sleeper {
  std::uint32_t ms;
  void operator()(auto&) const { std::this_thread::sleep_for(milliseconds(ms)); }
};

/// Says whether it runs on the thread that made it.
struct where {
  std::thread::id caller;
  void operator()(auto& worker) const {
    if (std::this_thread::get_id() == caller) worker.accumulate(count{}, 1);
  }
};

}  // namespace

TEMPLATE_LIST_TEST_CASE("stranding: short tasks spawned ahead of a long one run meanwhile", "",
                        platforms) {
  const auto o = TestType::groups_of({2});
  CHECK(done_meanwhile<TestType>(long_one_last{}, o) >= k_within_reach);
  CHECK(done_meanwhile<TestType>(long_one_itself{}, o) >= k_within_reach);
}

TEMPLATE_LIST_TEST_CASE("stranding: also between groups, with every detector and shared queues", "",
                        platforms) {
  for (const auto detector :
       {mgws::termination::counter, mgws::termination::tree, mgws::termination::hierarchical}) {
    auto o = TestType::groups_of({1, 1});
    o.termination = detector;
    CHECK(done_meanwhile<TestType>(long_one_last{}, o) >= k_within_reach);
    o = TestType::groups_of({2});
    o.termination = detector;
    o.owners = 2;
    CHECK(done_meanwhile<TestType>(long_one_itself{}, o) >= k_within_reach);
  }
}

TEMPLATE_LIST_TEST_CASE("stranding: a task that calls release() strands nothing, at any grain", "",
                        platforms) {
  CHECK(done_meanwhile<TestType>(releases_itself{0}, TestType::groups_of({2})) >= k_within_reach);
  CHECK(done_meanwhile<TestType>(releases_itself{100'000}, TestType::groups_of({2})) >=
        k_within_reach);
}

TEMPLATE_LIST_TEST_CASE("stranding: a burst after many tiny tasks", "", platforms) {
  CHECK(done_meanwhile<TestType>(tiny{100'000}, TestType::groups_of({2})) >= k_within_reach);
}

TEMPLATE_LIST_TEST_CASE("stranding: a burst in the middle of tiny seeds", "", platforms) {
  for (const std::uint32_t around : {1000u, 100'000u}) {
    const auto o = TestType::groups_of({2});
    CHECK(done_meanwhile<TestType>(long_one_last{}, o, around) >= k_within_reach);
    CHECK(done_meanwhile<TestType>(releases_itself{0}, o, around) >= k_within_reach);
  }
}

TEMPLATE_LIST_TEST_CASE("waking: who is woken for a task may take it", "", platforms) {
  // Waking a worker that must not steal from here leaves the task to whoever looks by itself.
  auto own_group_only = TestType::groups_of({2, 2, 2});
  own_group_only.steal = mgws::steal_policy::local;
  auto own_queue_only = TestType::groups_of({6});
  own_queue_only.steal = mgws::steal_policy::none;
  own_queue_only.owners = 2;
  const std::vector<mgws::options> all{TestType::groups_of({2}), TestType::groups_of({2, 2}),
                                       own_group_only, own_queue_only};
  std::vector<waker_board> boards(all.size());
  const auto thrown = at_once(all.size(), [&](std::size_t k) {
    typename TestType::template runtime<mgws::task_set<rouser, answer>, mgws::accumulators<>,
                                        shared_waker_board>
        rt(all[k]);
    rt.seed(rouser{});
    rt.run({&boards[k]});
  });
  CHECK(thrown == std::vector<std::string>(all.size()));
  for (const waker_board& b : boards) {
    CHECK(b.answered == rouser::rounds);
    CHECK(b.in_time >= rouser::rounds * 3 / 4);
  }
}

TEMPLATE_LIST_TEST_CASE("sharing: every worker takes part in a run of long tasks", "", platforms) {
  typename TestType::template runtime<mgws::task_set<sleeper>> rt(TestType::groups_of({2, 2}));
  for (int i = 0; i != 40; ++i)
    rt.seed(sleeper{5});
  const auto r = rt.run();
  CHECK(r.tasks == 40);
  for (const auto& w : r.workers)
    CHECK(w.tasks > 0);
}

TEMPLATE_LIST_TEST_CASE("idle: a pool that waits between runs uses no processor", "", platforms) {
  typename TestType::template runtime<mgws::task_set<sleeper>> rt(TestType::groups_of({4}));
  rt.seed(sleeper{0});
  rt.run();
  const double before = processor_seconds();
  std::this_thread::sleep_for(milliseconds(1000));
  CHECK(processor_seconds() - before < 0.1);
}

TEMPLATE_LIST_TEST_CASE("idle: workers without work sleep while another one is busy", "",
                        platforms) {
  for (const auto detector :
       {mgws::termination::counter, mgws::termination::tree, mgws::termination::hierarchical}) {
    auto o = TestType::groups_of({2, 2});
    o.termination = detector;
    typename TestType::template runtime<mgws::task_set<sleeper>> rt(o);
    rt.seed(sleeper{1000});
    const double before = processor_seconds();
    const auto r = rt.run();
    CHECK(r.tasks == 1);
    CHECK(processor_seconds() - before < 0.1);
  }
}

TEMPLATE_LIST_TEST_CASE(
    "scheduling: the caller is a worker, unless it has to watch or workers are pinned", "",
    platforms) {
  mgws::options o;
  o.workers = 1;
  bool works = false;
  SECTION("by default") {
    works = true;
  }
  SECTION("with a timeout") {
    o.timeout = std::chrono::seconds(60);
  }
  SECTION("with reports of progress") {
    o.on_progress = [](std::uint64_t) {};
  }
  SECTION("pinned") {
    o.pin = true;
  }
  typename TestType::template runtime<mgws::task_set<where>, counts> rt(o);
  for (int run = 0; run != 3; ++run) {
    rt.seed(where{std::this_thread::get_id()});
    CHECK(rt.run().results.template get<count>() == (works ? 1 : 0));
  }
}

TEST_CASE("workers: as many as the process has processors, whichever thread asks") {
  const auto processors = mgws::cpu_backend::usable_processors();
  using of_trees = mgws::runtime<mgws::task_set<tree>, counts>;
  const auto default_workers = [] { return of_trees().workers(); };
  CHECK(default_workers() == processors.size());
  std::thread([&] {
    // As in a program that binds its own threads.
    CHECK(mgws::cpu_backend::bind(pthread_self(), {processors.back()}) == 0);
    CHECK(default_workers() == processors.size());
    of_trees rt;
    rt.seed(tree{7});
    CHECK(rt.run().get<count>() == nodes(7));
    // The thread that works as worker 0 stays where it is.
    CHECK(mgws::cpu_backend::processors_of(0) == std::vector{processors.back()});
  }).join();
}
