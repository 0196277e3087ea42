#include "runs/loop.hpp"

#include <memory>
#include <type_traits>

#include "runs/runtime_runs.hpp"
#include "runs/width.hpp"

namespace mgws::bench::loop {

namespace {

using runs_t = std::unique_ptr<runs<context, results>>;

template <class Tasks, class T>
runs_t start_with(const options& o, const T& first, std::uint32_t instances) {
  auto all = std::make_unique<runtime_runs<Tasks, context, results>>(o);
  all->seeds().add(first, instances);
  return all;
}

/// Each set of task types is one more set of kernels to compile: a wide unit by itself is an
/// instance of the type that can be many, and what cuts ranges also spawns them whole.
template <shape Width>
using single = std::conditional_t<Width == shape::lane, unit, units<Width>>;

template <shape Width>
runs_t make_seeds(const options& o, std::uint32_t n) {
  auto all = std::make_unique<runtime_runs<task_set<single<Width>>, context, results>>(o);
  all->seeds().reserve(n);
  for (std::uint32_t i = 0; i != n; ++i)
    all->seeds().add(single<Width>{i}, 1);
  return all;
}

}  // namespace

template <>
runs_t make_runs<this_port>(const options& o, const variant& v) {
  return with_width(v.width, [&]<shape Width>() -> runs_t {
    switch (v.way) {
      case way::seeds:
        return make_seeds<Width>(o, v.units);
      case way::spawn:
      case way::tree:
        return start_with<task_set<range<Width>, units<Width>>>(o, range<Width>{0, v.units}, 1);
      case way::seed_n:
        break;
    }
    return start_with<task_set<units<Width>>>(o, units<Width>{0}, v.units);
  });
}

}  // namespace mgws::bench::loop
