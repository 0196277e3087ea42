// The simulator itself: its arithmetic on cases that can be done by hand, and what must hold of
// every simulated run.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <mgws/backends/sim/backend.hpp>
#include <mgws/backends/sim/event_queue.hpp>
#include <mgws/backends/sim/placement.hpp>
#include <mgws/backends/sim/shared_processor.hpp>

#include "catch.hpp"
#include "sim/workloads.hpp"

namespace sim = mgws::sim;
namespace bench = mgws::bench;

namespace {

/// Round numbers: a cycle is a nanosecond, an iteration takes 8 and keeps a scheduler busy for 4.
sim::costs plain_costs() {
  sim::costs c = sim::costs::gpu();
  c.ghz = 1;
  c.iteration_latency = 8;
  c.iteration_issue = 4;
  c.step_latency = c.step_issue = 0;
  c.launch = c.begin = c.apart = c.stagger = c.jitter = c.end = c.lead = 0;
  c.lead_issue = c.modify_issue = c.lock_issue = c.copy_issue = c.search_issue = c.unlike = 0;
  c.multiprocessors = 1;
  c.schedulers = 1;
  return c;
}

sim::world workers_of_one_device(std::uint32_t n) {
  sim::world w;
  w.devices = {{0, n}};
  w.queues = n;
  for (std::uint32_t q = 0; q != n; ++q)
    w.first_owner.push_back(q);
  return w;
}

bench::sim::setup small(std::uint32_t devices, std::uint32_t workers, std::uint32_t lanes) {
  bench::sim::setup s;
  s.devices = devices;
  s.workers = workers;
  s.lanes = lanes;
  if (lanes == 1) s.costs = sim::costs::cpu();
  return s;
}

}  // namespace

TEST_CASE("events come by time and then by number", "[sim]") {
  sim::event_queue q(6);
  q.set(3, 50);
  q.set(1, 50);
  q.set(0, 70);
  q.set(5, 10);
  q.set(5, 60);  // moved back
  q.set(0, 20);  // moved forward
  q.set(2, 15);
  q.remove(2);
  std::vector<std::uint32_t> order;
  while (!q.empty()) {
    order.push_back(q.first().actor);
    q.remove(order.back());
  }
  CHECK(order == std::vector<std::uint32_t>{0, 1, 3, 5});
}

TEST_CASE("workers share a scheduler", "[sim]") {
  sim::shared_processor p;
  // Alone 8000 ps each, half of the time each: two run as fast as one.
  p.begin(0, 1, 8000, 0.5);
  CHECK(p.next_end() == 8000);
  p.begin(0, 2, 8000, 0.5);
  CHECK(p.next_end() == 8000);
  // A third from 4000 on: all slower by half. Of the first two 4000 are left, which take 6000.
  p.begin(4000, 3, 8000, 0.5);
  CHECK(p.next_end() == 10000);
  CHECK(p.end(10000) == 1);
  CHECK(p.next_end() == 10000);
  CHECK(p.end(10000) == 2);
  // The third has had 4000 of its 8000, and is alone.
  CHECK(p.next_end() == 14000);
  CHECK(p.end(14000) == 3);
  CHECK(p.idle());
}

TEST_CASE("what is short takes from those that share the scheduler", "[sim]") {
  sim::shared_processor p;
  p.begin(0, 1, 8000, 0.5);
  // A quarter of the scheduler's time: there is room.
  CHECK(p.interrupt(0, 400, 100) == 400);
  CHECK(p.next_end() == 8000);
  // Three quarters: both are slower by a quarter, the job loses a fifth of the 500.
  CHECK(p.interrupt(1000, 400, 300) == 500);
  CHECK(p.next_end() == 8100);
  // Instructions that came before are through first.
  CHECK(p.interrupt(1000, 400, 300) == 600);
  // Those that search take a part all the time.
  sim::shared_processor q;
  q.begin(0, 1, 8000, 0.5);
  q.crowd(4000, 1.5);
  CHECK(q.next_end() == 12000);
  q.crowd(8000, -1.5);
  CHECK(q.next_end() == 10000);
}

TEST_CASE("every multiprocessor gets its workers, clusters first", "[sim]") {
  const auto seats = sim::seats_of(4224, 132, 4);
  REQUIRE(seats.size() == 4224);
  CHECK(seats[0].scheduler / 4 == 128);
  CHECK(seats[8].scheduler / 4 == 0);
  CHECK(seats[9].scheduler / 4 == 1);
  CHECK(seats[10].scheduler / 4 == 16);
  std::vector<std::uint32_t> on(528, 0);
  for (const auto& s : seats) {
    CHECK(s.rank == on[s.scheduler]);
    ++on[s.scheduler];
  }
  CHECK(std::count(on.begin(), on.end(), 8u) == 528);
  // Of another machine nothing is known.
  CHECK(sim::seats_of(5, 2, 1)[3].scheduler == 1);
  CHECK(sim::seats_of(5, 2, 1)[4].rank == 2);
}

