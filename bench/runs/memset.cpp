#include "runs/memset.hpp"

#include <algorithm>

#include "runs/runtime_runs.hpp"

namespace mgws::bench::memset {

template <>
std::unique_ptr<runs<context, results>> make_runs<this_port>(const options& o, const variant& v) {
  if (v.bulk) {
    auto all = std::make_unique<runtime_runs<task_set<store_range>, context, results>>(o);
    constexpr std::uint64_t most = slot<task_set<store_range>>::max_instances;
    for (std::uint64_t first = 0; first < v.tasks; first += most)
      all->seeds().add(store_range{first},
                       static_cast<task_index>(std::min(most, v.tasks - first)));
    return all;
  }
  auto all = std::make_unique<runtime_runs<task_set<store_one>, context, results>>(o);
  all->seeds().reserve(v.tasks);
  for (std::uint64_t i = 0; i != v.tasks; ++i)
    all->seeds().add(store_one{i}, 1);
  return all;
}

}  // namespace mgws::bench::memset
