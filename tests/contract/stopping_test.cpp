// Runs that end before their tasks do: cancelled, failed, thrown out of, or stuck.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actor.hpp"
#include "at_once.hpp"
#include "behaviour.hpp"
#include "catch.hpp"
#include "platform.hpp"
#include "repeats.hpp"

namespace {

using namespace contract;

/// A bulk task whose first instances are tiny.
struct sudden_orders {
  std::atomic<std::uint32_t>* long_ones = nullptr;
};
struct sudden {
  void operator()(auto& worker, mgws::task_index i) const {
    if (i < 1'000'000) return;
    worker.context().long_ones->fetch_add(1);
    std::this_thread::sleep_for(milliseconds(1));
  }
};

/// Of a child, or -1 if it does not end by itself within seconds.
int exit_code_of(pid_t child) {
  REQUIRE(child > 0);
  int status = -1;
  for (int i = 0; i != 500 && waitpid(child, &status, WNOHANG) == 0; ++i)
    std::this_thread::sleep_for(milliseconds(10));
  if (status == -1) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("cancel: a run that would not end returns soon, and can be followed by one",
                        "", platforms) {
  for (const auto detector :
       {mgws::termination::counter, mgws::termination::tree, mgws::termination::hierarchical}) {
    auto o = TestType::groups_of({1, 1});
    o.termination = detector;
    runtime<TestType> rt(o);
    for (int i = 0; i != 3; ++i) {
      signals s;
      rt.seed(actor{1});
      steady_clock::time_point cancelled;
      std::jthread other([&] {
        while (!s.entered)
          std::this_thread::yield();
        std::this_thread::sleep_for(milliseconds(10));
        cancelled = steady_clock::now();
        rt.cancel();
      });
      const auto r = rt.run({behaviour::go_on, &s});
      other.join();
      CHECK(seconds_since(cancelled) < 2);
      CHECK(r.status == mgws::status::cancelled);
      CHECK(r.tasks > 0);
      CHECK(r.tasks == r.template get<count>());
      is_usable(rt);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("cancel: also among instances that were tiny and are long all at once", "",
                        platforms) {
  typename TestType::template runtime<mgws::task_set<sudden>, mgws::accumulators<>, sudden_orders>
      rt(TestType::groups_of({1}));
  sudden_orders o;
  std::atomic<std::uint32_t> long_ones{0};
  o.long_ones = &long_ones;
  rt.seed_n(sudden{}, 10'000'000);
  std::jthread other([&] {
    while (long_ones < 20)
      std::this_thread::yield();
    rt.cancel();
  });
  const auto r = rt.run(o);
  CHECK(r.status == mgws::status::cancelled);
  // Asked at least once in 512; a burst of tiny ones may have thousands.
  CHECK(long_ones < 1100);
}

TEMPLATE_LIST_TEST_CASE("cancel: outside a run it does nothing", "", platforms) {
  runtime<TestType> rt(TestType::groups_of({2}));
  rt.cancel();
  is_usable(rt);
  rt.cancel();
  rt.cancel();
  is_usable(rt);
}

TEMPLATE_LIST_TEST_CASE("cancel: from another thread at any moment", "", platforms) {
  runtime<TestType> rt(TestType::groups_of({2}));
  const std::uint32_t runs = test::repeats(2000);
  std::atomic<bool> over{false};
  std::jthread other([&] {
    while (!over) {
      rt.cancel();
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  });
  bool right = true;
  for (std::uint32_t i = 0; i != runs; ++i) {
    rt.seed(actor{7});
    const auto r = rt.run({behaviour::finish, nullptr});
    right = right && r.tasks <= nodes(7) && r.tasks == r.template get<count>() &&
            (r.status == mgws::status::cancelled || r.tasks == nodes(7));
  }
  over = true;
  other.join();
  CHECK(right);
  is_usable(rt);
}

TEMPLATE_LIST_TEST_CASE("cancel: wakes workers that sleep", "", platforms) {
  // One worker waits for the stop inside a task, the other one has nothing to do and sleeps.
  runtime<TestType> rt(TestType::groups_of({2}));
  rt.seed(actor{0});
  std::jthread other([&] {
    std::this_thread::sleep_for(milliseconds(200));
    rt.cancel();
  });
  const auto r = rt.run({behaviour::wait_politely, nullptr});
  other.join();
  CHECK(r.status == mgws::status::cancelled);
  CHECK(r.tasks == 1);
  is_usable(rt);
}

TEMPLATE_LIST_TEST_CASE("fail: the first code reaches the caller, and the runtime goes on", "",
                        platforms) {
  for (const auto direct : {mgws::direct_mode::off, mgws::direct_mode::one}) {
    auto o = TestType::groups_of({2});
    o.direct = direct;
    runtime<TestType> rt(o);
    rt.seed(actor{5});
    CHECK(throws<mgws::task_failed>(
        [&] {
          rt.run({behaviour::fail, nullptr});
        },
        [](const mgws::task_failed& e) {
          INFO(e.what());
          CHECK(e.code() == 1005);
          CHECK(is_one_sentence_about(e.what(), "1005"));
        }));
    is_usable(rt);
    // Several at once: one of them, and a first one.
    for (int round = 0; round != 20; ++round) {
      for (std::uint32_t i = 0; i != 50; ++i)
        rt.seed(actor{i});
      CHECK(throws<mgws::task_failed>(
          [&] {
            rt.run({behaviour::fail, nullptr});
          },
          [](const mgws::task_failed& e) {
            CHECK(e.code() >= 1000);
            CHECK(e.code() < 1050);
          }));
    }
    is_usable(rt);
  }
}

TEMPLATE_LIST_TEST_CASE("throw: what a task throws reaches the caller of run()", "", platforms) {
  for (const std::uint32_t workers : {1u, 4u}) {
    runtime<TestType> rt(TestType::groups_of({workers}));
    for (int round = 0; round != 20; ++round) {
      rt.seed(actor{0});
      CHECK(throws<std::domain_error>(
          [&] {
            rt.run({behaviour::throw_up, nullptr});
          },
          [](const auto& e) { CHECK(e.what() == std::string("from a task")); }));
    }
    is_usable(rt);
  }
}

TEMPLATE_LIST_TEST_CASE("watchdog: a task that never returns ends the run with a dump", "",
                        platforms) {
  constexpr double k_timeout = 0.5;
  signals s;
  auto o = TestType::groups_of({2});
  o.timeout = std::chrono::duration<double>(k_timeout);
  {
    runtime<TestType> rt(o);
    rt.seed(actor{0});
    const auto before = steady_clock::now();
    CHECK(throws<mgws::no_progress>(
        [&] {
          rt.run({behaviour::stuck, &s});
        },
        [&](const mgws::no_progress& e) {
          const double took = seconds_since(before);
          CHECK(took >= k_timeout);
          CHECK(took < k_timeout + 2);
          CHECK(e.lost_workers() == 1);
          CHECK(is_one_sentence_about(e.what(), "1 worker"));
          INFO(e.dump());
          const auto shows = [&](const char* pattern) {
            return std::regex_search(e.dump(), std::regex(pattern));
          };
          CHECK(shows("pieces of the initial set handed out: [1-9][0-9]* of 1"));
          CHECK(shows(std::string(mgws::transports::queue::k_name) == "sws"
                          ? "queue 0: 0 of [0-9]+ slots left at [0-9]+, [0-9]+ attempts, epoch [01]"
                          : "queue 0: 0 slots left at [0-9]+; claimed [0-9]+ completed [0-9]+"));
          CHECK(shows("queue 1: .*claimed [0-9]+ completed [0-9]+"));
          CHECK(shows("worker [01]: working, 0 tasks run"));
          CHECK(shows("worker [01]: idle, 0 tasks run"));
          // Who is stuck never looked for work elsewhere, the other one did.
          CHECK(shows("worker [01]: working, .*last target none"));
          CHECK(shows("worker [01]: idle, .*last target queue [01]"));
        }));
    CHECK_FALSE(rt.report_of_failed_run());
    CHECK_THROWS_AS(rt.run({behaviour::finish, nullptr}), mgws::not_possible);
    // The runtime goes before its lost worker does.
  }
  CHECK(s.left == 0);
  s.released = true;
  while (s.left != 1)
    std::this_thread::sleep_for(milliseconds(1));
  // The thread ends on its own now; whatever it still touched would show in a sanitizer.
  std::this_thread::sleep_for(milliseconds(100));
}

TEMPLATE_LIST_TEST_CASE("watchdog: a task that stops when told loses no worker", "", platforms) {
  auto o = TestType::groups_of({2});
  o.timeout = std::chrono::duration<double>(0.3);
  runtime<TestType> rt(o);
  for (int round = 0; round != 2; ++round) {
    rt.seed(actor{0});
    rt.seed(actor{0});
    CHECK(throws<mgws::no_progress>(
        [&] {
          rt.run({behaviour::wait_politely, nullptr});
        },
        [](const auto& e) {
          CHECK(e.lost_workers() == 0);
          CHECK_FALSE(e.dump().empty());
        }));
    REQUIRE(rt.report_of_failed_run());
    CHECK(rt.report_of_failed_run()->status == mgws::status::failed);
    CHECK(rt.report_of_failed_run()->tasks == 2);
    CHECK(rt.report_of_failed_run()->template get<count>() == 2);
    is_usable(rt);
  }
}

TEMPLATE_LIST_TEST_CASE("watchdog: seeds that are kept outlive a run without progress", "",
                        platforms) {
  auto o = TestType::groups_of({2});
  o.timeout = std::chrono::duration<double>(0.3);
  runtime<TestType> rt(o);
  rt.keep_seeds(true);
  rt.seed(actor{3});
  CHECK_THROWS_AS(rt.run({behaviour::wait_politely, nullptr}), mgws::no_progress);
  CHECK(rt.run({behaviour::finish, nullptr}).tasks == nodes(3));
}

TEMPLATE_LIST_TEST_CASE("watchdog: a long task that gives signs of life is left alone", "",
                        platforms) {
  auto o = TestType::groups_of({2});
  o.timeout = std::chrono::duration<double>(0.5);
  runtime<TestType> rt(o);
  rt.seed(actor{0});
  const auto r = rt.run({behaviour::work_long, nullptr});
  CHECK(r.status == mgws::status::completed);
  CHECK(r.tasks == 1);
  CHECK(r.seconds > 1);
}

namespace {

/// Many tasks, each far shorter than the timeout, all of them together far longer.
struct paced {
  std::uint32_t fine_ones_first;
  std::uint32_t left;
  void operator()(auto& worker) const {
    if (fine_ones_first == 0) std::this_thread::sleep_for(milliseconds(20));
    if (fine_ones_first != 0) {
      worker.spawn(paced{fine_ones_first - 1, left});
    } else if (left != 0) {
      worker.spawn(paced{0, left - 1});
    }
  }
};

}  // namespace

TEMPLATE_LIST_TEST_CASE("watchdog: tasks that end keep a run alive, however it goes", "",
                        platforms) {
  const auto thrown = at_once(8, [](std::size_t k) {
    auto o = TestType::groups_of({1 + static_cast<std::uint32_t>(k % 2)});
    o.direct = k / 2 % 2 == 0 ? mgws::direct_mode::off : mgws::direct_mode::one;
    o.timeout = std::chrono::duration<double>(0.5);
    typename TestType::template runtime<mgws::task_set<paced>> rt(o);
    rt.seed(paced{k / 4 == 0 ? 0u : 10'000u, 40});
    rt.run();
  });
  for (std::size_t k = 0; k != thrown.size(); ++k) {
    INFO(1 + k % 2 << " workers, direct " << k / 2 % 2 << ", after short tasks " << k / 4);
    CHECK(thrown[k] == "");
  }
}

TEMPLATE_LIST_TEST_CASE("run: a second one beside the first is refused, and harms nothing", "",
                        platforms) {
  for (const bool watched : {false, true}) {
    auto o = TestType::groups_of({2});
    if (watched) o.timeout = std::chrono::duration<double>(20);
    runtime<TestType> rt(o);
    signals s;
    rt.seed(actor{1});
    std::string said;
    std::jthread other([&] {
      while (!s.entered)
        std::this_thread::yield();
      try {
        rt.run();
      } catch (const mgws::not_possible& e) {
        said = e.what();
      }
      rt.cancel();
    });
    const auto r = rt.run({behaviour::go_on, &s});
    other.join();
    CHECK(r.status == mgws::status::cancelled);
    INFO(said);
    CHECK(is_one_sentence_about(said, "in the middle of a run"));
    is_usable(rt);
  }
}

TEMPLATE_LIST_TEST_CASE("fork: a child cannot run its parent's runtime, and is told so", "",
                        platforms) {
  for (const bool watched : {false, true}) {
    auto o = TestType::groups_of({2});
    if (watched) o.timeout = std::chrono::duration<double>(20);
    auto rt = std::make_unique<runtime<TestType>>(o);
    is_usable(*rt);
    const pid_t child = fork();
    if (child == 0) {
      int found = 1;
      try {
        rt->seed(actor{3});
        rt->run({behaviour::finish, nullptr});
      } catch (const mgws::not_possible& e) {
        found = is_one_sentence_about(e.what(), "fork()") ? 0 : 2;
      }
      rt.reset();
      _exit(found);
    }
    CHECK(exit_code_of(child) == 0);
    is_usable(*rt);
  }
}

TEMPLATE_LIST_TEST_CASE("fork: a child has no part in its parent's live run, and is told so", "",
                        platforms) {
  auto rt = std::make_unique<runtime<TestType>>(TestType::groups_of({2}));
  std::optional live(rt->start({behaviour::finish, nullptr}));
  live->submit(actor{3});
  live->wait_idle();
  const pid_t child = fork();
  if (child == 0) {
    const auto is_refused = [](auto&& call) {
      return throws<mgws::not_possible>(
          call, [](const auto& e) { CHECK(is_one_sentence_about(e.what(), "fork()")); });
    };
    int wrong = 0;
    wrong += is_refused([&] { live->submit(actor{3}); }) ? 0 : 1;
    wrong += is_refused([&] { static_cast<void>(live->try_submit(actor{3})); }) ? 0 : 2;
    wrong += is_refused([&] { live->wait_idle(); }) ? 0 : 4;
    wrong += is_refused([&] { live->close(); }) ? 0 : 8;
    live.reset();
    rt.reset();
    _exit(wrong);
  }
  CHECK(exit_code_of(child) == 0);
  live->submit(actor{3});
  CHECK(live->close().status == mgws::status::completed);
  is_usable(*rt);
}

TEMPLATE_LIST_TEST_CASE("watchdog: short runs under a timeout are not disturbed", "", platforms) {
  auto o = TestType::groups_of({2});
  o.timeout = std::chrono::duration<double>(0.2);
  runtime<TestType> rt(o);
  for (int i = 0; i != 200; ++i)
    is_usable(rt);
}

TEMPLATE_LIST_TEST_CASE("progress: reported while a run lasts, with the tasks run so far", "",
                        platforms) {
  auto o = TestType::groups_of({2});
  std::vector<std::uint64_t> seen;
  std::thread::id reporter;
  o.on_progress = [&](std::uint64_t tasks) {
    seen.push_back(tasks);
    reporter = std::this_thread::get_id();
  };
  runtime<TestType> rt(o);
  rt.seed(actor{0});
  rt.run({behaviour::work_long, nullptr});
  CHECK(seen.size() >= 2);
  REQUIRE_FALSE(seen.empty());
  CHECK(seen.front() == 0);
  CHECK(reporter == std::this_thread::get_id());
}
