#include "runs/clique.hpp"

#include "runs/runtime_runs.hpp"
#include "workloads/clique_by_warp.hpp"

namespace mgws::bench::clique {

namespace {

using runs_t = std::unique_ptr<runs<context, results>>;

template <class task>
runs_t make(const options& o, const variant& v) {
  auto all = std::make_unique<runtime_runs<task_set<task>, context, results>>(o);
  task root{};
  for (std::uint32_t i = 0; i != v.vertices; ++i)
    root.candidates.add(i);
  if constexpr (requires { root.most; }) root.most = v.vertices;
  all->runtime().seed(root);
  return all;
}
template <std::uint32_t Words>
runs_t make_of(const options& o, const variant& v) {
  return v.width == shape::warp ? make<search_below<Words>>(o, v) : make<extend<Words>>(o, v);
}

}  // namespace

/// What a task holds is copied: small graphs have small ones.
template <>
runs_t make_runs<this_port>(const options& o, const variant& v) {
  constexpr std::uint32_t few = 4;
  return words_of(v.vertices) <= few ? make_of<few>(o, v)
                                     : make_of<words_of(k_most_vertices)>(o, v);
}

}  // namespace mgws::bench::clique
