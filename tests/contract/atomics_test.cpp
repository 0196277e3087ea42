// mgws::atomic_ref: every operation on every type, by many workers at the same words.
#include "atomics.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

#include "catch.hpp"

namespace {

template <class Tasks, class Accumulators, class Context>
using runtime = mgws::runtime<Tasks, Accumulators, Context>;

template <mgws::shape Width, class Scope>
void check(std::uint32_t n) {
  for (const std::uint32_t workers : {1u, 2u, 5u}) {
    mgws::options o;
    o.devices = {{.workers = workers}};
    INFO(workers << " workers");
    REQUIRE(atomics::fault_at<Width, Scope, runtime>(o, n) == "");
  }
  if (std::is_same_v<Scope, mgws::scope::device_t>) return;
  mgws::options groups;
  groups.devices = {{.workers = 2}, {.workers = 1}};
  REQUIRE(atomics::fault_at<Width, Scope, runtime>(groups, n) == "");
}

}  // namespace

TEST_CASE("atomic_ref: every operation on every type, at one word of all tasks") {
  check<mgws::shape::lane, mgws::scope::system_t>(20'000);
  check<mgws::shape::lane, mgws::scope::device_t>(20'000);
  check<mgws::shape::warp, mgws::scope::system_t>(2'000);
  check<mgws::shape::block, mgws::scope::system_t>(2'000);
}

TEST_CASE("atomic_ref: integers wrap around, and what is not a number changes nothing") {
  std::int32_t i = 2'147'483'647;
  CHECK(mgws::atomic_ref(i).fetch_add(1) == 2'147'483'647);
  CHECK(i == -2'147'483'647 - 1);
  CHECK(mgws::atomic_ref(i).fetch_sub(1) == -2'147'483'647 - 1);
  CHECK(i == 2'147'483'647);
  std::uint64_t u = 0;
  mgws::atomic_ref(u).fetch_sub(1);
  CHECK(u == ~std::uint64_t{0});

  const double none = std::numeric_limits<double>::quiet_NaN();
  double d = 1.5;
  CHECK(mgws::atomic_ref(d).fetch_min(none) == 1.5);
  CHECK(mgws::atomic_ref(d).fetch_max(none) == 1.5);
  CHECK(d == 1.5);
  CHECK(mgws::atomic_ref(d).fetch_min(-2.5) == 1.5);
  CHECK(mgws::atomic_ref(d).fetch_max(-2.5) == -2.5);
  CHECK(d == -2.5);
}
