#include "runs/quicksort.hpp"

#include "runs/runtime_runs.hpp"

namespace mgws::bench::quicksort {

template <>
std::unique_ptr<runs<context, results>> make_runs<this_port>(const options& o, const variant& v) {
  auto all = std::make_unique<runtime_runs<tasks, context, results>>(o);
  all->runtime().seed(start{v.keys});
  return all;
}

}  // namespace mgws::bench::quicksort
