// Where threads and launches of one run wait for each other.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <mgws/runtime/start_line.hpp>

#include "catch.hpp"
#include "repeats.hpp"

TEST_CASE("start line: threads begin after all launches, which come after all threads") {
  const std::uint32_t runs = test::repeats(500);
  std::uint32_t too_early = 0;
  for (std::uint32_t run = 0; run != runs; ++run) {
    mgws::start_line line(3, 2);
    std::atomic<std::uint32_t> awake{0};
    std::atomic<std::uint32_t> launched{0};
    std::atomic<std::uint32_t> wrong{0};
    std::vector<std::thread> all;
    for (int i = 0; i != 3; ++i)
      all.emplace_back([&] {
        ++awake;
        line.thread_is_awake();
        if (launched != 2) ++wrong;
      });
    for (int i = 0; i != 2; ++i)
      all.emplace_back([&] {
        line.wait_to_launch();
        if (awake != 3) ++wrong;
        ++launched;
        line.has_launched();
      });
    for (std::thread& t : all)
      t.join();
    too_early += wrong;
  }
  CHECK(too_early == 0);
}

TEST_CASE("start line: nobody waits for whoever is missing") {
  mgws::start_line line(2, 1);
  std::atomic<bool> thread_went{false};
  std::atomic<bool> launch_went{false};
  std::thread thread([&] {
    line.thread_is_awake();
    thread_went = true;
  });
  std::thread launch([&] {
    line.wait_to_launch();
    launch_went = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_FALSE(thread_went);  // one thread has not come
  CHECK_FALSE(launch_went);
  line.give_up();
  thread.join();
  launch.join();
  CHECK(thread_went);
  CHECK(launch_went);
  line.thread_is_awake();  // nor does who comes later
}
