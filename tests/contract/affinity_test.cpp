// Tasks that say on which kind of worker they run. Here a group of CPU workers stands in for a GPU,
// whose place it takes in the options; with a real one: tests/gpu.
#include "affinity.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "behaviour.hpp"
#include "catch.hpp"
#include "mixed.hpp"
#include "repeats.hpp"

namespace {

using namespace affinities;
using contract::is_one_sentence_about;
using contract::throws;

/// The second device, which is taken for a GPU, is the one of the context.
template <class Tasks>
struct mixed : contract::mixed<Tasks, counts, where> {
  using contract::mixed<Tasks, counts, where>::mixed;
  auto run() { return contract::mixed<Tasks, counts, where>::run(where{2}); }
};

template <class Tasks>
void check_trees() {
  for (const std::uint32_t ring : {1u, 2u, 64u})
    for (const auto& [cpus, gpus] : {std::pair{1u, 1u}, {2u, 1u}, {1u, 3u}}) {
      INFO(cpus << " and " << gpus << " workers, " << ring << " slots");
      mixed<Tasks> m(cpus, gpus, ring);
      m.seed(tree{9, {3}});
      const auto r = m.run();
      CHECK(fault(r.results, r.tasks, 9, 3) == "");
    }
}

}  // namespace

TEST_CASE("affinity: what is for a CPU only runs there, whoever spawns it") {
  check_trees<strict_tasks>();
  check_trees<tasks>();
}

TEST_CASE("affinity: short runs") {
  std::string wrong;
  mixed<strict_tasks> m(1, 1, 1);
  for (std::uint32_t i = 0; i != test::repeats(500); ++i) {
    m.seed(tree{i % 5, {i % 3}});
    const auto r = m.run();
    if (wrong.empty()) wrong = fault(r.results, r.tasks, i % 5, i % 3);
  }
  CHECK(wrong == "");
}

TEST_CASE("affinity: initial tasks are dealt to where they are to run") {
  mgws::initial_set<tasks> all;
  all.add(tree{1, {}}, 100);
  all.add(prefers_gpu{}, 20);
  all.add(needs_cpu{}, 1000);
  all.add(prefers_cpu{}, 30);
  using mgws::worker_kind;
  const auto dealt = [&](const std::vector<worker_kind>& kinds, std::size_t part) {
    const std::vector<double> weights{1, 3, 1};
    std::vector<std::uint64_t> by_type(tasks::size);
    auto mine = all.share({weights.data(), kinds.size()}, kinds, part);
    std::uint64_t sum = 0;
    mgws::run_parameters run{};
    for (const auto& s : mine.deal(run, {.lane = 1000})) {
      by_type[s.read_header().type()] += s.read_header().count();
      sum += s.read_header().count();
    }
    CHECK(mine.instances() == sum);
    return std::vector{by_type[tasks::index<tree>], by_type[tasks::index<needs_cpu>],
                       by_type[tasks::index<prefers_cpu>], by_type[tasks::index<prefers_gpu>]};
  };
  using numbers = std::vector<std::uint64_t>;
  const std::vector mixed{worker_kind::cpu, worker_kind::gpu, worker_kind::cpu};
  CHECK(dealt(mixed, 0) == numbers{0, 515, 0, 0});
  CHECK(dealt(mixed, 1) == numbers{100, 0, 0, 20});
  CHECK(dealt(mixed, 2) == numbers{0, 485, 30, 0});
  const std::vector alike{worker_kind::cpu, worker_kind::cpu};
  CHECK(dealt(alike, 0) == numbers{30, 258, 0, 0});
  CHECK(dealt(alike, 1) == numbers{70, 742, 30, 20});
}

