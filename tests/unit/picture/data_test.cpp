// What is drawn of a run, from events of which everything is known.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "catch.hpp"
#include "picture/ending.hpp"
#include "picture/lengths.hpp"
#include "picture/steals.hpp"
#include "picture/timeline.hpp"
#include "runs.hpp"

namespace bench = mgws::bench;
using bench::doing;
using picture_test::event;
using picture_test::kind;
using picture_test::let_work;
using picture_test::run_of;

namespace {

/// What is known in whole nanoseconds.
std::int64_t ns_of(double seconds) {
  return std::llround(seconds * 1e9);
}

std::int64_t ns_of(const bench::timeline& t, doing what) {
  double sum = 0;
  for (const auto& part : t.parts)
    sum += part[static_cast<std::size_t>(what)];
  return ns_of(sum);
}

}  // namespace

TEST_CASE("picture: time goes to the parts that it is in") {
  auto r = run_of({1}, 100);
  r.records[0].trace = {event(kind::working, 5, 25),    event(kind::stolen, 32, 36),
                        event(kind::searching, 25, 36), event(kind::working, 36, 60),
                        event(kind::searching, 60, 62), event(kind::idle, 62, 90)};
  const auto t = bench::timeline_of(r, 0, 1, 0, r.seconds, 10);
  REQUIRE(t.parts.size() == 10);
  const auto ns = [&](std::size_t part, doing what) {
    return ns_of(t.parts[part][static_cast<std::size_t>(what)]);
  };
  CHECK(ns_of(t.room) == 10);
  CHECK(ns(0, doing::working) == 5);
  CHECK(ns(1, doing::working) == 10);
  CHECK(ns(2, doing::working) == 5);
  CHECK(ns(2, doing::searching) == 5);
  CHECK(ns(3, doing::searching) == 2);
  CHECK(ns(3, doing::stealing) == 4);
  CHECK(ns(3, doing::working) == 4);
  CHECK(ns(6, doing::searching) == 2);
  CHECK(ns(6, doing::idle) == 8);
  CHECK(ns(9, doing::idle) == 0);
  CHECK(ns_of(t, doing::unknown) == 0);
  // A window of it.
  const auto end = bench::timeline_of(r, 0, 1, 50e-9, 70e-9, 2);
  CHECK(ns_of(end, doing::working) == 10);
  CHECK(ns_of(end, doing::searching) == 2);
  CHECK(ns_of(end, doing::idle) == 8);
}

TEST_CASE("picture: what had no room is unknown from the last search, work or wait on") {
  auto r = run_of({2}, 100);
  r.records[0].trace = {event(kind::working, 0, 40), event(kind::stolen, 45, 50)};
  r.records[0].trace_dropped = 7;
  r.records[1].trace = {event(kind::working, 0, 100)};
  const auto t = bench::timeline_of(r, 0, 2, 0, r.seconds, 4);
  CHECK(ns_of(t, doing::working) == 140);
  CHECK(ns_of(t, doing::stealing) == 0);
  CHECK(ns_of(t, doing::unknown) == 60);
  CHECK(bench::left_out_of(r).workers == 1);
  CHECK(bench::left_out_of(r).events == 7);
}

TEST_CASE("picture: clocks that differ move nothing out of a timeline's ends") {
  auto r = run_of({1}, 100);
  r.records[0].trace = {
      {picture_test::k_launch - 20, picture_test::k_launch + 30, kind::working, 0, 0},
      event(kind::working, 90, 120)};
  const auto t = bench::timeline_of(r, 0, 1, 0, r.seconds, 3);
  CHECK(ns_of(t, doing::working) == 40);
  const auto e = bench::ending_of(r);
  CHECK(ns_of(e.before) == 0);
  CHECK(ns_of(e.between) == 60);
  CHECK(ns_of(e.after) == 0);
}

