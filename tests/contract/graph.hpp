/// \file
/// Graphs whose nodes each make a value of those that precede them, as plain data, and look whether
/// it is their turn. The same source for the tests of CPU and GPU workers.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <mgws/mgws.hpp>

namespace graphs {

/// Ordinary tasks that nodes spawned; what was wrong, as the largest of the faults below.
struct spawned : mgws::sum<std::uint64_t> {};
struct wrong : mgws::maximum<std::uint32_t> {};
using results = mgws::accumulators<spawned, wrong>;

enum fault : std::uint32_t {
  wrong_type = 1,
  ran_twice,
  too_early,
};

struct context {
  const std::uint32_t* begin;   ///< of a node's predecessors, n + 1
  const std::uint32_t* before;  ///< all of them
  std::uint32_t* ran;           ///< in which round a node ran last
  std::uint64_t* values;        ///< plain; of each lane of a node its own, k_lanes a node
  std::uint32_t* rounds;        ///< one word, which only a task without any beside it changes
  std::uint32_t repeats;
};

/// Words a node that its lanes share; more lanes leave theirs to others.
inline constexpr std::uint32_t k_lanes = 4;

MGWS_FN inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}
/// What a node makes of its predecessors' words, in whatever order they come.
MGWS_FN inline std::uint64_t word_of(std::uint32_t node, std::uint32_t word, std::uint32_t round,
                                     std::uint64_t sum) {
  return mixed(sum + (std::uint64_t{node} << 24 | std::uint64_t{word} << 16 | round));
}

struct extra {
  MGWS_FN void operator()(auto& worker) const { worker.accumulate(spawned{}, 1); }
};

/// \tparam Kind  so that a graph has several types
template <mgws::shape Width, int Kind>
struct step {
  static constexpr auto width = Width;
  std::uint32_t number;
  std::uint32_t kind;
  std::uint32_t unused[Kind];  ///< no two of one size

  MGWS_FN void operator()(auto& worker) const {
    const context& c = worker.context();
    const std::uint32_t round = *c.rounds;
    if (kind != Kind) worker.accumulate(wrong{}, wrong_type);
    bool early = false;
    for (std::uint32_t word = worker.lane(); word < k_lanes; word += worker.lanes()) {
      std::uint64_t sum = 0;
      for (std::uint32_t i = c.begin[number]; i != c.begin[number + 1]; ++i) {
        const std::uint32_t p = c.before[i];
        early = early || mgws::atomic_ref(c.ran[p]).load() != round;
        sum += c.values[p * k_lanes + word];
      }
      c.values[number * k_lanes + word] = word_of(number, word, round, sum);
    }
    if (worker.any(early)) worker.accumulate(wrong{}, too_early);
    if (worker.lane() != worker.lanes() - 1) return;
    if (mgws::atomic_ref(c.ran[number]).exchange(round) == round)
      worker.accumulate(wrong{}, ran_twice);
    if (number % 3 == 0) worker.spawn(extra{});
  }
};

/// Runs a graph several times below a finish each, in one run.
template <class Graph>
struct rounds {
  static constexpr bool after_finish = true;
  typename Graph::handle of;
  std::uint32_t left;

  struct begin {
    typename Graph::handle of;
    MGWS_FN void operator()(auto& worker) const { of.start(worker); }
  };
  MGWS_FN void operator()(auto& worker) const {
    if (left == 0) return;
    ++*worker.context().rounds;
    worker.finish(rounds{of, left - 1}, begin{of});
  }
};

/// Pairs of nodes, the first before the second.
struct shape_of_graph {
  std::uint32_t nodes;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
};

inline shape_of_graph chain(std::uint32_t n) {
  shape_of_graph g{n, {}};
  for (std::uint32_t i = 1; i < n; ++i)
    g.pairs.emplace_back(i - 1, i);
  return g;
}
/// One, then `width`, then one, and so on.
inline shape_of_graph diamonds(std::uint32_t n, std::uint32_t width) {
  shape_of_graph g{1, {}};
  for (std::uint32_t d = 0; d != n; ++d) {
    const std::uint32_t top = g.nodes - 1;
    const std::uint32_t bottom = top + width + 1;
    for (std::uint32_t i = top + 1; i != bottom; ++i) {
      g.pairs.emplace_back(top, i);
      g.pairs.emplace_back(i, bottom);
    }
    g.nodes = bottom + 1;
  }
  return g;
}
/// Each pair goes up in a random order of the nodes, and may be there twice.
inline shape_of_graph random_graph(std::uint32_t n, std::uint32_t pairs, std::uint64_t seed) {
  shape_of_graph g{n, {}};
  std::uint64_t state = seed;
  const auto next = [&](std::uint32_t below) {
    state += 0x9e3779b97f4a7c15u;
    return static_cast<std::uint32_t>(mixed(state) % below);
  };
  std::vector<std::uint32_t> order(n);
  for (std::uint32_t i = 0; i != n; ++i)
    std::swap(order[i] = i, order[next(i + 1)]);
  for (std::uint32_t i = 0; i != pairs; ++i) {
    const std::uint32_t a = next(n);
    const std::uint32_t b = next(n);
    if (a != b) g.pairs.emplace_back(order[a < b ? a : b], order[a < b ? b : a]);
  }
  return g;
}

