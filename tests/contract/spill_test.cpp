// No room is no error by itself: local queue, public queue, spill area, and only then an error that
// says how much was needed.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include "behaviour.hpp"
#include "catch.hpp"
#include "platform.hpp"
#include "sanitizers.hpp"
#include "workload.hpp"

namespace {

using namespace contract;

struct burst {
  std::uint32_t n;
  void operator()(auto& worker) const {
    worker.accumulate(count{}, 1);
    for (std::uint32_t i = 0; i != n; ++i)
      worker.spawn(burst{0});
  }
};

/// Five children down to a depth.
struct bush {
  std::uint32_t depth;
  void operator()(auto& worker) const {
    worker.accumulate(count{}, 1);
    for (std::uint32_t i = 0; depth != 0 && i != 5; ++i)
      worker.spawn(bush{depth - 1});
  }
  static std::uint64_t size(std::uint32_t depth) {
    return depth == 0 ? 1 : 1 + 5 * size(depth - 1);
  }
};

/// Large ones, of which each makes as many joins, one after the other.
struct large_part {
  static constexpr bool continuation = true;
  std::uint64_t value;
  std::uint64_t others[511];
  void operator()(auto& worker) const { worker.accumulate(count{}, value); }
};
struct large {
  std::uint32_t n;
  std::uint32_t others[1023];
  void operator()(auto& worker) const {
    if (n == 0) {
      const auto sum = worker.join(large_part{}, 1);
      worker.deliver(sum.to(&large_part::value), 1);
    }
    for (std::uint32_t i = 0; i != n; ++i)
      worker.spawn(large{});
  }
};
using large_tasks = mgws::task_set<large, large_part>;

template <class Platform>
using burst_runtime =
    typename Platform::template runtime<mgws::task_set<burst>, counts, mgws::no_context,
                                        mgws::worker_statistics>;

mgws::options tight(mgws::options o, std::uint32_t spill) {
  o.local_queue = 2;
  o.public_queue = 2;
  o.spill = spill;
  return o;
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("spill: the smallest queues with a spill area lose nothing", "",
                        platforms) {
  for (const std::uint32_t workers : {1u, 2u, 4u})
    for (const std::uint32_t owners : {1u, 2u}) {
      auto o = tight(TestType::groups_of({workers}), 1024);
      o.owners = owners;
      burst_runtime<TestType> rt(o);
      std::uint64_t in_all = 0;
      for (int i = 0; i != 20; ++i) {
        rt.seed(burst{1000});
        const auto r = rt.run();
        CHECK(r.template get<count>() == 1001);
        CHECK(r.tasks == 1001);
        std::uint64_t spilled = 0;
        for (const auto& w : r.records)
          spilled += w.counts.slots_spilled;
        // Of several, the others may take nearly as fast as one spawns.
        if (workers == 1) CHECK(spilled > 500);
        in_all += spilled;
      }
      CHECK(in_all > 500);
    }
}

// A full spill area makes room by a release, of no more than it has.
TEMPLATE_LIST_TEST_CASE("spill: an area smaller than half a local queue loses and doubles nothing",
                        "", platforms) {
  std::uint64_t spilled = 0;
  std::uint32_t right = 0;
  for (const std::uint32_t local : {16u, 32u})
    for (const std::uint32_t spill : {1u, 4u}) {
      auto o = TestType::groups_of({2});
      o.local_queue = local;
      o.public_queue = 64;
      o.spill = spill;
      o.timeout = std::chrono::seconds(20);
      typename TestType::template runtime<mgws::task_set<bush>, counts, mgws::no_context,
                                          mgws::worker_statistics>
          rt(o);
      for (int i = 0; i != 20; ++i) {
        rt.seed(bush{8});
        try {
          const auto r = rt.run();
          CHECK(r.template get<count>() == bush::size(8));
          ++right;
          for (const auto& w : r.records)
            spilled += w.counts.slots_spilled;
        } catch (const mgws::out_of_space& e) {
          // Where nobody takes what is public in time.
          CHECK(e.needed() > spill);
          // What spilled before that counts as well.
          for (const auto& w : rt.report_of_failed_run().value().records)
            spilled += w.counts.slots_spilled;
        }
      }
    }
  CHECK(right > 0);
  CHECK(spilled > 0);
}

TEMPLATE_LIST_TEST_CASE("spill: what just fits runs, one task more is an error with the size", "",
                        platforms) {
  // One worker and no public queue in use: local queue and spill area are all there is.
  burst_runtime<TestType> rt(tight(TestType::groups_of({1}), 16));
  rt.seed(burst{18});
  CHECK(rt.run().template get<count>() == 19);

  rt.seed(burst{19});
  std::uint64_t needed = 0;
  CHECK(throws<mgws::out_of_space>([&] { rt.run(); },
                                   [&](const mgws::out_of_space& e) {
                                     needed = e.needed();
                                     INFO(e.what());
                                     CHECK(needed == 17);
                                     CHECK(is_one_sentence_about(e.what(), "spill"));
                                     CHECK(is_one_sentence_about(e.what(), "17"));
                                   }));
  REQUIRE(rt.report_of_failed_run());
  CHECK(rt.report_of_failed_run()->status == mgws::status::failed);
  CHECK(rt.report_of_failed_run()->template get<count>() != 0);
  CHECK(rt.report_of_failed_run()->records[0].counts.slots_spilled == 16);
  // The runtime is as good as before, and the size that was asked for is enough.
  rt.seed(burst{18});
  CHECK(rt.run().template get<count>() == 19);
  burst_runtime<TestType> larger(
      tight(TestType::groups_of({1}), std::bit_ceil(static_cast<std::uint32_t>(needed))));
  larger.seed(burst{19});
  CHECK(larger.run().template get<count>() == 20);
}

// An area of a CPU worker takes memory as it fills, and need not be asked for.
TEST_CASE("spill: three million spawns of one task fit by default") {
  constexpr std::uint32_t n = 3'000'000;
  mgws::options o;
  o.workers = 1;
  burst_runtime<cpu_host> rt(o);
  rt.seed(burst{n});
  const auto r = rt.run();
  CHECK(r.get<count>() == n + 1);
  CHECK(r.records[0].counts.slots_spilled >= n / 2);
}

// What many workers have of large tasks is no more than the machine could give.
TEST_CASE("spill: tasks of 4 KiB and 16 workers need no options") {
  mgws::options o;
  o.workers = 16;
  mgws::runtime<large_tasks, counts> rt(o);
  const std::uint64_t all = mgws::cpu_backend::memory_of_machine();
  const std::uint64_t least = o.workers * rt.slot_bytes() * mgws::k_least_cpu_spill;
  CHECK(rt.memory().spill_areas <= std::max(all / 4, least));
  CHECK(rt.memory().control <= std::max(all / 4, least) + (std::uint64_t{1} << 26));
  rt.seed(large{.n = 2000, .others = {}});
  CHECK(rt.run().get<count>() == 2000);
}

// Sanitizers need it for themselves.
#if !defined(MGWS_TESTED_BY_ADDRESS) && !defined(MGWS_TESTED_BY_THREAD)
namespace {

/// Bytes of it that this process has: what each test before took for its threads' heaps stays.
rlim_t address_space() {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

TEST_CASE("spill: where address space is short, areas are smaller, and runs are right") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  rlimit little = before;
  little.rlim_cur = std::min<rlim_t>(before.rlim_max, address_space() + (rlim_t{1} << 29));
  REQUIRE(setrlimit(RLIMIT_AS, &little) == 0);
  std::uint64_t counted = 0;
  std::uint64_t counted_large = 0;
  std::size_t area = 0;
  bool refused = false;
  {
    mgws::options o;
    o.workers = 8;
    burst_runtime<cpu_host> rt(o);
    rt.seed(burst{1000});
    counted = rt.run().get<count>();
    area = rt.memory().spill_areas;
    // What was asked for is not made smaller.
    o.spill = 1u << 26;
    try {
      const burst_runtime<cpu_host> larger(o);
    } catch (const mgws::not_possible&) {
      refused = true;
    }
  }
  {
    mgws::options o;
    o.workers = 8;
    mgws::runtime<large_tasks, counts> rt(o);
    rt.seed(large{.n = 100, .others = {}});
    counted_large = rt.run().get<count>();
  }
  REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(counted == 1001);
  CHECK(counted_large == 100);
  CHECK(area < std::size_t{1} << 29);
  CHECK(refused);
}
#endif

TEMPLATE_LIST_TEST_CASE("spill: too small with thieves beside it: right, or a typed error", "",
                        platforms) {
  auto o = tight(TestType::groups_of({2}), 4);
  burst_runtime<TestType> rt(o);
  for (int i = 0; i != 50; ++i) {
    rt.seed(burst{5000});
    try {
      const auto r = rt.run();
      CHECK(r.template get<count>() == 5001);
    } catch (const mgws::out_of_space& e) {
      CHECK(e.needed() == 5);
    }
  }
  rt.seed(burst{3});
  CHECK(rt.run().template get<count>() == 4);
}

TEMPLATE_LIST_TEST_CASE("spill: the static baseline spills, too", "", platforms) {
  for (const auto direct : {mgws::direct_mode::one, mgws::direct_mode::bulk}) {
    auto o = tight(TestType::groups_of({2}), 1024);
    o.direct = direct;
    burst_runtime<TestType> rt(o);
    rt.seed(burst{500});
    rt.seed(burst{500});
    CHECK(rt.run().template get<count>() == 1002);
    o.spill = 4;
    burst_runtime<TestType> small(o);
    small.seed(burst{500});
    CHECK_THROWS_AS(small.run(), mgws::out_of_space);
  }
}

TEMPLATE_LIST_TEST_CASE("spill: a deep and wide mixed run through the smallest queues", "",
                        platforms) {
  const auto expected = contract::expected(9, 8);
  for (const auto overflow : {mgws::overflow_policy::probe, mgws::overflow_policy::damping}) {
    auto o = tight(TestType::groups_of({2, 2}), 4096);
    o.overflow = overflow;
    typename TestType::template runtime<contract::mixed, contract::results, contract::pace> rt(o);
    for (int i = 0; i != 20; ++i) {
      contract::seed(rt, 9, 8);
      const auto r = rt.run({.spin = 400, .gives_way = 16});
      CHECK(r.results == expected);
      CHECK(r.tasks == expected.get<contract::instances>());
    }
  }
}
