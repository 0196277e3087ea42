// The search for a largest clique by the lanes of a warp, on lanes that are threads: with one lane,
// as on a CPU, each has all words of a set.
#include <cstdint>
#include <memory>
#include <string>

#include <mgws/core/task_set.hpp>
#include <mgws/memory.hpp>
#include <mgws/placement.hpp>

#include "../core/lanes_world.hpp"
#include "catch.hpp"
#include "clique/graph.hpp"
#include "workloads/clique_by_warp.hpp"

namespace {

namespace clique = mgws::bench::clique;
using namespace lanes_on_threads;
using task = clique::search_below<4>;
using results = mgws::accumulators<clique::nodes>;

/// Vertices of the largest clique that two workers find, which is one.
/// \param gives  whether the search is so deep or long that it gives others something
template <class B>
std::uint32_t largest_by(const clique::graph& g, bool gives) {
  const auto memory = std::make_shared<mgws::host_memory>();
  const mgws::data_places here{.devices = {memory}, .host = memory};
  clique::largest best(here);
  mgws::bench::first_begin began(here);
  best.reset(0);
  began.reset();
  world<B, mgws::task_set<task>, results, clique::context> w({.local = 16, .spill = 256});
  task root{};
  for (std::uint32_t v = 0; v != g.vertices(); ++v)
    root.candidates.add(v);
  w.seed(root);
  const auto o = w.run(k_counter, {.best = best.on(0),
                                   .began = began.on(0),
                                   .rows = g.rows().data(),
                                   .words = g.words(),
                                   .start = 0,
                                   .shared = true});
  CHECK(o.failed == mgws::failure::none);
  CHECK((o.executed > 1) == gives);
  const auto witness = best.witness();
  REQUIRE(witness);
  std::uint32_t members = 0;
  for (std::uint32_t a = 0; a != g.vertices(); ++a) {
    if ((witness->all.bits[a / 64] >> a % 64 & 1) == 0) continue;
    ++members;
    for (std::uint32_t b = 0; b != a; ++b)
      if ((witness->all.bits[b / 64] >> b % 64 & 1) != 0) REQUIRE(g.joined(a, b));
  }
  CHECK(members == best.value());
  return best.value();
}

}  // namespace

TEST_CASE("clique: the lanes of a warp find what one thread finds") {
  struct choice {
    std::string name;
    clique::graph of;
    bool gives;
  };
  const choice choices[] = {
      {"G(40, 0.5)", clique::random_graph(40, 0.5, 1), false},
      {"G(70, 0.75)", clique::random_graph(70, 0.75, 2), true},
      {"G(30, 0.9)", clique::random_graph(30, 0.9, 3), false},
      // Deeper than what a task keeps at a time.
      {"hamming6-2", clique::make_named("hamming6-2").of, true},
      {"johnson8-2-4", clique::make_named("johnson8-2-4").of, false},
  };
  for (const choice& c : choices) {
    INFO(c.name);
    const clique::graph g = c.of.ordered();
    const std::uint32_t expected = clique::search(g).size;
    CHECK(largest_by<one_warp>(g, c.gives) == expected);
    CHECK(largest_by<four>(g, c.gives) == expected);
  }
}
