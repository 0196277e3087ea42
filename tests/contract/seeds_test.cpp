// The initial set, and how many instances a slot can stand for.
#include <cstdint>
#include <vector>

#include <sys/resource.h>

#include "behaviour.hpp"
#include "catch.hpp"
#include "platform.hpp"
#include "sanitizers.hpp"

namespace {

using namespace contract;

struct loop {
  void operator()(auto& worker, mgws::task_index /*i*/) const { worker.accumulate(count{}, 1); }
};
struct too_many {
  std::uint32_t n;
  void operator()(auto& worker) const {
    worker.accumulate(count{}, 1);
    worker.spawn_n(loop{}, n);
  }
};
/// With a number of any type.
template <class N>
struct spawns {
  N n;
  void operator()(auto& worker) const { worker.spawn_n(loop{}, n); }
};
struct failing {
  void operator()(auto& worker) const {
    if (worker.context()) worker.fail(1);
  }
};
using two_types = mgws::task_set<loop, too_many>;

struct sum_of_numbers : mgws::sum<std::uint64_t> {};
/// Some of many tiny seeds spawn: one task, or more than a look after the queues apart.
struct numbered {
  static constexpr std::uint32_t children(std::uint32_t number) {
    return number % 1000 == 0 ? 70 : number % 100 == 0 ? 1 : 0;
  }
  std::uint32_t number;
  void operator()(auto& worker) const {
    worker.accumulate(sum_of_numbers{}, number);
    for (std::uint32_t i = 0; i != children(number); ++i)
      worker.spawn(loop_of_numbers{number});
  }
  struct loop_of_numbers {
    std::uint32_t number;
    void operator()(auto& worker, mgws::task_index i) const {
      worker.accumulate(sum_of_numbers{}, number + i);
    }
  };
};

template <class Platform>
using tree_runtime = typename Platform::template runtime<mgws::task_set<tree>, counts>;
template <class Platform>
using loop_runtime = typename Platform::template runtime<two_types, counts>;

}  // namespace

TEMPLATE_LIST_TEST_CASE("seeds: an empty initial set is a run of no tasks", "", platforms) {
  for (const auto detector :
       {mgws::termination::counter, mgws::termination::tree, mgws::termination::hierarchical})
    for (const std::uint32_t workers : {1u, 4u}) {
      auto o = TestType::groups_of({workers, workers});
      o.termination = detector;
      tree_runtime<TestType> rt(o);
      for (int i = 0; i != 3; ++i) {
        const auto r = rt.run();
        CHECK(r.tasks == 0);
        CHECK(r.status == mgws::status::completed);
        CHECK(r.template get<count>() == 0);
        CHECK(r.imbalance() == 0);
      }
    }
}

TEMPLATE_LIST_TEST_CASE("seeds: used up by a run, unless they are kept", "", platforms) {
  tree_runtime<TestType> rt(TestType::groups_of({2}));
  rt.seed(tree{3});
  CHECK(rt.run().tasks == nodes(3));
  CHECK(rt.run().tasks == 0);

  rt.keep_seeds(true);
  rt.reserve(2);
  rt.seed(tree{3});
  rt.seed(tree{0});
  for (int i = 0; i != 3; ++i)
    CHECK(rt.run().tasks == nodes(3) + 1);
  rt.seed(tree{1});
  CHECK(rt.run().tasks == nodes(3) + 1 + nodes(1));
  rt.clear_seeds();
  CHECK(rt.run().tasks == 0);
  rt.seed(tree{2});
  rt.keep_seeds(false);
  CHECK(rt.run().tasks == nodes(2));
  CHECK(rt.run().tasks == 0);
}

TEMPLATE_LIST_TEST_CASE("seeds: kept over a run that fails", "", platforms) {
  typename TestType::template runtime<mgws::task_set<failing>, mgws::accumulators<>, bool> rt(
      TestType::groups_of({2}));
  rt.keep_seeds(true);
  rt.seed(failing{});
  CHECK_THROWS_AS(rt.run(true), mgws::task_failed);
  CHECK(rt.run(false).tasks == 1);
}

