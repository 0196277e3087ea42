// The probe on GPUs: what must be so on every machine, planted faults, and that a run over several
// GPUs starts exactly where the probe says that it may.
#include "gpu/probe.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include <mgws/probe/domains.hpp>
#include <mgws/runtime/probe/cost.hpp>
#include <mgws/transports/table.hpp>

#include "catch.hpp"

namespace {

using gpu_test::planted;
using mgws::device_kind;
using mgws::litmus;
using mgws::litmus_verdict;

bool in_one(const std::vector<mgws::device_group>& groups, std::uint32_t a, std::uint32_t b) {
  return std::ranges::any_of(groups, [&](const mgws::device_group& g) {
    return std::ranges::count(g, a) != 0 && std::ranges::count(g, b) != 0;
  });
}

/// The least time of a read in a working set of this size.
double rung(const mgws::probe_report& r, mgws::memory_place memory, bool local,
            std::uint64_t bytes) {
  for (const auto& f : r.ladder)
    if (f.memory == memory && (f.what == mgws::measured::chase_local) == local && f.bytes == bytes)
      return f.least;
  return -1;
}

}  // namespace

TEST_CASE("gpu: blocks are coherent in their GPU's memory") {
  const auto r = gpu_test::run_probe({}, true);
  CHECK(mgws::fault_of(r) == "");
  REQUIRE(r.devices.size() >= 2);
  const auto domains = mgws::domains_of(r);
  for (std::uint32_t d = 1; d != r.devices.size(); ++d) {
    CHECK(r.devices[d].kind == device_kind::gpu);
    CHECK(!r.devices[d].name.empty());
    CHECK(in_one(domains.p2p, d, d));
    for (std::uint32_t k = 0; k != mgws::k_litmuses; ++k)
      for (const bool system : {false, true}) {
        const auto* const f = r.find(d, d, d, system, static_cast<litmus>(k));
        REQUIRE(f != nullptr);
        INFO(mgws::name_of(f->what) << ": " << mgws::name_of(f->outcome.verdict));
        CHECK(f->outcome.verdict == litmus_verdict::passed);
        CHECK(f->outcome.operations >= 1000);
        CHECK(f->outcome.met >= 32);
      }
    // Messages between a block and a thread are loads and stores.
    CHECK(in_one(domains.messages, 0, d));
    CHECK(r.find(0, d, mgws::k_host_memory, true, litmus::fetch_add) != nullptr);
  }
}

TEST_CASE("gpu: litmus runs notice what they are there to find") {
  for (const auto& o : gpu_test::run_planted(planted::nothing))
    CHECK(o.verdict == litmus_verdict::passed);
  const auto torn = gpu_test::run_planted(planted::torn_words);
  CHECK(torn[static_cast<std::size_t>(litmus::fetch_add)].verdict == litmus_verdict::wrong);
  CHECK(torn[static_cast<std::size_t>(litmus::exchange)].verdict == litmus_verdict::wrong);
  const auto open = gpu_test::run_planted(planted::open_lock);
  CHECK(open[static_cast<std::size_t>(litmus::lock)].verdict == litmus_verdict::wrong);
  const auto early = gpu_test::run_planted(planted::early_release);
  CHECK(early[static_cast<std::size_t>(litmus::message)].verdict == litmus_verdict::wrong);
}

TEST_CASE("gpu: a participant that never comes is reported, and not waited for") {
  const auto began = std::chrono::steady_clock::now();
  CHECK(gpu_test::run_alone().end == mgws::litmus_end::absent);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  CHECK(took.count() < 5);
}

TEST_CASE("gpu: costs are in the order of the memories") {
  const auto r = gpu_test::run_probe({{.kind = device_kind::gpu}}, false);
  REQUIRE(!r.latencies.empty());
  for (const auto& f : r.latencies) {
    INFO(mgws::name_of(f.what));
    CHECK(f.least > 0);
    CHECK(f.median < 1e6);
  }
  CHECK(r.copies.size() == 12);  // six sizes from two memories
  for (const auto& f : r.copies)
    CHECK(f.median > 0);
  const double local = rung(r, 0, true, mgws::k_local_rung);
  const double near = rung(r, 0, false, mgws::k_first_rung);
  const double far = rung(r, 0, false, mgws::k_last_rung);
  const double host = rung(r, mgws::k_host_memory, false, mgws::k_last_rung);
  std::printf("dependent read: %.1f ns local, %.1f in a cache, %.1f own memory, %.1f host memory\n",
              local, near, far, host);
  CHECK(local > 0);
  CHECK(local < far);
  CHECK(near < far);
  CHECK(far < host);
}

TEST_CASE("gpu: a run over several GPUs starts where the litmus runs allow it") {
  const auto r = gpu_test::run_probe({}, true);
  if (r.devices.size() < 3) {
    std::printf("several GPUs: not tried, because this machine has one\n");
    return;
  }
  const auto domains = mgws::domains_of(r);
  // Positions 1 and 2 are GPUs 0 and 1. Twice: the second answer is the kept one.
  for (int i = 0; i != 2; ++i) {
    const std::string p2p = gpu_test::why_not_join(2, mgws::transports::p2p);
    INFO(p2p);
    CHECK(p2p.empty() == in_one(domains.p2p, 1, 2));
    const std::string host = gpu_test::why_not_join(2, mgws::transports::host);
    INFO(host);
    CHECK(host.empty() == in_one(domains.host, 1, 2));
    for (const std::string& why : {p2p, host}) {
      if (why.empty()) continue;
      CHECK(why.find("GPU 0 and GPU 1") != std::string::npos);
      CHECK(why.find("memory") != std::string::npos);
      CHECK(why.find("name one GPU") != std::string::npos);
    }
  }
}
