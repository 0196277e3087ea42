// What a user of the library writes: all numbers below a limit, summed.
#include <cstdint>
#include <cstdio>

#include <mgws/mgws.hpp>

struct total : mgws::sum<std::uint64_t> {};

struct number {
  void operator()(auto& worker, mgws::task_index i) const { worker.accumulate(total{}, i); }
};

int main() {
  mgws::runtime<mgws::task_set<number>, mgws::accumulators<total>> rt;
  rt.seed_n(number{}, 1001);
  std::printf("total %llu\n", static_cast<unsigned long long>(rt.run().get<total>()));
}
