// What the peers share: how long something takes without a runtime and on oneTBB.
#pragma once

#include <chrono>
#include <cstdio>
#include <thread>

#include <tbb/parallel_for.h>

inline double seconds_of(auto&& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Times both; `right` says afterwards whether they agree. For main(). As in the examples, threads
// have been made before what is timed, and sleep. oneTBB goes first: the second of two finds caches
// and predictors warm, and the examples are the first of their process.
int compare(auto&& sequential, auto&& on_tbb, auto&& right) {
  tbb::parallel_for(0, 1000,
                    [](int) { std::this_thread::sleep_for(std::chrono::microseconds(10)); });
  const double seconds = seconds_of(on_tbb);
  const double alone = seconds_of(sequential);
  const bool good = right();
  std::printf("sequential %.4f s, oneTBB %.4f s: %s\n", alone, seconds, good ? "right" : "WRONG");
  return good ? 0 : 1;
}
