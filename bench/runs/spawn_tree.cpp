#include "runs/spawn_tree.hpp"

#include "runs/runtime_runs.hpp"
#include "runs/width.hpp"

namespace mgws::bench::spawn_tree {

template <>
std::unique_ptr<runs<context, results>> make_runs<this_port>(const options& o, const variant& v) {
  if (v.bulk) {
    auto all = std::make_unique<runtime_runs<task_set<bulk_branch>, context, results>>(o);
    all->runtime().seed(bulk_branch{v.depth});
    return all;
  }
  if (v.finish) {
    using tasks = task_set<branch<shape::lane>, finished_tree, after_tree>;
    auto all = std::make_unique<runtime_runs<tasks, context, results>>(o);
    all->runtime().seed(finished_tree{v.depth});
    return all;
  }
  return with_width(v.width, [&]<shape Width>() -> std::unique_ptr<runs<context, results>> {
    auto all = std::make_unique<runtime_runs<task_set<branch<Width>>, context, results>>(o);
    all->runtime().seed(branch<Width>{v.depth});
    return all;
  });
}

}  // namespace mgws::bench::spawn_tree
