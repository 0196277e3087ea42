// Counts the triangles and the cliques of four vertices of a graph: a task an edge, whose ends may
// have few common neighbours or thousands.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <mgws/mgws.hpp>

#include "rmat.hpp"

struct triangles : mgws::sum<std::uint64_t> {};
struct fours : mgws::sum<std::uint64_t> {};
struct context {
  const std::uint64_t* begin;
  const vertex* neighbours;  // larger ones alone: each clique is then found once, in its order
  const vertex* from;        // of each of those edges
};

struct count_edge {
  MGWS_FN void operator()(auto& worker, mgws::task_index edge) const {
    const context& c = worker.context();
    const list a(c, c.from[edge]);
    const list b(c, c.neighbours[edge]);
    common(a, b, [&](list in_a, list in_b, vertex v) {
      worker.accumulate(triangles{}, 1);
      common(in_a, list(c, v),
             [&](list, list, vertex w) { worker.accumulate(fours{}, in_b.skip_to(w) ? 1 : 0); });
    });
  }

 private:
  struct list {
    const vertex* at;
    const vertex* end;
    MGWS_FN list(const context& c, vertex v)
        : at(c.neighbours + c.begin[v]), end(c.neighbours + c.begin[v + 1]) {}
    // To the first that is not smaller; whether it is v.
    MGWS_FN bool skip_to(vertex v) {
      while (at != end && *at < v)
        ++at;
      return at != end && *at == v;
    }
  };
  // Calls f for each vertex of both, with what stands behind it in each.
  MGWS_FN static void common(list a, list b, auto&& f) {
    for (; a.at != a.end && b.at != b.end; ++a.at)
      if (b.skip_to(*a.at)) f(a, b, *a.at);
  }
};

int main(int argc, char** argv) {
  const unsigned long scale = argc > 1 ? std::stoul(argv[1]) : 13;
  const graph g = upwards(make_rmat(static_cast<unsigned>(scale), std::uint64_t{8} << scale));
  const std::vector<vertex> sources = sources_of(g);

  mgws::options o;
  std::string why;
  if (!mgws::gpu_names(why).empty()) o.devices = {{.kind = mgws::device_kind::gpu}};
  mgws::runtime<mgws::task_set<count_edge>, mgws::accumulators<triangles, fours>, context> rt(o);
  mgws::array<std::uint64_t> begin(rt, g.begin.size());
  mgws::array<vertex> neighbours(rt, sources.size()), from(rt, sources.size());
  begin.upload(g.begin);
  neighbours.upload(g.neighbours);
  from.upload(sources);
  rt.seed_n(count_edge{}, sources.size());
  const auto report = rt.run({begin.data(), neighbours.data(), from.data()});

  // By one thread, with the common neighbours of each edge in a list.
  std::uint64_t three = 0;
  std::uint64_t four = 0;
  const auto larger = [&](vertex v) {
    return std::span(g.neighbours).subspan(g.begin[v], g.begin[v + 1] - g.begin[v]);
  };
  for (std::size_t e = 0; e != sources.size(); ++e) {
    std::vector<vertex> both;
    std::ranges::set_intersection(larger(sources[e]), larger(g.neighbours[e]),
                                  std::back_inserter(both));
    three += both.size();
    for (const vertex v : both) {
      std::vector<vertex> all;
      std::ranges::set_intersection(both, larger(v), std::back_inserter(all));
      four += all.size();
    }
  }
  const bool right = report.get<triangles>() == three && report.get<fours>() == four;
  std::printf("%zu edges, %llu triangles, %llu cliques of four, %.4f s: %s\n", sources.size(),
              static_cast<unsigned long long>(three), static_cast<unsigned long long>(four),
              report.seconds, right ? "right" : "WRONG");
  return right ? 0 : 1;
}
