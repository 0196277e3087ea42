// Tasks that say on which kind of worker they run (core/affinity.hpp). Here a group of CPU workers
// stands in for a GPU, whose place it takes in the options; with a real one: tests/gpu.
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
#include "repeats.hpp"

namespace {

using namespace contract;

/// Instances that ran, by device.
struct tally {
  std::atomic<std::uint32_t> any[2];
  std::atomic<std::uint32_t> cpu[2];
  std::atomic<std::uint32_t> rather_cpu[2];
  std::atomic<std::uint32_t> rather_gpu[2];
};

/// Can only run on a CPU.
struct on_cpu {
  static constexpr mgws::affinity affinity = mgws::affinity::cpu_only;
  tally* to;
  std::uint32_t below;  ///< tasks of any kind that each instance spawns
  void operator()(auto& worker, mgws::task_index i) const;
};
struct rather_cpu {
  static constexpr mgws::affinity affinity = mgws::affinity::prefers_cpu;
  tally* to;
  std::uint32_t us;
  void operator()(auto& worker) const {
    takes{us}(worker);
    to->rather_cpu[worker.device()].fetch_add(1);
  }
};
struct rather_gpu {
  static constexpr mgws::affinity affinity = mgws::affinity::prefers_gpu;
  tally* to;
  std::uint32_t us;
  void operator()(auto& worker) const {
    takes{us}(worker);
    to->rather_gpu[worker.device()].fetch_add(1);
  }
};
/// Spawns tasks that prefer either kind, side by side.
struct spawns_both {
  static constexpr mgws::affinity affinity = mgws::affinity::cpu_only;
  tally* to;
  std::uint32_t n;
  void operator()(auto& worker) const {
    for (std::uint32_t i = 0; i != n; ++i) {
      worker.spawn(rather_gpu{to, 1000});
      worker.spawn(rather_cpu{to, 1000});
    }
  }
};
/// Of any kind: a tree whose leaves spawn what is for a CPU.
struct branch {
  tally* to;
  std::uint32_t depth;
  std::uint32_t leaf;  ///< instances for a CPU at each leaf
  void operator()(auto& worker) const {
    to->any[worker.device()].fetch_add(1);
    if (depth == 0) return worker.spawn_n(on_cpu{to, 0}, leaf);
    worker.spawn(branch{to, depth - 1, leaf});
    worker.spawn(branch{to, depth - 1, leaf});
  }
};
void on_cpu::operator()(auto& worker, mgws::task_index /*i*/) const {
  to->cpu[worker.device()].fetch_add(1);
  for (std::uint32_t n = 0; n != below; ++n)
    worker.spawn(branch{to, 0, 0});
}

using tasks = mgws::task_set<branch, on_cpu, rather_cpu, rather_gpu, spawns_both, takes>;
using head = mgws::channel_head<mgws::cpu_backend::backend>;
using mixed_runtime = mgws::bridged_runtime<tasks, counts, mgws::no_context, head>;

/// The first device is of CPU workers, the second one is taken for a GPU.
struct mixed {
  explicit mixed(std::uint32_t cpus = 2, std::uint32_t others = 2, std::uint32_t ring = 64,
                 std::uint32_t spill = 0) {
    mgws::options o;
    o.devices = {{.kind = mgws::device_kind::cpu, .workers = cpus},
                 {.kind = mgws::device_kind::gpu, .index = 0}};
    o.bridge_slots = ring;
    o.spill = spill;
    o.timeout = std::chrono::seconds(60);
    runs = std::make_unique<mixed_runtime>(o, [&](mgws::options part,
                                                  const mgws::domain_setting& domains) {
      if (part.devices.front().kind == mgws::device_kind::gpu)
        part.devices = {{.kind = mgws::device_kind::cpu, .workers = others}};
      return mgws::detail::make_domain<mgws::port_devices, 32, mgws::compiled_for::together, tasks,
                                       counts, mgws::no_context, mgws::worker_statistics>(
          std::move(part), domains);
    });
  }
  template <class T>
  void seed(const T& t, std::uint32_t n = 1) {
    runs->seeds->add(t, n);
  }
  auto run() {
    const mgws::no_context none;
    return runs->run({&none, 1}, {});
  }
  std::unique_ptr<mixed_runtime> runs;
};

}  // namespace

