// The ladder's chains, and costs of batches.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <mgws/probe/findings.hpp>
#include <mgws/runtime/probe/cost.hpp>
#include <mgws/runtime/probe/prober.hpp>
#include <mgws/runtime/probe/threads.hpp>

#include "catch.hpp"

TEST_CASE("probe: a chain visits every line once, in one circle") {
  for (const std::uint64_t bytes : {std::uint64_t{256}, mgws::k_local_rung, mgws::k_first_rung}) {
    const auto chain = mgws::make_chain(bytes);
    REQUIRE(chain.size() * 8 == bytes);
    const std::uint64_t n = bytes / mgws::k_chain_stride;
    std::vector<bool> seen(n, false);
    std::uint64_t at = 0;
    std::uint64_t near = 0;
    for (std::uint64_t i = 0; i != n; ++i) {
      REQUIRE(at % 16 == 0);
      REQUIRE(at / 16 < n);
      REQUIRE_FALSE(seen[at / 16]);
      seen[at / 16] = true;
      near += chain[at] == at + 16 ? 1 : 0;
      at = chain[at];
    }
    CHECK(at == 0);
    // No prefetcher may guess the next line.
    if (n > 64) CHECK(near < n / 8);
  }
}

TEST_CASE("probe: costs are medians and least values of batches") {
  mgws::cost_finding c;
  mgws::put_times(c, {3000, 1000, 2000}, 10);
  CHECK(c.median == 200);
  CHECK(c.least == 100);
}

TEST_CASE("probe: operations of a thread take time, and leave the word as it was") {
  mgws::probe_report r;
  alignas(128) std::byte word[128] = {};
  mgws::cpu_machine machine(std::chrono::seconds(1));
  machine.add({});
  const mgws::probe_options o;
  mgws::prober(r, machine, o).measure_operations({}, word);
  CHECK(r.latencies.size() == 9);
  for (const auto& f : r.latencies) {
    INFO(mgws::name_of(f.what));
    CHECK(f.least > 0);
    CHECK(f.median >= f.least);
  }
  for (const std::byte b : word)
    CHECK(b == std::byte{0});
}