TEMPLATE_LIST_TEST_CASE("seeds: many tiny ones, some of which spawn, run once each", "",
                        platforms) {
  constexpr std::uint32_t seeds = 30'000;
  constexpr std::uint32_t instances = 5;  // of one seed in 77
  std::uint64_t tasks = 0;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i != seeds; ++i) {
    const std::uint32_t n = i % 77 == 0 ? instances : numbered::children(i);
    tasks += n + (i % 77 == 0 ? 0 : 1);
    sum += std::uint64_t{i} * (n + (i % 77 == 0 ? 0 : 1));
    if (i % 77 == 0) sum += n * (n - 1) / 2;
  }
  for (const auto& groups : {std::vector<std::uint32_t>{1}, {2}, {2, 2}})
    for (const std::uint32_t local : {2u, 32u, 256u}) {
      auto o = TestType::groups_of(groups);
      o.local_queue = local;
      o.public_queue = local;
      typename TestType::template runtime<mgws::task_set<numbered, numbered::loop_of_numbers>,
                                          mgws::accumulators<sum_of_numbers>, mgws::no_context,
                                          mgws::worker_statistics>
          rt(o);
      for (std::uint32_t i = 0; i != seeds; ++i) {
        if (i % 77 == 0) {
          rt.seed_n(numbered::loop_of_numbers{i}, instances);
        } else {
          rt.seed(numbered{i});
        }
      }
      const auto r = rt.run();
      CHECK(r.tasks == tasks);
      CHECK(r.template get<sum_of_numbers>() == sum);
      std::uint64_t loaded = 0;
      for (const auto& w : r.records)
        loaded += w.counts.initial_slots;
      // Slots: a seed of several instances may have been claimed piece by piece.
      CHECK(loaded >= seeds);
      CHECK(loaded <= seeds + (instances - 1) * (seeds / 77 + 1));
    }
}

TEMPLATE_LIST_TEST_CASE("seeds: bulk seeds of no instances, and of too many", "", platforms) {
  loop_runtime<TestType> rt(TestType::groups_of({2}));
  rt.seed_n(loop{}, 0);
  CHECK(rt.run().tasks == 0);
  rt.seed_n(loop{}, 3);
  rt.seed_n(loop{}, 0);
  CHECK(rt.run().tasks == 3);

  CHECK(throws<mgws::bad_configuration>([&] { rt.seed_n(loop{}, 1u << 31); },
                                        [](const auto& e) {
                                          INFO(e.what());
                                          CHECK(is_one_sentence_about(e.what(), "2147483648"));
                                          CHECK(is_one_sentence_about(e.what(), "2147483647"));
                                        }));
  CHECK(throws<mgws::bad_configuration>(
      [&] { rt.seed_n(loop{}, (std::uint64_t{1} << 32) + 1); },
      [](const auto& e) { CHECK(is_one_sentence_about(e.what(), "4294967297")); }));
  // The refused seed left nothing behind.
  rt.seed_n(loop{}, 4);
  CHECK(rt.run().tasks == 4);
}

TEMPLATE_LIST_TEST_CASE("seeds: what is submitted in bulk, of no instances, and of too many", "",
                        platforms) {
  loop_runtime<TestType> rt(TestType::groups_of({2}));
  auto live = rt.start();
  live.submit_n(loop{}, 0);
  CHECK(live.try_submit_n(loop{}, 0));
  const auto refused = [&](std::uint64_t n, const char* number) {
    const auto says = [&](const auto& e) {
      INFO(e.what());
      CHECK(is_one_sentence_about(e.what(), number));
      CHECK(is_one_sentence_about(e.what(), "submit several"));
    };
    CHECK(throws<mgws::bad_configuration>([&] { live.submit_n(loop{}, n); }, says));
    CHECK(throws<mgws::bad_configuration>([&] { static_cast<void>(live.try_submit_n(loop{}, n)); },
                                          says));
  };
  refused(1u << 31, "2147483648");
  refused(std::uint64_t{1} << 32, "4294967296");
  refused((std::uint64_t{1} << 32) + 1, "4294967297");
  live.submit_n(loop{}, 3);
  while (!live.try_submit_n(loop{}, 4)) {
  }
  live.wait_idle();
  CHECK(live.close().tasks == 7);
}

