#include "runs/bpc.hpp"

#include "runs/runtime_runs.hpp"

namespace mgws::bench::bpc {

template <>
std::unique_ptr<runs<context, results>> make_runs<this_port>(const options& o, const variant& v) {
  auto all = std::make_unique<runtime_runs<task_set<producer, consumer>, context, results>>(o);
  all->runtime().seed(producer{v.depth});
  return all;
}

}  // namespace mgws::bench::bpc
