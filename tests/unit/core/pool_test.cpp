// Where a pool's threads wait, and that they run wherever the process may.
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <mgws/backends/cpu/pool.hpp>

#include "catch.hpp"

namespace cpu = mgws::cpu_backend;

namespace {

cpu_set_t set_of(const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int p : processors)
    CPU_SET(p, &set);
  return set;
}

/// The calling thread's.
std::vector<int> mine() {
  return cpu::processors_of(0);
}

/// Where the threads of a launch may run, by worker, and their numbers.
struct seen_by_threads {
  std::vector<std::vector<int>> processors;
  std::vector<pid_t> threads;
};
seen_by_threads seen_in(cpu::pool& pool, std::uint32_t workers) {
  seen_by_threads seen{std::vector<std::vector<int>>(workers), std::vector<pid_t>(workers)};
  pool.launch([&](std::uint32_t i) {
    seen.processors[i] = mine();
    seen.threads[i] = static_cast<pid_t>(syscall(SYS_gettid));
  });
  pool.wait();
  return seen;
}

void fall_asleep() {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

}  // namespace

TEST_CASE("pool: as many threads wait on each processor, none on one more than on another") {
  const auto processors = cpu::usable_processors();
  const auto n = static_cast<std::uint32_t>(processors.size());
  for (const std::uint32_t each : {1u, 3u}) {
    cpu::seats seats(n * each);
    for (int round = 0; round != 2; ++round) {
      std::vector<std::uint32_t> found(static_cast<std::size_t>(processors.back()) + 1);
      for (std::uint32_t i = 0; i != n * each; ++i)
        ++found[static_cast<std::size_t>(seats.take(processors.back(), set_of(processors)))];
      for (const int p : processors)
        CHECK(found[static_cast<std::size_t>(p)] == each);
      seats.clear();
    }
  }
}

TEST_CASE("pool: a thread waits where it ran, if it can") {
  const auto processors = cpu::usable_processors();
  cpu::seats seats(static_cast<std::uint32_t>(processors.size()));
  CHECK(seats.take(processors.back(), set_of(processors)) == processors.back());
  if (processors.size() > 1)
    CHECK(seats.take(processors.back(), set_of(processors)) == processors.front());
}

TEST_CASE("pool: a thread is given no seat where it may not run") {
  const auto processors = cpu::usable_processors();
  const auto n = static_cast<std::uint32_t>(processors.size());
  cpu::seats seats(n);
  CHECK(seats.take(processors.back(), set_of({processors.front()})) == processors.front());
  CHECK(seats.take(-1, set_of({processors.front()})) == -1);
  CHECK(seats.take(processors.front(), set_of({})) == -1);
}

TEST_CASE("pool: processors that threads are given from outside are theirs, asleep and awake") {
  const auto processors = cpu::usable_processors();
  if (processors.size() < 2) return;
  const bool pin = GENERATE(false, true);
  const auto n = static_cast<std::uint32_t>(processors.size());
  cpu::pool pool(n, pin, false);
  auto seen = seen_in(pool, n);
  fall_asleep();
  for (std::uint32_t i = 0; i != n; ++i)
    CHECK(cpu::processors_of(seen.threads[i]) == (pin ? std::vector{processors[i]} : processors));
  // Each thread, to each processor in turn: also to the one where it waits.
  for (const int p : processors) {
    const cpu_set_t only = set_of({p});
    for (const pid_t thread : seen.threads)
      REQUIRE(sched_setaffinity(thread, sizeof only, &only) == 0);
    for (int launch = 0; launch != 3; ++launch) {
      seen = seen_in(pool, n);
      for (std::uint32_t i = 0; i != n; ++i)
        CHECK(seen.processors[i] == std::vector{p});
      if (launch == 1) fall_asleep();
    }
    fall_asleep();
    for (const pid_t thread : seen.threads)
      CHECK(cpu::processors_of(thread) == std::vector{p});
  }
  // And back, while a body runs.
  const cpu_set_t all = set_of(processors);
  pool.launch([&](std::uint32_t) { static_cast<void>(sched_setaffinity(0, sizeof all, &all)); });
  pool.wait();
  fall_asleep();
  for (const pid_t thread : seen.threads)
    CHECK(cpu::processors_of(thread) == processors);
}

TEST_CASE("pool: what the process may use does not depend on who asks") {
  const auto processors = cpu::usable_processors();
  std::thread([&] {
    const cpu_set_t one = set_of({processors.back()});
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(cpu::usable_processors() == processors);
    cpu::pool pool(2, false, false);
    for (const auto& of_thread : seen_in(pool, 2).processors)
      CHECK(of_thread == processors);
    CHECK(mine() == std::vector{processors.back()});
  }).join();
}

TEST_CASE("pool: threads run wherever the process may, unless they are pinned") {
  const auto processors = cpu::usable_processors();
  const bool pin = GENERATE(false, true);
  cpu::pool pool(3, pin, false);
  std::mutex mutex;
  std::vector<std::vector<int>> seen(3);
  for (int launch = 0; launch != 3; ++launch) {
    pool.launch([&](std::uint32_t i) {
      const std::scoped_lock lock(mutex);
      seen[i] = mine();
    });
    pool.wait();
    for (std::uint32_t i = 0; i != 3; ++i)
      CHECK(seen[i] == (pin ? std::vector{processors[i % processors.size()]} : processors));
  }
}

TEST_CASE("pool: the launching thread is worker 0, if it is to work, and as free afterwards") {
  const auto processors = cpu::usable_processors();
  const std::uint32_t workers = GENERATE(1u, 3u);
  const bool launcher_works = GENERATE(false, true);
  cpu::pool pool(workers, false, launcher_works);
  CHECK(pool.size() == workers - (launcher_works ? 1 : 0));
  std::vector<std::thread::id> seen(workers);
  for (int launch = 0; launch != 3; ++launch) {
    seen.assign(workers, {});
    pool.launch([&](std::uint32_t i) { seen[i] = std::this_thread::get_id(); });
    pool.wait();
    for (std::uint32_t i = 0; i != workers; ++i) {
      CHECK(seen[i] != std::thread::id{});
      CHECK((seen[i] == std::this_thread::get_id()) == (launcher_works && i == 0));
    }
    CHECK(mine() == processors);
  }
}

TEST_CASE("pool: launches are served, whether threads are still awake or already asleep") {
  const std::uint32_t workers = GENERATE(2u, 5u);
  const bool launcher_works = GENERATE(false, true);
  cpu::pool pool(workers, false, launcher_works);
  std::vector<std::uint32_t> ran(workers);
  std::uint32_t launches = 0;
  const auto launch = [&] {
    ++launches;
    pool.launch([&](std::uint32_t i) { ++ran[i]; });
    pool.wait();
    CHECK(pool.running() == 0);
  };
  for (int i = 0; i != 500; ++i)
    launch();
  for (int i = 0; i != 20; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(50 * i));
    launch();
  }
  CHECK(ran == std::vector(workers, launches));
}
