#include "runs/nqueens.hpp"

#include <bit>

#include "runs/runtime_runs.hpp"
#include "runs/width.hpp"

namespace mgws::bench::nqueens {

template <>
std::unique_ptr<runs<context, results>> make_runs<this_port>(const options& o, const variant& v) {
  return with_width(v.width, [&]<shape Width>() -> std::unique_ptr<runs<context, results>> {
    // Workers of several warps take longer (docs/resumable.md).
    auto all = std::make_unique<runtime_runs<task_set<extend<Width>>, context, results, 32>>(o);
    const extend<Width> first{v.squares.empty()};
    if constexpr (Width == shape::lane) {
      all->runtime().seed_n(first, std::popcount(first.placed.open));
    } else {
      all->runtime().seed(first);
    }
    return all;
  });
}

}  // namespace mgws::bench::nqueens
