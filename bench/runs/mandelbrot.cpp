#include "runs/mandelbrot.hpp"

#include "runs/runtime_runs.hpp"

namespace mgws::bench::mandelbrot {

namespace {

using runs_t = std::unique_ptr<runs<context, results>>;

template <bool Tiled>
runs_t make(const options& o, const variant& v) {
  if (v.spawned) {
    using tasks = task_set<root<Tiled>, pixels<Tiled>>;
    auto all = std::make_unique<runtime_runs<tasks, context, results>>(o);
    all->seeds().add(root<Tiled>{v.instances}, 1);
    return all;
  }
  auto all = std::make_unique<runtime_runs<task_set<pixels<Tiled>>, context, results>>(o);
  all->seeds().add(pixels<Tiled>{0}, v.instances);
  return all;
}

}  // namespace

template <>
runs_t make_runs<this_port>(const options& o, const variant& v) {
  return v.tiled ? make<true>(o, v) : make<false>(o, v);
}

}  // namespace mgws::bench::mandelbrot
