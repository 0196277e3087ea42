// Loops, trees, a sort and a search, small ones, for builds of core that differ in one constant
// (tools/ablate_gpu.py): one program that compiles soon, where mgws-bench takes minutes. The same
// source for CPU workers and for a GPU.
//
// usage: mgws-ablation cpu:N|gpu:I [RUNS]
//
// Prints a line of JSON: for each problem the times of its runs in seconds; exit code 1 after a
// wrong result.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include <mgws/mgws.hpp>

#include "ablation/measurement.hpp"
#include "ablation/text.hpp"
#include "dijkstra/graph.hpp"
#include "knapsack/items.hpp"
#include "md/atoms.hpp"
#include "md/check.hpp"
#include "uts/tree_tables.hpp"
#include "workloads/cilksort.hpp"
#include "workloads/contains.hpp"
#include "workloads/knapsack.hpp"
#include "workloads/loop.hpp"
#include "workloads/md.hpp"
#include "workloads/memset.hpp"
#include "workloads/relaxations.hpp"
#include "workloads/spawn_tree.hpp"
#include "workloads/uts.hpp"

namespace {

using namespace mgws::bench;

#if defined(__CUDACC__) || defined(__HIPCC__)
constexpr auto k_for = mgws::compiled_for::gpus;
using find = find_by_lanes;
#else
constexpr auto k_for = mgws::compiled_for::cpu;
using find = find_by_library;
#endif

template <class Accumulators, class Context, class... Tasks>
using runtime_of =
    mgws::runtime<mgws::task_set<Tasks...>, Accumulators, Context, mgws::no_statistics,
                  mgws::k_gpu_lanes<mgws::task_set<Tasks...>>, k_for>;

/// Loops of each size whose lengths follow each of the patterns.
/// \param one  runs one of them: named(way), n, context(leaf), whether a report is right
template <class One>
void for_loops(const measurement& m, std::initializer_list<const char*> patterns, One&& one) {
  const bool gpu = m.options().devices.front().kind == mgws::device_kind::gpu;
  struct size {
    std::uint32_t n;
    std::uint32_t base;
  };
  // A processor's worker has one lane, a GPU hundreds of thousands.
  for (const size s : {size{gpu ? 1u << 22 : 1u << 16, 1024},
                       size{gpu ? 1u << 19 : 1u << 12, 16384}, size{gpu ? 1u << 22 : 1u << 16, 64}})
    for (const char* const pattern : patterns) {
      const loop_work work{
          .costs = {.pattern = *find_loop_pattern(pattern), .n = s.n, .base = s.base, .grain = 32}};
      const loop_answer answer = answer_of(work);
      one(
          [&](const char* way) {
            return "loop " + std::to_string(s.base) + " " + pattern + ", " + way;
          },
          s.n,
          [&](std::uint32_t leaf) {
            return loop::context{.work = work, .leaf = leaf, .piece = 64};
          },
          [&](const auto& r) { return r.template get<loop::results_sum>() == answer.sum; });
    }
}

template <class Unit>
using loop_runtime = runtime_of<mgws::accumulators<loop::results_sum, loop::instances_run>,
                                loop::context, loop::range<Unit>, Unit>;

void run_loops(measurement& m) {
  using unit = loop::units<mgws::shape::lane>;
  loop_runtime<unit> rt(m.options());
  for_loops(m, {"uniform", "heavy-first", "heavy-last", "every-16th", "random-blocks"},
            [&](auto&& named, std::uint32_t n, auto&& with_leaf, auto&& right) {
              m.run(
                  named("seed_n"), rt, with_leaf(n),
                  [&](auto& of) { of.seed_n(unit{.first = 0}, n); }, right);
              m.run(
                  named("spawned"), rt, with_leaf(n),
                  [&](auto& of) {
                    of.seed(loop::range<unit>{0, n});
                  },
                  right);
            });
}

/// Cut in two until single instances are left, of a lane, or groups of them, of a warp: then what
/// cuts takes another width than what is left, and far less time.
void run_cut_loops(measurement& m) {
  const auto patterns = {"uniform", "heavy-last"};
  const auto cut = [&](auto& rt, const char* way, std::uint32_t instances_of_unit, auto first,
                       std::uint32_t leaf = 1) {
    for_loops(m, patterns, [&](auto&& named, std::uint32_t n, auto&& with_leaf, auto&& right) {
      first.count = n / instances_of_unit;
      m.run(
          named(way), rt, with_leaf(leaf), [&](auto& of) { of.seed(first); }, right);
    });
  };
  using lanes = loop::units<mgws::shape::lane>;
  loop_runtime<lanes> by_lanes(m.options());
  cut(by_lanes, "tree", 1, loop::range<lanes>{});
  using warps = loop::units<mgws::shape::warp>;
  loop_runtime<warps> by_warps(m.options());
  cut(by_warps, "tree of warps", 32, loop::range<warps>{});
  cut(by_warps, "tree of slots of 16 warps", 32, loop::range<warps>{}, 16);
}

/// Batches of articles, and long ones, of which each is a slot of pieces that a task spawns.
template <class Find, mgws::shape Width>
void run_contains(measurement& m, const char* problem) {
  mgws::runtime<contains::tasks<Find, Width>, mgws::accumulators<contains::matches>,
                contains::context, mgws::no_statistics,
                mgws::k_gpu_lanes<contains::tasks<Find, Width>>, k_for>
      rt(m.options());
  const bool gpu = m.options().devices.front().kind == mgws::device_kind::gpu;
  const made_text made(gpu ? 20'000 : 400, gpu ? 1u << 16 : 1u << 12);
  mgws::array<char> text_there(rt, made.text.size() + find_by_lanes::k_padding);
  mgws::array<char> word_there(rt, made.word.size());
  mgws::array<std::uint64_t> offsets_there(rt, made.offsets.size());
  mgws::array<contains::batch> batches_there(rt, made.cut.size());
  text_there.upload(made.text);
  word_there.upload(made.word);
  offsets_there.upload(made.offsets);
  batches_there.upload(made.cut.batches);
  mgws::array<std::uint32_t> found_in(rt, made.offsets.size());
  found_in.upload(std::vector<std::uint32_t>(made.offsets.size()));
  contains::context context{.parts = {},
                            .text = mgws::placed<const char>(text_there.data()),
                            .offsets = offsets_there.data(),
                            .batches = batches_there.data(),
                            .word = needle::of(made.word, word_there.data()),
                            .piece = made.piece,
                            .found_in = found_in.data(),
                            .run = 0};
  m.run(
      problem, rt, context,
      [&](auto& of) {
        ++context.run;
        for (std::uint64_t b = 0; b != made.cut.size(); ++b)
          of.seed_n(contains::search<Find, Width>{b}, 1);
      },
      [&](const auto& r) { return r.template get<contains::matches>() == made.known; });
}

/// By warps, with joins by lanes.
void run_cilksort(measurement& m) {
  runtime_of<mgws::accumulators<>, cilksort::context, cilksort::sort, cilksort::merge,
             cilksort::done, cilksort::merge_halves, cilksort::merge_quarters>
      rt(m.options());
  const bool gpu = m.options().devices.front().kind == mgws::device_kind::gpu;
  std::vector<std::uint32_t> keys(gpu ? 1u << 24 : 1u << 16);
  std::mt19937 random(1);
  std::ranges::generate(keys, random);
  std::vector<std::uint32_t> sorted = keys;
  std::ranges::sort(sorted);
  std::vector<std::uint32_t> found(keys.size());
  mgws::array<std::uint32_t> data(rt, keys.size());
  const mgws::array<std::uint32_t> buffer(rt, keys.size());
  m.run(
      "cilksort", rt, cilksort::context{data.data(), buffer.data(), 64, cilksort::k_tile},
      [&](auto& of) {
        data.upload(keys);
        of.seed(cilksort::sort{{{0, static_cast<std::uint32_t>(keys.size())}}, {}});
      },
      [&](const auto& /*r*/) {
        data.download(found);
        return found == sorted;
      });
}

/// Branch and bound: each task goes on by itself for longer or shorter.
void run_knapsack(measurement& m) {
  runtime_of<mgws::accumulators<knapsack::nodes>, knapsack::context,
             knapsack::decide<mgws::shape::lane>>
      rt(m.options());
  constexpr std::uint32_t items = 80;
  const auto given = knapsack::make_instance("strongly", items, 10'000, 2);
  const std::uint64_t known = knapsack::optimum(given);
  std::vector<std::uint64_t> weights(items + 1);
  std::vector<std::uint64_t> values(items + 1);
  for (std::size_t i = 0; i != items; ++i) {
    weights[i + 1] = weights[i] + given.items[i].weight;
    values[i + 1] = values[i] + given.items[i].value;
  }
  mgws::array<std::uint64_t> weights_there(rt, weights.size());
  mgws::array<std::uint64_t> values_there(rt, values.size());
  weights_there.upload(weights);
  values_there.upload(values);
  knapsack::heaviest best(rt.data_places());
  mgws::bench::first_begin began(rt.data_places());
  m.run(
      "knapsack", rt,
      knapsack::context{.best = best.on(0),
                        .began = began.on(0),
                        .weights = weights_there.data(),
                        .values = values_there.data(),
                        .n = items},
      [&](auto& of) {
        best.reset();
        of.seed(knapsack::decide<mgws::shape::lane>{
            .taken = {}, .room = given.capacity, .value = 0, .level = 0});
      },
      [&](const auto& /*r*/) { return best.value() == known; });
}

/// Tasks of many priorities: shortest paths without phases.
template <mgws::shape Width>
void run_relaxations(measurement& m, const char* problem) {
  runtime_of<mgws::accumulators<dijkstra::relaxed, dijkstra::phases>, dijkstra::context,
             dijkstra::reach<Width>, dijkstra::start_reaching<Width>>
      rt(m.options());
  const bool gpu = m.options().devices.front().kind == mgws::device_kind::gpu;
  const std::uint32_t nodes = gpu ? 1u << 20 : 1u << 13;
  const auto graph = dijkstra::make_graph("random", nodes, 8, 255, 1);
  const std::vector<std::uint32_t> known = dijkstra::distances(graph);
  std::vector<std::uint32_t> found(nodes);
  mgws::array<std::uint64_t> begin(rt, graph.begin.size());
  mgws::array<dijkstra::edge> edges(rt, graph.edges.size());
  mgws::array<std::uint32_t> distances(rt, nodes);
  mgws::array<std::uint32_t> awaited(rt, nodes);
  begin.upload(graph.begin);
  edges.upload(graph.edges);
  m.run(
      problem, rt,
      dijkstra::context{.begin = begin.data(),
                        .edges = edges.data(),
                        .distances = distances.data(),
                        .awaited = awaited.data(),
                        .lists = nullptr,
                        .counts = nullptr,
                        .nodes = nodes,
                        .delta = 64,
                        .buckets = 0,
                        .tasks = dijkstra::which::priority},
      [&](auto& of) {
        distances.fill(0xff);
        awaited.fill(0xff);
        of.seed(dijkstra::start_reaching<Width>{});
      },
      [&](const auto& /*r*/) {
        distances.download(found);
        return found == known;
      });
}

/// Block tasks that read more than they compute, of unequal length and with nothing to do for most.
void run_md(measurement& m) {
  using task = md::some_atoms<mgws::shape::block>;
  using results = mgws::accumulators<md::atoms_done, md::neighbours_met>;
  runtime_of<results, md::context, task> rt(m.options());
  const bool gpu = m.options().devices.front().kind == mgws::device_kind::gpu;
  const auto forces = [&](const char* problem, const char* density, const char* pattern) {
    md::choice chosen;
    chosen.atoms = gpu ? 1u << 18 : 1u << 12;
    chosen.density = density;
    chosen.pattern = pattern;
    const md::atom_system system = md::atom_system::make(chosen);
    const md::md_check check(system.targets, chosen.cutoff);
    mgws::array<md::atom> atoms(rt, system.atoms.size());
    mgws::array<std::uint32_t> begin(rt, system.begin.size());
    mgws::array<md::atom> targets(rt, system.targets.size());
    mgws::array<md::pull> pulls(rt, system.targets.size());
    atoms.upload(system.atoms);
    begin.upload(system.begin);
    targets.upload(system.targets);
    std::vector<md::pull> found(system.targets.size());
    m.run(
        problem, rt,
        md::context{.all = system.seen_by(atoms.data(), begin.data()),
                    .targets = targets.data(),
                    .pulls = pulls.data(),
                    .atoms = static_cast<std::uint32_t>(chosen.atoms),
                    .grain = static_cast<std::uint32_t>(chosen.grain)},
        [&](auto& of) {
          pulls.fill(0xff);
          of.seed_n(task{0}, static_cast<std::uint32_t>(chosen.tasks()));
        },
        [&](const auto& r) {
          pulls.download(found);
          return check.of(found, r.template get<md::neighbours_met>()).fault.empty();
        });
  };
  forces("md", "gaussian", "P0");
  forces("md P4", "uniform", "P4");
}

void run_uts(measurement& m) {
  using task = uts::children_of<uts::portable_sha1>;
  runtime_of<mgws::accumulators<uts::nodes, uts::leaves, uts::deepest>, uts::tree, task> rt(
      m.options());
  for (const char* const name : {"T1", "T3"}) {
    const auto* const known = uts::find_named_tree(name);
    const uts::tree_tables tables(known->parameters);
    mgws::array<std::uint32_t> words(rt, tables.words().size());
    words.upload(tables.words());
    const uts::node root = tables.view().root();
    m.run(
        std::string("uts ") + name, rt, tables.view(words.data()),
        [&](auto& of) { of.seed_n(task{root}, tables.view().children(root)); },
        [&](const auto& r) { return r.template get<uts::nodes>() + 1 == known->nodes; });
  }
}

/// One slot of very many instances that each store a number.
void run_memset(measurement& m) {
  using task = memset::store_range<false>;
  runtime_of<mgws::accumulators<>, memset::context, task> rt(m.options());
  const bool gpu = m.options().devices.front().kind == mgws::device_kind::gpu;
  const std::uint32_t n = gpu ? 1u << 24 : 1u << 20;
  mgws::array<std::uint64_t> data(rt, n);
  std::vector<std::uint64_t> found(n);
  m.run(
      "memset in bulk", rt, memset::context{.data = mgws::placed<std::uint64_t>(data.data())},
      [&](auto& of) {
        data.fill(0xff);
        of.seed_n(task{0}, n);
      },
      [&](const auto& /*results*/) {
        data.download(found);
        for (std::uint64_t i = 0; i != n; ++i)
          if (found[i] != i) return false;
        return true;
      });
}

void run_spawn_tree(measurement& m) {
  using task = spawn_tree::branch<mgws::shape::lane>;
  runtime_of<mgws::accumulators<spawn_tree::visited>, spawn_tree::context, task> rt(m.options());
  const bool gpu = m.options().devices.front().kind == mgws::device_kind::gpu;
  const std::uint32_t depth = gpu ? 24 : 18;
  m.run(
      "spawn-tree", rt, spawn_tree::context{.fanout = 2}, [&](auto& of) { of.seed(task{depth}); },
      [&](const auto& r) {
        return r.template get<spawn_tree::visited>() == (std::uint64_t{2} << depth) - 1;
      });
}

}  // namespace

int main(int argc, char** argv) {
  return mgws::bench::ablate("mgws-ablation", argc, argv, [](measurement& m) {
    run_loops(m);
    run_cut_loops(m);
    run_contains<find, mgws::shape::warp>(m, "contains by warps");
    run_contains<find, mgws::shape::block>(m, "contains by blocks");
    run_cilksort(m);
    run_knapsack(m);
    run_relaxations<mgws::shape::lane>(m, "relaxations");
    run_relaxations<mgws::shape::warp>(m, "relaxations by warps");
    run_md(m);
    run_uts(m);
    run_memset(m);
    run_spawn_tree(m);
  });
}
