// mgws::graph: each node runs once, after all that precede it; and what is said of graphs that
// cannot be run.
#include "graph.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "behaviour.hpp"
#include "catch.hpp"

namespace {

using contract::domains;
using contract::groups_of;
using contract::runtime_of;
using contract::together;

const std::vector<std::vector<std::uint32_t>> k_groups{{1}, {2}, {5}, {2, 1}, {1, 1, 1, 1}};

template <mgws::shape First, mgws::shape Second>
void check(const graphs::shape_of_graph& g) {
  for (const auto& groups : k_groups) {
    INFO(g.nodes << " nodes, " << groups.size() << " devices, the first with " << groups[0]);
    REQUIRE(graphs::fault_at<First, Second, runtime_of>(groups_of(groups), g) == "");
  }
}

/// A node that only counts.
struct plain {
  MGWS_FN void operator()(auto& worker) const { worker.accumulate(contract::count{}, 1); }
};
/// One that counts after a while, in which others may ask for work.
struct slow {
  MGWS_FN void operator()(auto& worker) const { contract::takes{200}(worker); }
};
/// One that counts for another number.
struct tenfold {
  MGWS_FN void operator()(auto& worker) const { worker.accumulate(contract::count{}, 10); }
};
/// Of a run that fails, or does not: how many nodes have ended.
struct trouble {
  bool fail;
  std::uint32_t* ended;
};
struct fails {
  MGWS_FN void operator()(auto& worker) const {
    mgws::atomic_ref(*worker.context().ended).fetch_add(1);
    if (!worker.context().fail) return;
    worker.fail(7);
    while (!worker.stopping()) {
    }
  }
};
struct counts_all {
  MGWS_FN void operator()(auto& worker) const {
    worker.accumulate(contract::count{}, mgws::atomic_ref(*worker.context().ended).load());
  }
};

template <class Error, class F>
void refused(F&& f, const std::string& about) {
  CHECK(contract::throws<Error>(f, [&](const auto& e) {
    INFO(e.what());
    CHECK(contract::is_one_sentence_about(e.what(), about));
  }));
}

}  // namespace

