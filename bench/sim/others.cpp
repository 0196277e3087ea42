#include "sim/simulate.hpp"
#include "sim/tasks.hpp"
#include "sim/workloads.hpp"
#include "uts/tree_tables.hpp"
#include "workloads/spawn_tree.hpp"
#include "workloads/uts.hpp"

namespace mgws::bench::sim {

namespace {

struct stored : sum<std::uint64_t> {};

struct store_one {
  std::uint64_t element;
  void operator()(auto& worker) const { worker.accumulate(stored{}, element + 1); }
};
struct store_range {
  void operator()(auto& worker, task_index i) const {
    worker.accumulate(stored{}, std::uint64_t{i} + 1);
  }
};
struct nothing {};

}  // namespace

result simulate_uts(const setup& s, const std::string& tree, std::uint64_t iterations) {
  const uts::named_tree* named = uts::find_named_tree(tree);
  if (named == nullptr) throw bad_configuration("there is no tree '" + tree + "'");
  const uts::tree_tables tables(named->parameters);
  using children = uts::children_of<uts::portable_sha1>;
  const timed<uts::tree> context{tables.view(), iterations};
  const uts::node root = context.task.root();
  initial_set<task_set<simulated<children>>> seeds;
  const std::uint32_t first = context.task.children(root);
  seeds.add(simulated<children>{children(root)}, first);
  accumulators<uts::nodes, uts::leaves, uts::deepest> r;
  result out;
  out.outcome = simulate(s, seeds, context, r);
  out.work = {.instances = named->nodes - 1,
              .iterations = (named->nodes - 1) * iterations,
              .longest = iterations,
              .chain = named->depth * iterations};
  out.verified = r.get<uts::nodes>() + 1 == named->nodes &&
                 (named->depth == 0 || r.get<uts::deepest>() == named->depth);
  return out;
}

result simulate_memset(const setup& s, std::uint32_t tasks, bool bulk, std::uint64_t iterations) {
  const timed<nothing> context{{}, iterations};
  accumulators<stored> r;
  result out;
  if (bulk) {
    initial_set<task_set<simulated<store_range>>> seeds;
    seeds.add(simulated<store_range>{}, tasks);
    out.outcome = simulate(s, seeds, context, r);
  } else {
    initial_set<task_set<simulated<store_one>>> seeds;
    seeds.reserve(tasks);
    for (std::uint64_t i = 0; i != tasks; ++i)
      seeds.add(simulated<store_one>{{i}}, 1);
    out.outcome = simulate(s, seeds, context, r);
  }
  out.work = {.instances = tasks,
              .iterations = tasks * iterations,
              .longest = iterations,
              .chain = iterations};
  out.verified = r.get<stored>() == std::uint64_t{tasks} * (tasks + std::uint64_t{1}) / 2;
  return out;
}

result simulate_spawn_tree(const setup& s, std::uint32_t depth, std::uint32_t fanout, bool bulk,
                           std::uint64_t iterations) {
  using namespace spawn_tree;
  const timed<spawn_tree::context> context{{fanout}, iterations};
  accumulators<visited> r;
  result out;
  if (bulk) {
    initial_set<task_set<simulated<bulk_branch>>> seeds;
    seeds.add(simulated<bulk_branch>{{depth}}, 1);
    out.outcome = simulate(s, seeds, context, r);
  } else {
    using node = branch<shape::lane>;
    initial_set<task_set<simulated<node>>> seeds;
    seeds.add(simulated<node>{{depth}}, 1);
    out.outcome = simulate(s, seeds, context, r);
  }
  std::uint64_t nodes = 1;
  for (std::uint32_t d = 0; d != depth; ++d)
    nodes = nodes * fanout + 1;
  out.work = {.instances = nodes,
              .iterations = nodes * iterations,
              .longest = iterations,
              .chain = (depth + std::uint64_t{1}) * iterations};
  out.verified = r.get<visited>() == nodes;
  return out;
}

}  // namespace mgws::bench::sim
