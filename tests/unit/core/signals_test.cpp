// The sign of life that the host has of its own, where it cannot look at the workers' while they
// run: seldom written, but what it says of a worker that never returns is true.
#include <cstdint>
#include <type_traits>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/backends/cpu/memory.hpp>
#include <mgws/core/protocol.hpp>
#include <mgws/core/signals.hpp>
#include <mgws/transports/host.hpp>
#include <mgws/transports/impl/transport.hpp>

#include "catch.hpp"

namespace {

using mgws::phase;

/// A clock that stands still until it is moved, in nanoseconds.
std::uint64_t clock_now = 0;

struct timed : mgws::cpu_backend::backend {
  static constexpr std::uint64_t stop_interval_ns = 1000;
  static std::uint64_t now() { return clock_now; }
};
using requests_of_device = mgws::run_control<timed>;
using sign_of_life = mgws::worker_progress<timed>;
using transport = mgws::host_transport<timed, mgws::cpu_backend::area>;

struct view : transport::view {
  requests_of_device* requests = nullptr;
  sign_of_life* signs = nullptr;

  [[nodiscard]] requests_of_device& host_control(std::uint32_t device) const {
    return requests[device];
  }
  [[nodiscard]] sign_of_life& host_progress(std::uint32_t worker) const { return signs[worker]; }
};
static_assert(!mgws::mirrored_view<transport::view> && mgws::mirrored_view<view>);

struct configuration {
  using protocol = mgws::protocol;
  using view = ::view;
  using statistics = mgws::no_statistics;
};

/// Two workers on two devices; the first one's signals.
struct pair {
  mgws::device_range devices[2]{{0, 1, 0, 1}, {1, 1, 1, 1}};
  mgws::run_parameters run{};
  transport shared{{.workers = 2, .queues = 2, .global_cells = 1, .device_cells = {1, 1}}};
  requests_of_device requests[2];
  sign_of_life signs[2];
  view all;
  mgws::no_statistics statistics{nullptr};

  pair() {
    clock_now = 1;
    run.workers = 2;
    run.queues = 2;
    run.owners = 1;
    run.devices = 2;
    run.device = devices;
    static_cast<transport::view&>(all) = shared.workers_view(nullptr);
    all.requests = requests;
    all.signs = signs;
  }
  [[nodiscard]] phase said() const { return static_cast<phase>(signs[0].now.load()); }
  [[nodiscard]] phase own() const { return static_cast<phase>(all.progress(0).now.load()); }
};

constexpr std::uint64_t k_longer_than_the_mirror = 2'000'000;

}  // namespace

TEST_CASE("signals: a worker with work says so to the host at once, and nothing else") {
  pair p;
  mgws::signals<configuration> s(p.all, p.run, {p.run, 0, 0}, p.statistics);
  s.enter(phase::searching);
  CHECK(p.own() == phase::searching);
  CHECK(p.said() == phase::starting);
  s.enter(phase::working);
  CHECK(p.said() == phase::working);
  s.executed(7);
  s.holds(3, 4);
  s.tries(1);
  s.enter(phase::idle);
  CHECK_FALSE(s.stopping());
  CHECK(p.said() == phase::working);
  CHECK(p.signs[0].executed == 0);
  CHECK(p.all.progress(0).executed == 7);
}

TEST_CASE("signals: the host's record is brought up to date as time goes by") {
  pair p;
  mgws::signals<configuration> s(p.all, p.run, {p.run, 0, 0}, p.statistics);
  for (std::uint64_t round = 1; round != 4; ++round) {
    s.enter(phase::working);
    s.executed(10 * round);
    s.holds(3, 4);
    s.tries(1);
    s.enter(phase::idle);
    clock_now += k_longer_than_the_mirror;
    CHECK(p.said() == phase::working);
    CHECK_FALSE(s.stopping());
    CHECK(p.said() == phase::idle);
    CHECK(p.signs[0].executed == 10 * round);
    CHECK(p.signs[0].local == 3);
    CHECK(p.signs[0].spilled == 4);
    CHECK(p.signs[0].target == 1);
  }
  CHECK(p.signs[1].target == sign_of_life::no_target);
}

TEST_CASE("signals: a heartbeat reaches the host at once") {
  pair p;
  mgws::signals<configuration> s(p.all, p.run, {p.run, 0, 0}, p.statistics);
  s.beat(1);
  CHECK(p.signs[0].beats == 1);
  s.beat(12);
  CHECK(p.signs[0].beats == 12);
}

TEST_CASE("signals: who was told to stop says when it has, others need not") {
  pair p;
  mgws::signals<configuration> s(p.all, p.run, {p.run, 0, 0}, p.statistics);
  s.enter(phase::working);
  const bool told = GENERATE(false, true);
  if (told) p.requests[0].stop = static_cast<std::uint32_t>(mgws::stop_reason::cancelled);
  p.requests[1].stop = static_cast<std::uint32_t>(mgws::stop_reason::cancelled);
  CHECK(s.asked_to_stop() == told);
  clock_now += k_longer_than_the_mirror;
  CHECK(s.stopping() == told);
  s.enter(phase::finished);
  CHECK(p.own() == phase::finished);
  CHECK(p.said() == (told ? phase::finished : phase::working));
}

TEST_CASE("signals: a failure stops the workers of all devices where they look") {
  pair p;
  mgws::signals<configuration> s(p.all, p.run, {p.run, 0, 0}, p.statistics);
  s.report(mgws::failure::task, 5);
  const auto failed = static_cast<std::uint32_t>(mgws::stop_reason::failed);
  CHECK(p.requests[0].stop == failed);
  CHECK(p.requests[1].stop == failed);
  CHECK(p.all.control(0).detail == 5);
}
