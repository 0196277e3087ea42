// What tasks may do on GPU workers, feature by feature, each by the same source as on CPU workers.
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include <mgws/errors.hpp>
#include <mgws/options.hpp>

#include "catch.hpp"
#include "gpu/runs.hpp"
#include "gpu/where.hpp"
#include "repeats.hpp"

namespace {

using namespace gpu_test::where;
using mgws::transport_kind;

/// Calls check(options) with CPU workers and a GPU, or two parts of one, each a coherence domain,
/// over rings of several sizes.
template <class Check>
void for_mixed_domains(Check&& check) {
  constexpr auto gpu = mgws::device_kind::gpu;
  for (const std::uint32_t slots : {1u, 64u, 1024u})
    for (const std::vector<mgws::device_choice>& devices :
         {std::vector<mgws::device_choice>{{.workers = 2}, {.kind = gpu}},
          {{.kind = gpu, .workers = 132}, {.workers = 3}},
          {{.workers = 1}, {.kind = gpu, .workers = 32}, {.kind = gpu, .workers = 7}}}) {
      auto o = on_gpu(0);
      o.devices = devices;
      o.domains = mgws::domain_split::each;
      o.bridge_slots = slots;
      INFO(described(o) << ", " << slots << " slots");
      check(o);
    }
}

/// Each device a coherence domain.
mgws::options domains(std::vector<mgws::device_choice> devices) {
  auto o = on_gpu(0);
  o.devices = std::move(devices);
  o.domains = mgws::domain_split::each;
  return o;
}

}  // namespace

TEST_CASE("a task of any width may call everything, and is told what is so", "[gpu]") {
  for (const bool blocks : {false, true})
    for (mgws::options o : {on_gpu(0), on_gpu(7), one_gpu_twice()}) {
      // Few workers have frames for all that might wait at once: four of each instance that spawns.
      const bool few = o.devices.front().workers == 7;
      if (few) o.frames = 1u << 16;
      INFO(o.devices.size() << " devices, " << o.devices.front().workers << " workers"
                            << (blocks ? " of several warps" : ""));
      REQUIRE(gpu_test::fault_of_members(o, few ? 1'000 : 10'000, 4, blocks) == "");
    }
}

TEST_CASE("gpu: CPU workers and a GPU in one run, halves of a GPU, three domains", "[gpu]") {
  constexpr auto gpu = mgws::device_kind::gpu;
  for (const std::uint32_t slots : {1u, 64u, 1024u})
    for (mgws::options o :
         {domains({{.workers = 2}, {.kind = gpu}}), domains({{.kind = gpu}, {.workers = 3}}),
          domains({{.kind = gpu, .workers = 132}, {.kind = gpu, .workers = 64}}),
          domains({{.workers = 1}, {.kind = gpu, .workers = 32}, {.kind = gpu, .workers = 7}})}) {
      o.bridge_slots = slots;
      INFO(described(o) << ", " << slots << " slots");
      const auto out = gpu_test::run_mixed(
          {.options = o, .depth = 5, .runs = test::repeats(40), .spin = 50, .together = true});
      REQUIRE(out.fault == "");
    }
}

