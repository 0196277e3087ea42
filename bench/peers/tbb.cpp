/// \file
/// mgws-peer-tbb: the workloads on oneTBB, each in the fastest of the forms that were tried; where
/// one lost, the comment says by how much: ns a task with 1 / 2 threads, oneTBB 2021.8, medians of
/// five. The two processors had other work at times, so the figures rank the forms and are good for
/// no more.
#define TBB_PREVIEW_TASK_GROUP_EXTENSIONS 1  // a task may return the task to run next

#include <memory>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>
#include <tbb/version.h>

#include "harness.hpp"

namespace mgws::bench::peers {
namespace {

/// Nested groups of one run share a context: binding one to its parent for each of them costs more
/// than an empty task.
using context = tbb::task_group_context;

/// Gives each thread of the arena its tally.
class numbering final : public tbb::task_scheduler_observer {
 public:
  numbering(tbb::task_arena& arena, tallies& counts)
      : tbb::task_scheduler_observer(arena), counts_(counts) {
    observe(true);
  }
  ~numbering() override { observe(false); }
  void on_scheduler_entry(bool /*worker*/) override {
    counts_.enter(static_cast<std::size_t>(tbb::this_task_arena::current_thread_index()));
  }

 private:
  tallies& counts_;
};

/// Fork and join: runs a child in a group of its parent's own. The parent runs its last child
/// itself, as a task like the others, and waits.
template <class Child>
void fork(tbb::task_group& group, bool last, Child&& child) {
  if (last) {
    group.run_and_wait(child);
  } else {
    group.run(std::forward<Child>(child));
  }
}

/// T1: 84 / 54. One group for all tasks, 88 / 65, has every task on one reference count; with the
/// last child returned as the task to run next, 83 / 74. parallel_for_each with a feeder, 72 / 66,
/// wins with one thread and loses with two.
template <class Hasher>
void node_task(const uts::tree& tree, context& run, const uts::node& node) {
  if (tree.children(node) == 0) return count_node(true, node.depth);
  tbb::task_group group(run);
  visit_node<Hasher>(tree, node, [&](const uts::node& child, bool last) {
    fork(group, last, [&tree, &run, child] { node_task<Hasher>(tree, run, child); });
  });
}

/// One group for all tasks; a task keeps one family back and returns it as the task to run next.
/// T1: 37.5 / 24. Without that, 42 / 39; nested groups, 39 / 25; parallel_for_each with a feeder,
/// 37 / 25.5; a nested parallel_for over each family, so that the runtime chunks it, 82 / 57.
template <class Hasher>
tbb::task_handle family_task(const uts::tree& tree, tbb::task_group& group, const family& of) {
  const auto task = [&](const family& f) {
    return [&tree, &group, f] { return family_task<Hasher>(tree, group, f); };
  };
  family kept{};
  visit_family<Hasher>(tree, of, [&](const family& f) {
    if (kept.count != 0) group.run(task(kept));
    kept = f;
  });
  return kept.count != 0 ? group.defer(task(kept)) : tbb::task_handle{};
}

/// Nested groups, for n = 12 and then the whole board: 1690 / 900. One group, 1667 / 1025; returned
/// tasks, 1766 / 954; a feeder, 1801 / 975; nested parallel_for over the free squares, 2060 / 969.
void placement_task(const nqueens_problem& problem, context& run,
                    const nqueens::placement& placed) {
  if (problem.board.rows(placed) >= problem.cutoff)
    return visit_placement(problem, placed, [](auto&&...) {});
  tbb::task_group group(run);
  visit_placement(problem, placed, [&](const nqueens::placement& next, bool last) {
    fork(group, last, [&problem, &run, next] { placement_task(problem, run, next); });
  });
}

/// Binary trees by parallel_invoke: 27 / 27. Nested groups, 45 / 46, serve any other fan-out; one
/// group, 48 / 46; returned tasks, 32 / 58; a feeder, 44 / 37; nested parallel_for, 60 / 44, so
/// there is no form `range`.
void empty_task(const spawn_tree_problem& problem, context& run, std::uint32_t depth) {
  if (depth == problem.depth) return visit_empty(problem, depth, [](auto&&...) {});
  if (problem.fanout == 2) {
    ++mine->tasks;
    const auto child = [&problem, &run, depth] { empty_task(problem, run, depth + 1); };
    tbb::parallel_invoke(child, child, run);
    return;
  }
  tbb::task_group group(run);
  visit_empty(problem, depth, [&](std::uint32_t next, bool last) {
    fork(group, last, [&problem, &run, next] { empty_task(problem, run, next); });
  });
}

/// By parallel_invoke: 35 / 27. A group for the first call, the second by the thread itself: 52
/// / 48.
std::uint64_t call_task(context& run, std::uint32_t n) {
  if (n < 2) return n;
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  tbb::parallel_invoke([&] { left = call_task(run, n - 1); },
                       [&] { right = call_task(run, n - 2); }, run);
  return left + right;
}

class onetbb final : public peer {
 public:
  explicit onetbb(std::size_t workers)
      : threads_(tbb::global_control::max_allowed_parallelism, workers),
        stacks_(tbb::global_control::thread_stack_size, k_stack_bytes),
        counts_(workers),
        arena_(static_cast<int>(workers)),
        numbering_(arena_, counts_) {}

