// Coherence domains from a matrix of findings, and what drivers say against what was found.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mgws/probe/domains.hpp>
#include <mgws/probe/findings.hpp>

#include "catch.hpp"

namespace {

using mgws::device_group;
using mgws::k_host_memory;
using mgws::k_litmuses;
using mgws::litmus;
using mgws::litmus_verdict;
using groups = std::vector<device_group>;

/// Findings that say one thing about everything, until told otherwise.
struct machine {
  mgws::probe_report report;

  /// \param gpus  so many, behind the CPU, which is device 0
  explicit machine(std::uint32_t gpus) {
    report.devices.push_back({.name = "a processor"});
    for (std::uint32_t i = 0; i != gpus; ++i)
      report.devices.push_back({.kind = mgws::device_kind::gpu, .index = i, .name = "a GPU"});
    const std::uint32_t n = gpus + 1;
    for (std::uint32_t a = 0; a != n; ++a)
      for (std::uint32_t b = a; b != n; ++b) {
        all_of(a, b, k_host_memory, true);
        if (a != 0 && a == b) all_of(a, b, k_host_memory, false);
        for (std::uint32_t m = 1; a != 0 && m != n; ++m) {
          all_of(a, b, m, true);
          if (a == b) all_of(a, b, m, false);
        }
      }
  }
  /// Two devices, in both orders, on this memory, at system scope.
  machine& set(std::uint32_t a, std::uint32_t b, std::uint32_t memory, litmus what,
               litmus_verdict v) {
    for (auto& f : report.litmus)
      if (f.a == std::min(a, b) && f.b == std::max(a, b) && f.memory == memory && f.what == what &&
          f.system_scope)
        f.outcome.verdict = v;
    return *this;
  }
  machine& claim(std::uint32_t a, std::uint32_t b, std::uint32_t memory, bool coherent) {
    for (auto& f : report.litmus)
      if (f.a == a && f.b == b && f.memory == memory && f.what != litmus::message)
        f.claim = coherent;
    return *this;
  }
  /// Read-modify-writes of a and b on host memory lose updates; messages do not.
  machine& host_atomics_fail(std::uint32_t a, std::uint32_t b) {
    for (const litmus what : {litmus::fetch_add, litmus::exchange, litmus::lock})
      set(a, b, k_host_memory, what, litmus_verdict::wrong);
    return *this;
  }
  [[nodiscard]] mgws::coherence_domains domains() const { return mgws::domains_of(report); }

 private:
  void all_of(std::uint32_t a, std::uint32_t b, std::uint32_t memory, bool system) {
    for (std::uint32_t k = 0; k != k_litmuses; ++k)
      report.litmus.push_back({.a = a,
                               .b = b,
                               .memory = memory,
                               .system_scope = system,
                               .what = static_cast<litmus>(k),
                               .outcome = {.verdict = litmus_verdict::passed}});
  }
};

/// Two GPUs with NVLink behind a bus without atomics.
machine two_gpus_behind_a_plain_bus() {
  machine m(2);
  m.host_atomics_fail(0, 1).host_atomics_fail(0, 2).host_atomics_fail(1, 2);
  return m;
}

}  // namespace

TEST_CASE("probe: where everything is coherent there is one domain") {
  const auto d = machine(3).domains();
  CHECK(d.p2p == groups{{1, 2, 3}});
  CHECK(d.host == groups{{0, 1, 2, 3}});
  CHECK(d.messages == groups{{0, 1, 2, 3}});
}

TEST_CASE("probe: a bus without atomics leaves each device alone on host memory") {
  const auto d = two_gpus_behind_a_plain_bus().domains();
  CHECK(d.p2p == groups{{1, 2}});
  CHECK(d.host == groups{{0}, {1}, {2}});
  CHECK(d.messages == groups{{0, 1, 2}});
}

TEST_CASE("probe: GPUs that do not reach each other are alone") {
  machine m(2);
  for (const std::uint32_t memory : {1u, 2u})
    for (std::uint32_t k = 0; k != k_litmuses; ++k)
      m.set(1, 2, memory, static_cast<litmus>(k), litmus_verdict::no_access);
  const auto d = m.domains();
  CHECK(d.p2p == groups{{1}, {2}});
  CHECK(d.host == groups{{0, 1, 2}});
}

TEST_CASE("probe: a pair that fails on a third one's memory splits the three") {
  machine m(3);
  m.set(1, 2, 3, litmus::fetch_add, litmus_verdict::wrong);
  CHECK(m.domains().p2p == groups{{1, 2}, {3}});
  // One's own two workers on another one's memory count, too.
  machine own(2);
  own.set(1, 1, 2, litmus::exchange, litmus_verdict::wrong);
  CHECK(own.domains().p2p == groups{{1}, {2}});
}