TEST_CASE("gpu: every detector over many small runs of several domains, no wrong result") {
  const auto detector = GENERATE(mgws::termination::counter, mgws::termination::tree,
                                 mgws::termination::hierarchical);
  constexpr auto gpu = mgws::device_kind::gpu;
  const auto check = [&](mgws::options o, std::uint32_t runs) {
    o.termination = detector;
    o.public_queue = 16;
    o.local_queue = 64;
    o.bridge_slots = 16;
    INFO(described(o));
    const auto r = gpu_test::run_mixed(
        {.options = o, .depth = 4, .runs = runs, .spin = 200, .together = true});
    CHECK(r.fault == "");
    std::printf("%s: %u runs, %u of them on several workers\n", described(o).c_str(), runs,
                r.shared);
    CHECK(r.shared >= runs / 4);
  };
  check(domains({{.workers = 2}, {.kind = gpu, .workers = 132}}), test::repeats(10'000));
  check(domains({{.kind = gpu, .workers = 132}, {.kind = gpu, .workers = 64}}),
        test::repeats(1'000));
  check(domains({{.workers = 1}, {.kind = gpu, .workers = 32}, {.kind = gpu, .workers = 7}}),
        test::repeats(1'000));
  for (const mgws::options& two : two_devices())
    if (two.devices[0].index != two.devices[1].index)
      check(domains({two.devices[0], two.devices[1]}), test::repeats(1'000));
}

TEST_CASE("gpu: tasks for a CPU only, for a GPU only, and with preferences, in one run") {
  for_mixed_domains([](const mgws::options& o) {
    REQUIRE(gpu_test::fault_of_affinity(o, 4, static_cast<int>(test::repeats(40))) == "");
    REQUIRE(gpu_test::fault_of_affinity(o, 11, 4) == "");
  });
  auto o = on_gpu(0);
  o.devices = {{.workers = 2}, {.kind = mgws::device_kind::gpu}};
  const auto r = gpu_test::run_preferences(o, 200, 100);
  CHECK(r.tasks == 401);
  CHECK(r.on_gpu > 0);
  CHECK(r.on_cpu > 0);
}

TEST_CASE("gpu: joins and finishes of which parts run on a CPU, and the other way round") {
  for_mixed_domains([](const mgws::options& o) {
    REQUIRE(gpu_test::fault_of_crossing(o, 7, 2, static_cast<int>(test::repeats(100))) == "");
    REQUIRE(gpu_test::fault_of_crossing(o, 22, 3, 3) == "");
  });
}

TEST_CASE("gpu: joins and finishes of which parts come back from another device") {
  for (const mgws::options& some : two_devices())
    for (const auto how :
         {mgws::termination::counter, mgws::termination::tree, mgws::termination::hierarchical})
      for (const std::uint32_t workers : {0u, 7u, 1u}) {
        auto o = some;
        o.termination = how;
        for (auto& d : o.devices)
          d.workers = workers;
        INFO(described(o));
        REQUIRE(gpu_test::fault_of_joins(o, 7, 2, static_cast<int>(test::repeats(3'334))) == "");
        REQUIRE(gpu_test::fault_of_joins(o, 18, 3, 10) == "");
      }
}

TEST_CASE("gpu: a run after one that was cancelled amid joins and finishes") {
  for (const mgws::options& o : one_and_two({0, 7})) {
    INFO(described(o));
    REQUIRE(gpu_test::fault_after_cancelled(o, static_cast<int>(test::repeats(100))) == "");
  }
}

TEST_CASE("gpu: atomic_ref, every operation on every type, at one word of all tasks") {
  for (const auto width : {mgws::shape::lane, mgws::shape::warp, mgws::shape::block}) {
    std::vector<mgws::options> where{on_gpu(0), on_gpu(7)};
    // What two devices change needs system scope.
    if (width != mgws::shape::lane)
      for (const mgws::options& two : two_devices())
        where.push_back(two);
    for (const mgws::options& o : where) {
      INFO(described(o) << ", width " << static_cast<int>(width));
      REQUIRE(gpu_test::fault_of_atomics(o, 16'384, width) == "");
    }
  }
}

TEST_CASE("gpu: best, many find better values at once, on one device and on two") {
  for (const mgws::options& o : one_and_two({0, 7})) {
    INFO(described(o));
    REQUIRE(gpu_test::fault_of_best(o, 100'000) == "");
  }
}

TEST_CASE("gpu: resumable tasks, each does all of its pieces, on one device and on two") {
  for (const mgws::options& o : one_and_two({0, 7, 1}))
    for (const bool blocks : {false, true}) {
      INFO(described(o) << (blocks ? ", workers of 128 lanes" : ""));
      REQUIRE(gpu_test::fault_of_resumable(o, 20, 3, blocks) == "");
      REQUIRE(gpu_test::fault_of_resumable(o, 5'000, 2, blocks) == "");
    }
}

TEST_CASE("gpu: gathering, nothing is lost, comes twice or late, on one device and on two") {
  for (const mgws::options& some : one_and_two({0, 7, 1}))
    for (const bool blocks : {false, true}) {
      INFO(described(some) << (blocks ? ", workers of 128 lanes" : ""));
      REQUIRE(gpu_test::fault_of_gathering(some, 2, 20, blocks) == "");
      REQUIRE(gpu_test::fault_of_gathering(some, 64, 20, blocks) == "");
      REQUIRE(gpu_test::fault_of_gathering(some, 1u << 15, 3, blocks) == "");
    }
}

TEST_CASE("gpu: priorities, none is lost or runs twice, on one device and on two") {
  for (const mgws::options& some : one_and_two({0, 7, 1}))
    for (const bool blocks : {false, true}) {
      INFO(described(some) << (blocks ? ", workers of 128 lanes" : ""));
      REQUIRE(gpu_test::fault_of_priorities(some, 20, 3, blocks) == "");
      REQUIRE(gpu_test::fault_of_priorities(some, 1'000, 2, blocks) == "");
      mgws::options tight = some;
      tight.local_queue = tight.public_queue = 64;
      REQUIRE(gpu_test::fault_of_priorities(tight, 300, 2, blocks) == "");
    }
}

TEST_CASE("gpu: priorities, what a level has no room for waits in others, each task once") {
  for (const std::uint32_t workers : {1u, 7u})
    for (const std::uint32_t level : {1u, 2u, 3u})
      for (const std::uint32_t n : {16u, 17u, 48u, 49u, 100u}) {
        INFO(n << " of level " << level << " on " << workers << " workers");
        mgws::options o = on_gpu(workers);
        o.local_queue = o.public_queue = o.spill = 64;  // of which each level has 16
        REQUIRE(gpu_test::fault_of_crowd(o, level, n) == "");
      }
}

TEST_CASE("gpu: scratch memory, each task has its own, on one device and on two") {
  for (const mgws::options& o : one_and_two({0, 1}))
    for (const bool blocks : {false, true}) {
      INFO(described(o) << (blocks ? ", workers of 128 lanes" : ""));
      REQUIRE(gpu_test::fault_of_scratch(o, 20, 3, blocks) == "");
      REQUIRE(gpu_test::fault_of_scratch(o, 3'000, 2, blocks) == "");
    }
}

TEST_CASE("gpu: graphs, each node once after all that precede it, on one device and on two") {
  for (const mgws::options& o : one_and_two({0, 7, 1}))
    for (const std::uint32_t nodes : {20u, 3'000u}) {
      INFO(described(o) << ", nodes " << nodes);
      REQUIRE(gpu_test::fault_of_graph(o, nodes) == "");
    }
}

TEST_CASE("gpu: graphs of which nodes run on a CPU, and the other way round") {
  for_mixed_domains([](const mgws::options& o) {
    for (const std::uint32_t nodes : {20u, 3'000u})
      REQUIRE(gpu_test::fault_of_crossing_graph(o, nodes) == "");
  });
}

TEST_CASE("gpu: live runs, what threads submit is done, and seen by who waits") {
  for (mgws::options o : one_and_two({0, 7, 1}))
    for (const auto transport : {transport_kind::p2p, transport_kind::host}) {
      o.transport = transport;
      try {
        gpu_test::most_workers(o);
      } catch (const mgws::not_possible& e) {
        WARN("skipped: " << described(o) << ": " << e.what());
        continue;
      }
      for (const std::uint32_t slots : {1u, 1024u}) {
        o.inbox_slots = slots;
        o.inboxes = slots == 1 ? 1 : 2;
        o.inboxes_of = slots == 1 ? mgws::inbox_devices::one : mgws::inbox_devices::each;
        INFO(described(o) << ", slots " << slots);
        REQUIRE(gpu_test::fault_of_live_run(o, 2, 5) == "");
      }
    }
}

TEST_CASE("gpu: live runs over CPU workers and GPUs") {
  for_mixed_domains([](mgws::options o) {
    o.inbox_slots = o.bridge_slots;
    REQUIRE(gpu_test::fault_of_live_run(o, 2, 5) == "");
    REQUIRE(gpu_test::fault_of_live_kinds(o, 5) == "");
    for (std::uint32_t i = 0; i != test::repeats(20); ++i) {
      REQUIRE(gpu_test::fault_of_live_run(o, 1, i % 3) == "");
      REQUIRE(gpu_test::fault_of_live_kinds(o, i % 3) == "");
    }
  });
}

TEST_CASE("gpu: many short live runs") {
  std::uint32_t wrong = 0;
  const std::uint32_t repeats = test::repeats(1'000);
  for (std::uint32_t i = 0; i != repeats; ++i)
    wrong += gpu_test::fault_of_live_run(on_gpu(i % 2 == 0 ? 0 : 5), 1, 0) != "";
  CHECK(wrong == 0);
}
