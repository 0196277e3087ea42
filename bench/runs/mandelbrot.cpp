#include "runs/mandelbrot.hpp"

#include "runs/runtime_runs.hpp"

namespace mgws::bench::mandelbrot {

namespace {

using runs_t = std::unique_ptr<runs<context, results>>;

template <class Pixels>
runs_t start(const options& o, const variant& v) {
  if (v.spawned) {
    auto all = std::make_unique<runtime_runs<task_set<root<Pixels>, Pixels>, context, results>>(o);
    all->runtime().seed(root<Pixels>{v.instances});
    return all;
  }
  auto all = std::make_unique<runtime_runs<task_set<Pixels>, context, results>>(o);
  all->runtime().seed_n(Pixels{.first = 0}, v.instances);
  return all;
}

}  // namespace

template <>
runs_t make_runs<this_port>(const options& o, const variant& v) {
  return v.resumable ? start<resumable_pixels>(o, v) : start<pixels>(o, v);
}

}  // namespace mgws::bench::mandelbrot
