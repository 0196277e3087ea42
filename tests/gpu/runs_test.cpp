// The contract's tests on GPU workers: whole runs against the exact result, runs that end before
// their tasks do, limits, and the one layout that host and device share. What tasks may do is
// tested in features_test.cpp.
#include "gpu/runs.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/errors.hpp>

#include "catch.hpp"
#include "gpu/layout.hpp"
#include "gpu/where.hpp"
#include "repeats.hpp"

namespace {

using namespace gpu_test::where;
using gpu_test::behaviour;
using mgws::direct_mode;
using mgws::overflow_policy;
using mgws::steal_policy;
using mgws::termination;
using mgws::transport_kind;
using std::chrono::steady_clock;

constexpr std::uint64_t nodes(std::uint32_t depth) {
  return (std::uint64_t{2} << depth) - 1;
}

void is_usable(gpu_test::actors& a) {
  mgws::run_report r;
  CHECK(a.run(behaviour::finish, 9, r) == nodes(9));
  CHECK(r.status == mgws::status::completed);
  CHECK(r.tasks == nodes(9));
}

}  // namespace

TEST_CASE("gpu: host and device see one layout") {
  gpu_test::layout here(gpu_test::k_layout_entries);
  gpu_test::fill_layout<mgws::cpu_backend::backend>(here.data());
  const auto by_gpu_compiler = gpu_test::layout_by_gpu_compiler();
  CHECK(here == by_gpu_compiler);
  CHECK(by_gpu_compiler == gpu_test::layout_in_kernel());
}

TEST_CASE("gpu: every combination of options gives the exact result") {
  const auto transport = GENERATE(transport_kind::p2p, transport_kind::host);
  const auto detector =
      GENERATE(termination::counter, termination::tree, termination::hierarchical);
  const auto overflow = GENERATE(overflow_policy::probe, overflow_policy::damping);
  std::uint64_t stolen = 0;
  for (const std::uint32_t owners : {1u, 2u, 4u})
    for (const std::uint32_t workers : {1u, 2u, 7u, 132u, 0u})
      for (const std::uint32_t queue : {4u, 64u, 256u})
        for (const auto steal : {steal_policy::uniform, steal_policy::none}) {
          auto o = on_gpu(workers);
          o.transport = transport;
          o.termination = detector;
          o.overflow = overflow;
          o.steal = steal;
          o.owners = owners;
          o.public_queue = queue;
          o.local_queue = queue;
          o.initial_tasks = workers % 2 == 0 ? mgws::task_memory::host : mgws::task_memory::device;
          for (const std::uint32_t lanes : {32u, 128u}) {
            const auto r =
                gpu_test::run_mixed({.options = o, .depth = 5, .statistics = true, .lanes = lanes});
            INFO(described(o) << ", lanes " << lanes);
            CHECK(r.fault == "");
            stolen += r.stolen;
          }
        }
  // Runs that share nothing would show nothing.
  CHECK(stolen > 100);
}

TEST_CASE("gpu: the static baseline gives the exact result") {
  for (const auto direct : {direct_mode::one, direct_mode::bulk})
    for (const std::uint32_t workers : {1u, 7u, 0u}) {
      auto o = on_gpu(workers);
      o.direct = direct;
      const auto r = gpu_test::run_mixed({.options = o, .depth = 4});
      INFO(described(o));
      CHECK(r.fault == "");
    }
}

TEST_CASE("gpu: every detector over many small runs, no wrong result") {
  const auto detector =
      GENERATE(termination::counter, termination::tree, termination::hierarchical);
  std::uint32_t shared = 0;
  std::uint32_t runs = 0;
  for (const std::uint32_t workers : {2u, 16u, 264u}) {
    auto o = on_gpu(workers);
    o.termination = detector;
    o.public_queue = 16;
    o.local_queue = 64;
    const std::uint32_t each = test::repeats(3334);
    const auto r = gpu_test::run_mixed({.options = o, .depth = 4, .runs = each, .spin = 200});
    INFO(described(o));
    CHECK(r.fault == "");
    shared += r.shared;
    runs += each;
  }
  std::printf("termination %d: %u runs, %u of them on several workers\n",
              static_cast<int>(detector), runs, shared);
  CHECK(shared >= runs / 4);
}

TEST_CASE("gpu: no more workers than are resident") {
  const std::uint32_t fit = gpu_test::most_workers(on_gpu(0));
  CHECK(fit >= 1);
  CHECK(gpu_test::most_workers(on_gpu(fit)) == fit);
  std::string said;
  try {
    gpu_test::most_workers(on_gpu(fit + 1));
  } catch (const mgws::bad_configuration& e) {
    said = e.what();
  }
  CHECK(said.find("at most " + std::to_string(fit)) != std::string::npos);
}

