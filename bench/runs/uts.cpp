#include "runs/uts.hpp"

#include "runs/runtime_runs.hpp"
#include "runs/width.hpp"
#include "uts/sha1_x86.hpp"

namespace mgws::bench::uts {

namespace {

using runs_t = std::unique_ptr<runs<tree, results>>;

template <class Hasher>
runs_t make(const options& o, const variant& v) {
  if (v.finish) {
    using tasks = task_set<children_of<Hasher>, finished_tree<Hasher>, after_tree>;
    auto all = std::make_unique<runtime_runs<tasks, tree, results>>(o);
    all->runtime().seed(finished_tree<Hasher>{v.root, v.children});
    return all;
  }
  return with_width(v.width, [&]<shape Width>() -> runs_t {
    if constexpr (Width == shape::lane) {
      using tasks = task_set<children_of<Hasher>>;
      auto all = std::make_unique<runtime_runs<tasks, tree, results>>(o);
      all->runtime().seed_n(children_of<Hasher>{v.root}, v.children);
      return all;
    } else {
      using tasks = task_set<wide_node<Hasher, Width>>;
      auto all = std::make_unique<runtime_runs<tasks, tree, results>>(o);
      if (v.children != 0) all->runtime().seed(wide_node<Hasher, Width>{v.root});
      return all;
    }
  });
}

/// The processor's instructions are the CPU's alone.
template <class Port>
runs_t make_for(const options& o, const variant& v) {
  if constexpr (std::is_same_v<Port, ports::cpu>) {
    if (v.sha_instructions) return make<x86_sha1>(o, v);
  }
  return make<portable_sha1>(o, v);
}

}  // namespace

template <>
runs_t make_runs<this_port>(const options& o, const variant& v) {
  return make_for<this_port>(o, v);
}

}  // namespace mgws::bench::uts
