#include "runs/memset.hpp"

#include <algorithm>

#include "runs/runtime_runs.hpp"

namespace mgws::bench::memset {

namespace {

template <bool Parted>
std::unique_ptr<runs<context, results>> make(const options& o, const variant& v) {
  if (v.bulk) {
    using task = store_range<Parted>;
    auto all = std::make_unique<runtime_runs<task_set<task>, context, results>>(o);
    constexpr std::uint64_t most = slot<task_set<task>>::max_instances;
    for (std::uint64_t first = 0; first < v.tasks; first += most)
      all->runtime().seed_n(task{first}, static_cast<task_index>(std::min(most, v.tasks - first)));
    return all;
  }
  using task = store_one<Parted>;
  auto all = std::make_unique<runtime_runs<task_set<task>, context, results>>(o);
  all->runtime().reserve(v.tasks);
  for (std::uint64_t i = 0; i != v.tasks; ++i)
    all->runtime().seed(task{i});
  return all;
}

}  // namespace

template <>
std::unique_ptr<runs<context, results>> make_runs<this_port>(const options& o, const variant& v) {
  return v.parted ? make<true>(o, v) : make<false>(o, v);
}

}  // namespace mgws::bench::memset