TEST_CASE("gpu: arrays carry data to the tasks and back") {
  CHECK(gpu_test::arrays_carry_data(on_gpu(0)));
}

TEST_CASE("gpu: a GPU named twice shares its room, and no more") {
  const std::uint32_t fit = gpu_test::most_workers(one_gpu_twice());
  CHECK(fit % 2 == 0);
  auto o = one_gpu_twice();
  o.devices[0].workers = fit - 1;
  o.devices[1].workers = 1;
  CHECK(gpu_test::most_workers(o) == fit);
  o.devices[1].workers = 0;
  CHECK(gpu_test::most_workers(o) >= fit);
  o.devices[0].workers = o.devices[1].workers = fit;
  CHECK_THROWS_AS(gpu_test::most_workers(o), mgws::bad_configuration);
}

TEST_CASE("gpu: placed arrays carry data to the tasks and back, on one GPU and on two") {
  const auto where =
      GENERATE(mgws::placement::main, mgws::placement::replicated, mgws::placement::partitioned,
               mgws::placement::host, mgws::placement::managed);
  CHECK(gpu_test::placed_arrays_carry_data(on_gpu(0), where));
  for (const auto& two : two_devices())
    CHECK(gpu_test::placed_arrays_carry_data(two, where));
}

TEST_CASE("gpu: placed arrays carry data to CPU workers and a GPU of one run, and back") {
  const auto where = GENERATE(mgws::placement::main, mgws::placement::replicated,
                              mgws::placement::host, mgws::placement::managed);
  auto o = on_gpu(0);
  o.devices.push_back({.workers = 2});
  for (int i = 0; i != 5; ++i)
    CHECK(gpu_test::placed_arrays_carry_data_over_domains(o, where));
}

TEST_CASE("gpu: the same initial tasks again and again, each once a run") {
  const bool in_bulk = GENERATE(false, true);
  for (const std::uint32_t workers : {0u, 5u}) {
    auto o = on_gpu(workers);
    const std::uint32_t tasks = workers == 0 ? 600'011 : 20'011;
    CHECK(gpu_test::run_again(o, tasks, in_bulk) == "");
    o.owners = 2;
    CHECK(gpu_test::run_again(o, tasks, in_bulk) == "");
    o.transport = mgws::transport_kind::host;
    CHECK(gpu_test::run_again(o, tasks, in_bulk) == "");
  }
  for (const auto& two : two_devices())
    CHECK(gpu_test::run_again(two, 1'000'003, in_bulk) == "");
}

TEST_CASE("gpu: with everything in another GPU's memory the result is exact") {
  mgws::options two;
  if (!two_gpus(two)) return;
  for (const auto detector : {termination::counter, termination::tree, termination::hierarchical})
    for (const std::uint32_t workers : {1u, 7u, 132u, 0u})
      for (const auto tasks :
           {mgws::task_memory::device, mgws::task_memory::remote, mgws::task_memory::host}) {
        auto o = on_gpu(workers);
        o.transport = transport_kind::remote;
        o.initial_tasks = tasks;
        o.termination = detector;
        const auto r = gpu_test::run_mixed({.options = o, .depth = 5, .statistics = true});
        INFO(described(o));
        CHECK(r.fault == "");
      }
}

TEST_CASE("gpu: the remote transport says what it lacks") {
  auto o = on_gpu(1);
  o.transport = transport_kind::remote;
  o.remote_gpu = 0;
  CHECK_THROWS_AS(gpu_test::most_workers(o), mgws::bad_configuration);
  o.remote_gpu = 99;
  CHECK_THROWS_AS(gpu_test::most_workers(o), mgws::not_possible);
}

TEST_CASE("gpu: two devices give the exact result with every detector") {
  auto all = two_devices();
  // The workers of one GPU may also meet in host memory.
  all.push_back(one_gpu_twice());
  all.back().transport = transport_kind::host;
  for (auto o : all) {
    std::uint64_t across = 0;
    for (const auto detector : {termination::counter, termination::tree, termination::hierarchical})
      for (const std::uint32_t workers : {1u, 7u, 132u, 0u}) {
        o.termination = detector;
        o.devices[0].workers = o.devices[1].workers = workers;
        o.initial_tasks = workers == 7 ? mgws::task_memory::host : mgws::task_memory::device;
        const auto r = gpu_test::run_mixed({.options = o, .depth = 5, .statistics = true});
        INFO(described(o));
        CHECK(r.fault == "");
        across += r.last.steal_matrix[0][1].slots + r.last.steal_matrix[1][0].slots;
      }
    CHECK(across != 0);
  }
}