TEST_CASE("picture: however many the parts, the sums are the workers' own") {
  auto r = run_of({5, 3}, 100'003);
  for (std::uint32_t w = 0; w != 8; ++w)
    let_work(r, w, 700 + 131 * w, 90 + w, 40);
  for (const std::size_t parts : {1u, 2u, 7u, 200u, 1999u})
    for (const auto& d : r.devices) {
      const auto t = bench::timeline_of(r, d.first_worker, d.workers, 0, r.seconds, parts);
      std::uint64_t working = 0;
      std::uint64_t stealing = 0;
      std::uint64_t searching = 0;
      for (std::uint32_t w = d.first_worker; w != d.first_worker + d.workers; ++w) {
        working += r.records[w].counts.working_ns;
        stealing += r.records[w].counts.stealing_ns;
        searching += r.records[w].counts.searching_ns;
      }
      CHECK(ns_of(t, doing::working) == static_cast<std::int64_t>(working));
      CHECK(ns_of(t, doing::stealing) == static_cast<std::int64_t>(stealing));
      CHECK(ns_of(t, doing::searching) == static_cast<std::int64_t>(searching));
      for (const auto& part : t.parts)
        CHECK(std::accumulate(part.begin(), part.end(), 0.0) <= t.room * (1 + 1e-9));
    }
}

TEST_CASE("picture: the end of a run") {
  auto r = run_of({12}, 1000);
  for (std::uint32_t w = 0; w != 10; ++w)
    r.records[w].trace = {event(kind::working, 10, 100), event(kind::searching, 100, 150),
                          event(kind::working, 150, 200 + 50 * w), event(kind::idle, 700, 990)};
  r.records[10].trace = {event(kind::searching, 0, 10), event(kind::idle, 10, 1000)};
  const auto e = bench::ending_of(r);
  REQUIRE(e.last.size() == 10);
  CHECK(e.never == 2);
  CHECK(ns_of(e.ended(0.1)) == 200);
  CHECK(ns_of(e.ended(0.5)) == 400);
  CHECK(ns_of(e.ended(0.95)) == 650);
  CHECK(ns_of(e.ended(1)) == 650);
  CHECK(e.left(0) == 10);
  CHECK(e.left(399e-9) == 6);
  CHECK(e.left(401e-9) == 5);
  CHECK(e.left(1) == 0);
  CHECK(ns_of(e.before) == 100);
  CHECK(ns_of(e.between) == 500);
  CHECK(ns_of(e.after) == 10 * 1000 - (2000 + 50 * 45));
  CHECK(ns_of(e.without) == 2000);
  const auto t = bench::timeline_of(r, 0, 12, 0, r.seconds, 5);
  CHECK(ns_of(e.before + e.between + e.after + e.without) + ns_of(t, doing::working) == 12 * 1000);
  CHECK(ns_of(e.begin_of_end(r.seconds)) == 0);
  // Even if all end at once something is drawn.
  auto even = run_of({2}, 1000);
  for (auto& w : even.records)
    w.trace = {event(kind::working, 0, 1000)};
  CHECK(ns_of(bench::ending_of(even).begin_of_end(even.seconds)) == 980);
}

TEST_CASE("picture: steals by worker are those of the events") {
  auto r = run_of({5, 3}, 100'000);
  for (std::uint32_t w = 0; w != 8; ++w)
    let_work(r, w, 700, 90, 40);
  const auto s = bench::steals_of(r, {}, 48);
  REQUIRE(s.rows == 8);
  CHECK(s.each == 1);
  std::uint64_t won = 0;
  for (const auto& w : r.records)
    won += w.counts.steals_won;
  CHECK(s.steals == won);
  CHECK(s.all_slots == 2 * won);
  CHECK(std::accumulate(s.slots.begin(), s.slots.end(), std::uint64_t{0}) == s.all_slots);
  for (std::uint32_t thief = 0; thief != 8; ++thief)
    for (std::uint32_t owner = 0; owner != 8; ++owner) {
      std::uint64_t slots = 0;
      for (const auto& e : r.records[thief].trace)
        if (e.what == kind::stolen && e.queue == owner) slots += e.n;
      CHECK(s.at(thief, owner) == slots);
    }
  // In rows of several workers, the last of which has fewer.
  const auto three = bench::steals_of(r, {}, 3);
  REQUIRE(three.rows == 3);
  CHECK(three.each == 3);
  for (std::uint32_t a = 0; a != 3; ++a)
    for (std::uint32_t b = 0; b != 3; ++b) {
      std::uint64_t sum = 0;
      for (std::uint32_t x = 3 * a; x != std::min(8u, 3 * a + 3); ++x)
        for (std::uint32_t y = 3 * b; y != std::min(8u, 3 * b + 3); ++y)
          sum += s.at(x, y);
      CHECK(three.at(a, b) == sum);
    }
}

TEST_CASE("picture: lengths by powers of two") {
  auto r = run_of({1}, 10'000);
  r.records[0].trace = {event(kind::working, 0, 1),        event(kind::working, 1, 1),
                        event(kind::working, 10, 17),      event(kind::working, 20, 28),
                        event(kind::working, 100, 1124),   event(kind::stolen, 2000, 2100),
                        event(kind::given, 30, 2078, 1, 5)};
  r.records[0].trace[4].n = 16;
  const auto l = bench::lengths_of(r);
  REQUIRE(l.working.bins.size() == 11);
  CHECK(l.working.first == 0);
  CHECK(l.working.bins[0].count == 2);  // none at all counts as one nanosecond
  CHECK(l.working.bins[2].count == 1);
  CHECK(l.working.bins[3].count == 1);
  CHECK(l.working.bins[10].count == 1);
  CHECK(l.working.count == 5);
  CHECK(ns_of(l.working.seconds) == 1 + 7 + 8 + 1024);
  CHECK(ns_of(l.working.longest) == 1024);
  REQUIRE(l.steps.bins.size() == 1);
  CHECK(l.steps.first == 6);
  CHECK(l.steps.count == 16);
  CHECK(ns_of(l.steps.longest) == 64);
  REQUIRE(l.stealing.bins.size() == 1);
  CHECK(l.stealing.first == 6);
  CHECK(l.searching.count == 0);
  CHECK(l.searching.bins.empty());
  REQUIRE(l.answers.bins.size() == 1);
  CHECK(l.answers.first == 11);
  CHECK(ns_of(l.answers.seconds) == 2048);
  CHECK(bench::lengths_of(r, 0).answers.count == 1);
  CHECK(bench::lengths_of(r, 1).answers.count == 0);
}

TEST_CASE("picture: what a question to another domain takes is in nobody's time") {
  auto r = run_of({1, 1}, 1000);
  r.records[0].trace = {event(kind::working, 0, 400), event(kind::given, 100, 700, 1, 5),
                        event(kind::searching, 400, 700), event(kind::working, 700, 1000)};
  const auto with = bench::timeline_of(r, 0, 2, 0, r.seconds, 10);
  std::erase_if(r.records[0].trace, [](const auto& e) { return e.what == kind::given; });
  CHECK(with.parts == bench::timeline_of(r, 0, 2, 0, r.seconds, 10).parts);
}
