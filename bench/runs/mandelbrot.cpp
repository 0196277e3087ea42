#include "runs/mandelbrot.hpp"

#include "runs/runtime_runs.hpp"

namespace mgws::bench::mandelbrot {

template <>
std::unique_ptr<runs<context, results>> make_runs<this_port>(const options& o, const variant& v) {
  if (v.spawned) {
    auto all = std::make_unique<runtime_runs<task_set<root, pixels>, context, results>>(o);
    all->runtime().seed(root{v.instances});
    return all;
  }
  auto all = std::make_unique<runtime_runs<task_set<pixels>, context, results>>(o);
  all->runtime().seed_n(pixels{0}, v.instances);
  return all;
}

}  // namespace mgws::bench::mandelbrot