TEST_CASE("gpu: what does not fit the local queue spills, and what fits nowhere is an error") {
  auto o = on_gpu(1);
  o.local_queue = 32;
  o.public_queue = 32;
  o.spill = 1024;
  CHECK(gpu_test::run_burst(o, 1000) == 1001);
  bool thrown = false;
  try {
    gpu_test::run_burst(o, 5000);
  } catch (const mgws::out_of_space& e) {
    thrown = true;
    CHECK(e.needed() > 1024);
    CHECK(e.needed() <= 5000);
  }
  CHECK(thrown);
  o.spill = 8192;
  CHECK(gpu_test::run_burst(o, 5000) == 5001);
}

TEST_CASE("gpu: what one slot stands for is shared") {
  const auto o = on_gpu(132);
  struct {
    std::uint32_t children;
    std::uint64_t ns;
    bool warps;
  } const all[] = {{2'000'000, 0, false}, {100'000, 20'000, false}, {20'000, 10'000, true}};
  for (const auto& [children, ns, warps] : all) {
    const auto r = gpu_test::run_fan(o, children, ns, warps);
    INFO(children << " tasks of " << ns << " ns, by " << (warps ? "warps" : "lanes"));
    CHECK(r.ran == children + 1);
    CHECK(r.busy > 66);
  }
}

TEST_CASE("gpu: a failure's code reaches the caller, and the runtime goes on") {
  for (const auto transport : {transport_kind::p2p, transport_kind::host}) {
    auto o = on_gpu(0);
    o.transport = transport;
    const auto a = gpu_test::make_actors(o);
    mgws::run_report r;
    std::uint64_t code = 0;
    try {
      a->run(behaviour::fail, 5, r);
    } catch (const mgws::task_failed& e) {
      code = e.code();
    }
    CHECK(code == 1005);
    CHECK(r.status == mgws::status::failed);
    CHECK(r.tasks == 1);
    is_usable(*a);
  }
}

TEST_CASE("gpu: cancel ends a run that would not end, and another can follow") {
  for (const auto transport : {transport_kind::p2p, transport_kind::host})
    for (const auto what : {behaviour::go_on, behaviour::wait}) {
      auto o = on_gpu(0);
      o.transport = transport;
      const auto a = gpu_test::make_actors(o);
      a->cancel();  // outside a run: nothing
      is_usable(*a);
      steady_clock::time_point cancelled;
      std::jthread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        cancelled = steady_clock::now();
        a->cancel();
      });
      mgws::run_report r;
      const std::uint64_t ran = a->run(what, 1, r);
      const std::chrono::duration<double> took = steady_clock::now() - cancelled;
      other.join();
      CHECK(took.count() < 1);
      CHECK(r.status == mgws::status::cancelled);
      CHECK(r.tasks == ran);
      is_usable(*a);
    }
}

TEST_CASE("gpu: the watchdog stops a run without progress, and another can follow") {
  for (const auto transport : {transport_kind::p2p, transport_kind::host}) {
    auto o = on_gpu(4);
    o.transport = transport;
    o.timeout = std::chrono::duration<double>(0.5);
    const auto a = gpu_test::make_actors(o);
    const auto before = steady_clock::now();
    bool thrown = false;
    mgws::run_report r;
    try {
      a->run(behaviour::wait, 0, r);
    } catch (const mgws::no_progress& e) {
      thrown = true;
      CHECK(e.lost_workers() == 0);
      INFO(e.dump());
      CHECK(e.dump().find("queue 3: ") != std::string::npos);
      CHECK(e.dump().find("working, 0 tasks run") != std::string::npos);
    }
    const std::chrono::duration<double> took = steady_clock::now() - before;
    CHECK(thrown);
    CHECK(took.count() >= 0.5);
    CHECK(took.count() < 3);
    CHECK(r.status == mgws::status::failed);
    CHECK(r.tasks == 1);
    is_usable(*a);
    // A long task that gives signs of life is left alone.
    CHECK(a->run(behaviour::work_long, 0, r) == 1);
    CHECK(r.seconds > 0.9);
  }
}

TEST_CASE("gpu: progress is reported while a run lasts") {
  auto o = on_gpu(2);
  std::vector<std::uint64_t> seen;
  o.on_progress = [&](std::uint64_t tasks) { seen.push_back(tasks); };
  const auto a = gpu_test::make_actors(o);
  mgws::run_report r;
  a->run(behaviour::work_long, 0, r);
  CHECK(seen.size() >= 2);
}
