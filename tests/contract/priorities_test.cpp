// Priorities: what runs before what on one worker, and that nothing is lost on many.
#include "priorities.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "behaviour.hpp"
#include "catch.hpp"

namespace {

using namespace contract;

struct journal {
  std::vector<std::uint64_t>* entries;
};
/// Writes down its number, of which the hundreds say the level.
struct entry {
  static constexpr std::uint32_t priorities = 4;
  std::uint64_t number;
  std::uint32_t priority() const { return static_cast<std::uint32_t>(number / 100); }
  void operator()(auto& worker) const { worker.context().entries->push_back(number); }
};
struct writes {
  std::uint32_t n;
  void operator()(auto& worker) const {
    for (std::uint64_t i = 0; i != n; ++i)
      for (const std::uint64_t level : {2u, 0u, 3u, 1u})
        worker.spawn(entry{100 * level + i});
  }
};

/// A node of a binary tree, by breadth.
struct node {
  static constexpr std::uint32_t priority = 1;
  std::uint64_t number;
  std::uint64_t end;
  void operator()(auto& worker) const {
    worker.context().entries->push_back(number);
    for (const std::uint64_t child : {2 * number, 2 * number + 1})
      if (child < end) worker.spawn(node{child, end});
  }
};

/// Spawns so many, each of another level than the one before.
struct flood {
  static constexpr std::uint32_t priorities = 3;
  std::uint32_t level;
  std::uint32_t n;
  std::uint32_t priority() const { return level; }
  void operator()(auto& worker) const {
    worker.accumulate(count{}, 1);
    for (std::uint32_t i = 0; i != n; ++i)
      worker.spawn(flood{i % 3, 0});
  }
};

template <class... Tasks>
using journal_runtime = mgws::runtime<mgws::task_set<Tasks...>, mgws::accumulators<>, journal>;

}  // namespace

TEST_CASE("priorities: one worker runs levels in order, of each the oldest first") {
  std::vector<std::uint64_t> entries;
  journal_runtime<writes, entry> rt(groups_of({1}));
  rt.seed(writes{50});
  rt.run({&entries});
  std::vector<std::uint64_t> should;
  for (std::uint64_t i = 50; i-- != 0;)
    should.push_back(i);  // the highest: newest first, as without priorities
  for (std::uint64_t level = 1; level != 4; ++level)
    for (std::uint64_t i = 0; i != 50; ++i)
      should.push_back(100 * level + i);
  CHECK(entries == should);
}

TEST_CASE("priorities: a set of one lower level runs oldest first") {
  // More than the local queue has room for.
  for (const std::uint64_t end : {2u, 100u, 100'000u}) {
    std::vector<std::uint64_t> entries;
    journal_runtime<node> rt(groups_of({1}));
    rt.seed(node{1, end});
    rt.run({&entries});
    REQUIRE(entries.size() == end - 1);
    bool ascending = true;
    for (std::uint64_t i = 0; i != entries.size(); ++i)
      ascending = ascending && entries[i] == i + 1;
    CHECK(ascending);
  }
}

TEST_CASE("priorities: none is lost or runs twice, of any kind") {
  for (mgws::options o : contract::small_machines()) {
    INFO(o.devices.size() << " devices, detector " << static_cast<int>(o.termination));
    REQUIRE(levels::fault<runtime_of>(o, 40, 6, 3) == "");
    o.public_queue = o.local_queue = 2;
    o.spill = 1u << 14;
    REQUIRE(levels::fault<runtime_of>(o, 40, 5, 3) == "");
    o.steal = mgws::steal_policy::none;
    REQUIRE(levels::fault<runtime_of>(o, 10, 5, 1) == "");
  }
}

TEST_CASE("priorities: what a level has no room for waits in others, each task once") {
  // Each level has 16 slots.
  for (const std::uint32_t workers : {1u, 2u})
    for (const std::uint32_t level : {1u, 2u, 3u})
      for (const std::uint32_t n : {15u, 16u, 17u, 32u, 33u, 47u, 48u, 49u, 55u}) {
        INFO(n << " of level " << level << " on " << workers << " workers");
        auto o = groups_of({workers});
        o.local_queue = o.public_queue = 8;
        o.spill = 64;
        CHECK(levels::fault_of_crowd<runtime_of>(o, level, n, 5) == "");
      }
}

TEST_CASE("priorities: a full level goes on in another, and only then is an error with the size") {
  auto o = groups_of({1});
  o.local_queue = o.public_queue = 2;
  o.spill = 64;  // in four parts, of which the first is what spills
  mgws::runtime<mgws::task_set<flood>, counts> rt(o);
  // The level above the lowest has two parts, the highest its own and the local queue.
  rt.seed(flood{0, 48});
  CHECK(rt.run().get<count>() == 49);
  std::uint64_t needed = 0;
  rt.seed(flood{0, 1000});
  try {
    rt.run();
  } catch (const mgws::out_of_space& e) {
    needed = e.needed();
  }
  CHECK(needed > 64);
  // What it says is enough at some time.
  o.spill = 4096;
  mgws::runtime<mgws::task_set<flood>, counts> larger(o);
  larger.seed(flood{0, 1000});
  CHECK(larger.run().get<count>() == 1001);
  // Too small a one for so many levels is made larger.
  o.spill = 1;
  mgws::runtime<mgws::task_set<flood>, counts> small(o);
  small.seed(flood{0, 6});
  CHECK(small.run().get<count>() == 7);
}
