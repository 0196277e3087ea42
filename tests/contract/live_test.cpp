// Live runs: tasks that are submitted while a run goes on.
#include "live.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "behaviour.hpp"
#include "catch.hpp"
#include "repeats.hpp"

namespace {

using namespace contract;

/// What the tasks below wait for.
std::atomic<bool> opened{false};
std::atomic<bool> at_work{false};

struct waits {
  void operator()(auto& worker) const {
    at_work = true;
    while (!opened && !worker.stopping())
      std::this_thread::yield();
  }
};
using tasks = mgws::task_set<tree, waits, throws_up>;
using live_runtime = mgws::runtime<tasks, counts>;

mgws::options workers(std::uint32_t n) {
  mgws::options o;
  o.workers = n;
  return o;
}

/// Waits for it, but not for ever.
template <class F>
bool soon(F&& f) {
  for (const auto began = steady_clock::now(); seconds_since(began) < 20;
       std::this_thread::sleep_for(milliseconds(1)))
    if (f()) return true;
  return false;
}

/// What is put into a door without a run behind it; copying it may take as long as a test likes.
struct parcel {
  struct copying {
    std::atomic<bool> begun{false};
    std::atomic<bool> may_end{false};
  };
  copying* slow = nullptr;
  parcel& operator=(const parcel& from) {
    slow = from.slow;
    if (slow == nullptr) return *this;
    slow->begun = true;
    while (!slow->may_end)
      std::this_thread::yield();
    return *this;
  }
};
/// Rings of which nobody reads: two of each of two devices.
struct four_rings {
  using backend = mgws::cpu_backend::backend;
  static constexpr std::uint32_t k_slots = 8;
  struct shared {
    mgws::inbox_head<backend> heads[2][2];
    parcel slots[2][2][k_slots];
    backend::parking parking;
  };
  shared* all;
  auto& inbox(std::uint32_t device, std::uint32_t i) const { return all->heads[device][i]; }
  void* inbox_slots(std::uint32_t device, std::uint32_t i) const { return all->slots[device][i]; }
  auto& parking() const { return all->parking; }

  /// By number, then by device.
  [[nodiscard]] mgws::live_door_frame::inboxes ends(std::uint32_t devices) const {
    mgws::live_door_frame::inboxes ends;
    for (const std::uint32_t i : {0u, 1u})
      for (std::uint32_t d = 0; d != devices; ++d)
        ends.push_back(
            std::make_unique<mgws::inbox_of<four_rings, parcel>>(*this, d, i, k_slots, false));
    return ends;
  }
};

}  // namespace

TEST_CASE("live: what several threads submit is done, and seen by who waits") {
  for (const auto& groups : {std::vector<std::uint32_t>{1}, {2}, {5}, {2, 1}, {1, 1, 1}})
    for (const std::uint32_t slots : {1u, 8u, 1024u})
      for (const std::uint32_t producers : {1u, 3u, 5u}) {
        INFO(groups.size() << " devices, " << slots << " slots, " << producers << " producers");
        auto o = groups_of(groups);
        o.inbox_slots = slots;
        o.inboxes = slots == 8 ? 3 : 1;
        o.inboxes_of = producers == 5 ? mgws::inbox_devices::one : mgws::inbox_devices::each;
        REQUIRE(lives::fault<runtime_of>(o, producers, 3) == "");
      }
}

TEST_CASE("live: with every detector that is asked for, queue size and policy") {
  for (const auto detector :
       {mgws::termination::counter, mgws::termination::tree, mgws::termination::hierarchical}) {
    auto o = groups_of({2, 2});
    o.termination = detector;
    o.public_queue = o.local_queue = 2;
    o.overflow = mgws::overflow_policy::damping;
    o.owners = 2;
    REQUIRE(lives::fault<runtime_of>(o, 2, 2) == "");
    o.steal = mgws::steal_policy::none;
    REQUIRE(lives::fault<runtime_of>(o, 2, 2) == "");
  }
}

TEST_CASE("live: many short ones, the end racing with what is submitted") {
  const auto repeats = test::repeats(2000);
  live_runtime rt(workers(2));
  std::uint64_t wrong = 0;
  for (std::uint32_t i = 0; i != repeats; ++i) {
    auto live = rt.start();
    for (std::uint32_t n = i % 4; n != 0; --n)
      live.submit(tree{1});
    wrong += live.close().results.get<count>() != 3 * (i % 4);
  }
  CHECK(wrong == 0);
}

