// Resumable tasks on workers of several lanes, on lanes that are threads: each does all of its
// pieces once and in order, though lanes take others while some go on.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "catch.hpp"
#include "contract/resumable.hpp"
#include "lanes_world.hpp"

namespace {

using namespace lanes_on_threads;

/// \param moved  receives how many pieces ran elsewhere than the one before
template <class B>
std::string fault(const sizes& s, mgws::termination termination, std::uint32_t n,
                  std::uint64_t& moved) {
  world<B, pieces::tasks, pieces::results> w(s);
  pieces::results should;
  for (std::uint32_t k = 0; k != 3; ++k) {
    const pieces::root r{100 * k, n};
    w.seed(r);
    pieces::expect(should, r);
  }
  w.seed(pieces::bulk{7, {}}, n);
  for (std::uint32_t k = 0; k != n; ++k)
    pieces::expect(should, 7 + k, false);
  const auto o = w.run(termination);
  if (o.failed != mgws::failure::none) return "the run failed";
  if (o.executed != should.get<pieces::ended>()) return std::to_string(o.executed) + " executed";
  moved += o.results.template get<pieces::moved>();
  return pieces::difference(o.results, should);
}

template <class B>
std::string fault_of_waiting(const sizes& s, std::uint32_t n) {
  world<B, pieces::waiting, pieces::results> w(s);
  pieces::results should;
  pieces::expect(should, 5, n);
  w.seed(pieces::phase{5, n});
  const auto o = w.run(k_counter);
  if (o.failed != mgws::failure::none) return "the run failed";
  return pieces::difference(o.results, should);
}

/// What the instances of `member` tell each other.
struct members {
  std::chrono::steady_clock::time_point until =
      std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::atomic<bool> begun{false};
  std::atomic<std::uint32_t> lone_at{0};  ///< the worker of the first one
  std::atomic<std::uint32_t> ended{0};
  std::atomic<std::uint32_t> held{0};
  std::atomic<bool> over{false};
  std::atomic<bool> late{false};
};
struct members_of {
  members* all;
  std::uint32_t number;
};
/// The first one that begins goes on until each of the others has ended, which it does at once
/// beside the first one, or holds a lane of another worker.
struct member {
  enum class part : std::uint32_t { none, lone, holds } as = part::none;

  mgws::progress operator()(auto& worker, mgws::task_index /*i*/) {
    members& m = *worker.context().all;
    if (as == part::none && !m.begun.exchange(true)) as = part::lone;
    if (as == part::lone) {
      m.lone_at = worker.id();
      m.late = std::chrono::steady_clock::now() > m.until;
      if (!m.late && m.ended + m.held + 1 != worker.context().number) return mgws::again;
      m.over = true;
      return mgws::done;
    }
    if (m.lone_at != worker.id() && !m.over) {
      if (as == part::none) ++m.held;
      as = part::holds;
      return mgws::again;
    }
    if (as == part::holds) --m.held;
    ++m.ended;
    return mgws::done;
  }
};
/// As many slots of one, or one of them all.
struct members_spawned {
  bool together;

  void operator()(auto& worker) const {
    const std::uint32_t n = worker.context().number;
    if (together) return worker.spawn_n(member{}, n);
    for (std::uint32_t k = 0; k != n; ++k)
      worker.spawn(member{});
  }
};

}  // namespace

TEST_CASE("lanes: a worker steals for lanes that are free while one goes on") {
  for (int i = 0; i != 20; ++i) {
    constexpr std::uint32_t n = 64;
    members all;
    world<four, mgws::task_set<members_spawned, member>, mgws::accumulators<>, members_of> w(
        {.workers = 2, .local = 16, .shared = 16, .spill = 4096});
    w.seed(members_spawned{i % 2 == 0});
    const auto o = w.run(k_counter, {&all, n});
    CHECK(o.failed == mgws::failure::none);
    CHECK(o.executed == n + 1);
    REQUIRE_FALSE(all.late);
  }
}

TEST_CASE("lanes: resumable tasks do all of their pieces, beside tasks of all widths") {
  for (const std::uint32_t workers : {1u, 2u, 3u})
    for (const std::uint32_t local : {8u, 32u}) {
      INFO(workers << " workers, " << local << " local slots");
      const sizes s{.workers = workers, .local = local, .shared = 16, .spill = 4096};
      std::uint64_t moved = 0;
      CHECK(fault<four>(s, k_counter, 20, moved) == "");
      CHECK(fault<one_warp>(s, mgws::termination::hierarchical, 20, moved) == "");
      // Sooner or later one that has begun is stolen.
      for (int i = 0; workers != 1 && moved == 0 && i != 1000; ++i)
        REQUIRE(fault<four>(s, k_counter, 20, moved) == "");
      CHECK((moved != 0) == (workers != 1));
    }
}

TEST_CASE("lanes: resumable tasks below finishes, and as continuations") {
  for (const std::uint32_t workers : {1u, 3u})
    CHECK(fault_of_waiting<four>({.workers = workers, .local = 16, .spill = 4096, .frames = 256},
                                 20) == "");
}