TEST_CASE("probe: every operation of the protocol is needed, and only for what needs it") {
  for (std::uint32_t k = 0; k != k_litmuses; ++k)
    for (const litmus_verdict v : {litmus_verdict::wrong, litmus_verdict::absent,
                                   litmus_verdict::gave_up, litmus_verdict::never_met}) {
      machine m(2);
      m.set(1, 2, 1, static_cast<litmus>(k), v);
      const auto d = m.domains();
      CHECK(d.p2p == groups{{1}, {2}});
      CHECK(d.host == groups{{0, 1, 2}});
    }
}

TEST_CASE("probe: pairs that are coherent need not be so together") {
  // 0 with 1 and 0 with 2, but not 1 with 2.
  machine m(2);
  m.host_atomics_fail(1, 2);
  CHECK(m.domains().host == groups{{0, 1}, {2}});
}

TEST_CASE("probe: what was not tried does not count") {
  machine m(2);
  std::erase_if(m.report.litmus, [](const auto& f) { return f.a == 1 && f.b == 2; });
  const auto d = m.domains();
  CHECK(d.p2p == groups{{1}, {2}});
  CHECK(d.host == groups{{0, 1}, {2}});
  CHECK(d.messages == groups{{0, 1}, {2}});
  CHECK(mgws::domains_of(mgws::probe_report{}).host.empty());
}

TEST_CASE("probe: a device that is not coherent with itself is in no domain") {
  machine m(1);
  for (auto& f : m.report.litmus)
    if (f.a == 1 && f.b == 1 && f.what == litmus::lock) f.outcome.verdict = litmus_verdict::wrong;
  const auto d = m.domains();
  CHECK(d.p2p.empty());
  CHECK(d.host == groups{{0}});
  CHECK(mgws::fault_of(m.report).find("two workers of GPU 0") == 0);
}

TEST_CASE("probe: the litmus runs decide where the driver says something else") {
  // Says no, works.
  machine modest(2);
  modest.claim(1, 2, 1, false).claim(1, 2, 2, false);
  CHECK(modest.domains().p2p == groups{{1, 2}});
  CHECK(mgws::disagreements(modest.report).size() == 6);

  // Says yes, loses updates.
  machine boastful = two_gpus_behind_a_plain_bus();
  boastful.claim(1, 2, k_host_memory, true);
  CHECK(boastful.domains().host == groups{{0}, {1}, {2}});
  CHECK(mgws::disagreements(boastful.report).size() == 3);

  // Says what is so, or says nothing.
  machine honest = two_gpus_behind_a_plain_bus();
  honest.claim(1, 2, k_host_memory, false).claim(1, 2, 1, true);
  CHECK(mgws::disagreements(honest.report).empty());

  // A run that showed nothing contradicts nobody.
  machine silent(2);
  silent.claim(1, 2, 1, true);
  for (std::uint32_t k = 0; k != k_litmuses; ++k)
    silent.set(1, 2, 1, static_cast<litmus>(k), litmus_verdict::no_access);
  CHECK(mgws::disagreements(silent.report).empty());
}

TEST_CASE("probe: objections name pair, memory and operation") {
  machine m = two_gpus_behind_a_plain_bus();
  const auto said = [&](std::uint32_t a, std::uint32_t b, std::uint32_t memory, litmus what) {
    return mgws::objection(*m.report.find(a, b, memory, true, what), m.report.devices);
  };
  CHECK(said(1, 2, 1, litmus::fetch_add).empty());
  CHECK(said(1, 2, k_host_memory, litmus::fetch_add) ==
        "GPU 0 and GPU 1 lose each other's fetch_add on host memory");
  CHECK(said(0, 1, k_host_memory, litmus::fetch_add) ==
        "the CPU and GPU 0 lose each other's fetch_add on host memory");
  m.claim(1, 2, k_host_memory, true);
  CHECK(said(1, 2, k_host_memory, litmus::fetch_add).find("the driver says") != std::string::npos);
  for (std::uint32_t k = 0; k != k_litmuses; ++k)
    for (const litmus_verdict v :
         {litmus_verdict::wrong, litmus_verdict::absent, litmus_verdict::gave_up,
          litmus_verdict::never_met, litmus_verdict::no_access}) {
      m.set(1, 2, 2, static_cast<litmus>(k), v);
      const std::string text = said(2, 1, 2, static_cast<litmus>(k));
      INFO(text);
      CHECK(text.find("GPU 0 and GPU 1") != std::string::npos);
      CHECK(text.find("the memory of GPU 1") != std::string::npos);
      CHECK(text.find('\n') == std::string::npos);
    }
}

TEST_CASE("probe: faults are what no machine may show") {
  CHECK(mgws::fault_of(two_gpus_behind_a_plain_bus().report).empty());
  machine m(2);
  m.set(1, 2, 1, litmus::message, litmus_verdict::absent);
  CHECK(!mgws::fault_of(m.report).empty());
  machine cpu(0);
  cpu.set(0, 0, k_host_memory, litmus::fetch_add, litmus_verdict::wrong);
  CHECK(mgws::fault_of(cpu.report).find("two workers of the CPU") == 0);
}
