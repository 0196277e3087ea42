/// \file
/// mgws-peer-openmp: the workloads as OpenMP tasks, each in the fastest of the forms that were
/// tried; where one lost, the comment says by how much: ns a task with 1 / 2 threads, GCC 12,
/// medians of five. The two processors had other work at times, so the figures rank the forms and
/// are good for no more.
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <omp.h>

#include "harness.hpp"

namespace mgws::bench::peers {
namespace {

// No task waits for its children; the end of the parallel region waits for all. With a taskwait in
// each task: uts T1 in families 48 / 82 instead of 34 / 36, spawn-tree 86 / 259 instead of 19 / 23
// (a taskgroup in each: 72 / 259). Tied tasks are as fast as untied ones.

template <class Hasher>
void node_task(const uts::tree& tree, const uts::node& node) {
  visit_node<Hasher>(tree, node, [&tree](const uts::node& child, bool /*last*/) {
    const uts::tree* const of = &tree;
#pragma omp task untied firstprivate(of, child)
    node_task<Hasher>(*of, child);
  });
}

/// With one thread 34 (T1); a taskloop over each family, so that the runtime chunks it, 38. With
/// two the taskloop won one series (21 against 36) and lost the others (39 to 42 against 35 to 39).
template <class Hasher>
void family_task(const uts::tree& tree, const family& of) {
  visit_family<Hasher>(tree, of, [&tree](const family& f) {
    const uts::tree* const tree_of = &tree;
#pragma omp task untied firstprivate(tree_of, f)
    family_task<Hasher>(*tree_of, f);
  });
}

void placement_task(const nqueens_problem& problem, const nqueens::placement& placed) {
  visit_placement(problem, placed, [&problem](const nqueens::placement& next, bool /*last*/) {
    const nqueens_problem* const of = &problem;
#pragma omp task untied firstprivate(of, next)
    placement_task(*of, next);
  });
}

void empty_task(const spawn_tree_problem& problem, std::uint32_t depth) {
  visit_empty(problem, depth, [&problem](std::uint32_t next, bool /*last*/) {
    const spawn_tree_problem* const of = &problem;
#pragma omp task untied firstprivate(of, next)
    empty_task(*of, next);
  });
}

/// All children of a task as one loop, which the runtime deals out in chunks as it sees fit:
/// 8.7 / 16.
void empty_range(const spawn_tree_problem& problem, std::uint32_t depth) {
  ++mine->tasks;
  if (depth == problem.depth) return;
  const spawn_tree_problem* const of = &problem;
#pragma omp taskloop untied nogroup firstprivate(of, depth)
  for (std::uint32_t i = 0; i < of->fanout; ++i) {
    empty_range(*of, depth + 1);
  }
}

std::uint64_t call_task(std::uint32_t n) {
  if (n < 2) return n;
  std::uint64_t left = 0;
#pragma omp task shared(left) firstprivate(n)
  left = call_task(n - 1);
  const std::uint64_t right = call_task(n - 2);
#pragma omp taskwait
  return left + right;
}

class openmp final : public peer {
 public:
  explicit openmp(std::size_t workers) : counts_(workers) {
    omp_set_dynamic(0);
    omp_set_num_threads(static_cast<int>(workers));
    std::size_t threads = 0;
#pragma omp parallel
#pragma omp single
    threads = static_cast<std::size_t>(omp_get_num_threads());
    if (threads != workers) {
      throw std::runtime_error(
          fmt::format("OpenMP gives {} threads instead of {}", threads, workers));
    }
  }

  tally run_uts(const uts_problem& problem) override {
    const uts::tree& tree = problem.tree;
    return run([&] {
      with_hasher(problem.sha_instructions, [&]<class Hasher>() {
        if (problem.how == form::each) {
          node_task<Hasher>(tree, tree.root());
        } else {
          start_with_family(tree, [&](const family& f) { family_task<Hasher>(tree, f); });
        }
      });
    });
  }

  tally run_nqueens(const nqueens_problem& problem) override {
    return run([&] { placement_task(problem, problem.board.empty()); });
  }

