// The event count in which idle CPU workers sleep.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <mgws/backends/cpu/parking.hpp>

#include "catch.hpp"
#include "repeats.hpp"

using mgws::cpu_backend::parking;
using std::chrono::steady_clock;

namespace {

/// A wait that ends by itself takes 100 ms; one that a notification ends takes microseconds, or
/// what a busy machine makes of it.
constexpr std::chrono::milliseconds k_late{95};

bool late(steady_clock::time_point since) {
  return steady_clock::now() - since >= k_late;
}

}  // namespace

TEST_CASE("parking: what happens between prepare and wait ends the wait") {
  parking lot;
  int late_ones = 0;
  for (int i = 0; i != 40; ++i) {
    const auto ticket = lot.prepare();
    if (i % 2 == 0) {
      lot.notify_one();
    } else {
      lot.notify_all();
    }
    const auto before = steady_clock::now();
    lot.wait(ticket);
    late_ones += late(before) ? 1 : 0;
  }
  CHECK(late_ones <= 4);
}

TEST_CASE("parking: a notification from before prepare does not end the wait") {
  parking lot;
  const auto other = lot.prepare();  // somebody is asleep, so that notifications are events
  lot.notify_all();
  const auto ticket = lot.prepare();
  const auto before = steady_clock::now();
  lot.wait(ticket);
  CHECK(late(before));
  lot.cancel(other);
}

TEST_CASE("parking: a cancelled sleeper leaves nothing behind") {
  parking lot;
  for (int i = 0; i != 10; ++i)
    lot.cancel(lot.prepare());
  lot.notify_one();
  const auto ticket = lot.prepare();
  const auto before = steady_clock::now();
  lot.wait(ticket);
  CHECK(late(before));
}

TEST_CASE("parking: no wake-up is lost between two threads that take turns") {
  // Each side sleeps until the number is its own; a lost wake-up would hold it up for 100 ms.
  const std::uint32_t rounds = test::repeats(20'000);
  parking lot;
  std::atomic<std::uint32_t> turn{0};
  std::atomic<std::uint32_t> late_ones{0};
  const auto play = [&](std::uint32_t side) {
    for (std::uint32_t round = side; round < 2 * rounds; round += 2) {
      while (turn.load(std::memory_order_relaxed) != round) {
        const auto ticket = lot.prepare();
        if (turn.load(std::memory_order_relaxed) == round) {
          lot.cancel(ticket);
          break;
        }
        const auto before = steady_clock::now();
        lot.wait(ticket);
        if (late(before)) late_ones.fetch_add(1);
      }
      turn.store(round + 1, std::memory_order_release);
      lot.notify_all();
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  CHECK(turn.load() == 2 * rounds);
  // A machine that is busy with other things may hold a thread up now and then.
  CHECK(late_ones.load() <= 1 + rounds / 4000);
}

TEST_CASE("parking: notify_all wakes all, notify_one at least one") {
  constexpr std::uint32_t k_sleepers = 4;
  parking lot;
  std::atomic<std::uint32_t> asleep{0};
  std::atomic<std::uint32_t> passed{0};
  std::atomic<std::uint32_t> open{0};
  std::vector<std::thread> all;
  for (std::uint32_t i = 0; i != k_sleepers; ++i)
    all.emplace_back([&] {
      asleep.fetch_add(1);
      for (;;) {
        const auto ticket = lot.prepare();
        // One pass each.
        auto left = open.load();
        if (left != 0 && open.compare_exchange_strong(left, left - 1)) {
          lot.cancel(ticket);
          break;
        }
        lot.wait(ticket);
      }
      passed.fetch_add(1);
    });
  while (asleep.load() != k_sleepers)
    std::this_thread::yield();
  open.fetch_add(1);
  lot.notify_one();
  while (passed.load() != 1)
    std::this_thread::yield();
  open.fetch_add(k_sleepers - 1);
  lot.notify_all();
  for (auto& t : all)
    t.join();
  CHECK(passed.load() == k_sleepers);
  CHECK(open.load() == 0);
}
