// Finishes: what comes after one runs once, when everything below it has ended, and sees what that
// did; whatever is below, and however little room there is.
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "behaviour.hpp"
#include "catch.hpp"
#include "repeats.hpp"

namespace {

using contract::count;
using contract::counts;
using contract::is_one_sentence_about;
using contract::throws;
using mgws::shape;
using mgws::task_index;

struct wrong : mgws::sum<std::uint64_t> {};
using checked = mgws::accumulators<count, wrong>;

// ---- Phases: each begins when all of the one before has ended ----

/// What all tasks of a run write to.
struct phases_context {
  std::atomic<std::uint64_t>* ended;  ///< tasks of phases
};

void ends(auto& worker) {
  if (worker.lane() != 0) return;
  worker.accumulate(count{}, 1);
  worker.context().ended->fetch_add(1, std::memory_order_relaxed);
}

template <shape Width>
struct branch;
struct bulk;
struct range;

/// A tree of all types: every task spawns some of each, one slot each or several instances.
void branch_out(auto& worker, std::uint32_t levels);

template <shape Width>
struct branch {
  static constexpr shape width = Width;
  std::uint32_t levels;
  void operator()(auto& worker) const {
    branch_out(worker, levels);
    ends(worker);
  }
};
struct bulk {
  std::uint32_t levels;
  void operator()(auto& worker, task_index i) const {
    if (i % 2 == 0) branch_out(worker, levels);
    ends(worker);
  }
};
struct range {
  void operator()(auto& worker, task_index first, task_index end) const {
    for (; first != end; ++first)
      ends(worker);
  }
};
/// A part of a join that is below a finish, and what waits for it.
struct joined {
  static constexpr bool continuation = true;
  std::uint32_t levels;
  void operator()(auto& worker) const {
    branch_out(worker, levels);
    ends(worker);
  }
};
struct part {
  mgws::place<void> to;
  void operator()(auto& worker) const {
    worker.deliver(to);
    ends(worker);
  }
};
void branch_out(auto& worker, std::uint32_t levels) {
  if (levels == 0) return;
  worker.spawn(branch<shape::lane>{levels - 1});
  worker.spawn(branch<shape::warp>{levels - 1});
  worker.spawn(branch<shape::block>{levels - 1});
  worker.spawn_n(bulk{levels - 1}, 3);
  worker.spawn_n(range{}, 5);
  worker.spawn(bulk{0});
  worker.spawn_n(range{}, 0);
  const auto both = worker.join(joined{levels - 1}, 2);
  worker.spawn(part{both.done()});
  worker.spawn(part{both.done()});
}
constexpr std::uint64_t below(std::uint32_t levels) {
  // Of itself; of it, the instances 0 and 2 of three go on.
  return levels == 0 ? 1
                     : 1 + 3 * below(levels - 1) + 2 * below(levels - 1) + 1 + 5 + 1 +
                           below(levels - 1) + 2;
}

/// Phases one after the other, the last of which says that it has come.
struct phase {
  static constexpr bool after_finish = true;
  std::uint32_t number;
  std::uint32_t last;
  std::uint32_t levels;
  void operator()(auto& worker) const {
    const std::uint64_t of_one = 2 * below(levels) + 7;
    if (worker.context().ended->load(std::memory_order_relaxed) != number * of_one)
      worker.accumulate(wrong{}, 1);
    if (number == last) return worker.accumulate(count{}, 1'000'000'000);
    const phase next{number + 1, last, levels};
    if (number % 2 == 0) {
      worker.finish(next, branch<shape::lane>{levels}, branch<shape::warp>{levels}, range{},
                    range{}, range{}, range{}, range{}, range{}, range{});
    } else {
      worker.finish(next, both{levels}, branch<shape::block>{levels}, branch<shape::block>{levels});
    }
  }
  /// As many tasks that count, in bulk.
  struct both {
    std::uint32_t levels;
    void operator()(auto& worker) const { worker.spawn_n(range{}, 7); }
  };
};
/// Tasks of no finish, which share queues with the others.
struct outside {
  std::uint32_t levels;
  void operator()(auto& worker) const {
    if (levels == 0) return;
    worker.spawn(outside{levels - 1});
    worker.spawn(outside{levels - 1});
  }
};
using phases = mgws::task_set<branch<shape::lane>, branch<shape::warp>, branch<shape::block>, bulk,
                              range, joined, part, phase, phase::both, outside>;

// ---- Finishes below finishes ----

/// A heap of flags: a node's is set when all below it are, by plain writes.
struct nested_context {
  std::uint8_t* set;
};
struct after {
  static constexpr bool after_finish = true;
  std::uint32_t node;
  void operator()(auto& worker) const {
    std::uint8_t* const set = worker.context().set;
    if (set[2 * node] != 1 || set[2 * node + 1] != 1) worker.accumulate(wrong{}, 1);
    set[node] = static_cast<std::uint8_t>(set[node] + 1);
    worker.accumulate(count{}, 1);
  }
};
struct nested {
  std::uint32_t node;
  std::uint32_t levels;
  void operator()(auto& worker) const {
    if (levels == 0) {
      worker.context().set[node] = 1;
      return;
    }
    worker.finish(after{node}, nested{2 * node, levels - 1}, nested{2 * node + 1, levels - 1});
  }
};
/// The same, the children each below a bulk slot.
struct nested_in_bulk {
  std::uint32_t node;
  std::uint32_t levels;
  void operator()(auto& worker, task_index i) const {
    const std::uint32_t child = 2 * node + i;
    if (levels == 0) {
      worker.context().set[child] = 1;
      return;
    }
    worker.finish_n(after{child}, nested_in_bulk{child, levels - 1}, 2u);
  }
};
/// When all is done: whether the root's flag is set.
struct top {
  static constexpr bool after_finish = true;
  void operator()(auto& worker) const {
    if (worker.context().set[1] != 1) worker.accumulate(wrong{}, 1);
    worker.accumulate(count{}, 1'000'000);
  }
};
struct start {
  bool in_bulk;
  std::uint32_t levels;
  void operator()(auto& worker) const {
    if (in_bulk) {
      worker.finish(top{}, ready{levels});
    } else {
      worker.finish(top{}, nested{1, levels});
    }
  }
  struct ready {
    std::uint32_t levels;
    void operator()(auto& worker) const {
      worker.finish_n(after{1}, nested_in_bulk{1, levels - 1}, 2u);
    }
  };
};
using nests = mgws::task_set<nested, nested_in_bulk, after, top, start, start::ready>;

// ---- One large tree, for what is counted ----

struct tree {
  std::uint32_t levels;
  void operator()(auto& worker) const {
    worker.accumulate(count{}, 1);
    if (levels == 0) return;
    worker.spawn(tree{levels - 1});
    worker.spawn(tree{levels - 1});
  }
};
struct end_of_tree {
  static constexpr bool after_finish = true;
  void operator()(auto& worker) const { worker.accumulate(wrong{}, 1); }
};
struct plant {
  std::uint32_t levels;
  void operator()(auto& worker) const { worker.finish(end_of_tree{}, tree{levels}); }
};

// ---- Wrong use, and nothing to wait for ----

struct closed {
  static constexpr bool continuation = true;
  void operator()(auto& worker) const { worker.accumulate(count{}, 1); }
};
struct ended {
  static constexpr bool after_finish = true;
  void operator()(auto& worker) const { worker.accumulate(count{}, 1); }
};
struct nothing {
  void operator()(auto& /*worker*/, task_index /*i*/) const {}
};
struct of_nothing {
  void operator()(auto& worker, task_index /*i*/) const {
    worker.finish(ended{});
    worker.finish_n(ended{}, nothing{}, 0);
    worker.finish_n(ended{}, nothing{}, std::int64_t{3});
    worker.finish(ended{}, nothing{});
  }
};
struct never {
  void operator()(auto& worker) const { static_cast<void>(worker.join(closed{}, 1)); }
};
struct waits_for_ever {
  void operator()(auto& worker) const { worker.finish(ended{}, never{}); }
};
/// A chain of finishes, each below the one before, which are all open at its end.
struct chain {
  std::uint32_t left;
  void operator()(auto& worker) const {
    if (left != 0) worker.finish(ended{}, chain{left - 1});
  }
};
struct too_many {
  void operator()(auto& worker) const { worker.finish_n(ended{}, nothing{}, -1); }
};

}  // namespace

TEMPLATE_LIST_TEST_CASE("finish: phases of tasks of all kinds, whatever the devices and detectors",
                        "", contract::platforms) {
  using runtime = typename TestType::template runtime<phases, checked, phases_context>;
  const auto groups = GENERATE(std::vector<std::uint32_t>{1}, std::vector<std::uint32_t>{4},
                               std::vector<std::uint32_t>{2, 1, 1});
  const auto termination = GENERATE(mgws::termination::counter, mgws::termination::tree,
                                    mgws::termination::hierarchical);
  constexpr std::uint32_t levels = 3;
  constexpr std::uint32_t last = 6;
  for (const std::uint32_t owners : {1u, 4u})
    for (const std::uint32_t queue : {2u, 256u}) {
      mgws::options o = TestType::groups_of(groups);
      o.termination = termination;
      o.owners = owners;
      o.public_queue = o.local_queue = queue;
      runtime rt{o};
      for (const bool alone : {true, false}) {
        std::atomic<std::uint64_t> ended_tasks{0};
        rt.seed(phase{0, last, levels});
        if (!alone) rt.seed(outside{8});
        const auto report = rt.run({&ended_tasks});
        CHECK(report.template get<wrong>() == 0);
        CHECK(report.template get<count>() == 1'000'000'000 + last * (2 * below(levels) + 7));
      }
    }
}

TEMPLATE_LIST_TEST_CASE("finish: many small runs, none wrong", "", contract::platforms) {
  using runtime = typename TestType::template runtime<nests, checked, nested_context>;
  const auto termination = GENERATE(mgws::termination::counter, mgws::termination::tree,
                                    mgws::termination::hierarchical);
  std::uint32_t failed = 0;
  for (const std::vector<std::uint32_t>& groups :
       {std::vector<std::uint32_t>{4}, std::vector<std::uint32_t>{2, 2}}) {
    mgws::options o = TestType::groups_of(groups);
    o.termination = termination;
    o.public_queue = o.local_queue = 2;
    o.timeout = std::chrono::seconds(60);
    runtime rt{o};
    rt.keep_seeds(true);
    rt.seed(start{false, 4});
    for (std::uint32_t i = test::repeats(test::k_full); i != 0; --i) {
      std::array<std::uint8_t, 32> set{};
      const auto report = rt.run({set.data()});
      failed +=
          report.template get<wrong>() != 0 || report.template get<count>() != 1'000'015 ? 1 : 0;
    }
  }
  CHECK(failed == 0);
}

TEMPLATE_LIST_TEST_CASE("finish: one below another, by plain writes, on one device and on two", "",
                        contract::platforms) {
  using runtime = typename TestType::template runtime<nests, checked, nested_context>;
  const auto groups = GENERATE(std::vector<std::uint32_t>{1}, std::vector<std::uint32_t>{3},
                               std::vector<std::uint32_t>{2, 2});
  constexpr std::uint32_t levels = 9;
  for (const std::uint32_t queue : {2u, 256u})
    for (const bool in_bulk : {false, true}) {
      mgws::options o = TestType::groups_of(groups);
      o.public_queue = o.local_queue = queue;
      runtime rt{o};
      std::vector<std::uint8_t> set(std::size_t{2} << levels);
      rt.seed(start{in_bulk, levels});
      const auto report = rt.run({set.data()});
      CHECK(report.template get<wrong>() == 0);
      CHECK(report.template get<count>() == 1'000'000 + (1u << levels) - 1);
    }
}

TEMPLATE_LIST_TEST_CASE("finish: no more additions to it than steals and releases", "",
                        contract::platforms) {
  using runtime =
      typename TestType::template runtime<mgws::task_set<tree, end_of_tree, plant>, checked,
                                          mgws::no_context, mgws::worker_statistics>;
  const auto groups = GENERATE(std::vector<std::uint32_t>{1}, std::vector<std::uint32_t>{2},
                               std::vector<std::uint32_t>{2, 2});
  runtime rt{TestType::groups_of(groups)};
  rt.seed(plant{17});
  const auto report = rt.run();
  CHECK(report.template get<count>() == contract::nodes(17));
  CHECK(report.template get<wrong>() == 1);
  std::uint64_t adds = 0;
  std::uint64_t shared = 0;
  for (const auto& w : report.records) {
    adds += w.counts.finish_adds;
    shared += w.counts.steals_won + w.counts.releases;
  }
  CAPTURE(adds, shared);
  CHECK(adds > 0);
  CHECK(adds <= shared + 2 * report.workers.size());
  CHECK(adds < report.tasks / 100);
}

TEMPLATE_LIST_TEST_CASE("finish: of nothing, of a bulk slot of others, of too many", "",
                        contract::platforms) {
  using runtime =
      typename TestType::template runtime<mgws::task_set<of_nothing, nothing, too_many, ended>,
                                          counts>;
  runtime rt{TestType::groups_of({3})};
  rt.seed_n(of_nothing{}, 1000);
  CHECK(rt.run().template get<count>() == 4000);
  rt.seed(too_many{});
  CHECK(throws<mgws::bad_configuration>(
      [&] { rt.run(); },
      [](const auto& e) { CHECK(is_one_sentence_about(e.what(), "finish_n of")); }));
}

TEMPLATE_LIST_TEST_CASE("finish: frames that run out, and a finish that never ends", "",
                        contract::platforms) {
  using runtime = typename TestType::template runtime<
      mgws::task_set<waits_for_ever, never, chain, ended, closed>, counts>;
  mgws::options o = TestType::groups_of({1});
  o.frames = 64;
  runtime rt{o};
  for (int again = 0; again != 3; ++again) {
    rt.seed(chain{64});
    CHECK(rt.run().template get<count>() == 64);
  }
  rt.seed(chain{65});
  CHECK(throws<mgws::out_of_frames>(
      [&] { rt.run(); },
      [](const auto& e) { CHECK(is_one_sentence_about(e.what(), "(option frames: try 128,")); }));
  rt.seed(waits_for_ever{});
  CHECK(throws<mgws::bad_join>([&] { rt.run(); },
                               [](const auto& e) {
                                 CHECK(is_one_sentence_about(
                                     e.what(), "1 of type 3 of the task_set, 1 of type 4"));
                               }));
}
