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

}  // namespace

template <>
runs_t make_runs<this_port>(const options& o, const variant& v) {
  return with_width(v.width, [&]<shape Width>() -> runs_t {
    switch (v.way) {
      case way::seeds:
        return start_with<task_set<single<Width>>>(o, [&](auto& rt) {
          rt.reserve(v.units);
          for (std::uint32_t i = 0; i != v.units; ++i)
            rt.seed(single<Width>{i});
        });
      case way::spawn:
      case way::tree:
        return start_with<task_set<range<Width>, units<Width>>>(o, [&](auto& rt) {
          rt.seed(range<Width>{0, v.units});
        });
      case way::seed_n:
        break;
    }
    return start_with<task_set<units<Width>>>(
        o, [&](auto& rt) { rt.seed_n(units<Width>{0}, v.units); });
  });
}

}  // namespace mgws::bench::loop
