// mgws::placed_array and a context for each device.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <mgws/placement.hpp>

#include "catch.hpp"
#include "platform.hpp"

namespace {

constexpr std::uint64_t k_n = 10'007;

struct wrong_context : mgws::sum<std::uint64_t> {};

struct contents {
  std::uint32_t device;
  mgws::placed<const std::uint32_t> from;
  mgws::placed<std::uint32_t> to;
};

struct doubling {
  void operator()(auto& worker, mgws::task_index i) const {
    const contents& c = worker.context();
    c.to[i] = 2 * c.from[i];
    worker.accumulate(wrong_context{}, c.device == worker.device() ? 0 : 1);
  }
};

}  // namespace

TEST_CASE("placement: a partition is contiguous, complete and even") {
  for (const std::uint64_t n :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{7}, std::uint64_t{1000},
        std::uint64_t{1'000'003}, (std::uint64_t{1} << 27) + 1, std::uint64_t{1} << 40})
    for (std::uint32_t parts = 1; parts <= mgws::k_most_parts; ++parts) {
      const mgws::partition p(n, parts);
      INFO(n << " elements in " << parts << " parts");
      CHECK(p.part_of(0) == 0);
      CHECK(p.part_of(n - 1) < parts);
      std::uint64_t before = 0;
      for (std::uint32_t d = 1; d != parts; ++d) {
        const std::uint64_t begin = std::min(p.begin(d), n);
        REQUIRE(begin >= before);
        if (begin < n) REQUIRE(p.part_of(begin) >= d);
        if (begin != 0) REQUIRE(p.part_of(begin - 1) < d);
        const std::uint64_t exact = n / parts * d + n % parts * d / parts;
        const std::uint64_t off = begin > exact ? begin - exact : exact - begin;
        CHECK(off <= 1 + n / 1'000'000'000);
        before = begin;
      }
    }
}

TEMPLATE_LIST_TEST_CASE("placement: every placement carries data to all devices and back", "",
                        contract::platforms) {
  using mgws::placement;
  using runtime = typename TestType::template runtime<mgws::task_set<doubling>,
                                                      mgws::accumulators<wrong_context>, contents>;
  for (const auto where : {placement::main, placement::replicated, placement::partitioned,
                           placement::host, placement::managed}) {
    runtime rt(TestType::groups_of({2, 1, 1}));
    REQUIRE(rt.devices() == 3);
    REQUIRE(rt.data_places().devices.size() == 3);
    std::vector<std::uint32_t> numbers(k_n);
    std::iota(numbers.begin(), numbers.end(), 7u);
    mgws::placed_array<std::uint32_t> from(rt.data_places(), k_n, where);
    mgws::placed_array<std::uint32_t> to(rt.data_places(), k_n, where);
    from.upload(numbers);
    to.fill(0xff);
    std::vector<contents> contexts;
    for (std::uint32_t d = 0; d != rt.devices(); ++d)
      contexts.push_back({d, from.on(d).to_read(), to.on(d)});
    rt.seed_n(doubling{}, k_n);
    const auto report = rt.run_each(contexts);
    CHECK(report.tasks == k_n);
    CHECK(report.template get<wrong_context>() == 0);
    // Each element is written in one copy: that of the device whose task it was.
    CHECK(to.copies() == (where == placement::replicated ? 3 : 1));
    std::vector<std::uint32_t> seen(k_n);
    std::uint64_t right = 0;
    for (std::uint32_t copy = 0; copy != to.copies(); ++copy) {
      to.download(seen, copy);
      for (std::uint64_t i = 0; i != k_n; ++i)
        right += seen[i] == 2 * numbers[i] ? 1 : 0;
    }
    CHECK(right == k_n);
  }
}

