// How much of the initial set a worker claims, and that every instance is dealt out once.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/backends/cpu/memory.hpp>
#include <mgws/core/initial_tasks.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/runtime/initial_set.hpp>
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
using tasks = mgws::task_set<numbered>;
using slot = mgws::slot<tasks>;
using initial_tasks = mgws::initial_tasks<mgws::protocol, transport::view, slot>;

/// Workers of one thread that load one after the other.
struct loaders {
  /// \param seeds  instances of each \param workers  of each device
  /// \param units  instances of a step
  loaders(const std::vector<std::uint32_t>& seeds, std::uint32_t workers, std::uint32_t local,
          std::uint32_t units = 1, std::uint32_t devices = 1)
      : units(units),
        cells(local),
        shared({.workers = devices * workers,
                .queues = devices * workers,
                .queue_bytes = sizeof(slot),
                .device_cells = std::vector<std::uint32_t>(devices, 0)}),
        seen(seeds.size()) {
    for (std::uint32_t d = 0; d != devices; ++d)
      device.push_back({d * workers, workers, d * workers, workers});
    for (std::uint64_t i = 0; i != seeds.size(); ++i) {
      set.add(numbered{i}, seeds[i]);
      seen[i].resize(seeds[i]);
    }
    run.workers = run.queues = devices * workers;
    run.owners = 1;
    run.devices = devices;
    run.device = device.data();
    run.local_capacity = local;
    view = shared.workers_view(set.deal(run, {.lane = units}).data());
  }

  [[nodiscard]] initial_tasks worker(std::uint32_t id = 0) {
    return {view, run, {run, id / device[0].workers, id}};
  }
  [[nodiscard]] std::uint64_t handed_out(std::uint32_t device = 0) const {
    return view.initial_next(device).value.load();
  }
  [[nodiscard]] auto log_units() const {
    return [this](std::uint32_t) { return static_cast<std::uint32_t>(std::bit_width(units)) - 1; };
  }

  /// Loads once and says how many slots that were. \param steps  that the worker may have
  std::uint32_t load(initial_tasks& w, std::uint32_t steps) {
    mgws::local_queue<B, slot> local(cells.data(), run.local_capacity);
    if (!w.claim(1, steps, local.capacity())) return 0;
    const std::uint32_t n = w.load(local, log_units());
    for (std::uint32_t i = 0; i != n; ++i) {
      const auto h = cells[i].read_header();
      auto& seed = seen[cells[i].read<numbered>().get().number];
      REQUIRE(h.first() + h.count() <= seed.size());
      for (std::uint32_t k = 0; k != h.count(); ++k)
        ++seed[h.first() + k];
      instances += h.count();
    }
    return n;
  }
  [[nodiscard]] bool each_once() const {
    return std::ranges::all_of(seen, [](const auto& seed) {
      return std::ranges::all_of(seed, [](std::uint32_t n) { return n == 1; });
    });
  }

  std::uint32_t units;
  mgws::initial_set<tasks> set;
  std::vector<slot> cells;
  std::vector<mgws::device_range> device;
  mgws::run_parameters run{};
  transport shared;
  transport::view view;
  std::vector<std::vector<std::uint32_t>> seen;  ///< how often, by seed and instance
  std::uint64_t instances = 0;
};

/// So many seeds of one instance.
std::vector<std::uint32_t> single(std::size_t n) {
  return std::vector<std::uint32_t>(n, 1);
}

}  // namespace

TEST_CASE("initial tasks: a claim is what its worker may have, and guided by what is left") {
  loaders all(single(8000), 8, 4096);
  auto first = all.worker();
  auto second = all.worker();
  CHECK(all.load(first, 100) == 100);
  CHECK(all.load(second, ~0u) == 8000 / 8 / 2);
  // What others claimed since it takes to be as much as before.
  CHECK(all.load(first, ~0u) == 7900 / 8 / 2);
  CHECK(all.load(first, ~0u) == (8000 - 1093 - 500) / 8 / 2);
}

