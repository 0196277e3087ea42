#include "workloads/quadrature.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "quadrature/integrand.hpp"
#include "quadrature/simpson.hpp"

namespace {

using namespace mgws::bench::quadrature;

constexpr integrand k_all[] = {integrand::peaks, integrand::wave, integrand::root};

/// Runs summed intervals, the newest first.
struct one_worker {
  problem given;
  std::vector<summed_interval> waiting;
  part found{};
  std::uint64_t ran = 0;
  std::uint64_t failed = 0;

  [[nodiscard]] const problem& context() const { return given; }
  void spawn(const summed_interval& i) { waiting.push_back(i); }
  void fail(std::uint64_t code) { failed = code; }
  void accumulate(integral /*which*/, double v) { found.value += v; }
  void accumulate(estimated /*which*/, double v) { found.error += v; }

  void run() {
    spawn({interval::whole(given.f)});
    while (!waiting.empty() && failed == 0) {
      const summed_interval next = waiting.back();
      waiting.pop_back();
      ++ran;
      next(*this);
    }
  }
};

}  // namespace

TEST_CASE("quadrature: sine and cosine are those of the library, nearly") {
  double most = 0;
  for (std::uint32_t i = 0; i != 100'000; ++i) {
    const double t = i * 0.1 + 1e-3;
    const turn here = turn::of(t);
    most =
        std::max({most, std::fabs(here.sine - std::sin(t)), std::fabs(here.cosine - std::cos(t))});
  }
  CHECK(most < 4e-16);
}

// To the last bit, also by a compiler that fuses products and sums.
TEST_CASE("quadrature: values and integrals are the same everywhere") {
  const auto check = [](integrand f, std::uint64_t bits, std::uint64_t intervals,
                        std::uint32_t depth, const part& integral) {
    INFO(k_integrands[static_cast<std::uint32_t>(f)]);
    std::uint64_t seen = 0;
    for (std::uint32_t i = 0; i != 10'000; ++i)
      seen = seen * 31 + std::bit_cast<std::uint64_t>(value_at(f, (i + 2) / 16'384.0));
    CHECK(seen == bits);
    const recursion r({.f = f, .tolerance = 1e-7, .depth = 100});
    REQUIRE(r.found());
    CHECK(r.intervals() == intervals);
    CHECK(r.depth() == depth);
    CHECK(r.found()->value == integral.value);
    // Of differences, which show a rounding that the values' sum hides.
    CHECK(r.found()->error == integral.error);
  };
  check(integrand::peaks, 0xf9985696d910b692, 58'451, 26,
        {0x1.817e78177df8ap+6, 0x1.17ce7442c8p-25});
  check(integrand::wave, 0xa394ac1ebaa9d4d9, 188'889, 30,
        {0x1.aed5490ab8cc2p-1, 0x1.ebace628d36c6p-26});
  check(integrand::root, 0xa1f3b96632f0ee44, 179, 35,
        {0x1.555555553176dp-1, 0x1.3b1e2c1bd8ebcp-25});
}

TEST_CASE("quadrature: no more off than tolerated, nor than estimated where that is little") {
  for (const integrand f : k_all)
    for (double tolerance = 0.1; tolerance > 1e-7; tolerance *= 0.7) {
      INFO(k_integrands[static_cast<std::uint32_t>(f)] << " " << tolerance);
      const recursion r({.f = f, .tolerance = tolerance, .depth = 100});
      REQUIRE(r.found());
      const double off = std::fabs(r.found()->value - closed_form(f));
      CHECK(r.found()->error <= tolerance);
      CHECK(off <= tolerance);
      // Waves that are much shorter than an interval show nothing of how long they are.
      if (f != integrand::wave || tolerance < 1e-6) CHECK(off <= r.found()->error);
    }
}

TEST_CASE("quadrature: that an interval is good enough must have been expected") {
  const interval i = interval::whole(integrand::root);
  const halves h = halves::of({.f = integrand::root, .tolerance = 1, .depth = 9}, i);
  CHECK(h.both.error <= 1);
  CHECK(!h.good);
  CHECK(h.left.expected == 1);
  CHECK(halves::of({.f = integrand::root, .tolerance = 1, .depth = 9}, h.left).good);
}

TEST_CASE("quadrature: tasks halve what one thread does, and add the same") {
  for (const integrand f : k_all) {
    const recursion r({.f = f, .tolerance = 1e-6, .depth = 100});
    one_worker w{.given = {.f = f, .tolerance = 1e-6, .depth = 100}, .waiting = {}};
    w.run();
    CHECK(w.failed == 0);
    CHECK(w.ran == r.intervals());
    CHECK(std::fabs(w.found.value - r.found()->value) < 1e-12);
    CHECK(std::fabs(w.found.error - r.found()->error) < 1e-12);
  }
}

TEST_CASE("quadrature: too many halvings are an error, not a result") {
  const recursion enough({.f = integrand::root, .tolerance = 1e-6, .depth = 29});
  REQUIRE(enough.found());
  CHECK(enough.depth() == 29);
  CHECK(!recursion({.f = integrand::root, .tolerance = 1e-6, .depth = 28}).found());
  one_worker w{.given = {.f = integrand::root, .tolerance = 1e-6, .depth = 28}, .waiting = {}};
  w.run();
  CHECK(w.failed == 28);
  // Values of the peaks are as exact as doubles of their size can be.
  CHECK(!recursion({.f = integrand::peaks, .tolerance = 1e-12, .depth = 100}).found());
}