TEMPLATE_LIST_TEST_CASE("placement: copies and parts are different memory", "",
                        contract::platforms) {
  using mgws::placement;
  typename TestType::template runtime<mgws::task_set<doubling>, mgws::accumulators<wrong_context>,
                                      contents>
      rt(TestType::groups_of({1, 1}));
  const mgws::placed_array<std::uint32_t> copies(rt.data_places(), 100, placement::replicated);
  CHECK(&copies.on(0)[5] != &copies.on(1)[5]);
  const mgws::placed_array<std::uint32_t> parts(rt.data_places(), 100, placement::partitioned);
  CHECK(&parts.on(0)[5] == &parts.on(1)[5]);
  CHECK(&parts.on(0)[1] == &parts.on(0)[0] + 1);
  CHECK(&parts.on(0)[99] == &parts.on(0)[60] + 39);
  CHECK(&parts.on(0)[60] != &parts.on(0)[0] + 60);
  // By cuts of the caller's.
  const mgws::placed_array<std::uint32_t> cut(rt.data_places(), 100, placement::partitioned,
                                              {0, 90}, 4);
  CHECK(cut.on(1).at(0, 89) == cut.on(0).at(0, 0) + 89);
  CHECK(cut.on(1).at(1, 99) == cut.on(0).at(1, 90) + 9);
}

TEMPLATE_LIST_TEST_CASE("placement: what is no placement is refused in a sentence", "",
                        contract::platforms) {
  using mgws::placement;
  typename TestType::template runtime<mgws::task_set<doubling>, mgws::accumulators<wrong_context>,
                                      contents>
      rt(TestType::groups_of({1, 1}));
  const auto places = rt.data_places();
  using array = mgws::placed_array<std::uint32_t>;
  using cuts = std::vector<std::uint64_t>;
  const auto refused = [](auto&& f, const std::string& about) {
    std::string said;
    try {
      f();
    } catch (const mgws::bad_configuration& e) {
      said = e.what();
    }
    INFO(said);
    CHECK(said.find(about) != std::string::npos);
    CHECK(said.find('\n') == std::string::npos);
  };
  for (const cuts& wrong : {cuts{0}, cuts{0, 1, 2}})
    refused([&] { array(places, 100, placement::partitioned, wrong); }, "needs a cut for each");
  for (const cuts& wrong : {cuts{0, 101}, cuts{1, 50}, cuts{50, 0}})
    refused([&] { array(places, 100, placement::partitioned, wrong); }, "cuts must ascend from 0");
  for (const auto whole :
       {placement::main, placement::replicated, placement::host, placement::managed})
    refused([&] { array(places, 100, whole, {0, 50}); }, "cuts are for data that is partitioned");
  CHECK(array(places, 100, placement::partitioned, {0, 100}).size() == 100);
  CHECK(array(places, 100, placement::partitioned, {0, 0}).size() == 100);
  refused([&] { array(places, 100, static_cast<placement>(5)); }, "number 5");
  refused([&] { array(mgws::data_places{}, 100, placement::main); }, "needs a memory");
  refused([&] { array(mgws::data_places{}, 100, placement::host); }, "needs a memory");
  refused([&] { array(mgws::data_places{}, 100, placement::managed); }, "needs a memory");
  refused([&] { array(places, std::uint64_t{1} << 49, placement::partitioned); }, "at most");
  refused([&] { array(places, std::uint64_t{1} << 62, placement::main); },
          "larger than any memory");
  refused([&] { array(places, 2, placement::main, {}, ~std::size_t{0}); }, "slack");

  array copies(places, 100, placement::replicated);
  std::vector<std::uint32_t> numbers(101);
  for (const std::size_t n : {std::size_t{99}, std::size_t{101}}) {
    refused([&] { copies.upload(std::span(numbers).first(n)); }, "not " + std::to_string(n));
    refused([&] { copies.download(std::span(numbers).first(n)); }, "not " + std::to_string(n));
  }
  refused([&] { copies.download(std::span(numbers).first(100), 2); }, "device 2 has no copy");
  refused([&] { static_cast<void>(copies.on(2)); }, "device 2 has no copy");
  CHECK(array().on(0).at(0, 0) == nullptr);
}

TEMPLATE_LIST_TEST_CASE("placement: as many contexts as devices, or one", "", contract::platforms) {
  using runtime = typename TestType::template runtime<mgws::task_set<doubling>,
                                                      mgws::accumulators<wrong_context>, contents>;
  const auto said = [](runtime& rt, std::size_t contexts) {
    try {
      rt.run_each(std::vector<contents>(contexts));
    } catch (const mgws::bad_configuration& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  runtime one(TestType::groups_of({1}));
  CHECK(said(one, 2) == "a run on 1 device needs a context for each or one for all, not 2");
  runtime rt(TestType::groups_of({1, 1, 1}));
  CHECK(said(rt, 2) == "a run on 3 devices needs a context for each or one for all, not 2");
  CHECK(rt.run().tasks == 0);
}