TEST_CASE("affinity: what is for a CPU only runs there, whoever spawns it") {
  for (const std::uint32_t ring : {1u, 2u, 64u})
    for (const auto& [cpus, others] : {std::pair{1u, 1u}, {2u, 1u}, {1u, 3u}}) {
      INFO(cpus << " and " << others << " workers, " << ring << " slots");
      mixed m(cpus, others, ring);
      tally t{};
      m.seed(branch{&t, 9, 3});
      const auto r = m.run();
      CHECK(t.any[0] + t.any[1] == 1023);
      CHECK(t.cpu[0] == 3 * 512);
      CHECK(t.cpu[1] == 0);
      CHECK(r.tasks == 1023 + 3 * 512);
    }
}

TEST_CASE("affinity: to and fro, on short runs") {
  std::uint64_t wrong = 0;
  mixed m(1, 1, 1);
  for (std::uint32_t i = 0; i != test::repeats(500); ++i) {
    tally t{};
    m.seed(on_cpu{&t, 2}, i % 5);
    m.seed(branch{&t, i % 4, 1});
    m.run();
    const std::uint32_t leaves = 1u << i % 4;
    wrong += t.cpu[1] != 0 || t.cpu[0] != i % 5 + leaves ||
             t.any[0] + t.any[1] != 2 * (i % 5) + 2 * leaves - 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("affinity: initial tasks are dealt to where they are to run") {
  mixed m(2, 2);
  tally t{};
  // Long enough that nobody is without work before all have begun what they were dealt.
  for (std::uint32_t i = 0; i != 20; ++i) {
    m.seed(rather_cpu{&t, 2000});
    m.seed(rather_gpu{&t, 2000});
  }
  m.seed(on_cpu{&t, 0}, 1000);
  m.run();
  CHECK(t.cpu[0] == 1000);
  CHECK(t.rather_cpu[0] + t.rather_cpu[1] == 20);
  CHECK(t.rather_gpu[0] + t.rather_gpu[1] == 20);
  CHECK(t.rather_cpu[0] > t.rather_cpu[1]);
  CHECK(t.rather_gpu[1] > t.rather_gpu[0]);
}

TEST_CASE("affinity: of what one worker spawns, each kind runs what prefers it first") {
  mixed m(1, 1);
  tally t{};
  m.seed(spawns_both{&t, 50});
  m.run();
  CHECK(t.rather_cpu[0] + t.rather_cpu[1] == 50);
  CHECK(t.rather_gpu[0] + t.rather_gpu[1] == 50);
  CHECK(t.rather_cpu[0] >= 25);
  CHECK(t.rather_gpu[1] >= 25);
}

TEST_CASE("affinity: a preference is no must") {
  // All of it would rather be elsewhere: who is without work takes it all the same.
  mixed m(2, 2);
  tally t{};
  for (std::uint32_t i = 0; i != 40; ++i)
    m.seed(rather_gpu{&t, 2000});
  m.run();
  CHECK(t.rather_gpu[0] + t.rather_gpu[1] == 40);
  CHECK(t.rather_gpu[0] >= 5);
  CHECK(t.rather_gpu[1] >= 5);
}

TEST_CASE("affinity: without a place for what waits, an error with the size") {
  mixed m(1, 1, 1, 8);
  tally t{};
  m.seed(takes{1000});
  m.seed(branch{&t, 12, 1});
  CHECK_THROWS_AS(m.run(), mgws::out_of_space);
}

namespace {
/// Does not compile for a CPU.
struct on_gpu {
  static constexpr mgws::affinity affinity = mgws::affinity::gpu_only;
  void operator()(auto& worker) const { worker.is_not_there(); }
};
}  // namespace

TEST_CASE("affinity: no worker for a type is refused, a preference is not") {
  using only = mgws::task_set<on_cpu, branch>;
  mgws::runtime<only, counts> cpu(mgws::options{});
  tally t{};
  cpu.seed_n(on_cpu{&t, 1}, 10);
  CHECK(cpu.run().tasks == 20);

  using none = mgws::task_set<on_gpu, on_cpu, branch>;
  CHECK(throws<mgws::bad_configuration>(
      [] { const mgws::runtime<none, counts> rt(mgws::options{}); },
      [](const auto& e) { CHECK(is_one_sentence_about(e.what(), "run on GPUs only")); }));

  using rather = mgws::task_set<rather_cpu, rather_gpu>;
  mgws::runtime<rather, counts> any(mgws::options{});
  any.seed(rather_gpu{&t, 0});
  any.seed(rather_cpu{&t, 0});
  CHECK(any.run().tasks == 2);
}