  /// each: all threads spawn their share of the elements, 19.4 / 15.2; a single one that spawns,
  /// 20 / 28; taskloop grainsize(1), 33 / 42. range, with one thread: taskloop simd 0.37, taskloop
  /// 0.79.
  void run_memset(const memset_problem& problem) override {
    std::uint64_t* const elements = problem.elements.data();
    const std::size_t n = problem.elements.size();
    if (problem.how == form::each) {
#pragma omp parallel for schedule(static)
      for (std::size_t i = 0; i < n; ++i) {
#pragma omp task untied firstprivate(elements, i)
        write_element(elements, i);
      }
    } else {
#pragma omp parallel
#pragma omp single nowait
#pragma omp taskloop simd
      for (std::size_t i = 0; i < n; ++i) {
        write_element(elements, i);
      }
    }
  }

  tally run_spawn_tree(const spawn_tree_problem& problem) override {
    return run([&] {
      if (problem.how == form::each) {
        empty_task(problem, 0);
      } else {
        empty_range(problem, 0);
      }
    });
  }

  std::uint64_t run_fib(std::uint32_t n) override {
    std::uint64_t value = 0;
    static_cast<void>(run([&] { value = call_task(n); }));
    return value;
  }

  /// each: schedule(dynamic, chunk); range: schedule(guided, chunk), whose pieces shrink with what
  /// is left.
  tally run_loop(const loop_problem& problem) override {
    const std::uint64_t n = problem.work.costs.n;
    const std::uint64_t chunk = problem.chunk;
#pragma omp parallel
    {
      counts_.enter(static_cast<std::size_t>(omp_get_thread_num()));
      tally& counts = *mine;
      if (problem.how == form::each) {
#pragma omp for schedule(dynamic, chunk)
        for (std::uint64_t i = 0; i < n; ++i) {
          counts.found += run_chain(problem.work, i);
          ++counts.tasks;
        }
      } else {
#pragma omp for schedule(guided, chunk)
        for (std::uint64_t i = 0; i < n; ++i) {
          counts.found += run_chain(problem.work, i);
          ++counts.tasks;
        }
      }
    }
    return counts_.take();
  }

  /// each: schedule(dynamic, grain); range: schedule(static), equal shares of equal blocks. The end
  /// of a loop waits for all threads.
  void run_crypt(const crypt_problem& problem) override {
    const std::uint64_t grain = problem.grain;
#pragma omp parallel
    for (const crypt_pass& pass : problem.passes) {
      const std::uint64_t n = pass.to.size();
      if (problem.how == form::each) {
#pragma omp for schedule(dynamic, grain)
        for (std::uint64_t i = 0; i < n; ++i)
          cipher_blocks(pass, i, i + 1);
      } else {
#pragma omp for schedule(static)
        for (std::uint64_t i = 0; i < n; ++i)
          cipher_blocks(pass, i, i + 1);
      }
    }
  }

  /// As loop's.
  tally run_md(const md_problem& problem) override {
    const std::uint64_t n = problem.targets.size();
    const std::uint64_t grain = problem.grain;
#pragma omp parallel
    {
      counts_.enter(static_cast<std::size_t>(omp_get_thread_num()));
      if (problem.how == form::each) {
#pragma omp for schedule(dynamic, grain)
        for (std::uint64_t i = 0; i < n; ++i)
          pull_atoms(problem, i, i + 1);
      } else {
#pragma omp for schedule(guided, grain)
        for (std::uint64_t i = 0; i < n; ++i)
          pull_atoms(problem, i, i + 1);
      }
    }
    return counts_.take();
  }

 private:
  /// One thread runs the root; the region's end waits for all tasks, which are never waited for in
  /// between.
  template <class F>
  tally run(F&& root) {
#pragma omp parallel
    {
      counts_.enter(static_cast<std::size_t>(omp_get_thread_num()));
#pragma omp single nowait
      root();
    }
    return counts_.take();
  }

  tallies counts_;
};

}  // namespace
}  // namespace mgws::bench::peers

int main(int argc, char** argv) {
  using namespace mgws::bench::peers;
  const peer_description who{
      .program = "mgws-peer-openmp",
      .runtime = fmt::format("OpenMP {} (compiler {})", _OPENMP, __VERSION__),
      .parallel = true,
      .with_range_form = {workload::uts, workload::memset, workload::spawn_tree, workload::loop,
                          workload::crypt, workload::md}};
  return peer_main(argc, argv, who,
                   [](std::size_t workers) { return std::make_unique<openmp>(workers); });
}