TEST_CASE("live: the initial set is where it begins, and is waited for") {
  live_runtime rt(workers(2));
  rt.seed(tree{10});
  auto live = rt.start();
  live.wait_idle();
  CHECK(live.close().results.get<count>() == nodes(10));
  CHECK(rt.run().results.get<count>() == 0);
}

TEST_CASE("live: without work it takes no processor time, and no time-out ends it") {
  auto o = workers(2);
  o.timeout = std::chrono::duration<double>(0.2);
  live_runtime rt(o);
  auto live = rt.start();
  live.submit(tree{3});
  live.wait_idle();
  std::this_thread::sleep_for(milliseconds(50));
  const double before = processor_seconds();
  std::this_thread::sleep_for(milliseconds(700));
  CHECK(processor_seconds() - before < 0.15);
  live.submit(tree{3});
  CHECK(live.close().results.get<count>() == 2 * nodes(3));
}

TEST_CASE("live: a task without end is found by the time-out") {
  opened = false;
  auto o = workers(2);
  o.timeout = std::chrono::duration<double>(0.2);
  live_runtime rt(o);
  auto live = rt.start();
  live.submit(waits{});
  CHECK_THROWS_AS(live.close(), mgws::no_progress);
}

TEST_CASE("live: a full ring refuses, or makes wait") {
  opened = false;
  auto o = workers(1);
  o.inbox_slots = 2;
  live_runtime rt(o);
  auto live = rt.start();
  live.submit(waits{});
  std::uint64_t more = 0;
  const auto began = steady_clock::now();
  while (seconds_since(began) < 0.05)
    more += live.try_submit(tree{0}) ? 1u : 0u;
  CHECK(more >= 1);
  CHECK(more <= 3);
  CHECK_FALSE(live.try_submit(tree{0}));
  std::thread waiting([&] { live.submit(tree{0}); });
  std::this_thread::sleep_for(milliseconds(20));
  opened = true;
  waiting.join();
  CHECK(live.close().results.get<count>() == more + 1);
}

TEST_CASE("live: a thread whose own ring is full has the others'") {
  auto o = workers(1);
  o.inboxes = 2;
  o.inbox_slots = 2;
  live_runtime rt(o);
  for (const bool waiting : {false, true}) {
    opened = at_work = false;
    auto live = rt.start();
    live.submit(waits{});
    REQUIRE(soon([] { return at_work.load(); }));
    std::atomic<std::uint32_t> done{0};
    std::thread one([&] {
      for (int i = 0; i != 4; ++i)
        if (waiting) {
          live.submit(tree{0});
          ++done;
        } else {
          done += live.try_submit(tree{0}) ? 1 : 0;
        }
    });
    CHECK(soon([&] { return done == 4; }));
    CHECK_FALSE(live.try_submit(tree{0}));
    opened = true;
    one.join();
    CHECK(live.close().results.get<count>() == done);
  }
}

TEST_CASE("live: threads that come and go do not wait for one that stays") {
  four_rings::shared memory;
  mgws::live_door<parcel> door;
  door.open(four_rings{&memory}.ends(1), 1, mgws::worker_kind::cpu, mgws::inbox_devices::each);
  parcel::copying slow;
  std::thread stays([&] { door.put(parcel{&slow}, mgws::affinity{}); });
  REQUIRE(soon([&] { return slow.begun.load(); }));
  std::atomic<std::uint32_t> done{0};
  std::vector<std::thread> others;
  for (std::uint32_t i = 0; i != 4; ++i) {
    others.emplace_back([&] { done += door.try_put(parcel{}, mgws::affinity{}) ? 1 : 0; });
    CHECK(soon([&] { return done == i + 1; }));
  }
  slow.may_end = true;
  stays.join();
  for (std::thread& t : others)
    t.join();
  CHECK(done == 4);
}

