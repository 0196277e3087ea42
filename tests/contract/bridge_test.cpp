// Coherence domains joined by a bridge: groups of CPU workers that share nothing but its channels.
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "behaviour.hpp"
#include "catch.hpp"
#include "repeats.hpp"

namespace {

using namespace contract;

struct fails {
  std::uint32_t code;
  void operator()(auto& worker) const { worker.fail(code); }
};
struct each {
  std::uint32_t* runs;
  void operator()(auto& worker, mgws::task_index i) const {
    std::atomic_ref(runs[i]).fetch_add(1);
    worker.accumulate(count{}, 1);
  }
};
/// Says who ran it.
struct says_who {
  std::uint32_t* runs;
  void operator()(auto& worker, mgws::task_index /*i*/) const {
    std::atomic_ref(runs[worker.id()]).fetch_add(1);
    if (worker.workers() == 5 && worker.device() == (worker.id() < 3 ? 0 : 1) &&
        worker.global_lanes() == 5 && worker.global_lane() == worker.id())
      worker.accumulate(count{}, 1);
  }
};
using tasks = mgws::task_set<tree, throws_up, fails, again_and_again, each, takes, says_who>;
using bridged = contract::together<tasks, counts, mgws::no_context>;

}  // namespace

TEST_CASE("bridge: trees and bulk, over two and three domains and rings of all sizes") {
  for (const auto& groups :
       {std::vector<std::uint32_t>{1, 1}, {2, 1}, {1, 2}, {1, 1, 1}, {2, 2, 2}})
    for (const std::uint32_t slots : {1u, 2u, 1024u}) {
      INFO(groups.size() << " domains, " << slots << " slots");
      auto o = domains(groups);
      o.bridge_slots = slots;
      bridged rt(o);
      rt.seed(tree{14});
      const auto r = rt.run();
      REQUIRE(r.results.get<count>() == nodes(14));
      REQUIRE(r.tasks == nodes(14));
      REQUIRE(r.devices.size() == groups.size());

      std::vector<std::uint32_t> runs(20'000);
      rt.seed_n(each{runs.data()}, runs.size());
      REQUIRE(rt.run().results.get<count>() == runs.size());
      REQUIRE(std::ranges::all_of(runs, [](std::uint32_t n) { return n == 1; }));
    }
}

TEST_CASE("bridge: with every detector that is asked for, small queues and policies") {
  for (const auto detector :
       {mgws::termination::counter, mgws::termination::tree, mgws::termination::hierarchical}) {
    auto o = domains({2, 2});
    o.termination = detector;
    o.public_queue = o.local_queue = 2;
    o.overflow = mgws::overflow_policy::damping;
    o.owners = 2;
    bridged rt(o);
    rt.seed(tree{12});
    REQUIRE(rt.run().results.get<count>() == nodes(12));
  }
  auto o = domains({2, 2});
  o.steal = mgws::steal_policy::none;
  bridged rt(o);
  rt.seed(tree{12});
  REQUIRE(rt.run().results.get<count>() == nodes(12));
}

TEST_CASE("bridge: many short runs") {
  const auto repeats = test::repeats(2000);
  std::uint64_t wrong = 0;
  for (const auto& groups : {std::vector<std::uint32_t>{1, 1}, {2, 1}, {1, 1, 1}}) {
    bridged rt(domains(groups));
    for (std::uint32_t i = 0; i != repeats; ++i) {
      rt.seed(tree{i % 6});
      wrong += rt.run().results.get<count>() != nodes(i % 6);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("bridge: what one domain cannot do soon, the other one is given") {
  bridged rt(domains({1, 1}));
  for (std::uint32_t i = 0; i != 40; ++i)
    rt.seed(takes{1000});
  const auto r = rt.run();
  CHECK(r.results.get<count>() == 40);
  CHECK(r.devices[0].tasks >= 10);
  CHECK(r.devices[1].tasks >= 10);

  // All of it begins in one domain, and the other one has to ask.
  rt.seed(tree{0});
  rt.seed(takes{1000});
  struct unused {};
  CHECK(rt.run().results.get<count>() == 2);
}

TEST_CASE("bridge: the initial set is dealt out by workers, and kept if it is to be") {
  bridged rt(domains({3, 1}));
  rt.keep_seeds(true);
  std::vector<std::uint32_t> runs(1000);
  rt.seed_n(each{runs.data()}, runs.size());
  for (std::uint32_t i = 0; i != 3; ++i) {
    REQUIRE(rt.run().results.get<count>() == runs.size());
    REQUIRE(std::ranges::all_of(runs, [&](std::uint32_t n) { return n == i + 1; }));
  }
  rt.clear_seeds();
  CHECK(rt.run().tasks == 0);
}

TEST_CASE("bridge: workers and devices are numbered through all domains") {
  bridged rt(domains({3, 2}));
  REQUIRE(rt.workers() == 5);
  REQUIRE(rt.lanes() == 5);
  std::vector<std::uint32_t> runs(5);
  rt.seed_n(says_who{runs.data()}, 10'000);
  const auto r = rt.run();
  CHECK(r.results.get<count>() == 10'000);
  for (std::uint32_t w = 0; w != 5; ++w)
    CHECK(r.workers[w].tasks == runs[w]);
}

namespace {

/// \param others  tasks that have run and accumulate nothing
void report_of_both(const bridged& rt, std::uint64_t others) {
  const auto& r = rt.report_of_failed_run();
  REQUIRE(r);
  CHECK(r->status == mgws::status::failed);
  REQUIRE(r->devices.size() == 2);
  CHECK(r->workers.size() == 2);
  CHECK(r->devices[0].tasks + r->devices[1].tasks == r->tasks);
  CHECK(r->get<count>() + others == r->tasks);
}

}  // namespace

TEST_CASE("bridge: a trace has how long each question took to be answered") {
  auto o = domains({1, 2, 1});
  o.trace_events = 1 << 16;
  bridged rt(o);
  std::uint64_t all = 0;
  // Until somebody was given something: who gets all of a tree before others come need not.
  for (int i = 0; i != 100 && all == 0; ++i) {
    rt.seed(tree{15});
    const auto r = rt.run();
    REQUIRE(r.results.get<count>() == nodes(15));
    REQUIRE(r.records.size() == r.workers.size());
    for (std::size_t i = 0; i != r.records.size(); ++i) {
      const mgws::worker_record& w = r.records[i];
      std::uint64_t answers = 0;
      std::uint64_t ns = 0;
      std::uint64_t slots = 0;
      for (const auto& e : w.trace) {
        if (e.what != mgws::trace_event::kind::given) continue;
        ++answers;
        ns += e.end_ns - e.begin_ns;
        slots += e.n;
        CHECK((e.begin_ns >= r.began_ns && e.begin_ns < e.end_ns));
        CHECK((e.queue < 3 && e.queue != r.workers[i].device && e.n != 0));
      }
      REQUIRE(w.trace_dropped == 0);
      CHECK(answers == w.counts.answers);
      CHECK(ns == w.counts.answer_ns);
      CHECK(slots <= w.counts.slots_submitted);
      all += answers;
    }
  }
  CHECK(all > 0);
}

TEST_CASE("bridge: what goes wrong in one domain ends all of them") {
  bridged rt(domains({1, 1}));
  rt.seed(again_and_again{});
  rt.seed(throws_up{});
  CHECK_THROWS_WITH(rt.run(), "thrown by a task");
  report_of_both(rt, 1);
  rt.seed(again_and_again{});
  rt.seed(fails{7});
  CHECK(throws<mgws::task_failed>([&] { rt.run(); },
                                  [](const mgws::task_failed& e) { CHECK(e.code() == 7); }));
  report_of_both(rt, 1);
  rt.seed(tree{3});
  CHECK(rt.run().results.get<count>() == nodes(3));
  CHECK_FALSE(rt.report_of_failed_run());
}

TEST_CASE("bridge: cancelled at any time") {
  bridged rt(domains({1, 1}));
  for (std::uint32_t i = 0; i != test::repeats(200); ++i) {
    rt.seed(again_and_again{});
    std::atomic<bool> ended{false};
    std::thread stopper([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(10 * (i % 40)));
      while (!ended) {
        rt.cancel();
        std::this_thread::sleep_for(milliseconds(1));
      }
    });
    const auto r = rt.run();
    ended = true;
    stopper.join();
    REQUIRE(r.status == mgws::status::cancelled);
  }
}

TEST_CASE("bridge: a domain that waits for others is not stuck") {
  auto o = domains({1, 1});
  o.timeout = std::chrono::duration<double>(0.1);
  bridged rt(o);
  rt.seed(takes{50'000});
  for (std::uint32_t i = 0; i != 8; ++i)
    rt.seed(takes{50'000});
  CHECK(rt.run().results.get<count>() == 9);
}

TEST_CASE("bridge: progress is said of all domains together") {
  std::atomic<std::uint64_t> most{0};
  auto o = domains({1, 1});
  o.on_progress = [&](std::uint64_t n) { most = std::max(most.load(), n); };
  bridged rt(o);
  for (std::uint32_t i = 0; i != 60; ++i)
    rt.seed(takes{10'000});
  CHECK(rt.run().results.get<count>() == 60);
  CHECK(most >= 1);
  CHECK(most <= 60);
}

TEST_CASE("bridge: what is refused, in one sentence") {
  const auto refused = [](auto&& f, const std::string& about) {
    return throws<mgws::error>(
        f, [&](const mgws::error& e) { CHECK(is_one_sentence_about(e.what(), about)); });
  };
  auto o = domains({1, 1});
  o.direct = mgws::direct_mode::one;
  CHECK(refused([&] { bridged rt(o); }, "cannot be over several coherence domains"));
  o = domains({1, 1});
  o.bridge_slots = 3;
  CHECK(refused([&] { bridged rt(o); }, "bridge-slots must be a power of two"));
  o = domains(std::vector<std::uint32_t>(17, 1));
  CHECK(refused([&] { bridged rt(o); }, "at most 16 coherence domains"));
  o = domains({1, 1});
  o.devices.push_back({.kind = mgws::device_kind::gpu});
  CHECK(refused([&] { bridged rt(o); }, "built for the CPU only"));
  CHECK(refused(
      [&] {
        mgws::runtime<tasks, counts> rt(domains({1, 1}));
      },
      "compiled_for::together"));
  bridged rt(domains({1, 1}));
  const mgws::data_places places = rt.data_places();
  const auto place = [&](mgws::placement where) {
    mgws::placed_array<std::uint32_t> numbers(places, 8, where);
  };
  CHECK(
      refused([&] { place(mgws::placement::partitioned); }, "cannot be partitioned over devices"));
  place(mgws::placement::replicated);
  place(mgws::placement::host);
  place(mgws::placement::managed);
  // Where a GPU has no memory whose pages move.
  mgws::data_places fixed = places;
  fixed.managed = nullptr;
  CHECK(fixed.common() == fixed.host);
  mgws::placed_array<std::uint32_t>(fixed, 8, mgws::placement::main);
  CHECK_THROWS_AS(mgws::placed_array<std::uint32_t>(fixed, 8, mgws::placement::managed),
                  mgws::not_possible);
  rt.seed(tree{3});
  CHECK(rt.run().results.get<count>() == nodes(3));
}
