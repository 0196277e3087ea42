#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>

#include <mgws/options.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/cpu.hpp>
#include <mgws/runtime/plan.hpp>

#include "catch.hpp"

namespace {

/// The complaint about default options with one change; empty if there is none.
std::string complaint(const std::function<void(mgws::options&)>& change) {
  mgws::options o;
  change(o);
  try {
    mgws::check(o);
  } catch (const mgws::bad_configuration& e) {
    return e.what();
  }
  return "";
}

/// One sentence: not empty, one line, and it says what it is about.
void names(const std::string& text, const std::string& what) {
  INFO(text);
  CHECK(text.find(what) != std::string::npos);
  CHECK(text.find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE("options: the defaults are good") {
  CHECK(complaint([](auto&) {}).empty());
}

TEST_CASE("options: every bad value is refused in one sentence that names it") {
  for (const std::uint32_t n : {1u, 3u, 100u, 1u << 19, ~0u}) {
    names(complaint([&](auto& o) { o.public_queue = n; }), "public-queue");
    names(complaint([&](auto& o) { o.local_queue = n; }), "local-queue");
    names(complaint([&](auto& o) { o.local_queue = n; }), std::to_string(n));
  }
  for (const std::uint32_t n : {3u, 100u, 1u << 31, ~0u})
    names(complaint([&](auto& o) { o.spill = n; }), "spill");
  for (const std::uint32_t n : {0u, 3u, 5u, 8u, ~0u})
    names(complaint([&](auto& o) { o.owners = n; }), "owners");
  for (const double p : {-0.01, 1.01, std::nan(""), std::numeric_limits<double>::infinity()})
    names(complaint([&](auto& o) { o.own_device_bias = p; }), "bias");
  for (const double t : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    names(complaint([&](auto& o) { o.timeout = std::chrono::duration<double>(t); }), "timeout");
  names(complaint([](auto& o) {
          o.devices = {{.workers = mgws::k_max_workers}, {.workers = 1}};
        }),
        "workers");
  names(complaint([](auto& o) {
          o.devices = {{.workers = ~0u}, {.workers = ~0u}, {.workers = 2}};
        }),
        "workers");
}

TEST_CASE("options: numbers that no enumerator has are refused") {
  names(complaint([](auto& o) { o.devices = {{.kind = static_cast<mgws::device_kind>(2)}}; }),
        "kind has no value with the number 2");
  names(complaint([](auto& o) { o.transport = static_cast<mgws::transport_kind>(4); }),
        "transport");
  names(complaint([](auto& o) { o.domains = static_cast<mgws::domain_split>(2); }), "domains");
  names(complaint([](auto& o) { o.initial_tasks = static_cast<mgws::task_memory>(4); }),
        "initial-tasks");
  names(complaint([](auto& o) { o.inboxes_of = static_cast<mgws::inbox_devices>(2); }),
        "inboxes-of");
  names(complaint([](auto& o) { o.termination = static_cast<mgws::termination>(3); }),
        "termination");
  names(complaint([](auto& o) { o.overflow = static_cast<mgws::overflow_policy>(2); }), "overflow");
  names(complaint([](auto& o) { o.steal = static_cast<mgws::steal_policy>(4); }), "steal");
  names(complaint([](auto& o) { o.direct = static_cast<mgws::direct_mode>(255); }), "255");
  CHECK(complaint([](auto& o) {
          o.devices = {{.kind = mgws::device_kind::gpu}};
          o.transport = mgws::transport_kind::remote;
          o.initial_tasks = mgws::task_memory::remote;
          o.termination = mgws::termination::hierarchical;
          o.overflow = mgws::overflow_policy::damping;
          o.steal = mgws::steal_policy::none;
          o.direct = mgws::direct_mode::bulk;
        }).empty());
}

TEST_CASE("options: a spill area that ran out is told a size that the option takes") {
  const auto said = [](std::uint64_t needed) {
    return std::string(mgws::out_of_space(3, needed).what());
  };
  names(said(262'145), "needs 262145 slots or more (option spill: try 2097152, at least 524288)");
  names(said(8), "needs 8 slots or more (option spill: try 32, at least 8)");
  names(said(mgws::k_most_spill / 2), "(option spill: try 1073741824, at least 536870912)");
  names(said(mgws::k_most_spill), "(option spill: try 1073741824)");
  names(said(std::uint64_t{mgws::k_most_spill} + 1), "more than the 1073741824 that it can have");
}

TEST_CASE("options: frames that ran out are told a number that the option takes") {
  const auto said = [](std::uint64_t frames) {
    return std::string(mgws::out_of_frames(3, frames).what());
  };
  names(said(64), "64 a worker, none was free (option frames: try 128,");
  names(said(mgws::k_most_frames / 2), "(option frames: try 1048576,");
  names(said(mgws::k_most_frames), "as many as it can have");
}

TEST_CASE("options: a CPU worker's spill area is large, and all of them leave room") {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  CHECK(mgws::cpu_spill(2, 16, 24 * gib) == mgws::k_cpu_spill);
  CHECK(mgws::cpu_spill(64, 16, 256 * gib) == mgws::k_cpu_spill);
  CHECK(mgws::cpu_spill(64, 16, 16 * gib) == 1u << 22);
  CHECK(mgws::cpu_spill(1, 4096, 1024 * gib) == 1u << 18);
  CHECK(mgws::cpu_spill(256, 4112, 64 * gib) == 1u << 13);
  CHECK(mgws::cpu_spill(mgws::k_max_workers, 1 << 20, gib) == mgws::k_least_cpu_spill);
  CHECK(mgws::cpu_spill(0, 16, ~std::uint64_t{0}) == mgws::k_cpu_spill);
}

TEST_CASE("options: a CPU worker's frames are many, unless they are large") {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  CHECK(mgws::cpu_frames(2, 32, 24 * gib) == mgws::k_cpu_frames);
  CHECK(mgws::cpu_frames(256, 64, gib) == 1u << 14);
  CHECK(mgws::cpu_frames(256, 4160, 64 * gib) == 1u << 13);
  CHECK(mgws::cpu_frames(mgws::k_max_workers, 1 << 20, gib) == mgws::k_least_frames);
}

TEST_CASE("options: another GPU's memory is for one computing GPU") {
  using mgws::transport_kind;
  CHECK(complaint([](auto& o) { o.transport = transport_kind::remote; }).empty());
  CHECK(complaint([](auto& o) {
          o.transport = transport_kind::remote;
          o.remote_gpu = 3;
        }).empty());
  CHECK(complaint([](auto& o) {
          o.initial_tasks = mgws::task_memory::remote;
          o.devices.resize(2);
        }).find("one computing GPU") != std::string::npos);
  CHECK(complaint([](auto& o) { o.remote_gpu = 1; }).find("remote GPU") != std::string::npos);
}

TEST_CASE("options: the limits themselves are good") {
  for (const std::uint32_t n : {0u, 2u, 1u << 18}) {
    CHECK(complaint([&](auto& o) { o.public_queue = n; }).empty());
    CHECK(complaint([&](auto& o) { o.local_queue = n; }).empty());
  }
  for (const std::uint32_t n : {0u, 1u, 1u << 30})
    CHECK(complaint([&](auto& o) { o.spill = n; }).empty());
  for (const std::uint32_t n : {1u, 2u, 4u})
    CHECK(complaint([&](auto& o) { o.owners = n; }).empty());
  for (const double p : {0.0, 1.0})
    CHECK(complaint([&](auto& o) { o.own_device_bias = p; }).empty());
  CHECK(complaint([](auto& o) { o.workers = mgws::k_max_workers; }).empty());
  CHECK(complaint([](auto& o) { o.timeout = std::chrono::duration<double>(0.001); }).empty());
}

TEST_CASE("options: as many workers as an epoch's attempts can count") {
  using layout = mgws::protocol::layout;
  const auto steps = std::uint64_t{mgws::steal_sequence::steps(layout::max_capacity)};
  CHECK(2 * std::uint64_t{mgws::k_max_workers} + steps <= layout::max_attempts);
  CHECK(2 * (std::uint64_t{mgws::k_max_workers} + 1) + steps > layout::max_attempts);
}

TEST_CASE("report: imbalance is standard deviation over mean") {
  mgws::run_report r;
  CHECK(r.imbalance() == 0);
  r.workers.resize(2);
  r.devices.resize(1);
  CHECK(r.imbalance() == 0);
  r.workers[0].tasks = 10;
  r.workers[1].tasks = 30;
  CHECK(std::abs(r.imbalance() - 0.5) < 1e-12);
  r.devices.resize(2);
  r.devices[0].tasks = 7;
  r.devices[1].tasks = 7;
  CHECK(r.imbalance() == 0);
  r.devices[1].tasks = 0;
  CHECK(std::abs(r.imbalance() - 1) < 1e-12);
}

TEST_CASE("report: memory adds up") {
  const mgws::memory_use m{1, 20, 300, 4000, 50000};
  CHECK(m.total() == 54321);
}

TEST_CASE("options: a run has the seed that was asked for, or one that no other run has") {
  mgws::options o;
  std::set<std::uint64_t> drawn;
  for (int i = 0; i != 1000; ++i)
    drawn.insert(mgws::draw_seed(o));
  CHECK(drawn.size() == 1000);
  CHECK(drawn.count(0) == 0);
  o.seed = 7;
  CHECK(mgws::draw_seed(o) == 7);
}
