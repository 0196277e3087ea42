// Breadth-first search by levels: a run a level, whose tasks put what nobody has reached before
// into the next one. What several tasks write are atomics.
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <mgws/mgws.hpp>

#include "rmat.hpp"

constexpr vertex k_none = ~vertex{0};

struct context {
  const std::uint64_t* begin;
  const vertex* neighbours;
  vertex* level;
  const vertex* frontier;
  vertex* next;
  vertex* count;  // of the next ones
  vertex number;  // of their level
};

// Neighbours of a vertex from one on, at most k_most of them: a hub's are tasks of their own.
struct visit {
  static constexpr std::uint64_t k_most = 256;
  MGWS_FN static void neighbours(const context& c, std::uint64_t first, std::uint64_t end) {
    // All tasks want places in the next level: some are taken at once.
    constexpr vertex most = 32;
    vertex found[most], n = 0;
    for (std::uint64_t e = first; e != end; ++e) {
      const vertex w = c.neighbours[e];
      mgws::atomic_ref reached(c.level[w]);
      vertex expected = k_none;
      if (reached.load() == k_none && reached.compare_exchange_strong(expected, c.number))
        found[n++] = w;
      if (n != most && (n == 0 || e + 1 != end)) continue;
      const vertex at = mgws::atomic_ref(*c.count).fetch_add(n);
      for (vertex i = 0; i != n; ++i)
        c.next[at + i] = found[i];
      n = 0;
    }
  }
};
struct visit_hub : visit {
  vertex v;
  MGWS_FN void operator()(auto& worker, mgws::task_index i) const {
    const context& c = worker.context();
    const std::uint64_t first = c.begin[v] + i * k_most;
    const std::uint64_t end = first + k_most < c.begin[v + 1] ? first + k_most : c.begin[v + 1];
    neighbours(c, first, end);
  }
};
struct visit_level : visit {
  MGWS_FN void operator()(auto& worker, mgws::task_index i) const {
    const context& c = worker.context();
    const vertex v = c.frontier[i];
    const std::uint64_t degree = c.begin[v + 1] - c.begin[v];
    if (degree <= k_most) return neighbours(c, c.begin[v], c.begin[v + 1]);
    worker.spawn_n(visit_hub{{}, v}, (degree + k_most - 1) / k_most);
  }
};

int main(int argc, char** argv) {
  const unsigned long scale = argc > 1 ? std::stoul(argv[1]) : 16;
  const graph g = make_rmat(static_cast<unsigned>(scale), std::uint64_t{8} << scale);
  const vertex n = g.vertices();

  mgws::options o;
  std::string why;
  if (!mgws::gpu_names(why).empty()) o.devices = {{.kind = mgws::device_kind::gpu}};
  mgws::runtime<mgws::task_set<visit_level, visit_hub>, mgws::accumulators<>, context> rt(o);
  mgws::array<std::uint64_t> begin(rt, n + 1);
  mgws::array<vertex> neighbours(rt, g.neighbours.size());
  mgws::array<vertex> level(rt, n), frontier(rt, n), next(rt, n), count(rt, 1);
  begin.upload(g.begin);
  neighbours.upload(g.neighbours);
  level.fill(0xff);
  const vertex root = 0;
  const vertex zero = 0;
  level.upload({&zero, 1});
  frontier.upload({&root, 1});

  double seconds = 0;
  vertex levels = 0;
  for (vertex found = 1; found != 0; ++levels) {
    count.fill(0);
    rt.seed_n(visit_level{}, found);
    seconds += rt.run({begin.data(), neighbours.data(), level.data(), frontier.data(), next.data(),
                       count.data(), levels + 1})
                   .seconds;
    count.download({&found, 1});
    std::swap(frontier, next);
  }
  std::vector<vertex> found(n);
  level.download(found);

  std::vector<vertex> expected(n, k_none);
  std::vector<vertex> queue{root};
  expected[root] = 0;
  for (std::size_t i = 0; i != queue.size(); ++i)
    for (std::uint64_t e = g.begin[queue[i]]; e != g.begin[queue[i] + 1]; ++e)
      if (const vertex w = g.neighbours[e]; expected[w] == k_none) {
        expected[w] = expected[queue[i]] + 1;
        queue.push_back(w);
      }
  std::printf("%zu of %u vertices in %u levels, %.4f s: %s\n", queue.size(), n, levels, seconds,
              found == expected ? "right" : "WRONG");
  return found == expected ? 0 : 1;
}
