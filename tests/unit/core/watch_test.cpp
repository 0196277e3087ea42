// When the watchdog calls a run stuck, by a clock that the test moves.
#include <chrono>
#include <cstdint>

#include <mgws/options.hpp>
#include <mgws/runtime/watch.hpp>

#include "catch.hpp"

namespace {

using clock = mgws::progress_watch::clock;
using std::chrono::hours;
using std::chrono::milliseconds;

mgws::options with_timeout(double seconds) {
  mgws::options o;
  o.timeout = std::chrono::duration<double>(seconds);
  return o;
}

}  // namespace

TEST_CASE("watchdog: a run is stuck when nothing has changed for the timeout") {
  const mgws::options o = with_timeout(1);
  clock::time_point now{};
  mgws::progress_watch watch(o, now);
  CHECK_FALSE(watch.stuck(5, 0, now += milliseconds(125)));
  for (int i = 0; i != 7; ++i)
    CHECK_FALSE(watch.stuck(5, 0, now += milliseconds(125)));
  CHECK(watch.stuck(5, 0, now += milliseconds(125)));
  // A task that has ended, or a heartbeat, begins it anew.
  for (const std::uint64_t beats : {1u, 2u}) {
    CHECK_FALSE(watch.stuck(5, beats, now += milliseconds(125)));
    for (int i = 0; i != 7; ++i)
      CHECK_FALSE(watch.stuck(5, beats, now += milliseconds(125)));
    CHECK(watch.stuck(5, beats, now += milliseconds(125)));
  }
}

TEST_CASE("watchdog: time in which nobody could look counts as one look") {
  const mgws::options o = with_timeout(1);
  clock::time_point now{};
  mgws::progress_watch watch(o, now);
  CHECK_FALSE(watch.stuck(5, 0, now += hours(1)));
  for (int i = 0; i != 7; ++i)
    CHECK_FALSE(watch.stuck(5, 0, now += hours(1)));
  // Each look is an interval at least, so the watch that goes on is not blind either.
  CHECK(watch.stuck(5, 0, now += hours(1)));
}

TEST_CASE("watchdog: long timeouts are counted in fifths of a second") {
  const mgws::options o = with_timeout(60);
  clock::time_point now{};
  mgws::progress_watch watch(o, now);
  CHECK_FALSE(watch.stuck(5, 0, now));
  int looks = 1;
  while (!watch.stuck(5, 0, now += milliseconds(200)))
    ++looks;
  CHECK(looks >= 299);
  CHECK(looks <= 301);
}

TEST_CASE("watchdog: who has nothing to do is not stuck, and the time begins anew") {
  const mgws::options o = with_timeout(1);
  clock::time_point now{};
  mgws::progress_watch watch(o, now);
  for (int i = 0; i != 100; ++i)
    CHECK_FALSE(watch.stuck(5, 0, now += milliseconds(125), true));
  for (int i = 0; i != 7; ++i)
    CHECK_FALSE(watch.stuck(5, 0, now += milliseconds(125)));
  CHECK(watch.stuck(5, 0, now += milliseconds(125)));
}
