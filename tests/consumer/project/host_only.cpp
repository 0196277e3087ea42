// A task that calls what only the host has.
#include <atomic>
#include <cstdint>

#include <mgws/mgws.hpp>

struct context {
  std::uint64_t* total;
};

struct number {
  MGWS_FN void operator()(auto& worker, mgws::task_index i) const {
    std::atomic_ref<std::uint64_t>(*worker.context().total).fetch_add(i);
  }
};

int main() {
  mgws::runtime<mgws::task_set<number>, mgws::accumulators<>, context> rt;
  rt.seed_n(number{}, 1001);
  rt.run();
}
