// Joins and finishes over coherence domains: groups of CPU workers that share nothing but channels.
// With a GPU: tests/gpu.
#include "crossing.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "behaviour.hpp"
#include "catch.hpp"
#include "gathering.hpp"
#include "mixed.hpp"
#include "repeats.hpp"

namespace {

using contract::domains;
using contract::is_one_sentence_about;
using contract::throws;
using contract::together;
using crossing::fault;
using crossing::rounds;

template <bool Kinds>
using mixed = contract::mixed<mgws::with_way_home<crossing::tasks<Kinds>>, crossing::results,
                              crossing::where>;

struct closed {
  static constexpr bool continuation = true;
  void operator()(auto& /*worker*/) const {}
};
/// Delivers to the same place by two tasks, which take long enough for one to go elsewhere.
struct twice {
  void operator()(auto& worker) const {
    const auto place = worker.join(closed{}, 1).done();
    for (int i = 0; i != 8; ++i)
      worker.spawn(delivers{place});
  }
  struct delivers {
    mgws::place<void> to;
    void operator()(auto& worker) const {
      contract::takes{1000}(worker);
      worker.deliver(to);
    }
  };
};
struct never {
  void operator()(auto& worker) const { static_cast<void>(worker.join(closed{}, 1)); }
};

}  // namespace

TEST_CASE("crossing: joins and finishes, over two and three domains and rings of all sizes") {
  std::uint64_t crossed = 0;
  for (const auto& groups :
       {std::vector<std::uint32_t>{1, 1}, {2, 1}, {1, 2}, {1, 1, 1}, {2, 2, 2}})
    for (const std::uint32_t slots : {1u, 2u, 1024u})
      for (const std::uint32_t queue : {2u, 256u}) {
        INFO(groups.size() << " domains, " << slots << " slots, queues of " << queue);
        auto o = domains(groups, slots);
        o.public_queue = o.local_queue = queue;
        together<crossing::tasks<false>, crossing::results, crossing::where> rt(o);
        rt.seed(rounds<false>{17, 3});
        const auto r = rt.run();
        REQUIRE(fault(r.results, 17, 3) == "");
        // What goes home is no task.
        const std::uint64_t calls = crossing::calls_of(17);
        CHECK(r.tasks == 1 + 3 * (calls + (calls - 1) + (calls - 1) / 2 + 1));
        for (const auto& w : r.records)
          crossed += w.counts.slots_submitted;
      }
  CHECK(crossed >= 100);
}

TEST_CASE("crossing: many short runs") {
  const auto repeats = test::repeats(2000);
  std::string wrong;
  for (const auto& groups : {std::vector<std::uint32_t>{1, 1}, {2, 1}, {1, 1, 1}}) {
    together<crossing::tasks<false>, crossing::results, crossing::where> rt(domains(groups, 2));
    for (std::uint32_t i = 0; i != repeats; ++i) {
      rt.seed(rounds<false>{i % 8, 1 + i % 3});
      const auto r = rt.run();
      if (wrong.empty()) wrong = fault(r.results, i % 8, 1 + i % 3);
    }
  }
  CHECK(wrong == "");
}

TEST_CASE("crossing: a continuation that can only run on a CPU, whoever delivers last") {
  for (const std::uint32_t ring : {1u, 64u})
    for (const auto& [cpus, others] : {std::pair{1u, 1u}, {2u, 1u}, {1u, 3u}}) {
      INFO(cpus << " and " << others << " workers, " << ring << " slots");
      mixed<true> m(cpus, others, ring);
      m.seed(rounds<true>{13, 2});
      CHECK(fault(m.run(crossing::where{2}).results, 13, 2) == "");
    }
  std::string wrong;
  mixed<true> m(1, 1, 1);
  for (std::uint32_t i = 0; i != test::repeats(500); ++i) {
    m.seed(rounds<true>{i % 8, 1});
    const auto r = m.run(crossing::where{2});
    if (wrong.empty()) wrong = fault(r.results, i % 8, 1);
  }
  CHECK(wrong == "");
}

TEST_CASE("crossing: what tasks in another domain contribute to a finish") {
  for (const auto& groups : {std::vector<std::uint32_t>{1, 1}, {2, 1}, {1, 1, 1}})
    for (const std::uint32_t slots : {1u, 64u}) {
      REQUIRE(gathering::fault<together>(domains(groups, slots), 1024, 3) == "");
      REQUIRE(gathering::fault<together>(domains(groups, slots), 8,
                                         static_cast<int>(test::repeats(300))) == "");
    }
}

TEST_CASE("crossing: frames that run out, and wrong use, in whichever domain") {
  using wrongly = together<mgws::task_set<twice, twice::delivers, never, closed>, contract::counts,
                           mgws::no_context>;
  wrongly rt(domains({1, 1}, 64));
  rt.seed(twice{});
  CHECK(throws<mgws::bad_join>(
      [&] { rt.run(); },
      [](const auto& e) { CHECK(is_one_sentence_about(e.what(), "awaits nothing")); }));
  rt.seed(never{});
  CHECK(throws<mgws::bad_join>(
      [&] { rt.run(); },
      [](const auto& e) { CHECK(is_one_sentence_about(e.what(), "1 of type 3")); }));

  auto o = domains({1, 1}, 64);
  o.devices.front().workers = 256;
  o.frames = mgws::k_most_frames;
  CHECK(throws<mgws::bad_configuration>(
      [&] { together<crossing::tasks<false>, crossing::results, crossing::where> too_many(o); },
      [](const auto& e) { CHECK(is_one_sentence_about(e.what(), "fewer frames than 2^28")); }));
  o.devices.front().workers = 1;
  together<crossing::tasks<false>, crossing::results, crossing::where> large(o);
  large.seed(rounds<false>{5, 1});
  CHECK(fault(large.run().results, 5, 1) == "");
}
