#include "runs/contains.hpp"

#include <algorithm>
#include <type_traits>

#include "runs/runtime_runs.hpp"
#include "runs/width.hpp"

namespace mgws::bench::contains {

namespace {
using find =
    std::conditional_t<std::is_same_v<this_port, ports::cpu>, find_by_library, find_by_lanes>;
}  // namespace

template <>
std::unique_ptr<runs<context, results>> make_runs<this_port>(const options& o, const variant& v) {
  return with_width(v.width, [&]<shape Width>() -> std::unique_ptr<runs<context, results>> {
    if (v.bulk) {
      using tasks = task_set<search_range<find, Width>>;
      auto all = std::make_unique<runtime_runs<tasks, context, results>>(o);
      constexpr std::uint64_t most = slot<tasks>::max_instances;
      for (std::uint64_t first = 0; first < v.articles; first += most)
        all->runtime().seed_n(search_range<find, Width>{first},
                              static_cast<task_index>(std::min(most, v.articles - first)));
      return all;
    }
    auto all =
        std::make_unique<runtime_runs<task_set<search_one<find, Width>>, context, results>>(o);
    all->runtime().reserve(v.articles);
    for (std::uint64_t i = 0; i != v.articles; ++i)
      all->runtime().seed(search_one<find, Width>{i});
    return all;
  });
}

}  // namespace mgws::bench::contains