/// Each node's words after a round, by one thread.
inline std::vector<std::uint64_t> expected(const shape_of_graph& g, std::uint32_t round) {
  std::vector<std::vector<std::uint32_t>> after(g.nodes);
  std::vector<std::uint32_t> left(g.nodes);
  for (const auto& [a, b] : g.pairs) {
    after[a].push_back(b);
    ++left[b];
  }
  std::vector<std::uint64_t> values(std::size_t{g.nodes} * k_lanes);
  std::vector<std::uint32_t> ready;
  for (std::uint32_t i = 0; i != g.nodes; ++i)
    if (left[i] == 0) ready.push_back(i);
  for (std::size_t r = 0; r != ready.size(); ++r) {
    const std::uint32_t at = ready[r];
    for (std::uint32_t word = 0; word != k_lanes; ++word) {
      const std::uint64_t v = word_of(at, word, round, values[at * k_lanes + word]);
      values[at * k_lanes + word] = v;
      for (const std::uint32_t next : after[at])
        values[next * k_lanes + word] += v;
    }
    for (const std::uint32_t next : after[at])
      if (--left[next] == 0) ready.push_back(next);
  }
  return values;
}

/// What is wrong with a graph that runs three times by itself, and then three times in one run;
/// empty if nothing is.
/// \tparam First, Second  widths of its nodes' two types
/// \tparam Runtime        Runtime<tasks, accumulators, context>
template <mgws::shape First, mgws::shape Second, template <class, class, class> class Runtime>
std::string fault_at(const mgws::options& o, const shape_of_graph& g) {
  using steps = mgws::graph<step<First, 1>, step<Second, 2>>;
  using again = rounds<steps>;
  typename steps::builder plan;
  std::vector<std::vector<std::uint32_t>> before(g.nodes);
  for (std::uint32_t i = 0; i != g.nodes; ++i) {
    const bool second = i % 5 < 2;
    const mgws::node_id n =
        second ? plan.add(step<Second, 2>{i, 2, {}}) : plan.add(step<First, 1>{i, 1, {}});
    if (n != i) return "nodes are not numbered in order";
  }
  for (const auto& [a, b] : g.pairs) {
    plan.precede(a, b);
    before[b].push_back(a);
  }

  using tasks = typename steps::template tasks_with<extra, again, typename again::begin>;
  Runtime<tasks, results, context> rt{o};
  steps all(rt.data_places(), plan);
  if (all.size() != g.nodes) return "wrong size";
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> flat;
  for (const auto& of : before) {
    flat.insert(flat.end(), of.begin(), of.end());
    begin.push_back(static_cast<std::uint32_t>(flat.size()));
  }
  mgws::array<std::uint32_t> begins(rt, begin.size()), befores(rt, flat.size()), ran(rt, g.nodes),
      round(rt, 1);
  mgws::array<std::uint64_t> values(rt, std::size_t{g.nodes} * k_lanes);
  begins.upload(begin);
  befores.upload(flat);
  ran.fill(0);
  values.fill(0);
  round.fill(0);
  const context c{begins.data(), befores.data(), ran.data(), values.data(), round.data(), 0};

  const std::uint32_t extras = (g.nodes + 2) / 3;
  std::vector<std::uint64_t> found(values.size());
  const auto fault_of = [&](const auto& r, std::uint32_t now, std::uint32_t times,
                            std::uint64_t others) -> std::string {
    if (const std::uint32_t w = r.template get<wrong>(); w != 0 && w < 4)
      return "a node saw fault " + std::to_string(w);
    if (r.template get<spawned>() != std::uint64_t{times} * extras) return "extra tasks";
    if (r.tasks != std::uint64_t{times} * (g.nodes + extras) + others) return "number of tasks";
    values.download(found);
    return found == expected(g, now) ? "" : "values";
  };
  std::uint32_t now = 0;
  for (int run = 0; run != 3; ++run) {
    ++now;
    round.upload({&now, 1});
    all.seed(rt);
    if (const std::string f = fault_of(rt.run(c), now, 1, 0); !f.empty())
      return f + " in run " + std::to_string(run);
  }
  rt.seed(again{all.in_tasks(), 3});
  now += 3;
  const std::string f = fault_of(rt.run(c), now, 3, 3 + 4);
  return f.empty() ? "" : f + " in three rounds of one run";
}

}  // namespace graphs
