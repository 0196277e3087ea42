// Whole runs with every combination of options, each against the exact result.
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "catch.hpp"
#include "platform.hpp"
#include "workload.hpp"

namespace {

using contract::results;
using mgws::direct_mode;
using mgws::overflow_policy;
using mgws::steal_policy;
using mgws::termination;

/// The first thing that is wrong with a report; empty if nothing is.
template <class Report>
std::string fault_of(const Report& r, const mgws::options& o, const results& expected) {
  if (r.status != mgws::status::completed) return "not completed";
  if (!(r.results == expected)) return "wrong result";
  if (r.results.template get<contract::torn>() != 0) return "torn task";
  if (r.tasks != expected.get<contract::instances>()) return "wrong number of tasks";
  if (o.seed != 0 && r.seed != o.seed) return "another seed";

  std::uint64_t tasks = 0;
  mgws::worker_counts sum;
  for (const auto& w : r.workers)
    tasks += w.tasks;
  if (r.records.size() != (r.statistics ? r.workers.size() : 0)) return "not one record a worker";
  for (const auto& w : r.records) {
    const auto& c = w.counts;
    if (c.steals_tried != c.steals_won + c.steals_empty + c.steals_lost)
      return "steals tried do not add up";
    if (c.steals_won > c.slots_stolen) return "a won steal without slots";
    sum.steals_tried += c.steals_tried;
    sum.steals_won += c.steals_won;
    sum.stealing_ns += c.stealing_ns;
    sum.slots_stolen += c.slots_stolen;
    sum.slots_released += c.slots_released;
    sum.slots_acquired += c.slots_acquired;
    sum.initial_slots += c.initial_slots;
  }
  if (tasks != r.tasks) return "workers' tasks do not add up";
  tasks = 0;
  for (const auto& d : r.devices)
    tasks += d.tasks;
  if (tasks != r.tasks) return "devices' tasks do not add up";

  std::uint64_t stolen = 0;
  std::uint64_t won = 0;
  std::uint64_t timed_ns = 0;
  std::uint64_t across = 0;
  for (std::size_t d = 0; d != r.devices.size(); ++d)
    for (std::size_t from = 0; from != r.devices.size(); ++from) {
      const mgws::steals_from& row = r.steal_matrix[d][from];
      stolen += row.slots;
      won += row.won;
      timed_ns += row.look_ns + row.take_ns + row.settle_ns;
      if (d != from) across += row.slots;
    }
  if (stolen != sum.slots_stolen || won != sum.steals_won || timed_ns != sum.stealing_ns)
    return "the steal matrix does not add up";
  if (sum.slots_released != sum.slots_acquired + sum.slots_stolen)
    return "released slots were neither acquired nor stolen";
  if (!r.statistics) return sum.initial_slots == 0 && sum.steals_tried == 0 ? "" : "counted";
  if (sum.initial_slots < 5) return "initial slots not counted";
  const bool alone = r.workers.size() == 1 || o.direct != direct_mode::off;
  if (alone && sum.slots_released + sum.steals_tried != 0) return "shared with nobody";
  if (o.steal == steal_policy::none && sum.steals_tried != 0) return "stole though it must not";
  if (o.steal == steal_policy::local && across != 0) return "stole from another device";
  return "";
}

/// \return slots stolen, as far as they were counted
template <class Platform, class Statistics>
std::uint64_t run_all(const mgws::options& base, std::uint32_t depth, const results& expected,
                      std::uint32_t spin = 200) {
  using runtime =
      typename Platform::template runtime<contract::mixed, results, contract::pace, Statistics>;
  std::uint64_t stolen = 0;
  for (const std::uint32_t public_queue : {2u, 8u, 64u, 256u})
    for (const std::uint32_t local_queue : {2u, 8u, 64u, 256u}) {
      mgws::options o = base;
      o.public_queue = public_queue;
      o.local_queue = local_queue;
      o.spill = 1024;
      runtime rt(o);
      contract::seed(rt, 1, depth);
      const auto r = rt.run({.spin = spin, .gives_way = 16});
      for (const auto& w : r.records)
        stolen += w.counts.slots_stolen;
      const std::string fault = fault_of(r, o, expected);
      if (fault.empty()) continue;
      FAIL_CHECK(fault << ": termination " << static_cast<int>(o.termination) << ", overflow "
                       << static_cast<int>(o.overflow) << ", steal " << static_cast<int>(o.steal)
                       << ", owners " << o.owners << ", groups " << o.devices.size() << " of "
                       << o.devices.front().workers << ", public " << public_queue << ", local "
                       << local_queue << ", direct " << static_cast<int>(o.direct)
                       << ", statistics " << Statistics::enabled);
    }
  SUCCEED();
  return stolen;
}

constexpr std::uint32_t k_depth = 3;

}  // namespace