namespace {

/// What the one worker of the second domain waits for, and what the one of the first has run.
struct diary {
  std::atomic<bool> waits{false};
  std::atomic<bool> goes_on{false};
  std::string ran;
};
/// Keeps its worker busy until the others have run.
template <mgws::affinity A>
struct waits {
  static constexpr mgws::affinity affinity = A;
  diary* of;
  void operator()(auto& /*worker*/) const {
    of->waits = true;
    while (!of->goes_on)
      std::this_thread::yield();
  }
};
using waits_here = waits<mgws::affinity::cpu_only>;
using waits_there = waits<mgws::affinity::prefers_gpu>;
template <mgws::affinity A>
struct noted {
  static constexpr mgws::affinity affinity = A;
  diary* of;
  std::uint32_t of_all;
  void operator()(auto& worker) const {
    of->ran += worker.device() != 0 ? '?' : A == mgws::affinity::prefers_cpu ? 'c' : 'g';
    if (of->ran.size() == of_all) of->goes_on = true;
  }
};
using noted_for_cpu = noted<mgws::affinity::prefers_cpu>;
using noted_for_gpu = noted<mgws::affinity::prefers_gpu>;
struct spawns_noted {
  static constexpr mgws::affinity affinity = mgws::affinity::cpu_only;
  diary* of;
  std::uint32_t n;
  void operator()(auto& worker) const {
    while (!of->waits)
      std::this_thread::yield();
    for (std::uint32_t i = 0; i != n; ++i) {
      worker.spawn(noted_for_gpu{of, 2 * n});
      worker.spawn(noted_for_cpu{of, 2 * n});
    }
  }
};
/// The one worker there spawns what only a CPU can run while that is busy.
struct fills {
  static constexpr mgws::affinity affinity = mgws::affinity::prefers_gpu;
  diary* of;
  std::uint32_t n;
  void operator()(auto& worker) const {
    while (!of->waits)
      std::this_thread::yield();
    for (std::uint32_t i = 0; i != n; ++i)
      worker.spawn(needs_cpu{});
    of->goes_on = true;
  }
};
using these = mgws::task_set<waits_there, noted_for_cpu, noted_for_gpu, spawns_noted, fills,
                             waits_here, needs_cpu>;

}  // namespace

TEST_CASE("affinity: who prefers another kind comes last, and runs here if that has no time") {
  for (const std::uint32_t n : {1u, 3u, 40u, 1000u}) {
    mixed<these> m(1, 1);
    diary d;
    m.seed(waits_there{&d});
    m.seed(spawns_noted{&d, n});
    CHECK(m.run().tasks == 2 * n + 2);
    CHECK(d.ran == std::string(n, 'c') + std::string(n, 'g'));
  }
}

TEST_CASE("affinity: as many may wait as there is room for, one more is an error") {
  // Of four parts of the spill area one is for them.
  for (const std::uint32_t n : {16u, 17u}) {
    mixed<these> m(1, 1, 1, 64);
    diary d;
    m.seed(waits_here{&d});
    m.seed(fills{&d, n});
    if (n == 16) {
      CHECK(m.run().results.get<for_cpu>() == n);
    } else {
      CHECK(throws<mgws::out_of_space>([&] { m.run(); },
                                       [](const auto& e) { CHECK(e.needed() == 4 * 17); }));
    }
  }
}

namespace {
/// Does not compile for a CPU.
struct needs_what_cpus_have_not {
  static constexpr mgws::affinity affinity = mgws::affinity::gpu_only;
  void operator()(auto& worker) const { worker.is_not_there(); }
};
}  // namespace

TEST_CASE("affinity: types that no worker may run are refused, preferences are not") {
  mgws::runtime<tasks, counts, where> cpu;
  cpu.seed(tree{5, {2}});
  cpu.seed(prefers_gpu{0});
  cpu.seed(prefers_cpu{0});
  const auto r = cpu.run(where{0});
  CHECK(r.results.get<misplaced>() == 0);
  CHECK(r.results.get<for_cpu>() == 64);
  CHECK(r.tasks == 63 + 64 + 2);

  using none = mgws::task_set<needs_what_cpus_have_not, tree, needs_cpu>;
  CHECK(throws<mgws::bad_configuration>(
      [] { const mgws::runtime<none, counts, where> rt; },
      [](const auto& e) { CHECK(is_one_sentence_about(e.what(), "run on GPUs only")); }));
}