TEST_CASE("live: into the rings of each device in turn, or of one") {
  using mgws::inbox_devices;
  constexpr std::uint32_t k_full = four_rings::k_slots;
  for (const auto of : {inbox_devices::each, inbox_devices::one})
    for (const bool domains : {false, true}) {
      INFO((of == inbox_devices::one ? "one" : "each") << (domains ? ", two domains" : ""));
      four_rings::shared memory[2];
      mgws::live_door<parcel> door;
      if (domains) {
        door.expect(2);
        for (auto& m : memory)
          door.open(four_rings{&m}.ends(1), 1, mgws::worker_kind::cpu, of);
      } else {
        door.open(four_rings{&memory[0]}.ends(2), 2, mgws::worker_kind::cpu, of);
      }
      const auto written = [&](std::uint32_t device, std::uint32_t i) {
        const auto& head = domains ? memory[device].heads[0][i] : memory[0].heads[device][i];
        const auto twice =
            four_rings::backend::load(head.written, mgws::order::relaxed, mgws::scope::system);
        return twice / 2;
      };
      for (std::uint32_t n = 0; n != 4; ++n)
        door.put(parcel{}, mgws::affinity{});
      const std::uint64_t others = of == inbox_devices::one ? 0 : 2;
      CHECK(written(0, 0) + written(0, 1) == 4 - others);
      CHECK(written(1, 0) + written(1, 1) == others);
      std::uint32_t more = 0;
      while (door.try_put(parcel{}, mgws::affinity{}))
        ++more;
      CHECK(4 + more == 2 * k_full * (of == inbox_devices::one ? 1 : 2));
      CHECK(written(1, 0) + written(1, 1) == (of == inbox_devices::one ? 0 : 2 * k_full));
    }
}

TEST_CASE("live: what came into one device's rings the other's workers steal") {
  mgws::options o = groups_of({1, 1});
  o.inboxes_of = mgws::inbox_devices::one;
  mgws::runtime<tasks, counts, mgws::no_context, mgws::worker_statistics> rt(o);
  for (std::uint32_t i = 0; i != 20; ++i) {
    auto live = rt.start();
    live.submit(tree{12});
    const auto r = live.close();
    CHECK(r.results.get<count>() == nodes(12));
    CHECK(r.records[0].counts.slots_submitted == 1);
    CHECK(r.records[1].counts.slots_submitted == 0);
  }
}

TEST_CASE("live: what a task throws comes out of close()") {
  live_runtime rt(workers(2));
  auto live = rt.start();
  live.submit(tree{3});
  live.wait_idle();
  live.submit(throws_up{});
  CHECK(throws<mgws::not_possible>(
      [&] { live.wait_idle(); },
      [](const auto& e) { CHECK(is_one_sentence_about(e.what(), "close() says why")); }));
  CHECK_THROWS_WITH(live.close(), "thrown by a task");
  REQUIRE(rt.report_of_failed_run());
  CHECK(rt.report_of_failed_run()->status == mgws::status::failed);
  CHECK(rt.report_of_failed_run()->get<count>() == nodes(3));
  CHECK(rt.report_of_failed_run()->tasks == nodes(3) + 1);
  rt.seed(tree{3});
  CHECK(rt.run().results.get<count>() == nodes(3));
}

TEST_CASE("live: cancelled from outside") {
  opened = false;
  live_runtime rt(workers(2));
  auto live = rt.start();
  live.submit(waits{});
  rt.cancel();
  CHECK(live.close().status == mgws::status::cancelled);
}

TEST_CASE("live: what is refused, in one sentence") {
  const auto refused = [](auto&& f, const std::string& about) {
    return throws<mgws::error>(
        f, [&](const mgws::error& e) { CHECK(is_one_sentence_about(e.what(), about)); });
  };
  {
    auto o = workers(2);
    o.direct = mgws::direct_mode::one;
    live_runtime rt(o);
    CHECK(refused([&] { static_cast<void>(rt.start()); }, "cannot be direct"));
  }
  {
    auto o = workers(2);
    o.inboxes = 0;
    live_runtime rt(o);
    CHECK(refused([&] { static_cast<void>(rt.start()); }, "options::inboxes is 0"));
  }
  for (const std::uint32_t slots : {0u, 3u, 1u << 21}) {
    auto o = workers(1);
    o.inbox_slots = slots;
    CHECK(refused([&] { live_runtime rt(o); }, "inbox-slots must be a power of two"));
  }
  live_runtime rt(workers(2));
  {
    auto live = rt.start();
    CHECK(refused([&] { rt.run(); }, "has one at a time"));
    CHECK(refused([&] { static_cast<void>(rt.start()); }, "has one at a time"));
    auto moved = std::move(live);
    moved.submit(tree{2});
    CHECK(moved.close().results.get<count>() == nodes(2));
    CHECK(refused([&] { moved.submit(tree{2}); }, "the live run is over"));
    CHECK(refused([&] { moved.close(); }, "was closed before"));
  }
  {
    auto left = rt.start();
    left.submit(tree{2});
  }
  rt.seed(tree{2});
  CHECK(rt.run().results.get<count>() == nodes(2));
}
