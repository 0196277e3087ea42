// Connected components of a graph: trees towards the smallest vertex, which all tasks join with
// each other by compare-and-exchange.
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include <mgws/mgws.hpp>

#include "rmat.hpp"

struct context {
  const std::uint64_t* begin;
  const vertex* neighbours;
  vertex* parent;
};

MGWS_FN inline vertex root_of(const context& c, vertex v) {
  for (;;) {
    const vertex up = mgws::atomic_ref(c.parent[v]).load();
    if (up == v) return v;
    // Half of the way the next time. It is only ever replaced by one nearer to the root.
    const vertex above = mgws::atomic_ref(c.parent[up]).load();
    if (above != up) mgws::atomic_ref(c.parent[v]).fetch_min(above);
    v = up;
  }
}

// An instance a vertex: joins its tree with those of its neighbours.
struct unite {
  MGWS_FN void operator()(auto& worker, mgws::task_index v) const {
    const context& c = worker.context();
    for (std::uint64_t e = c.begin[v]; e != c.begin[v + 1] && c.neighbours[e] < v; ++e) {
      vertex a = root_of(c, v);
      vertex b = root_of(c, c.neighbours[e]);
      while (a != b) {
        if (a < b) {
          const vertex larger = b;
          b = a;
          a = larger;
        }
        // The larger root gets the smaller one as its parent, if it still is a root.
        vertex seen = a;
        if (mgws::atomic_ref(c.parent[a]).compare_exchange_strong(seen, b)) break;
        a = root_of(c, seen);
        b = root_of(c, b);
      }
    }
  }
};
// Afterwards, in a run of its own: each vertex learns its root.
struct flatten {
  MGWS_FN void operator()(auto& worker, mgws::task_index v) const {
    const context& c = worker.context();
    mgws::atomic_ref(c.parent[v]).store(root_of(c, v));
  }
};

int main(int argc, char** argv) {
  const auto scale = argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 16;
  const graph g = make_rmat(scale, std::uint64_t{2} << scale);
  const vertex n = g.vertices();

  mgws::options o;
  std::string why;
  if (!mgws::gpu_names(why).empty()) o.devices = {{.kind = mgws::device_kind::gpu}};
  mgws::runtime<mgws::task_set<unite, flatten>, mgws::accumulators<>, context> rt(o);
  mgws::array<std::uint64_t> begin(rt, n + 1);
  mgws::array<vertex> neighbours(rt, g.neighbours.size()), parent(rt, n);
  begin.upload(g.begin);
  neighbours.upload(g.neighbours);
  std::vector<vertex> found(n);
  std::iota(found.begin(), found.end(), vertex{0});
  parent.upload(found);
  const context c{begin.data(), neighbours.data(), parent.data()};
  rt.seed_n(unite{}, n);
  double seconds = rt.run(c).seconds;
  rt.seed_n(flatten{}, n);
  seconds += rt.run(c).seconds;
  parent.download(found);

  // By one thread: everything that the smallest vertex of a component reaches.
  std::vector<vertex> expected(n, n);
  vertex components = 0;
  for (vertex v = 0; v != n; ++v) {
    if (expected[v] != n) continue;
    ++components;
    expected[v] = v;
    for (std::vector<vertex> stack{v}; !stack.empty();) {
      const vertex at = stack.back();
      stack.pop_back();
      for (std::uint64_t e = g.begin[at]; e != g.begin[at + 1]; ++e)
        if (const vertex w = g.neighbours[e]; expected[w] == n) {
          expected[w] = v;
          stack.push_back(w);
        }
    }
  }
  std::printf("%u components of %u vertices, %.4f s: %s\n", components, n, seconds,
              found == expected ? "right" : "WRONG");
  return found == expected ? 0 : 1;
}
