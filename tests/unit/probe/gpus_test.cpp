// What the host makes of GPUs' litmus runs, on GPUs that are threads: whether a run over several of
// them starts, and what the probe finds.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <mgws/errors.hpp>
#include <mgws/probe/domains.hpp>
#include <mgws/runtime/gpu_join.hpp>
#include <mgws/runtime/probe/gpus.hpp>
#include <mgws/runtime/probe/prober.hpp>
#include <mgws/transports/table.hpp>

#include "catch.hpp"
#include "sanitizers.hpp"
#include "unit/probe/fake_gpus.hpp"

namespace {

using mgws::device_group;
namespace transports = mgws::transports;
using groups = std::vector<device_group>;

void set(bool peer_claim, bool peer_loses, bool host_claim, bool host_loses) {
  auto& m = fake::the_machine();
  m.access = true;
  m.peer_claim = peer_claim;
  m.peer_loses = peer_loses;
  m.host_claim = host_claim;
  m.host_loses = host_loses;
}

/// Joins two GPUs.
template <int Machine>
auto join(const mgws::transport_row& transport, std::uint32_t first = 0, std::uint32_t second = 1) {
  mgws::options o;
  for (const std::uint32_t gpu : {first, second})
    o.devices.push_back({.kind = mgws::device_kind::gpu, .index = gpu});
  return mgws::join_gpus<fake::port<Machine>>(o, transport);
}

/// Why two GPUs cannot share a run; empty if they can.
template <int Machine>
std::string why_not(const mgws::transport_row& transport, std::uint32_t first = 0,
                    std::uint32_t second = 1) {
  try {
    const auto joined = join<Machine>(transport, first, second);
    CHECK(joined.gpus.size() == 2);
  } catch (const mgws::not_possible& e) {
    return e.what();
  }
  return "";
}

/// Why GPU 0 cannot compute with something in GPU 1's memory; empty if it can.
template <int Machine>
std::string why_not_remote(const mgws::transport_row& transport,
                           mgws::task_memory tasks = mgws::task_memory::automatic) {
  mgws::options o;
  o.devices = {{.kind = mgws::device_kind::gpu, .index = 0}};
  o.initial_tasks = tasks;
  try {
    const auto joined = mgws::join_gpus<fake::port<Machine>>(o, transport);
    CHECK(joined.gpus.size() == 1);
    REQUIRE(joined.remote != nullptr);
    CHECK(joined.remote->index() == 1);
  } catch (const mgws::not_possible& e) {
    return e.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The CPU and two GPUs.
template <int Machine>
mgws::probe_report probed() {
  mgws::gpu_machine<fake::port<Machine>> machine(std::chrono::seconds(30));
  machine.add({});
  for (const std::uint32_t gpu : {0u, 1u})
    machine.add({.kind = mgws::device_kind::gpu, .index = gpu});
  mgws::probe_report r;
  const mgws::probe_options o;
  mgws::prober(r, machine, o).try_pairs(300);
  return r;
}

}  // namespace

TEST_CASE("probe: GPUs join where the litmus runs pass, whatever the driver says") {
  set(false, false, false, false);
  CHECK(why_not<1>(transports::p2p) == "");
  CHECK(why_not<1>(transports::host) == "");
}

TEST_CASE("probe: without access nothing is tried") {
  set(true, false, true, false);
  fake::the_machine().access = false;
  const int before = fake::the_machine().launches;
  CHECK(has(why_not<4>(transports::p2p), "GPU 0 has no access to the memory of GPU 1"));
  CHECK(fake::the_machine().launches == before);
}

TEST_CASE("probe: on the host transport GPUs need not reach each other, and it is told") {
  set(true, false, true, false);
  CHECK(join<6>(transports::host).reached);
  fake::the_machine().access = false;
  CHECK_FALSE(join<6>(transports::host).reached);
}

TEST_CASE("probe: a GPU named twice joins itself, without access to a peer") {
  set(false, false, false, false);
  fake::the_machine().access = false;
  for (const auto transport : {transports::p2p, transports::host}) {
    const int before = fake::the_machine().launches;
    CHECK(join<7>(transport, 1, 1).reached);
    CHECK(fake::the_machine().launches > before);
  }
}

TEST_CASE("probe: a remote GPU's memory is used where the litmus runs pass, whatever is claimed") {
  set(false, false, false, false);
  const int before = fake::the_machine().launches;
  CHECK(why_not_remote<10>(transports::remote) == "");
  CHECK(fake::the_machine().launches > before);
  // Each machine is tried once.
  const int tried = fake::the_machine().launches;
  CHECK(why_not_remote<10>(transports::remote) == "");
  CHECK(fake::the_machine().launches == tried);
}

TEST_CASE("probe: tasks in a remote GPU's memory are read only, and need access alone") {
  set(false, false, false, false);
  const int before = fake::the_machine().launches;
  CHECK(why_not_remote<11>(transports::p2p, mgws::task_memory::remote) == "");
  CHECK(fake::the_machine().launches == before);
  fake::the_machine().access = false;
  for (const auto transport : {transports::p2p, transports::remote})
    CHECK(has(why_not_remote<11>(transport, mgws::task_memory::remote),
              "GPU 0 has no access to the memory of GPU 1: name another remote GPU"));
  CHECK(fake::the_machine().launches == before);
}

// A lock whose exchange loses updates protects no plain data: ThreadSanitizer would find that
// before the litmus run does.
#if !defined(MGWS_TESTED_BY_THREAD)
TEST_CASE("probe: a remote GPU's memory that loses updates is refused, whatever is claimed") {
  set(true, true, false, false);
  const std::string why = why_not_remote<12>(transports::remote);
  INFO(why);
  CHECK(has(why, "two workers of GPU 0 lose each other's fetch_add on the memory of GPU 1"));
  CHECK(has(why, "although the driver says"));
  CHECK(has(why, "name another remote GPU, or use the p2p transport"));
  CHECK_FALSE(has(why, "\n"));
  CHECK(why_not_remote<12>(transports::p2p, mgws::task_memory::remote) == "");
}

TEST_CASE("probe: a GPU named twice that is not right with itself is refused") {
  set(true, true, true, true);
  for (const auto transport : {transports::p2p, transports::host}) {
    const std::string why = why_not<13>(transport, 1, 1);
    INFO(why);
    CHECK(has(why, "two workers of GPU 1 lose each other's fetch_add on "));
    CHECK(has(why, "name GPU 1 once"));
  }
}

TEST_CASE("probe: GPUs that lose updates are refused, whatever the driver says") {
  set(true, true, true, true);
  const std::string p2p = why_not<2>(transports::p2p);
  INFO(p2p);
  CHECK(has(p2p, "GPU 0 and GPU 1 lose each other's fetch_add on the memory of GPU 0"));
  CHECK(has(p2p, "although the driver says"));
  CHECK(has(p2p, "name one GPU"));
  const std::string host = why_not<2>(transports::host);
  INFO(host);
  CHECK(has(host, "GPU 0 and GPU 1 lose each other's fetch_add on host memory"));
  CHECK(has(host, "use the p2p transport, or name one GPU"));
  for (const std::string& text : {p2p, host})
    CHECK_FALSE(has(text, "\n"));
}

TEST_CASE("probe: one memory's fault is not another's") {
  set(true, false, false, true);
  CHECK(why_not<3>(transports::p2p) == "");
  CHECK(has(why_not<3>(transports::host), "fetch_add on host memory: over several GPUs"));
}

TEST_CASE("probe: what was found is kept") {
  set(true, false, false, true);
  const std::string first = why_not<5>(transports::host);
  CHECK(why_not<5>(transports::p2p) == "");
  const int before = fake::the_machine().launches;
  CHECK(before > 0);
  CHECK(why_not<5>(transports::host) == first);
  CHECK(why_not<5>(transports::p2p) == "");
  CHECK(fake::the_machine().launches == before);
}
#endif

TEST_CASE("probe: the findings on a machine where everything is coherent") {
  set(true, false, false, false);
  const auto r = probed<6>();
  CHECK(mgws::fault_of(r) == "");
  const auto d = mgws::domains_of(r);
  CHECK(d.p2p == groups{{1, 2}});
  CHECK(d.host == groups{{0, 1, 2}});
  CHECK(d.messages == groups{{0, 1, 2}});
  // The driver says that atomics on host memory are not: three pairs, three operations.
  CHECK(mgws::disagreements(r).size() == 9);
  // Threads; GPUs with the CPU; each GPU by itself, at two scopes, on three memories; both on
  // three.
  CHECK(r.litmus.size() == 4 * (1 + 2 + 2 * 2 * 3 + 3));
}

TEST_CASE("probe: the findings on a machine whose GPUs do not reach each other") {
  set(false, false, false, false);
  fake::the_machine().access = false;
  const auto r = probed<7>();
  CHECK(mgws::fault_of(r) == "");
  CHECK(mgws::domains_of(r).p2p == groups{{1}, {2}});
  const auto* const f = r.find(1, 2, 1, true, mgws::litmus::lock);
  REQUIRE(f != nullptr);
  CHECK(f->outcome.verdict == mgws::litmus_verdict::no_access);
}
