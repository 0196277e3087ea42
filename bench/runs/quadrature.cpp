#include "runs/quadrature.hpp"

#include "runs/runtime_runs.hpp"

namespace mgws::bench::quadrature {

template <>
std::unique_ptr<runs<context, results>> make_runs<this_port>(const options& o, const variant& v) {
  if (!v.join) {
    auto all = std::make_unique<runtime_runs<task_set<summed_interval>, context, results>>(o);
    all->runtime().seed(summed_interval{v.all});
    return all;
  }
  auto all = std::make_unique<runtime_runs<task_set<joined_interval, add>, context, results>>(o);
  all->runtime().seed(joined_interval{v.all, {}});
  return all;
}

}  // namespace mgws::bench::quadrature
