#include "runs/loop.hpp"

#include <memory>
#include <type_traits>

#include "runs/runtime_runs.hpp"
#include "runs/width.hpp"

namespace mgws::bench::loop {

namespace {

using runs_t = std::unique_ptr<runs<context, results>>;

/// \param seed  seed(runtime) adds the first tasks
template <class Tasks, class Seed>
runs_t start_with(const options& o, Seed&& seed) {
  auto all = std::make_unique<runtime_runs<Tasks, context, results>>(o);
  seed(all->runtime());
  return all;
}

/// Each set of task types is one more set of kernels to compile: a wide unit by itself is an
/// instance of the type that can be many, and what cuts ranges also spawns them whole.
template <shape Width>
using single = std::conditional_t<Width == shape::lane, unit, units<Width>>;

/// \tparam Units   that can be many \tparam Single  one by itself
template <class Units, class Single>
runs_t start(const options& o, const variant& v) {
  switch (v.way) {
    case way::seeds:
      return start_with<task_set<Single>>(o, [&](auto& rt) {
        rt.reserve(v.units);
        for (std::uint32_t i = 0; i != v.units; ++i)
          rt.seed(Single{i});
      });
    case way::spawn:
    case way::tree:
      return start_with<task_set<range<Units>, Units>>(o, [&](auto& rt) {
        rt.seed(range<Units>{0, v.units});
      });
    case way::seed_n:
      break;
  }
  return start_with<task_set<Units>>(o, [&](auto& rt) { rt.seed_n(Units{.first = 0}, v.units); });
}

}  // namespace

template <>
runs_t make_runs<this_port>(const options& o, const variant& v) {
  if (v.resumable) return start<resumable_units, resumable_units>(o, v);
  return with_width(
      v.width, [&]<shape Width>() -> runs_t { return start<units<Width>, single<Width>>(o, v); });
}

}  // namespace mgws::bench::loop
