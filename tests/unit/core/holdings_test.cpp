// What a worker shares, from which of its places, and how much of it has to be there first.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/backends/cpu/memory.hpp>
#include <mgws/core/giving.hpp>
#include <mgws/core/holdings.hpp>
#include <mgws/core/termination/chosen.hpp>
#include <mgws/core/worker.hpp>
#include <mgws/runtime/initial_set.hpp>
#include <mgws/transports/host.hpp>
#include <mgws/transports/impl/transport.hpp>

#include "catch.hpp"

namespace {

using B = mgws::cpu_backend::backend;
using transport = mgws::host_transport<B, mgws::cpu_backend::area>;
using view = transport::view;
using detector = mgws::chosen_detector<mgws::protocol, view>;

struct number {
  std::uint32_t n;
  void operator()(auto& /*worker*/) const {}
};
using tasks = mgws::task_set<number>;
using slot = mgws::slot<tasks>;
using configuration = mgws::configuration<mgws::protocol, view, tasks, mgws::accumulators<>,
                                          mgws::no_context, detector, mgws::no_statistics>;

using giving = mgws::giving<configuration>;

/// Worker 0 of two, of which the other does nothing.
class worker {
 public:
  /// \param seeds  instances of each seed of the initial set
  worker(std::uint32_t local, std::uint32_t shared, std::uint32_t spill,
         const std::vector<std::uint32_t>& seeds = {})
      : local_(local),
        spill_(spill),
        device_{0, 2, 0, 2},
        run_(parameters(device_, local, shared, spill)),
        shared_({.workers = 2,
                 .queues = 2,
                 .queue_bytes = shared * sizeof(slot),
                 .global_cells = detector::global_cells(1),
                 .device_cells = {detector::device_cells(2)}}),
        view_(shared_.workers_view(dealt(seeds))),
        place_(run_, 0, 0),
        statistics_(nullptr),
        mine(view_, run_, place_, local_.data(), spill_.data(), statistics_) {}

