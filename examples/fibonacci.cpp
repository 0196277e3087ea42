// Counts the calls of the naive Fibonacci function: a tree of small tasks.
#include <cstdint>
#include <cstdio>

#include <mgws/mgws.hpp>

struct calls : mgws::sum<std::uint64_t> {};

struct fibonacci {
  int n;
  void operator()(auto& worker) const {
    worker.accumulate(calls{}, 1);
    if (n < 2) return;
    worker.spawn(fibonacci{n - 1});
    worker.spawn(fibonacci{n - 2});
  }
};

int main() {
  mgws::runtime<mgws::task_set<fibonacci>, mgws::accumulators<calls>> rt;
  rt.seed(fibonacci{32});
  const auto report = rt.run();
  std::printf("%llu calls in %.3f s on %u workers\n",
              static_cast<unsigned long long>(report.get<calls>()), report.seconds, rt.workers());
}