TEST_CASE("initial tasks: claims are whole steps, and none is narrower") {
  loaders all(single(1000), 8, 4096, 32);
  REQUIRE(all.run.pieces_of_step == 32);
  auto w = all.worker();
  CHECK(all.load(w, 1) == 32);
  CHECK(all.load(w, 2) == 32);  // guided: 60
  while (all.handed_out() + 32 < 1000)
    CHECK(all.load(w, 1) == 32);
  const auto left = 1000 - all.instances;
  CHECK(all.load(w, 1) == left);
  CHECK(all.each_once());
}

TEST_CASE("initial tasks: behind a bus one claim is all that falls to a worker") {
  loaders all(single(8000), 8, 4096);
  all.run.far_counter = true;
  auto w = all.worker();
  CHECK(all.load(w, 1) == 1000);
}

TEST_CASE("initial tasks: every instance once, whoever comes when") {
  std::vector<std::uint32_t> seeds = GENERATE(
      single(1000), std::vector{1000u}, std::vector{1u, 2u, 3u, 500u, 33u, 32u, 31u, 1u},
      std::vector<std::uint32_t>(100, 40), std::vector<std::uint32_t>(100, 3), std::vector{2u});
  const std::uint32_t units = GENERATE(1u, 4u, 32u);
  if (GENERATE(false, true)) {
    const std::vector<std::uint32_t> few = single(50);
    seeds.insert(seeds.end(), few.begin(), few.end());
    seeds.push_back(5000);
  }
  CAPTURE(seeds.size(), units);
  loaders all(seeds, 3, 8, units);
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
  CHECK(all.each_once());
}

TEST_CASE("initial tasks: workers of a device that is done spread over all others") {
  loaders all(single(4 * 3 * 100), 3, 4096, 1, 4);
  std::vector<initial_tasks> workers;
  for (std::uint32_t id = 3; id != 6; ++id)
    workers.push_back(all.worker(id));
  while (all.handed_out(1) < 300)
    static_cast<void>(all.load(workers[0], 100));
  for (const std::uint32_t d : {0u, 2u, 3u})
    REQUIRE(all.handed_out(d) == 0);
  std::vector<std::uint64_t> before(4);
  for (std::uint32_t i = 0; i != 3; ++i) {
    // A claim of those that had none finds their own device's part exhausted first.
    CHECK(all.load(workers[i], 10) != 0);
    const std::uint32_t next = (2 + i) % 4;
    CHECK(all.handed_out(next) != 0);
    before[next] = all.handed_out(next);
    for (std::uint32_t d = 0; d != 4; ++d)
      if (d != 1) CHECK(all.handed_out(d) == before[d]);
  }
  // Each of them comes to all parts in the end.
  while (all.load(workers[2], 100) != 0)
    continue;
  CHECK_FALSE(workers[2].may_have_more());
  for (const std::uint32_t d : {0u, 2u, 3u})
    CHECK(all.handed_out(d) >= 300);
  CHECK(all.each_once());
}

TEST_CASE("initial tasks: what is claimed of one seed is one slot") {
  loaders all({100'000, 1, 64}, 2, 8, 32);
  CHECK(all.run.initial_count == 3125 + 1 + 2);
  CHECK(all.run.pieces_of_step == 1);
  auto w = all.worker();
  CHECK(all.load(w, 20) == 1);
  CHECK(all.instances == 20 * 32);
  while (all.handed_out() < 3125)
    CHECK(all.load(w, 20) == 1);
  CHECK(all.load(w, 20) == 1);  // the single one
  CHECK(all.load(w, 20) == 1);
  CHECK(all.load(w, 20) == 1);
  CHECK(all.load(w, 20) == 0);
  CHECK(all.each_once());
}

TEST_CASE("initial tasks: run where they lie, the others then older than what is local") {
  loaders all(single(100), 1, 16);
  auto w = all.worker();
  mgws::local_queue<B, slot> local(all.cells.data(), 16);
  REQUIRE(w.claim(8, 8, 0));
  REQUIRE(w.claimed_slots() == 8);
  CHECK(w.claimed_begin() == all.view.initial_slots());
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