  /// What another domain is given that asks for so many instances, as first and number.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> give(std::uint32_t most,
                                                            std::uint32_t room) {
    std::vector<slot> storage(16'384);
    const mgws::ring<slot> to(storage.data(), 16'384);
    const std::uint32_t n =
        giving::give(mine, 1, most, true, room, mgws::slots_into<B, slot>{to, 0});
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
    for (std::uint32_t i = 0; i != n; ++i)
      all.emplace_back(storage[i].read_header().first(), storage[i].read_header().count());
    return all;
  }

  void push(std::uint32_t n) {
    for (std::uint32_t i = 0; i != n; ++i)
      mine.local().push().write<number>(number{next_++}, 0, 1);
  }
  /// One slot that stands for n instances.
  void push_bulk(std::uint32_t n) { mine.local().push().write<number>(number{next_++}, 0, n); }
  /// From here on tasks are taken to be short ones.
  void tasks_are_fine() {
    mine.pace().begins(0);
    mine.pace().ran(1000, 100'000);
  }
  [[nodiscard]] std::uint32_t local_instances() {
    std::uint32_t all = 0;
    const auto& local = mine.local();
    for (std::uint32_t i = local.tail(); i != local.head(); ++i)
      all += local.slots().at(i).read_header().count();
    return all;
  }
  /// As a thief that found nothing.
  void ask() { view_.head(0).asked.store(1); }
  std::uint32_t acquire() {
    return mine.acquire([] {}).slots;
  }
  /// Takes everything public, as thieves do. \return how many
  std::uint32_t steal_all() {
    std::vector<slot> storage(256);
    mgws::local_queue<B, slot> thief(storage.data(), 256);
    std::uint32_t all = 0;
    std::uint32_t n = 0;
    const mgws::ring<slot> slots(static_cast<slot*>(view_.slots(0)), run_.public_capacity);
    const auto nothing = [] {};
    while (mgws::steal<mgws::protocol, B, slot>(view_.head(0), slots, thief, mgws::scope::system,
                                                true, nothing, nothing,
                                                n) == mgws::steal_result::won)
      all += n;
    return all;
  }

 private:
  const slot* dealt(const std::vector<std::uint32_t>& seeds) {
    for (const std::uint32_t n : seeds)
      initial_.add(number{7}, n);
    return initial_.deal(run_, {}).data();
  }
  static mgws::run_parameters parameters(const mgws::device_range& device, std::uint32_t local,
                                         std::uint32_t shared, std::uint32_t spill) {
    mgws::run_parameters run{};
    run.workers = run.queues = 2;
    run.all_workers = 6;
    run.owners = run.devices = 1;
    run.device = &device;
    run.local_capacity = local;
    run.public_capacity = shared;
    run.spill_capacity = spill;
    run.max_batch = shared;
    return run;
  }

  std::vector<slot> local_;
  std::vector<slot> spill_;
  mgws::initial_set<tasks> initial_;
  mgws::device_range device_;
  mgws::run_parameters run_;
  transport shared_;
  view view_;
  mgws::worker_place place_;
  mgws::no_statistics statistics_;
  std::uint32_t next_ = 0;

 public:
  mgws::holdings<configuration> mine;
};

}  // namespace

TEST_CASE("holdings: how long what is not public lasts") {
  worker w(64, 64, 64);
  w.push(15);
  CHECK(w.mine.holds_more_than(14));
  CHECK(!w.mine.holds_more_than(15));
  w.push_bulk(100);
  CHECK(w.mine.holds_more_than(100));
}

TEST_CASE("holdings: what may keep a run's end waiting") {
  const auto yes = [] { return true; };
  const auto no = [] { return false; };
  worker w(64, 16, 64);
  w.tasks_are_fine();  // 100 ns each
  w.push(20);
  CHECK(giving::would_be_late(w.mine, 100, yes));
  CHECK(giving::would_be_late(w.mine, 100, no));
  // Of tasks that spawn nobody knows how much is left.
  w.mine.took(1, 3, 1);
  CHECK(giving::would_be_late(w.mine, 100, yes));
  CHECK_FALSE(giving::would_be_late(w.mine, 100, no));
}

namespace {

/// Seeds of one and the same task.
using seeds = std::vector<std::uint32_t>;
using given = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

}  // namespace

TEST_CASE("holdings: the initial set shows how long a run lasts at least") {
  const auto yes = [] { return true; };
  worker w(64, 16, 64, seeds(50'000, 1));
  CHECK(giving::would_be_late(w.mine, 100, yes));  // nothing is known
  w.tasks_are_fine();                              // 2.5 ms for two workers
  CHECK_FALSE(giving::would_be_late(w.mine, 100, yes));
  // One task for each of the other's four workers: nobody knows how long those take.
  CHECK(giving::would_be_late(w.mine, 4, yes));
  CHECK_FALSE(giving::would_be_late(w.mine, 5, yes));
  CHECK(w.give(20'000, 16'000).size() == 16'000);
  CHECK(giving::would_be_late(w.mine, 100, yes));
  worker v(64, 16, 64, {1});
  v.tasks_are_fine();
  CHECK(giving::would_be_late(v.mine, 100, yes));
  worker u(64, 16, 64, {200'000});
  u.tasks_are_fine();
  CHECK_FALSE(giving::would_be_late(u.mine, 4, yes));
}

TEST_CASE("holdings: what another domain asks for comes from the initial set, as one slot") {
  worker w(16, 16, 16, {1'000});
  CHECK(w.give(95, 16) == given{{0, 95}});
  CHECK(w.give(10, 16) == given{{95, 10}});
  CHECK(w.give(100, 1) == given{{105, 100}});
  // And of what is left at most half.
  CHECK(w.give(10'000, 64) == given{{205, 397}});
}

TEST_CASE("holdings: of several seeds another domain gets a slot each") {
  worker w(4, 16, 16, {45, 100, 100});
  CHECK(w.give(40, 8) == given{{0, 40}});
  CHECK(w.give(60, 8) == given{{40, 5}, {0, 55}});
  // Instances that 32 bits number, of seeds that together have more.
  worker x(128, 16, 16, {~0u, ~0u});
  CHECK(x.give(3u << 30, 128) == given{{0, 3u << 30}});
  CHECK(x.give(3u << 30, 128) == given{{3u << 30, (1u << 30) - 1}, {0, 3u << 29}});
  // Seeds of one instance are slots as they are.
  worker u(4, 16, 16, {1, 1, 1, 1, 1, 1, 1, 1});
  CHECK(u.give(3, 8) == given{{0, 1}, {0, 1}, {0, 1}});
}

TEST_CASE("holdings: what was claimed for others beyond their room is the worker's own") {
  worker w(128, 16, 16, {1, 1, 1, 1, 100});
  CHECK(w.give(50, 2) == given{{0, 1}, {0, 1}});  // of as many pieces as two seeds have on average
  CHECK(w.give(50, 2) == given{{0, 1}});          // of its own, of which the worker keeps half
  std::uint32_t others = 3;
  for (const auto& [first, n] : w.give(50, 2))
    others += n;
  CHECK(others > 3);
  while (w.mine.load_initial()) {
  }
  CHECK(others + w.local_instances() == 104);
}

TEST_CASE("holdings: of the last of the initial set half is given") {
  worker w(16, 16, 16, {10});
  CHECK(w.give(10, 4) == given{{0, 5}});
}

TEST_CASE("holdings: half is shared, and all but a slot of what came from elsewhere") {
  worker w(64, 64, 64);
  w.tasks_are_fine();
  w.mine.pace().restart();
  w.push(16);
  CHECK(w.mine.share());
  CHECK(w.mine.local().size() == 1);
  // Nothing more is shared while something is public.
  w.push(16);
  CHECK(w.mine.share());
  CHECK(w.mine.local().size() == 17);
  CHECK(w.steal_all() == 15);
  for (int i = 0; i != 20; ++i)
    w.mine.pace().begins(0), w.mine.pace().ran(1, 0);
  REQUIRE(w.mine.pace().settled());
  CHECK(w.mine.share());
  CHECK(w.mine.local().size() == 8);
}

TEST_CASE("holdings: of what may be long nothing is kept") {
  worker w(64, 64, 64);
  REQUIRE(w.mine.pace().coarse());
  w.push(16);
  CHECK(w.mine.share());
  CHECK(w.mine.local().empty());
  // And no more than runs next is taken back.
  CHECK(w.acquire() == 1);
}

TEST_CASE("holdings: whoever is asked shares all but the newest task") {
  worker w(64, 64, 64);
  w.tasks_are_fine();
  w.push(3);
  w.mine.share_before_burst();
  CHECK(w.mine.local().size() == 1);
  while (w.acquire() != 0) {
  }
  CHECK(w.mine.local().size() == 3);
  CHECK(!w.mine.asked());
  w.ask();
  CHECK(w.mine.asked());
  w.mine.share_before_burst();
  CHECK(w.mine.local().size() == 1);
  CHECK(!w.mine.asked());
}

TEST_CASE("holdings: a full spill area gives no more than it has") {
  worker w(16, 64, 2);
  w.push(16);
  CHECK(w.mine.make_room());  // into the public queue, which is empty
  const std::uint32_t released = 16 - w.mine.local().size();
  CHECK(released == 8);
  w.push(8);
  CHECK(w.mine.make_room());  // into the spill area
  CHECK(w.mine.spilled().size() == 2);
  w.push(2);
  CHECK(w.mine.make_room());  // out of the spill area, and into it
  CHECK(w.mine.spilled().size() == 2);
  CHECK(w.mine.local().size() == 14);
  CHECK(w.steal_all() == 10);
}

TEST_CASE("holdings: fine instances that one slot stands for are shared") {
  worker w(64, 64, 64);
  w.tasks_are_fine();
  REQUIRE(!w.mine.pace().coarse());
  w.mine.pace().begins(0);
  for (int i = 0; i != 20; ++i)
    w.mine.pace().begins(0), w.mine.pace().ran(1, 0);
  w.push_bulk(100);
  SECTION("by whoever is asked, but for a piece") {
    w.ask();
    w.mine.share_before_burst();
    CHECK(w.mine.local().size() == 1);
    CHECK(w.local_instances() == 100 / 8);
  }
  SECTION("half of them in pieces of equal length") {
    CHECK(w.mine.share());
    CHECK(w.mine.local().size() == 4);
    CHECK(w.local_instances() == 48);  // 13, 13, 13, 13 and four times 12
    CHECK(w.steal_all() == 4);
  }
  SECTION("of several slots, too") {
    w.push_bulk(100);
    w.push_bulk(10);
    CHECK(w.mine.share());
    CHECK(w.mine.local().size() == 4);
    CHECK(w.steal_all() == 5);
  }
}
