#include "runs/memset.hpp"

#include <algorithm>

#include "runs/runtime_runs.hpp"

namespace mgws::bench::memset {

namespace {

/// As few initial slots as there can be: what spawns all tasks while the run goes on.
template <bool Parted>
std::unique_ptr<runs<context, results>> make_spawned(const options& o, const variant& v) {
  if (v.bulk) {
    using tasks = task_set<spawn_ranges<Parted>, store_range<Parted>>;
    auto all = std::make_unique<runtime_runs<tasks, context, results>>(o);
    all->runtime().seed(spawn_ranges<Parted>{v.tasks});
    return all;
  }
  using task = spawn_each<Parted>;
  using tasks = task_set<task, store_one<Parted>>;
  auto all = std::make_unique<runtime_runs<tasks, context, results>>(o);
  constexpr std::uint64_t most = slot<tasks>::max_instances;
  std::uint64_t left = v.spawners();
  for (std::uint64_t first = 0; left != 0; first += most * task::k_piece) {
    const std::uint64_t pieces = std::min(most, left);
    all->runtime().seed_n(task{first, v.tasks}, static_cast<task_index>(pieces));
    left -= pieces;
  }
  return all;
}

template <bool Parted>
std::unique_ptr<runs<context, results>> make(const options& o, const variant& v) {
  if (v.spawned) return make_spawned<Parted>(o, v);
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
