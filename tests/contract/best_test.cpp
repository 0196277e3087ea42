// mgws::best: a bound that all workers read, with what it was found with.
#include "best.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "behaviour.hpp"
#include "catch.hpp"

using contract::groups_of;
using contract::runtime_of;

TEST_CASE("best: many find better values at once, on one device and on several") {
  for (const auto& groups : {std::vector<std::uint32_t>{1}, {5}, {2, 1}, {1, 1, 1, 1}}) {
    INFO(groups.size() << " devices");
    const mgws::options o = groups_of(groups);
    REQUIRE(bests::fault_at<mgws::shape::lane, std::uint32_t, mgws::maximum, runtime_of>(
                o, 20'000) == "");
    REQUIRE(bests::fault_at<mgws::shape::warp, double, mgws::minimum, runtime_of>(o, 20'000) == "");
    REQUIRE(bests::fault_at<mgws::shape::block, std::int64_t, mgws::minimum, runtime_of>(
                o, 20'000) == "");
  }
}

TEST_CASE("best: devices that do not reach each other meet in host memory") {
  // CPU groups reach each other; here they are told that they do not.
  using best = bests::best_of<std::uint32_t, mgws::maximum>;
  mgws::data_places places;
  const auto host = std::make_shared<mgws::host_memory>();
  places.devices = {host, host};
  places.host = host;
  places.reached = false;
  best found(places);
  const auto first = found.on(0);
  const auto second = found.on(1);
  const auto of = [](std::uint32_t i) {
    bests::solution s{};
    s.of[0] = i;
    return s;
  };
  CHECK(first.improve(10, of(10)));
  CHECK(second.value() == 0);
  CHECK(second.improve(5, of(5)));
  CHECK(second.value() == 10);
  CHECK_FALSE(second.improve(10, of(11)));
  CHECK(second.improve(12, of(12)));
  CHECK(first.value() == 10);
  CHECK(found.value() == 12);
  REQUIRE(found.witness());
  CHECK(found.witness()->of[0] == 12);
}

TEST_CASE("best: values alone, starts of one's own, and places that do not fit") {
  mgws::runtime<mgws::task_set<bests::seeker<mgws::shape::lane,
                                             bests::best_of<float, mgws::maximum>, float, true>>,
                bests::results, bests::context<bests::best_of<float, mgws::maximum>>>
      rt(groups_of({1, 1}));
  mgws::best<float, mgws::minimum> lowest(rt.data_places());
  CHECK(lowest.value() == std::numeric_limits<float>::max());
  lowest.reset(3.5f);
  CHECK_FALSE(lowest.on(0).improve(3.5f));
  CHECK(lowest.on(0).improve(-1.0f));
  CHECK(lowest.on(1).value() == -1.0f);
  CHECK(lowest.value() == -1.0f);

  const auto refused = [](auto&& f, const char* about) {
    CHECK(contract::throws<mgws::bad_configuration>(f, [&](const auto& e) {
      INFO(e.what());
      CHECK(contract::is_one_sentence_about(e.what(), about));
    }));
  };
  refused([&] { static_cast<void>(lowest.on(2)); }, "2 devices");
  using lows = mgws::best<float, mgws::minimum>;
  refused([] { lows{mgws::data_places{}}; }, "not 0");
}
