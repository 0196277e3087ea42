// Template arguments of mgws::runtime that are not in their places. Without a macro they are.
#include <cstdint>

#include <mgws/mgws.hpp>

struct total : mgws::sum<std::uint64_t> {};
using totals = mgws::accumulators<total>;

struct limit {
  std::uint32_t depth;
};

struct node {
  std::uint32_t depth;
  void operator()(auto& worker) const {
#if !defined(CONTEXT_WITHOUT_ACCUMULATORS)
    worker.accumulate(total{}, 1);
#endif
    if (depth < worker.context().depth) worker.spawn(node{depth + 1});
  }
};
using nodes = mgws::task_set<node>;

#if defined(NO_TASK_SET)
using runtime = mgws::runtime<node, totals, limit>;
#elif defined(NO_ACCUMULATORS)
using runtime = mgws::runtime<nodes, total, limit>;
#elif defined(CONTEXT_BEFORE_ACCUMULATORS)
using runtime = mgws::runtime<nodes, limit, totals>;
#elif defined(CONTEXT_WITHOUT_ACCUMULATORS)
using runtime = mgws::runtime<nodes, limit>;
#elif defined(NO_STATISTICS)
using runtime = mgws::runtime<nodes, totals, limit, limit>;
#else
using runtime = mgws::runtime<nodes, totals, limit>;
#endif

#if defined(ACCUMULATORS_TWICE)
mgws::runtime<nodes, totals, totals> twice;
#elif defined(STATISTICS_AS_CONTEXT)
struct leaf {
  void operator()(auto& worker) const { worker.accumulate(total{}, 1); }
};
mgws::runtime<mgws::task_set<leaf>, totals, mgws::worker_statistics> counted;
#endif

int main() {
  runtime rt;
  rt.seed(node{0});
#if defined(CONTEXT_WITHOUT_ACCUMULATORS)
  return rt.run().tasks == 3 ? 0 : 1;
#else
  return rt.run({2}).get<total>() == 3 ? 0 : 1;
#endif
}
