// What clang-tidy looks at: every header of core, the transports and the runtime as CPU workers
// have them, and what a program instantiates of them.
#include <cstdint>
#include <vector>

#include <mgws/backends/cpu/philox.hpp>
#include <mgws/core/bulk_board.hpp>
#include <mgws/core/lane_task.hpp>
#include <mgws/core/lanes.hpp>
#include <mgws/core/lanes_leader.hpp>
#include <mgws/core/steal_sequence.hpp>
#include <mgws/core/termination/tree.hpp>
#include <mgws/mgws.hpp>
#include <mgws/probe.hpp>
#include <mgws/runtime/make_gpus.hpp>
#include <mgws/runtime/probe/cost.hpp>
#include <mgws/transports/table.hpp>

namespace {

struct calls : mgws::sum<std::uint64_t> {};
struct deepest : mgws::maximum<std::uint64_t> {};
struct packing {
  std::uint64_t items;
};
using heaviest = mgws::best<std::uint64_t, mgws::maximum, packing>;

struct context {
  std::uint64_t* numbers;
  heaviest::view best;
};

struct add {
  static constexpr bool continuation = true;
  mgws::place<std::uint64_t> to;
  std::uint64_t left;
  std::uint64_t right;
  void operator()(auto& worker) const { worker.deliver(to, left + right); }
};

struct fibonacci {
  int n;
  mgws::place<std::uint64_t> to;
  void operator()(auto& worker) const {
    worker.accumulate(calls{}, 1);
    if (n < 2) return worker.deliver(to, n);
    const auto sum = worker.join(add{to, 0, 0}, 2);
    worker.spawn(fibonacci{n - 1, sum.to(&add::left)});
    worker.spawn(fibonacci{n - 2, sum.to(&add::right)});
  }
};

struct after {
  static constexpr bool after_finish = true;
  void operator()(auto& worker) const { worker.accumulate(deepest{}, worker.id()); }
};

struct each {
  void operator()(auto& worker, mgws::task_index i) const {
    const mgws::atomic_ref<std::uint64_t> number(worker.context().numbers[i]);
    number.fetch_add(1);
    if (worker.context().best.value() < i) worker.context().best.improve(i, packing{i});
    if (i == 1'000'000) worker.fail(7);
  }
};

struct span {
  void operator()(auto& worker, mgws::task_index first, mgws::task_index last) const {
    worker.accumulate(calls{}, last - first);
    worker.heartbeat();
  }
};

struct collatz {
  std::uint64_t at;
  mgws::progress operator()(auto& worker) {
    for (int i = 0; i != 100 && at != 1; ++i)
      at = at % 2 == 0 ? at / 2 : 3 * at + 1;
    if (at != 1) return mgws::again;
    worker.finish_n(after{}, each{}, 3);
    return mgws::done;
  }
};

template <class... Statistics>
std::uint64_t run(const mgws::options& o) {
  using tasks = mgws::task_set<fibonacci, add, after, each, span, collatz>;
  mgws::runtime<tasks, mgws::accumulators<calls, deepest>, context, Statistics...> rt(o);
  mgws::array<std::uint64_t> numbers(rt, 1000);
  heaviest best(rt.data_places());
  rt.seed(fibonacci{20, {}});
  rt.seed_n(each{}, 1000);
  rt.seed_n(span{}, 1000);
  rt.seed(collatz{27});
  const auto report = rt.run(context{numbers.data(), best.on(0)});
  auto live = rt.start(context{numbers.data(), best.on(0)});
  live.submit(fibonacci{3, {}});
  live.wait_idle();
  return report.template get<calls>() + report.template get<deepest>() + live.close().tasks;
}

struct step {
  void operator()(auto& worker) const { worker.heartbeat(); }
};
using steps = mgws::graph<step>;

std::uint64_t run_graph() {
  steps::builder plan;
  const auto first = plan.add(step{});
  plan.precede(first, plan.add(step{}));
  mgws::runtime<steps::tasks, mgws::accumulators<>> rt;
  steps all(rt.data_places(), plan);
  all.seed(rt);
  return rt.run().tasks;
}

}  // namespace

std::uint64_t run_all();
std::uint64_t run_all() {
  mgws::options o;
  std::uint64_t sum = run_graph();
  for (const auto termination : {mgws::termination::counter, mgws::termination::hierarchical}) {
    o.termination = termination;
    sum += run(o) + run<mgws::worker_statistics>(o);
  }
  return sum;
}
