// The page of runs that no test machine makes, and what users name in it.
#include "picture/page.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "picture/chart.hpp"
#include "picture/html.hpp"
#include "runs.hpp"

namespace bench = mgws::bench;
using json = nlohmann::ordered_json;
using picture_test::let_work;
using picture_test::run_of;

namespace {

json result_of(const mgws::run_report& r, const std::string& command) {
  const json spread{{"min", r.seconds}, {"median", r.seconds}, {"max", r.seconds}};
  json j{{"workload", "uts"},
         {"parameters", {{"word", command}}},
         {"command", command},
         {"version", "1"},
         {"commit", "2"},
         {"date", "3"},
         {"transport", "p2p"},
         {"queues", {{"protocol", "sws"}}},
         {"termination", "tree"},
         {"steal", "uniform"},
         {"direct", "off"},
         {"seed", 1},
         {"runs", json::array({1})},
         {"summary",
          {{"tasks", 5},
           {"tasks_run", 3},
           {"verified", true},
           {"result", command},
           {"details", json::object()},
           {"seconds", spread},
           {"tasks_per_second", spread}}},
         {"statistics", {{"imbalance", r.imbalance()}}}};
  for (const auto& d : r.devices)
    j["devices"].push_back({{"name", d.name}, {"workers", d.workers}});
  return j;
}

std::size_t times(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1))
    ++n;
  return n;
}

}  // namespace

TEST_CASE("picture: what a user names is text") {
  CHECK(bench::html("a < b && c > \"d\" 'e'") ==
        "a &lt; b &amp;&amp; c &gt; &quot;d&quot; &#39;e&#39;");
  CHECK(bench::html("für \xff\x01") == "für \\xff\\x01");
  auto r = run_of({2}, 1000);
  r.devices[0].name = "<i>gpu</i>";
  const std::string page = bench::page_of(result_of(r, "--word '<script>&\xe9"), "<u>", r, {});
  CHECK(times(page, "<script") == 0);
  CHECK(times(page, "<i>gpu") == 0);
  CHECK(times(page, "<u>") == 0);
  CHECK(times(page, "&lt;script&gt;&amp;\\xe9") == 3);
  // What a workload counts is not what ran: both are said.
  CHECK(times(page, "tasks that ran") == 1);
}

TEST_CASE("picture: a wrong result is said to be one") {
  const auto r = run_of({2}, 1000);
  json result = result_of(r, "");
  CHECK(times(bench::page_of(result, "tasks", r, {}), "WRONG") == 0);
  result["summary"]["verified"] = false;
  CHECK(times(bench::page_of(result, "tasks", r, {}), "WRONG") == 1);
}

TEST_CASE("picture: runs of many workers and events are small pages") {
  auto r = run_of({528, 528, 528, 528, 528, 528, 528, 528}, 100'000'000);
  std::size_t events = 0;
  for (std::uint32_t w = 0; w != 4224; ++w) {
    let_work(r, w, 900'000 + 1000 * (w % 500), 90'000, 40'000);
    events += r.records[w].trace.size();
  }
  REQUIRE(events > 1'000'000);
  const std::string page = bench::page_of(result_of(r, "large"), "tasks", r, {});
  CHECK(page.size() < 1'000'000);
  CHECK(times(page, "<figure id=\"utilisation-") == 8);
  CHECK(times(page, "<figure id=\"end-of-run\"") == 1);
}

TEST_CASE("picture: without all events the end is not drawn, and the page says why") {
  auto r = run_of({2}, 1'000'000);
  let_work(r, 0, 9000, 900, 400);
  let_work(r, 1, 9000, 900, 400);
  const std::string whole = bench::page_of(result_of(r, ""), "tasks", r, {});
  CHECK(times(whole, "end-of-run") == 1);
  CHECK(times(whole, "had room") == 0);
  CHECK(times(whole, "class=\"unknown\"") == 0);
  r.records[1].trace.resize(100);
  r.records[1].trace_dropped = 83;
  const std::string part = bench::page_of(result_of(r, ""), "tasks", r, {});
  CHECK(times(part, "end-of-run") == 0);
  CHECK(times(part, "Unknown: of 1 of 2 workers not all events had room") == 1);
  CHECK(times(part, "class=\"unknown\"") == 1);
  CHECK(times(part, "83 were left out") == 1);
}

TEST_CASE("picture: a run that did nothing has a page") {
  const auto r = run_of({1}, 0);
  const std::string page = bench::page_of(result_of(r, ""), "tasks", r, {});
  CHECK(times(page, "No worker had any work.") == 1);
  CHECK(times(page, "Nothing was stolen.") == 1);
  CHECK(times(page, "nan") == 0);
  CHECK(times(page, "inf") == 0);
}

TEST_CASE("picture: numbers of axes are round") {
  const auto texts = [](double from, double to, int about, double unit) {
    std::string all;
    for (const bench::tick& t : bench::ticks_of(from, to, about, unit))
      all += t.text + " ";
    return all;
  };
  CHECK(texts(0, 0.089, 6, 1e-3) == "0 20 40 60 80 ");
  CHECK(texts(0.0787, 0.0892, 5, 1e-3) == "80 85 ");
  CHECK(texts(0, 3, 3, 1) == "0 1 2 3 ");
  CHECK(texts(0, 0, 3, 1).empty());
}
