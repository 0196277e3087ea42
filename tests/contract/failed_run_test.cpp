// What a run that ended by an error leaves: runtime::report_of_failed_run().
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "actor.hpp"
#include "behaviour.hpp"
#include "catch.hpp"
#include "platform.hpp"

using namespace contract;

TEMPLATE_LIST_TEST_CASE("failed run: its report has what was accumulated until then", "",
                        platforms) {
  for (const std::uint32_t workers : {1u, 2u}) {
    runtime<TestType> rt(TestType::groups_of({workers, 1}));
    CHECK_FALSE(rt.report_of_failed_run());
    for (const auto what : {behaviour::fail_last, behaviour::throw_last}) {
      rt.seed(actor{5000});
      if (what == behaviour::fail_last)
        CHECK_THROWS_AS(rt.run({what, nullptr}), mgws::task_failed);
      else
        CHECK_THROWS_AS(rt.run({what, nullptr}), std::domain_error);
      const auto& r = rt.report_of_failed_run();
      REQUIRE(r);
      CHECK(r->status == mgws::status::failed);
      CHECK(r->template get<count>() == 5001);
      CHECK(r->tasks == 5001);
      CHECK(r->devices.size() == 2);
      CHECK(r->workers.size() == workers + 1);
      CHECK(r->seconds > 0);
      CHECK(r->call_seconds >= r->seconds);
      CHECK(r->seed != 0);
      // Refused: there is no run that it could be of.
      CHECK_THROWS_AS(rt.run_each(std::vector<orders>(3)), mgws::bad_configuration);
      CHECK(r);
      is_usable(rt);
      CHECK_FALSE(rt.report_of_failed_run());
    }
    rt.seed(actor{0});
    std::jthread other([&] {
      std::this_thread::sleep_for(milliseconds(20));
      rt.cancel();
    });
    CHECK(rt.run({behaviour::wait_politely, nullptr}).status == mgws::status::cancelled);
    CHECK_FALSE(rt.report_of_failed_run());
  }
}

namespace {

/// Instances of which the one throws that is the 5001st to begin.
struct one_throws {
  std::uint64_t* begun;
  void operator()(auto& worker, mgws::task_index /*i*/) const {
    worker.accumulate(count{}, 1);
    if (++*begun > 5000) throw std::domain_error("from an instance");
  }
};
struct range_throws {
  std::uint64_t* begun;
  void operator()(auto& worker, mgws::task_index first, mgws::task_index end) const {
    worker.accumulate(count{}, end - first);
    *begun += end - first;
    if (*begun > 5000) throw std::domain_error("from a range");
  }
};
template <class Platform, class Task>
void counts_until_it_throws() {
  typename Platform::template runtime<mgws::task_set<Task>, counts> rt(Platform::groups_of({1}));
  std::uint64_t begun = 0;
  rt.seed_n(Task{&begun}, 100'000);
  CHECK_THROWS_AS(rt.run(), std::domain_error);
  const auto& r = rt.report_of_failed_run();
  REQUIRE(r);
  CHECK(begun < 100'000);
  CHECK(r->template get<count>() == begun);
  CHECK(r->tasks == begun);
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("failed run: instances that had begun count, those after do not", "",
                        platforms) {
  counts_until_it_throws<TestType, one_throws>();
  counts_until_it_throws<TestType, range_throws>();
}

TEMPLATE_LIST_TEST_CASE("progress: what is thrown there ends the run, which has its report", "",
                        platforms) {
  auto o = TestType::groups_of({2});
  bool throws = true;
  o.on_progress = [&](std::uint64_t) {
    if (throws) throw std::domain_error("from on_progress");
  };
  runtime<TestType> rt(o);
  rt.seed(actor{0});
  CHECK_THROWS_AS(rt.run({behaviour::wait_politely, nullptr}), std::domain_error);
  REQUIRE(rt.report_of_failed_run());
  CHECK(rt.report_of_failed_run()->status == mgws::status::failed);
  CHECK(rt.report_of_failed_run()->template get<count>() == 1);
  throws = false;
  is_usable(rt);
}
