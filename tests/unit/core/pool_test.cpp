// Where a pool's threads wait, and that they run wherever the process may.
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include <mgws/backends/cpu/pool.hpp>

#include "catch.hpp"

namespace cpu = mgws::cpu_backend;

TEST_CASE("pool: as many threads wait on each processor, none on one more than on another") {
  const auto processors = cpu::usable_processors();
  const auto n = static_cast<std::uint32_t>(processors.size());
  for (const std::uint32_t each : {1u, 3u}) {
    cpu::seats seats(n * each);
    for (int round = 0; round != 2; ++round) {
      std::vector<std::uint32_t> found(static_cast<std::size_t>(processors.back()) + 1);
      for (std::uint32_t i = 0; i != n * each; ++i)
        ++found[static_cast<std::size_t>(seats.take(processors.back()))];
      for (const int p : processors)
        CHECK(found[static_cast<std::size_t>(p)] == each);
      seats.clear();
    }
  }
}

TEST_CASE("pool: a thread waits where it ran, if it can") {
  const auto processors = cpu::usable_processors();
  cpu::seats seats(static_cast<std::uint32_t>(processors.size()));
  CHECK(seats.take(processors.back()) == processors.back());
  if (processors.size() > 1) CHECK(seats.take(processors.back()) == processors.front());
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
      seen[i] = cpu::usable_processors();
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
    CHECK(cpu::usable_processors() == processors);
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
