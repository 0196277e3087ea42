#include "runs/fib.hpp"

#include "runs/runtime_runs.hpp"

namespace mgws::bench::fib {

template <>
std::unique_ptr<runs<context, results>> make_runs<this_port>(const options& o, const variant& v) {
  auto all = std::make_unique<runtime_runs<task_set<call, add>, context, results>>(o);
  all->runtime().seed(call{v.n, {}});
  return all;
}

}  // namespace mgws::bench::fib