TEMPLATE_LIST_TEST_CASE("seeds: spawn_n of no instances, and of too many", "", platforms) {
  loop_runtime<TestType> rt(TestType::groups_of({2}));
  rt.seed(too_many{0});
  CHECK(rt.run().tasks == 1);
  rt.seed(too_many{1u << 31});
  CHECK(throws<mgws::bad_configuration>([&] { rt.run(); },
                                        [](const auto& e) {
                                          INFO(e.what());
                                          CHECK(is_one_sentence_about(e.what(), "2147483648"));
                                        }));
  rt.seed(too_many{5});
  CHECK(rt.run().template get<count>() == 6);
}

// No number is cut to 32 bits on its way.
TEMPLATE_LIST_TEST_CASE("seeds: spawn_n of numbers of other types", "", platforms) {
  const auto spawned = [](auto n) {
    using task = spawns<decltype(n)>;
    typename TestType::template runtime<mgws::task_set<loop, task>, counts> rt(
        TestType::groups_of({2}));
    rt.seed(task{n});
    return rt.run().template get<count>();
  };
  CHECK(spawned(std::uint8_t{200}) == 200);
  CHECK(spawned(7) == 7);
  CHECK(spawned(std::uint64_t{1000}) == 1000);
  const auto said = [&](const char* number) {
    return [=](const auto& e) {
      INFO(e.what());
      CHECK(is_one_sentence_about(e.what(), number));
    };
  };
  CHECK(throws<mgws::bad_configuration>([&] { spawned((std::uint64_t{1} << 32) + 1); },
                                        said("4294967297")));
  CHECK(throws<mgws::bad_configuration>([&] { spawned(std::int64_t{-1}); }, said("spawn_n")));
  CHECK(throws<mgws::bad_configuration>([&] { spawned(-1); }, said("spawn_n")));
}

TEMPLATE_LIST_TEST_CASE("seeds: bad options are refused before anything starts", "", platforms) {
  auto o = TestType::groups_of({2});
  o.public_queue = 7;
  CHECK_THROWS_AS(tree_runtime<TestType>(o), mgws::bad_configuration);
  o = TestType::groups_of({1u << 30});
  CHECK_THROWS_AS(tree_runtime<TestType>(o), mgws::bad_configuration);
  // Room for events that nobody would record.
  o = TestType::groups_of({2});
  o.trace_events = 1;
  CHECK(throws<mgws::bad_configuration>(
      [&] { tree_runtime<TestType>{o}; },
      [](const auto& e) { CHECK(is_one_sentence_about(e.what(), "worker_statistics")); }));
}

TEMPLATE_LIST_TEST_CASE("seeds: the memory of a run is fixed and reported before it", "",
                        platforms) {
  auto o = TestType::groups_of({2});
  o.local_queue = 8;
  o.public_queue = 16;
  o.spill = 32;
  tree_runtime<TestType> rt(o);
  const auto before = rt.memory();
  CHECK(before.local_queues == 2 * 8 * rt.slot_bytes());
  CHECK(before.public_queues == 2 * 16 * rt.slot_bytes());
  CHECK(before.spill_areas == 2 * 32 * rt.slot_bytes());
  CHECK(before.control > 0);
  rt.seed(tree{10});
  const auto r = rt.run();
  CHECK(r.memory.initial_tasks >= rt.slot_bytes());
  CHECK(r.memory.total() - r.memory.initial_tasks == before.total());
  CHECK(rt.memory().total() == before.total());
}

// Sanitizers take memory of their own.
#if !defined(MGWS_TESTED_BY_ADDRESS) && !defined(MGWS_TESTED_BY_THREAD)
TEST_CASE("seeds: room for a trace takes memory as it fills, also in the report") {
  const auto most_megabytes = [] {
    rusage of{};
    getrusage(RUSAGE_SELF, &of);
    return of.ru_maxrss / 1024;
  };
  auto o = cpu_host::groups_of({2});
  o.trace_events = 1u << 24;
  cpu_host::runtime<mgws::task_set<tree>, counts, mgws::no_context, mgws::worker_statistics> rt(o);
  rt.seed(tree{10});
  const auto before = most_megabytes();
  const auto r = rt.run();
  CHECK(r.memory.control > std::size_t{1} << 29);
  CHECK(most_megabytes() < before + 200);
  std::size_t events = 0;
  for (const auto& w : r.records)
    events += w.trace.size();
  CHECK(events > 0);
}
#endif