TEST_CASE("graph: chains, diamonds and random graphs, each node once and in its turn") {
  using mgws::shape;
  check<shape::lane, shape::lane>({1, {}});
  check<shape::lane, shape::lane>({1000, {}});
  check<shape::lane, shape::lane>(graphs::chain(3000));
  check<shape::lane, shape::lane>(graphs::diamonds(100, 30));
  check<shape::block, shape::warp>(graphs::diamonds(300, 2));
  for (std::uint64_t seed = 1; seed != 6; ++seed) {
    check<shape::lane, shape::lane>(graphs::random_graph(2000, 1500, seed));
    check<shape::lane, shape::lane>(graphs::random_graph(2000, 10'000, seed));
    check<shape::block, shape::warp>(graphs::random_graph(200, 6000, seed));
  }
}

TEST_CASE("graph: wide ones in small queues, and each detector") {
  for (const auto termination :
       {mgws::termination::counter, mgws::termination::tree, mgws::termination::hierarchical}) {
    mgws::options o = groups_of({2, 2});
    o.termination = termination;
    o.public_queue = o.local_queue = 2;
    REQUIRE(graphs::fault_at<mgws::shape::lane, mgws::shape::lane, runtime_of>(
                o, graphs::diamonds(20, 1000)) == "");
  }
}

TEST_CASE("graph: over coherence domains, with rings of all sizes") {
  using mgws::shape;
  for (const auto& groups : {std::vector<std::uint32_t>{1, 1}, {2, 1}, {1, 1, 1}})
    for (const std::uint32_t slots : {1u, 64u}) {
      INFO(groups.size() << " domains, " << slots << " slots");
      const mgws::options o = domains(groups, slots);
      REQUIRE(graphs::fault_at<shape::lane, shape::lane, together>(o, graphs::chain(50)) == "");
      REQUIRE(graphs::fault_at<shape::lane, shape::lane, together>(o, graphs::diamonds(10, 30)) ==
              "");
      REQUIRE(graphs::fault_at<shape::lane, shape::lane, together>(
                  o, graphs::random_graph(500, 2500, slots)) == "");
    }
}

TEST_CASE("graph: what goes home is no task, and nodes of other domains run") {
  using steps = mgws::graph<slow>;
  steps::builder plan;
  const mgws::node_id last = plan.add(slow{});
  for (int i = 0; i != 400; ++i)
    plan.precede(plan.add(slow{}), last);
  together<steps::tasks, contract::counts, mgws::no_context> rt(domains({1, 1}));
  steps all(rt.data_places(), plan);
  all.seed(rt);
  const auto r = rt.run();
  CHECK(r.get<contract::count>() == 401);
  CHECK(r.tasks == 401);
  for (const auto& w : r.workers)
    CHECK(w.tasks != 0);
}

TEST_CASE("graph: seeds that are kept, and several graphs in a run") {
  using first = mgws::graph<plain>;
  using second = mgws::graph<plain, tenfold>;
  first::builder chain;
  for (mgws::node_id i = 0; i != 100; ++i)
    if (const mgws::node_id n = chain.add(plain{}); n != 0) chain.precede(n - 1, n);
  second::builder fan;
  const mgws::node_id root = fan.add(plain{});
  for (int i = 0; i != 50; ++i)
    fan.precede(root, fan.add(tenfold{}));
  chain.precede(0, 1);  // once more
  CHECK(chain.size() == 100);

  using tasks = first::tasks_with<second::task<plain>, second::task<tenfold>, contract::tree>;
  mgws::runtime<tasks, contract::counts> rt(groups_of({2, 1}));
  std::vector<first> some;
  for (int i = 0; i != 3; ++i)
    some.emplace_back(rt.data_places(), chain);
  second other(rt.data_places(), fan);
  rt.keep_seeds(true);
  for (first& one : some)
    one.seed(rt);
  other.seed(rt);
  rt.seed(contract::tree{4});
  for (int run = 0; run != 50; ++run)
    REQUIRE(rt.run().get<contract::count>() == 300 + 501 + contract::nodes(4));
}

TEST_CASE("graph: after a run that failed it is reset") {
  using steps = mgws::graph<fails, counts_all>;
  constexpr std::uint32_t before = 200;
  steps::builder plan;
  const mgws::node_id last = plan.add(counts_all{});
  for (std::uint32_t i = 0; i != before; ++i)
    plan.precede(plan.add(fails{}), last);
  mgws::runtime<steps::tasks, contract::counts, trouble> rt(groups_of({2}));
  mgws::array<std::uint32_t> ended(rt, 1);
  steps all(rt.data_places(), plan);
  const auto run = [&](bool fail) {
    ended.fill(0);
    return rt.run({fail, ended.data()});
  };
  const auto fail = [&] {
    CHECK(contract::throws<mgws::task_failed>([&] { run(true); },
                                              [](const auto& e) { CHECK(e.code() == 7); }));
    std::uint32_t n = 0;
    ended.download({&n, 1});
    CHECK(n < before);
  };
  const auto right = [&] {
    const auto r = run(false);
    CHECK(r.tasks == before + 1);
    CHECK(r.get<contract::count>() == before);
  };
  for (int again = 0; again != 3; ++again) {
    all.seed(rt);
    fail();
    rt.clear_seeds();
    all.seed(rt);
    right();
  }
  rt.keep_seeds(true);
  all.seed(rt);
  for (int again = 0; again != 3; ++again) {
    fail();
    all.reset();
    right();
    right();
  }
}

TEST_CASE("graph: what cannot be run is refused in a sentence") {
  using steps = mgws::graph<plain>;
  const auto host = std::make_shared<mgws::host_memory>();
  const mgws::data_places places{.devices = {host, host}, .host = host};
  steps::builder plan;
  refused<mgws::bad_configuration>([&] { steps(places, plan); }, "has none");
  refused<mgws::bad_configuration>([&] { plan.precede(0, 0); }, "no node 0");
  for (int i = 0; i != 20; ++i)
    plan.add(plain{});
  refused<mgws::bad_configuration>([&] { plan.precede(0, 20); },
                                   "no node 20 in this graph: it has 20");
  refused<mgws::bad_configuration>([&] { plan.precede(21, 0); }, "no node 21");
  refused<mgws::bad_configuration>([&] { plan.precede(3, 3); }, "node 3 cannot precede itself");
  // 0 before and 6 behind the cycle are not of it.
  for (const auto& [a, b] : {std::pair{0u, 3u}, {3u, 5u}, {5u, 4u}, {4u, 3u}, {4u, 6u}})
    plan.precede(a, b);
  CHECK(contract::throws<mgws::bad_configuration>(
      [&] { steps(places, plan); },
      [](const auto& e) {
        const std::string said = e.what();
        INFO(said);
        const std::string cycle = said.substr(said.rfind(": ") + 2);
        CHECK((cycle == "3, 5, 4, 3" || cycle == "5, 4, 3, 5" || cycle == "4, 3, 5, 4"));
      }));
  steps::builder large;
  for (mgws::node_id i = 0; i != 100; ++i)
    large.add(plain{});
  for (mgws::node_id i = 0; i != 100; ++i)
    large.precede(i, (i + 1) % 100);
  refused<mgws::bad_configuration>([&] { steps(places, large); }, "and others");

  steps::builder one;
  one.add(plain{});
  refused<mgws::bad_configuration>([&] { steps(mgws::data_places{}, one); }, "data_places()");
  mgws::data_places apart = places;
  apart.reached = false;
  refused<mgws::not_possible>([&] { steps(apart, one); }, "peer access");
}
