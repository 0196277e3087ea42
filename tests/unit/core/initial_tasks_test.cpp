// How much of the initial set a worker claims, and that every slot is dealt out once.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/backends/cpu/memory.hpp>
#include <mgws/core/initial_tasks.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/transports/host/transport.hpp>

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
    run.initial_batch = slots;
    view = shared.workers_view(set.data());
  }

  [[nodiscard]] initial_tasks worker(std::uint32_t rank = 0) { return {view, run, 0, rank}; }
  [[nodiscard]] std::uint64_t handed_out() const { return view.initial_next(0).value.load(); }

  /// Loads once and says how many slots that were.
  std::uint32_t load(initial_tasks& w, std::uint32_t least, std::uint32_t most) {
    mgws::local_queue<B, slot> local(cells.data(), run.local_capacity);
    const std::uint32_t n = w.load(group, local, least, most, local.capacity() / 2);
    for (std::uint32_t i = 0; i != n; ++i)
      seen.push_back(cells[i].read<numbered>().get().number);
    return n;
  }

  B::group group{};
  std::vector<slot> set;
  std::vector<slot> cells;
  mgws::device_range device;
  mgws::run_parameters run{};
  transport shared{{.workers = 8, .queues = 8, .queue_bytes = sizeof(slot), .device_cells = {0}}};
  transport::view view;
  std::vector<std::uint64_t> seen;
};

}  // namespace

TEST_CASE("initial tasks: a claim is part of the fair share of what is left when it is made") {
  loaders all(8000, 8, 4);
  auto first = all.worker();
  auto second = all.worker();
  CHECK(all.load(first, 1, 1500) == 2);
  CHECK(all.handed_out() == 900);  // of a thousand
  CHECK(first.claimed());
  CHECK(all.load(second, 1, 100) == 2);
  CHECK(all.handed_out() == 1000);
  // Nobody else's claim in between: the rest of the own one comes first.
  while (first.claimed())
    all.load(first, 1, ~0u);
  CHECK(all.handed_out() == 1000);
  all.load(first, 1, 1500);
  CHECK(all.handed_out() == 1000 + 7000 * 9 / 10 / 8 + 1);
}

TEST_CASE("initial tasks: workers that keep in step need few claims") {
  loaders all(8000, 8, 2000);
  std::vector<initial_tasks> workers;
  for (std::uint32_t i = 0; i != 8; ++i)
    workers.push_back(all.worker(i));
  for (auto& w : workers)
    CHECK(all.load(w, 1, 300) == 300);
  SECTION("what is left of their equal parts at once") {
    for (auto& w : workers)
      CHECK(all.load(w, 1, 1400) >= 700 - 8);
    CHECK(all.seen.size() == 8000);
  }
  SECTION("or most of it") {
    CHECK(all.load(workers[0], 1, 1300) == 630);
    CHECK(all.load(workers[1], 1, 1300) == 630);
    // Late, and the others have all but finished.
    all.load(workers[0], 4100, 4100);
    CHECK(all.handed_out() == 8000 - 240);
    all.load(workers[2], 1, 1300);
    CHECK(all.handed_out() == 8000 - 240 + 4 * 240 / 8);
  }
}

TEST_CASE("initial tasks: behind a bus one claim is all that falls to a worker") {
  loaders all(8000, 8, 4);
  all.run.far_counter = true;
  auto w = all.worker();
  all.load(w, 1, ~0u);
  CHECK(all.handed_out() == 1000);
}

