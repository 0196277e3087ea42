#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>

#include <mgws/options.hpp>
#include <mgws/report.hpp>
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
  for (const std::uint32_t n : {0u, 1u, 3u, 100u, 1u << 19, ~0u}) {
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
  for (const std::uint32_t n : {2u, 1u << 18}) {
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
