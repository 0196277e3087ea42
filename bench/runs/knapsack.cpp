#include "runs/knapsack.hpp"

#include "runs/runtime_runs.hpp"

namespace mgws::bench::knapsack {

namespace {

using runs_t = std::unique_ptr<runs<context, results>>;

template <shape Width>
runs_t make(const options& o, const variant& v) {
  using task = decide<Width>;
  auto all = std::make_unique<runtime_runs<task_set<task>, context, results>>(o);
  all->runtime().seed(task{.taken = {}, .room = v.capacity, .value = 0, .level = 0});
  return all;
}

}  // namespace

template <>
runs_t make_runs<this_port>(const options& o, const variant& v) {
  return v.width == shape::warp ? make<shape::warp>(o, v) : make<shape::lane>(o, v);
}

}  // namespace mgws::bench::knapsack
