// How much of the initial set a worker claims, and that every slot is dealt out once.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/backends/cpu/memory.hpp>
#include <mgws/core/initial_tasks.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/transports/host.hpp>
#include <mgws/transports/impl/transport.hpp>

#include "catch.hpp"

namespace {

using B = mgws::cpu_backend::backend;
using transport = mgws::host_transport<B, mgws::cpu_backend::area>;

struct numbered {
  std::uint64_t number;
  void operator()(auto&) const {}
};
using slot = mgws::slot<mgws::task_set<numbered>>;
using initial_tasks = mgws::initial_tasks<mgws::protocol, transport::view, slot>;

/// Workers of one thread that load one after the other.
struct loaders {
  explicit loaders(std::uint32_t slots, std::uint32_t workers, std::uint32_t local)
      : set(slots), cells(local), device{0, workers, 0, workers} {
    for (std::uint32_t i = 0; i != slots; ++i)
      set[i].write<numbered>(numbered{i}, 0, 1);
    run.workers = run.queues = workers;
    run.owners = run.devices = 1;
    run.device = &device;
    run.local_capacity = local;
    run.initial_count = slots;
    view = shared.workers_view(set.data());
  }

  [[nodiscard]] initial_tasks worker() { return {view, run, 0}; }
  [[nodiscard]] std::uint64_t handed_out() const { return view.initial_next(0).value.load(); }

  /// Loads once and says how many slots that were. \param steps  that the worker may have
  std::uint32_t load(initial_tasks& w, std::uint32_t steps) {
    mgws::local_queue<B, slot> local(cells.data(), run.local_capacity);
    if (!w.claim(1, steps, local.capacity())) return 0;
    const std::uint32_t n = w.load(local);
    for (std::uint32_t i = 0; i != n; ++i)
      seen.push_back(cells[i].read<numbered>().get().number);
    return n;
  }
  std::vector<slot> set;
  std::vector<slot> cells;
  mgws::device_range device;
  mgws::run_parameters run{};
  transport shared{{.workers = 8, .queues = 8, .queue_bytes = sizeof(slot), .device_cells = {0}}};
  transport::view view;
  std::vector<std::uint64_t> seen;
};

}  // namespace

TEST_CASE("initial tasks: a claim is what its worker may have, and guided by what is left") {
  loaders all(8000, 8, 4096);
  auto first = all.worker();
  auto second = all.worker();
  CHECK(all.load(first, 100) == 100);
  CHECK(all.load(second, ~0u) == 8000 / 8 / 2);
  // What others claimed since it takes to be as much as before.
  CHECK(all.load(first, ~0u) == 7900 / 8 / 2);
  CHECK(all.load(first, ~0u) == (8000 - 1093 - 500) / 8 / 2);
}

TEST_CASE("initial tasks: claims are whole steps, and none is narrower") {
  loaders all(1000, 8, 4096);
  all.run.slots_of_step = 32;
  auto w = all.worker();
  CHECK(all.load(w, 1) == 32);
  CHECK(all.load(w, 2) == 32);  // guided: 60
  while (all.handed_out() + 32 < 1000)
    CHECK(all.load(w, 1) == 32);
  const auto left = 1000 - all.seen.size();
  CHECK(all.load(w, 1) == left);
  CHECK(all.seen.size() == 1000);
}

TEST_CASE("initial tasks: behind a bus one claim is all that falls to a worker") {
  loaders all(8000, 8, 4096);
  all.run.far_counter = true;
  auto w = all.worker();
  CHECK(all.load(w, 1) == 1000);
}

TEST_CASE("initial tasks: every slot once, whoever comes when") {
  loaders all(1000, 3, 8);
  all.run.slots_of_step = GENERATE(1, 5, 32);
  std::vector<initial_tasks> workers;
  for (std::uint32_t i = 0; i != 3; ++i)
    workers.push_back(all.worker());
  std::uint32_t turn = 0;
  for (std::uint32_t in_vain = 0; in_vain != 3;) {
    auto& w = workers[turn++ % 7 % 3];
    in_vain = all.load(w, 1 + turn % 64) == 0 ? in_vain + 1 : 0;
  }
  for (auto& w : workers) {
    while (all.load(w, 64) != 0)
      continue;
    CHECK_FALSE(w.may_have_more());
    CHECK(w.exhausted());
  }
  std::vector<std::uint64_t> sorted = all.seen;
  std::sort(sorted.begin(), sorted.end());
  REQUIRE(sorted.size() == 1000);
  for (std::uint64_t i = 0; i != 1000; ++i)
    REQUIRE(sorted[i] == i);
}

TEST_CASE("initial tasks: run where they lie, the others then older than what is local") {
  loaders all(100, 1, 16);
  auto w = all.worker();
  mgws::local_queue<B, slot> local(all.cells.data(), 16);
  REQUIRE(w.claim(8, 8, 0));
  REQUIRE(w.claimed_slots() == 8);
  CHECK(w.claimed_begin() == all.set.data());
  w.began(3);
  CHECK(w.claimed_begin()->read<numbered>().get().number == 3);
  // Claimed once, however often it is asked.
  REQUIRE(w.claim(8, 8, 0));
  CHECK(all.handed_out() == 8);

  local.push().write<numbered>(numbered{1000}, 0, 1);
  CHECK(w.load_oldest(local) == 5);
  CHECK_FALSE(w.claimed());
  REQUIRE(local.size() == 6);
  for (std::uint32_t i = 0; i != 5; ++i)
    CHECK(local.slots().at(local.tail() + i).read<numbered>().get().number == 3 + i);
  CHECK(local.newest().read<numbered>().get().number == 1000);

  // No more than there is room for.
  while (!local.full())
    local.push().write<numbered>(numbered{0}, 0, 1);
  local.pop_newest();
  REQUIRE(w.claim(8, 8, 0));
  CHECK(w.load_oldest(local) == 1);
  CHECK(local.oldest().read<numbered>().get().number == 8);
  CHECK(w.claimed_slots() == 7);
}
