// What is known of an initial set: nothing without a run of it, and nothing of another one.
#include <mgws/runtime/previous_run.hpp>

#include "catch.hpp"

TEST_CASE("previous run: times of a slot and of a step, for the same initial set only") {
  mgws::previous_run before;
  CHECK(before.slot_ns(1) == 0);
  CHECK(before.step_ns(1) == 0);

  // 4 workers for 1.1 ms, 0.1 ms of which may be the run's beginning: 1000 slots of 8 tasks.
  before.keep(1, 1.1e-3, 4, 1000, 8000, 32);
  CHECK(before.slot_ns(1) == Approx(4400));
  CHECK(before.step_ns(1) == 16000);
  CHECK(before.slot_ns(2) == 0);
  CHECK(before.step_ns(2) == 0);

  // A run that may have been all beginning: known, and short.
  before.keep(2, 5e-5, 4, 1000, 1000, 32);
  CHECK(before.slot_ns(2) == Approx(200));
  CHECK(before.step_ns(2) == 1);
  CHECK(before.step_ns(1) == 0);

  before.forget();
  CHECK(before.slot_ns(2) == 0);
  CHECK(before.step_ns(2) == 0);
}