TEST_CASE("m workers take max(latency, m * issue) for an iteration", "[sim]") {
  for (std::uint32_t m = 1; m != 9; ++m) {
    sim::machine machine(plain_costs(), workers_of_one_device(m));
    const auto end = machine.run([](std::uint32_t, std::uint32_t) { sim::spend(1000); });
    CHECK(end == sim::from_ns(1000.0 * (m < 2 ? 8 : 4 * m)));
  }
}

TEST_CASE("a hot word serves one worker after the other", "[sim]") {
  constexpr std::uint32_t n = 64;
  sim::costs c = plain_costs();
  c.own.modify = 100;
  c.own.interval = 10;
  sim::machine machine(c, workers_of_one_device(n));
  sim::atomic<std::uint64_t> word;
  word.tag = {.kind = sim::word_kind::signal, .looked_at = false, .device = 0, .index = 0};
  using B = sim::backend<1>;
  const auto end = machine.run([&](std::uint32_t, std::uint32_t) {
    B::fetch_add(word, 1, mgws::order::relaxed, mgws::scope::device);
  });
  CHECK(word.value == n);
  CHECK(end == sim::from_ns(10 * (n - 1) + 100));
}

TEST_CASE("a load takes as long as its memory is far", "[sim]") {
  sim::costs c = plain_costs();
  sim::world two = workers_of_one_device(2);
  two.devices = {{0, 1}, {1, 1}};
  sim::machine machine(c, two);
  sim::atomic<std::uint64_t> word;
  word.tag = {.kind = sim::word_kind::signal, .looked_at = false, .device = 0, .index = 0};
  using B = sim::backend<1>;
  machine.run([&](std::uint32_t, std::uint32_t) {
    static_cast<void>(B::load(word, mgws::order::relaxed, mgws::scope::system));
  });
  CHECK(machine.result(0).ended == sim::from_ns(c.own.load));
  CHECK(machine.result(1).ended >= sim::from_ns(c.peer.load));
}

TEST_CASE("every instance runs once, however the loop is put", "[sim]") {
  const bench::loop_costs costs{bench::loop_pattern::geometric, 20000, 256, 32};
  for (const auto way : {bench::sim::loop_way::seed_n, bench::sim::loop_way::seeds,
                         bench::sim::loop_way::spawn, bench::sim::loop_way::tree}) {
    for (const auto& [s, width] : {std::pair{small(1, 40, 32), mgws::shape::lane},
                                   std::pair{small(1, 40, 32), mgws::shape::warp},
                                   std::pair{small(3, 20, 4), mgws::shape::lane},
                                   std::pair{small(3, 20, 4), mgws::shape::warp},
                                   std::pair{small(2, 6, 1), mgws::shape::lane}}) {
      std::vector<std::uint8_t> ran(costs.n, 0);
      const auto r = bench::sim::simulate_loop(s, costs, way, width, 1, ran.data());
      CAPTURE(static_cast<int>(way), static_cast<int>(width), s.devices, s.lanes);
      CHECK(r.verified);
      CHECK(r.outcome.consistent);
      CHECK(std::count(ran.begin(), ran.end(), 1) == static_cast<std::ptrdiff_t>(costs.n));
      CHECK(r.outcome.makespan_ns >= bench::sim::bounds(s, r.work).largest());
    }
  }
}

TEST_CASE("a run is a function of its seed", "[sim]") {
  const bench::loop_costs costs{bench::loop_pattern::heavy_first, 30000, 512, 32};
  auto s = small(2, 60, 32);
  const auto run = [&] {
    return bench::sim::simulate_loop(s, costs, bench::sim::loop_way::tree).outcome;
  };
  const auto first = run();
  const auto again = run();
  CHECK(first.makespan_ns == again.makespan_ns);
  CHECK(first.events == again.events);
  CHECK(first.counts.steals_won == again.counts.steals_won);
  s.seed = 2;
  CHECK(run().makespan_ns != first.makespan_ns);
}

TEST_CASE("looks that can find nothing make no difference but to how many there are", "[sim]") {
  const bench::loop_costs costs{bench::loop_pattern::uniform, 40000, 1024, 32};
  auto s = small(1, 100, 32);
  const auto skipping = bench::sim::simulate_loop(s, costs, bench::sim::loop_way::seed_n).outcome;
  s.skips_looks = false;
  const auto all = bench::sim::simulate_loop(s, costs, bench::sim::loop_way::seed_n).outcome;
  CHECK(all.looks_skipped == 0);
  CHECK(std::abs(skipping.makespan_ns / all.makespan_ns - 1) < 0.02);
}

TEST_CASE("trees are walked whole", "[sim]") {
  CHECK(bench::sim::simulate_spawn_tree(small(1, 33, 32), 6, 6, false, 20).verified);
  CHECK(bench::sim::simulate_spawn_tree(small(1, 33, 32), 6, 6, true, 20).verified);
  CHECK(bench::sim::simulate_spawn_tree(small(1, 4, 1), 6, 6, false, 20).verified);
  CHECK(bench::sim::simulate_memset(small(2, 33, 32), 100000, false, 10).verified);
  CHECK(bench::sim::simulate_memset(small(1, 33, 4), 100000, true, 10).verified);
}
