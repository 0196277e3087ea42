// Kernels of a plain set, one with joins and one with a finish: what their lanes keep in memory
// instead of in registers, registers.py looks up.
#include <mgws/mgws.hpp>

#include "workloads/fib.hpp"
#include "workloads/spawn_tree.hpp"

namespace {

namespace tree = mgws::bench::spawn_tree;
namespace fib = mgws::bench::fib;

#ifdef PLANTED_FAULT
// Keeps what registers cannot: an array whose elements are found by a number that is not known.
struct branch {
  std::uint32_t n;
  MGWS_FN void operator()(auto& worker) const {
    std::uint32_t kept[64];
    for (std::uint32_t i = 0; i != 64; ++i)
      kept[i] = i * n;
    worker.accumulate(tree::visited{}, kept[n % 64]);
  }
};
#else
using branch = tree::branch<mgws::shape::lane>;
#endif

template <class Accumulators, class Context, class... Tasks>
void run(const mgws::options& o) {
  mgws::runtime<mgws::task_set<Tasks...>, Accumulators, Context, mgws::no_statistics, 32,
                mgws::compiled_for::gpus>
      rt(o);
  rt.run(Context{});
}

}  // namespace

void run_sets(const mgws::options& o) {
  run<mgws::accumulators<tree::visited>, tree::context, branch>(o);
#ifndef PLANTED_FAULT
  run<mgws::accumulators<tree::visited>, tree::context, branch, tree::after_tree,
      tree::finished_tree>(o);
  run<mgws::accumulators<fib::result>, fib::context, fib::call, fib::add>(o);
#endif
}
