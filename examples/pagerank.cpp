// PageRank: how much each vertex of a graph counts, by rounds of one run. A finish sums up what a
// round has changed, and its task decides by that whether there is another one.
#include "pagerank.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <mgws/mgws.hpp>

struct context {
  std::uint32_t vertices;
  const std::uint64_t* begin;
  const vertex* neighbours;
  double* shares[2];  // what each vertex gives to a neighbour: of this round, and of the next
  double* ranks;
};

struct change : mgws::sum<double> {};    // of all ranks
struct dangling : mgws::sum<double> {};  // ranks of vertices without a neighbour: everybody's
struct rounds : mgws::sum<std::uint32_t> {};

struct update {
  std::uint32_t round;
  double of_all;  // what each vertex has besides what it is given
  MGWS_FN void operator()(auto& worker, mgws::task_index v, mgws::task_index end) const {
    const context c = worker.context();
    const double* shares = c.shares[round % 2];
    double* of_next = c.shares[(round + 1) % 2];
    double changed = 0, left = 0;
    for (; v != end; ++v) {
      double given = 0;
      for (std::uint64_t e = c.begin[v]; e != c.begin[v + 1]; ++e)
        given += shares[c.neighbours[e]];
      const double rank = of_all + k_damping * given;
      const auto degree = static_cast<double>(c.begin[v + 1] - c.begin[v]);
      if (degree == 0) left += rank;
      changed += std::abs(rank - c.ranks[v]);
      c.ranks[v] = rank;
      of_next[v] = degree == 0 ? 0 : rank / degree;
    }
    worker.contribute(change{}, changed);
    worker.contribute(dangling{}, left);
  }
};
struct next_round {
  static constexpr bool after_finish = true;
  std::uint32_t round;
  mgws::accumulators<change, dangling> gathered{};
  MGWS_FN void operator()(auto& worker) const {
    if (gathered.get<change>() > k_tolerance)
      begin(worker, round + 1, gathered.get<dangling>());
    else
      worker.accumulate(rounds{}, round + 1);
  }
  MGWS_FN static void begin(auto& worker, std::uint32_t round, double of_dangling) {
    const std::uint32_t n = worker.context().vertices;
    worker.finish_n(next_round{round}, update{round, of_each(of_dangling, n)}, n);
  }
};
struct start {
  double of_dangling;
  MGWS_FN void operator()(auto& worker) const { next_round::begin(worker, 0, of_dangling); }
};

int main(int argc, char** argv) {
  const unsigned long scale = argc > 1 ? std::stoul(argv[1]) : 16;
  const graph g = make_rmat(static_cast<unsigned>(scale), std::uint64_t{8} << scale);
  const vertex n = g.vertices();
  const ranking first = all_alike(g);

  mgws::options o;
  std::string why;
  if (!mgws::gpu_names(why).empty()) o.devices = {{.kind = mgws::device_kind::gpu}};
  mgws::runtime<mgws::task_set<start, update, next_round>, mgws::accumulators<rounds>, context> rt(
      o);
  mgws::array<std::uint64_t> begin(rt, n + 1);
  mgws::array<vertex> neighbours(rt, g.neighbours.size());
  mgws::array<double> shares(rt, n), others(rt, n), ranks(rt, n);
  begin.upload(g.begin);
  neighbours.upload(g.neighbours);
  shares.upload(first.shares);
  ranks.upload(first.ranks);

  rt.seed(start{first.dangling});
  const auto report =
      rt.run({n, begin.data(), neighbours.data(), {shares.data(), others.data()}, ranks.data()});
  std::vector<double> found(n);
  ranks.download(found);

  const bool right = alike(found, pagerank(g));
  std::printf("%zu edges, %u rounds, %.4f s: %s\n", g.neighbours.size(), report.get<rounds>(),
              report.seconds, right ? "right" : "WRONG");
  return right ? 0 : 1;
}
