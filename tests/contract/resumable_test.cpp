// Resumable tasks: that each does all of its pieces, what others get while one goes on, and that a
// run ends in the middle of one.
#include "resumable.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "behaviour.hpp"
#include "catch.hpp"

namespace {

using contract::groups_of;

template <class Tasks, class Accumulators, class Context>
using runtime_of = mgws::runtime<Tasks, Accumulators, Context>;

/// Goes on until enough others have run, or the run stops.
struct persistent {
  std::uint32_t wants;
  mgws::progress operator()(auto& worker);
};
struct other {
  void operator()(auto& worker) const;
};
struct board {
  std::atomic<std::uint32_t>* others;
};
mgws::progress persistent::operator()(auto& worker) {
  std::this_thread::sleep_for(std::chrono::microseconds(10));
  return worker.context().others->load() == wants ? mgws::done : mgws::again;
}
void other::operator()(auto& worker) const {
  worker.context().others->fetch_add(1);
}
/// Spawns what its one resumable task waits for, behind whose back nobody else could run it.
struct mother {
  std::uint32_t n;
  void operator()(auto& worker) const {
    for (std::uint32_t i = 0; i != n; ++i)
      worker.spawn(other{});
    worker.spawn(persistent{n});
  }
};

}  // namespace

TEST_CASE("resumable: each does all of its pieces, beside tasks of all kinds") {
  for (mgws::options o : contract::small_machines()) {
    INFO(o.devices.size() << " devices, detector " << static_cast<int>(o.termination));
    REQUIRE(pieces::fault<runtime_of>(o, 40, 3) == "");
    o.public_queue = o.local_queue = 2;
    o.spill = 4096;
    REQUIRE(pieces::fault<runtime_of>(o, 40, 3) == "");
  }
}

TEST_CASE("resumable: others take what lies behind one that goes on") {
  for (const std::uint32_t n : {1u, 7u, 200u}) {
    auto o = groups_of({2});
    o.timeout = std::chrono::seconds(60);
    mgws::runtime<mgws::task_set<mother, persistent, other>, mgws::accumulators<>, board> rt(o);
    std::atomic<std::uint32_t> others{0};
    rt.seed(mother{n});
    CHECK(rt.run({&others}).tasks == n + 2);
  }
}

TEST_CASE("resumable: one that goes on is alive, and can be stopped") {
  auto o = groups_of({2});
  o.timeout = std::chrono::milliseconds(200);
  mgws::runtime<mgws::task_set<persistent>, mgws::accumulators<>, board> rt(o);
  std::atomic<std::uint32_t> others{0};
  rt.seed(persistent{1});
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    rt.cancel();
  });
  const auto r = rt.run({&others});
  later.join();
  CHECK(r.status == mgws::status::cancelled);
}
