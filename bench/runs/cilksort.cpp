#include "runs/cilksort.hpp"

#include "runs/runtime_runs.hpp"

namespace mgws::bench::cilksort {

template <>
std::unique_ptr<runs<context, results>> make_runs<this_port>(const options& o, const variant& v) {
  auto all = std::make_unique<runtime_runs<tasks, context, results>>(o);
  all->runtime().seed(sort{{{0, v.keys}}, {}});
  return all;
}

}  // namespace mgws::bench::cilksort
