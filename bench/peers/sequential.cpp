/// \file
/// mgws-peer-sequential: no runtime. One thread, and an explicit stack where a problem needs one:
/// what every runtime's overhead and speed-up are measured against.
#include <memory>
#include <vector>

#include "harness.hpp"

namespace mgws::bench::peers {
namespace {

class sequential final : public peer {
 public:
  sequential() { counts_.enter(0); }

  /// The entry of the stack is a family of which some members are still to visit.
  tally run_uts(const uts_problem& problem) override {
    const uts::traversal t = with_hasher(problem.sha_instructions, [&]<class Hasher>() {
      return uts::traverse<Hasher>(problem.tree);
    });
    return {.tasks = t.nodes, .found = t.leaves, .depth = t.depth};
  }

  /// Counting all completions of the empty board instead, without placements that are tasks, was no
  /// faster: 2% slower for n = 12.
  tally run_nqueens(const nqueens_problem& problem) override {
    std::vector<nqueens::placement> stack{problem.board.empty()};
    while (!stack.empty()) {
      const nqueens::placement placed = stack.back();
      stack.pop_back();
      visit_placement(problem, placed, [&](const nqueens::placement& next, bool /*last*/) {
        stack.push_back(next);
      });
    }
    return counts_.take();
  }

  /// A loop that the compiler may turn into whatever writes memory fastest.
  void run_memset(const memset_problem& problem) override {
    std::uint64_t* const elements = problem.elements.data();
    const std::size_t n = problem.elements.size();
    for (std::size_t i = 0; i != n; ++i) {
      write_element(elements, i);
    }
  }

  tally run_spawn_tree(const spawn_tree_problem& problem) override {
    std::vector<std::uint32_t> stack{0};
    while (!stack.empty()) {
      const std::uint32_t depth = stack.back();
      stack.pop_back();
      visit_empty(problem, depth,
                  [&](std::uint32_t next, bool /*last*/) { stack.push_back(next); });
    }
    return counts_.take();
  }

  std::uint64_t run_fib(std::uint32_t n) override { return call(n); }

  tally run_loop(const loop_problem& problem) override {
    run_instances(problem, 0, problem.work.costs.n);
    return counts_.take();
  }

  void run_crypt(const crypt_problem& problem) override {
    for (const crypt_pass& pass : problem.passes)
      cipher_blocks(pass, 0, pass.to.size());
  }

  tally run_md(const md_problem& problem) override {
    pull_atoms(problem, 0, problem.targets.size());
    return counts_.take();
  }

 private:
  /// Not unrolled into a few calls that stand for many.
  [[gnu::noinline]] static std::uint64_t call(std::uint32_t n) {
    return n < 2 ? n : call(n - 1) + call(n - 2);
  }

  tallies counts_{1};
};

}  // namespace
}  // namespace mgws::bench::peers

int main(int argc, char** argv) {
  using namespace mgws::bench::peers;
  const peer_description who{.program = "mgws-peer-sequential",
                             .runtime = "none",
                             .parallel = false,
                             .with_range_form = {}};
  return peer_main(argc, argv, who, [](std::size_t) { return std::make_unique<sequential>(); });
}
