// What the peers share: how long something takes without a runtime and on oneTBB.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdio>

#include <tbb/parallel_for.h>

inline double seconds_of(auto&& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Times both, oneTBB with its threads awake; `right` says afterwards whether they agree. For
// main().
int compare(auto&& sequential, auto&& tbb_form, auto&& right) {
  const double alone = seconds_of(sequential);
  std::atomic<int> sum{0};
  tbb::parallel_for(0, 1 << 20, [&](int i) {
    if (i % 1024 == 0) ++sum;
  });
  const double seconds = seconds_of(tbb_form);
  const bool good = right();
  std::printf("sequential %.4f s, oneTBB %.4f s: %s\n", alone, seconds, good ? "right" : "WRONG");
  return good ? 0 : 1;
}