  tally run_uts(const uts_problem& problem) override {
    const uts::tree& tree = problem.tree;
    arena_.execute([&] {
      with_hasher(problem.sha_instructions, [&]<class Hasher>() {
        if (problem.how == form::each) {
          context run(context::isolated);
          node_task<Hasher>(tree, run, tree.root());
        } else {
          tbb::task_group group;
          start_with_family(tree, [&](const family& f) {
            group.run([&tree, &group, f] { return family_task<Hasher>(tree, group, f); });
          });
          group.wait();
        }
      });
    });
    return counts_.take();
  }

  tally run_nqueens(const nqueens_problem& problem) override {
    arena_.execute([&] {
      context run(context::isolated);
      placement_task(problem, run, problem.board.empty());
    });
    return counts_.take();
  }

  /// each: parallel_for down to single elements, 48.5 / 25; one thread that spawns a task for each,
  /// 49 / 174. range: with the partitioner that remembers, 0.74 / 0.33; static_partitioner,
  /// 0.75 / 0.79; auto_partitioner, 0.86 / 0.89.
  void run_memset(const memset_problem& problem) override {
    using range = tbb::blocked_range<std::size_t>;
    std::uint64_t* const elements = problem.elements.data();
    const range all(0, problem.elements.size());
    const auto write = [elements](const range& r) {
      for (std::size_t i = r.begin(); i != r.end(); ++i) {
        write_element(elements, i);
      }
    };
    arena_.execute([&] {
      if (problem.how == form::each) {
        tbb::parallel_for(all, write, tbb::simple_partitioner());
      } else {
        tbb::parallel_for(all, write, affinity_);
      }
    });
  }

  tally run_spawn_tree(const spawn_tree_problem& problem) override {
    arena_.execute([&] {
      context run(context::isolated);
      empty_task(problem, run, 0);
    });
    return counts_.take();
  }

  std::uint64_t run_fib(std::uint32_t n) override {
    std::uint64_t value = 0;
    arena_.execute([&] {
      context run(context::isolated);
      value = call_task(run, n);
    });
    return value;
  }

  /// Of the forms that `cut` tells of.
  tally run_loop(const loop_problem& problem) override {
    using range = tbb::blocked_range<std::uint64_t>;
    const range all(0, problem.work.costs.n, problem.chunk);
    const auto run = [&problem](const range& r) { run_instances(problem, r.begin(), r.end()); };
    arena_.execute([&] { cut(problem.how, all, run); });
    return counts_.take();
  }

  /// As loop's.
  void run_crypt(const crypt_problem& problem) override {
    using range = tbb::blocked_range<std::uint64_t>;
    arena_.execute([&] {
      for (const crypt_pass& pass : problem.passes) {
        const range all(0, pass.to.size(), problem.grain);
        const auto run = [&pass](const range& r) { cipher_blocks(pass, r.begin(), r.end()); };
        cut(problem.how, all, run);
      }
    });
  }

  /// As loop's.
  tally run_md(const md_problem& problem) override {
    using range = tbb::blocked_range<std::uint64_t>;
    const range all(0, problem.targets.size(), problem.grain);
    const auto run = [&problem](const range& r) { pull_atoms(problem, r.begin(), r.end()); };
    arena_.execute([&] { cut(problem.how, all, run); });
    return counts_.take();
  }

 private:
  /// each: ranges are cut down to the chunk, simple_partitioner; range: auto_partitioner cuts as
  /// far as it sees thieves, and no further than that.
  static void cut(form how, const tbb::blocked_range<std::uint64_t>& all, const auto& run) {
    if (how == form::each) {
      tbb::parallel_for(all, run, tbb::simple_partitioner());
    } else {
      tbb::parallel_for(all, run, tbb::auto_partitioner());
    }
  }

  tbb::global_control threads_;
  tbb::global_control stacks_;
  tallies counts_;
  tbb::task_arena arena_;
  numbering numbering_;
  tbb::affinity_partitioner affinity_;  // remembers from run to run who wrote which elements
};

}  // namespace
}  // namespace mgws::bench::peers

int main(int argc, char** argv) {
  using namespace mgws::bench::peers;
  const peer_description who{
      .program = "mgws-peer-tbb",
      .runtime = fmt::format("oneTBB {}.{}", TBB_VERSION_MAJOR, TBB_VERSION_MINOR),
      .parallel = true,
      .with_range_form = {workload::uts, workload::memset, workload::loop, workload::crypt,
                          workload::md}};
  return peer_main(argc, argv, who,
                   [](std::size_t workers) { return std::make_unique<onetbb>(workers); });
}