TEST_CASE("initial tasks: what a worker has from the start it need not claim") {
  loaders all(8000, 8, 200);
  all.run.initial_each = 96;
  auto first = all.worker(0);
  auto last = all.worker(7);
  CHECK(first.claimed());
  CHECK_FALSE(last.exhausted(all.group));
  CHECK(all.load(first, 1, ~0u) == 96);
  CHECK(all.seen.front() == 8000 - 96);
  all.seen.clear();
  CHECK(all.load(last, 1, ~0u) == 96);
  CHECK(all.seen.front() == 8000 - 8 * 96);
  CHECK(all.handed_out() == 0);
  all.seen.clear();

  SECTION("then it claims of what is left") {
    all.load(first, 1, 1500);
    CHECK(all.handed_out() == (8000 - 8 * 96) * 9 / 10 / 8);
    CHECK(all.seen.back() == 8000 - 8 * 96 - 1);
  }
  SECTION("then it claims its whole share, if that is not worth two claims") {
    all.load(first, 1, 8000);
    CHECK(all.handed_out() == (8000 - 8 * 96) / 8 + 1);
    all.load(last, 1, 8000);
    CHECK(all.handed_out() == 2 * ((8000 - 8 * 96) / 8 + 1));
  }
}

TEST_CASE("initial tasks: if all are somebody's from the start nobody claims") {
  loaders all(1000, 8, 2000);
  all.run.initial_each = 126;  // more than there are, together
  std::vector<initial_tasks> workers;
  for (std::uint32_t i = 0; i != 8; ++i)
    workers.push_back(all.worker(i));
  for (auto& w : workers) {
    while (all.load(w, 1, 1500) != 0)
      continue;
    CHECK(w.exhausted(all.group));
  }
  CHECK(all.seen.size() == 1000);
  CHECK(all.handed_out() == 0);
}

TEST_CASE("initial tasks: every slot once, whoever comes when") {
  loaders all(1000, 3, 8);
  all.run.initial_each = GENERATE(0, 1, 32, 83, 333, 334, 1000);
  std::vector<initial_tasks> workers;
  for (std::uint32_t i = 0; i != 3; ++i)
    workers.push_back(all.worker(i));
  std::uint32_t turn = 0;
  for (std::uint32_t in_vain = 0; in_vain != 3;) {
    auto& w = workers[turn++ % 7 % 3];
    in_vain = all.load(w, 1 + turn % 5, 1 + turn % 64) == 0 ? in_vain + 1 : 0;
    if (in_vain == 3) break;
  }
  for (auto& w : workers) {
    while (all.load(w, 1, 64) != 0)
      continue;
    CHECK_FALSE(w.may_have_more());
    CHECK(w.exhausted(all.group));
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
  REQUIRE(w.claim_early(all.group, 8, 8));
  REQUIRE(w.claimed_slots() == 8);
  const slot* const end = w.claimed_end();
  CHECK(end == all.set.data() + 100);
  CHECK(end[-8].read<numbered>().get().number == 92);
  w.began(3);
  CHECK(w.claimed_end() == end - 3);
  // Claimed once, however often it is asked.
  REQUIRE(w.claim_early(all.group, 8, 8));
  CHECK(all.handed_out() == 8);

  local.push().write<numbered>(numbered{1000}, 0, 1);
  CHECK(w.load_oldest(all.group, local) == 5);
  CHECK_FALSE(w.claimed());
  REQUIRE(local.size() == 6);
  for (std::uint32_t i = 0; i != 5; ++i)
    CHECK(local.slots().at(local.tail() + i).read<numbered>().get().number == 92 + i);
  CHECK(local.newest().read<numbered>().get().number == 1000);

  // No more than there is room for.
  while (!local.full())
    local.push().write<numbered>(numbered{0}, 0, 1);
  local.pop_newest();
  REQUIRE(w.claim_early(all.group, 8, 8));
  CHECK(w.load_oldest(all.group, local) == 1);
  CHECK(local.oldest().read<numbered>().get().number == 91);
  CHECK(w.claimed_slots() == 7);
  w.began(7);
  // What nobody else can take first is to be shared, not kept.
  while (w.claim_early(all.group, 8, 8))
    w.began(8);
  CHECK(w.claimed_slots() == 4);
  CHECK(w.all_claimed(all.group));
  CHECK_FALSE(w.exhausted(all.group));
}
