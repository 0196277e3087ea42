#include "runs/dijkstra.hpp"

#include <memory>

#include "runs/runtime_runs.hpp"
#include "workloads/relaxations.hpp"

namespace mgws::bench::dijkstra {

namespace {

using runs_t = std::unique_ptr<runs<context, results>>;

template <class Tasks, class Start>
runs_t make(const options& o, const Start& start) {
  auto all = std::make_unique<runtime_runs<Tasks, context, results>>(o);
  all->runtime().seed(start);
  return all;
}
template <shape Width>
runs_t make(const options& o, bool phases) {
  if (phases) return make<tasks<Width>>(o, start<Width>{});
  return make<reaching<Width>>(o, start_reaching<Width>{});
}

}  // namespace

template <>
runs_t make_runs<this_port>(const options& o, const variant& v) {
  return v.width == shape::warp ? make<shape::warp>(o, v.phases) : make<shape::lane>(o, v.phases);
}

}  // namespace mgws::bench::dijkstra
