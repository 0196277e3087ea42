#include "runs/knapsack.hpp"

#include "runs/runtime_runs.hpp"

namespace mgws::bench::knapsack {

template <>
std::unique_ptr<runs<context, results>> make_runs<this_port>(const options& o, const variant& v) {
  auto all = std::make_unique<runtime_runs<task_set<decide>, context, results>>(o);
  all->runtime().seed(decide{.taken = {}, .room = v.capacity, .value = 0, .level = 0});
  return all;
}

}  // namespace mgws::bench::knapsack