TEMPLATE_LIST_TEST_CASE("runs: every combination of options gives the exact result", "",
                        contract::platforms) {
  const results expected = contract::expected(1, k_depth);
  REQUIRE(expected.get<contract::instances>() > 200);
  const auto detector =
      GENERATE(termination::counter, termination::tree, termination::hierarchical);
  const auto overflow = GENERATE(overflow_policy::probe, overflow_policy::damping);
  const auto steal =
      GENERATE(steal_policy::uniform, steal_policy::bias, steal_policy::local, steal_policy::none);
  std::uint64_t stolen = 0;
  for (const std::uint32_t owners : {1u, 2u, 4u})
    for (const auto& groups :
         std::vector<std::vector<std::uint32_t>>{{1}, {2}, {1, 1}, {4}, {2, 2}, {3, 1}}) {
      mgws::options o = TestType::groups_of(groups);
      o.termination = detector;
      o.overflow = overflow;
      o.steal = steal;
      o.owners = owners;
      o.seed = 1 + owners;
      run_all<TestType, mgws::no_statistics>(o, k_depth, expected);
      stolen += run_all<TestType, mgws::worker_statistics>(o, k_depth, expected);
    }
  // Runs that share nothing would show nothing.
  if (steal == steal_policy::none) {
    CHECK(stolen == 0);
    return;
  }
  // Short ones may be over before anybody else looks.
  mgws::options o = TestType::groups_of({2});
  o.termination = detector;
  o.overflow = overflow;
  o.steal = steal;
  for (std::uint32_t spin = 2000; stolen <= 100 && spin <= 200'000; spin *= 10)
    stolen += run_all<TestType, mgws::worker_statistics>(o, k_depth, expected, spin);
  CHECK(stolen > 100);
}

TEMPLATE_LIST_TEST_CASE("runs: the static baseline gives the exact result", "",
                        contract::platforms) {
  const results expected = contract::expected(1, k_depth);
  const auto direct = GENERATE(direct_mode::one, direct_mode::bulk);
  for (const auto& groups :
       std::vector<std::vector<std::uint32_t>>{{1}, {2}, {1, 1}, {4}, {2, 2}}) {
    mgws::options o = TestType::groups_of(groups);
    o.direct = direct;
    run_all<TestType, mgws::no_statistics>(o, k_depth, expected);
    run_all<TestType, mgws::worker_statistics>(o, k_depth, expected);
  }
}

TEMPLATE_LIST_TEST_CASE("runs: a trace has every steal and no interval that ends before it begins",
                        "", contract::platforms) {
  using runtime = typename TestType::template runtime<contract::mixed, results, contract::pace,
                                                      mgws::worker_statistics>;
  mgws::options o = TestType::groups_of({2, 2});
  o.trace_events = 1 << 14;
  runtime rt(o);
  contract::seed(rt, 1, 8);
  const auto r = rt.run({.spin = 2000, .gives_way = 16});  // long enough for others to come
  std::uint64_t all_steals = 0;
  CHECK(r.records.size() == 4);
  for (const auto& w : r.records) {
    CHECK(w.trace_dropped == 0);
    std::uint64_t stolen = 0;
    std::uint64_t steals = 0;
    bool in_order = true;
    for (const auto& e : w.trace) {
      in_order = in_order && e.begin_ns <= e.end_ns && e.begin_ns >= r.began_ns;
      if (e.what != mgws::trace_event::kind::stolen) continue;
      stolen += e.n;
      ++steals;
    }
    CHECK(in_order);
    CHECK(stolen == w.counts.slots_stolen);
    CHECK(steals == w.counts.steals_won);
    all_steals += steals;
  }
  CHECK(all_steals > 0);

  o.trace_events = 1;
  runtime small(o);
  contract::seed(small, 1, 8);
  const auto cut = small.run();
  std::uint64_t dropped = 0;
  for (const auto& w : cut.records) {
    CHECK(w.trace.size() <= 1);
    dropped += w.trace_dropped;
  }
  CHECK(dropped > 0);
}

namespace {

/// The smallest slot there is, and a set of one type: no dispatch, 32-bit indices.
struct calls : mgws::sum<std::uint64_t> {};
struct fibonacci {
  std::uint32_t n;
  void operator()(auto& worker) const {
    worker.accumulate(calls{}, 1);
    if (n < 2) return;
    worker.spawn(fibonacci{n - 1});
    worker.spawn(fibonacci{n - 2});
  }
};

struct covered : mgws::sum<std::uint64_t> {};
struct each {
  std::uint64_t base;
  void operator()(auto& worker, mgws::task_index i) const {
    worker.accumulate(covered{}, contract::mix(base + i));
  }
};

/// The same by ranges, some of whose instances spawn others.
struct ranges {
  static constexpr std::uint32_t spawned(std::uint32_t depth, mgws::task_index i) {
    return depth == 0 || i % 5 != 0 ? 0 : i % 200 + 1;
  }
  std::uint32_t base;
  std::uint32_t depth;
  void operator()(auto& worker, mgws::task_index first, mgws::task_index end) const {
    for (mgws::task_index i = first; i != end; ++i) {
      worker.accumulate(covered{}, contract::mix(base + i));
      worker.spawn_n(ranges{base + 31 * i, depth - 1}, spawned(depth, i));
      if (depth == 1 && i % 9 == 0) worker.spawn(ranges{base, 0});
    }
  }
  /// What n instances find, and how many they are with all that they spawn.
  void sequentially(mgws::task_index n, std::uint64_t& found, std::uint64_t& tasks) const {
    for (mgws::task_index i = 0; i != n; ++i) {
      found += contract::mix(base + i);
      ++tasks;
      ranges{base + 31 * i, depth - 1}.sequentially(spawned(depth, i), found, tasks);
      if (depth == 1 && i % 9 == 0) ranges{base, 0}.sequentially(1, found, tasks);
    }
  }
};

}  // namespace

TEMPLATE_LIST_TEST_CASE("runs: one task type, with the smallest slots", "", contract::platforms) {
  using runtime =
      typename TestType::template runtime<mgws::task_set<fibonacci>, mgws::accumulators<calls>>;
  STATIC_REQUIRE(runtime::slot_bytes() == 16);
  for (const std::uint32_t workers : {1u, 2u, 4u}) {
    runtime rt(TestType::groups_of({workers}));
    rt.seed(fibonacci{20});
    const auto r = rt.run();
    CHECK(r.template get<calls>() == 21'891);
    CHECK(r.tasks == 21'891);
  }
}

TEMPLATE_LIST_TEST_CASE("runs: a bulk seed runs every instance once, however it is dealt out", "",
                        contract::platforms) {
  using runtime =
      typename TestType::template runtime<mgws::task_set<each>, mgws::accumulators<covered>>;
  for (const std::uint32_t n : {1u, 2u, 31u, 1000u, 100'003u}) {
    std::uint64_t expected = 0;
    for (std::uint32_t i = 0; i != n; ++i)
      expected += contract::mix(5 + i);
    for (const auto direct : {direct_mode::off, direct_mode::one, direct_mode::bulk}) {
      mgws::options o = TestType::groups_of({2});
      o.direct = direct;
      runtime rt(o);
      rt.seed_n(each{5}, n);
      const auto r = rt.run();
      CHECK(r.template get<covered>() == expected);
      CHECK(r.tasks == n);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("runs: a range task is given every instance once, also of those it spawns",
                        "", contract::platforms) {
  using runtime =
      typename TestType::template runtime<mgws::task_set<ranges>, mgws::accumulators<covered>>;
  for (const std::uint32_t n : {1u, 2u, 65u, 1000u, 100'003u}) {
    const ranges root{7, n < 10'000 ? 2u : 0u};
    std::uint64_t expected = 0;
    std::uint64_t tasks = 0;
    root.sequentially(n, expected, tasks);
    for (const std::uint32_t workers : {1u, 2u, 3u})
      for (const std::uint32_t queue : {8u, 256u}) {
        mgws::options o = TestType::groups_of({workers});
        o.local_queue = o.public_queue = queue;
        o.spill = 1u << 16;
        runtime rt(o);
        rt.seed_n(root, n);
        const auto r = rt.run();
        CHECK(r.template get<covered>() == expected);
        CHECK(r.tasks == tasks);
      }
  }
}
