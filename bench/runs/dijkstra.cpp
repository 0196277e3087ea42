#include "runs/dijkstra.hpp"

#include <memory>

#include "runs/runtime_runs.hpp"

namespace mgws::bench::dijkstra {

namespace {

using runs_t = std::unique_ptr<runs<context, results>>;

template <shape Width>
runs_t make(const options& o) {
  auto all = std::make_unique<runtime_runs<tasks<Width>, context, results>>(o);
  all->runtime().seed(start<Width>{});
  return all;
}

}  // namespace

template <>
runs_t make_runs<this_port>(const options& o, const variant& v) {
  return v.width == shape::warp ? make<shape::warp>(o) : make<shape::lane>(o);
}

}  // namespace mgws::bench::dijkstra
