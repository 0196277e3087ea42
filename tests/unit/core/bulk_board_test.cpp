// What a board deals out: every instance once, in guided parts of whole steps, one slot at a time.
#include <cstdint>
#include <numeric>
#include <vector>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/backends/cpu/memory.hpp>
#include <mgws/core/bulk_board.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/transports/host.hpp>
#include <mgws/transports/impl/transport.hpp>

#include "catch.hpp"

namespace {

using B = mgws::cpu_backend::backend;
using transport = mgws::host_transport<B, mgws::cpu_backend::area>;

struct numbered {
  std::uint64_t number;
  void operator()(auto&, mgws::task_index) const {}
};
using slot = mgws::slot<mgws::task_set<numbered>>;
using bulk_board = mgws::bulk_board<mgws::protocol, transport::view, slot>;

/// Two devices of four workers, and steps of 32 instances.
struct boards {
  boards() {
    run.workers = run.queues = 8;
    run.owners = 1;
    run.devices = 2;
    run.device = devices;
  }

  bool show(bulk_board& b, std::uint32_t device, std::uint32_t first, std::uint32_t count) {
    slot s;
    s.write(numbered{7}, first, count);
    return b.show(view, device, mgws::ring<slot>(&s, 1), 0, mgws::steps_of(count, 5));
  }
  /// Takes once and says how many instances that were. \param most  steps
  std::uint32_t take(bulk_board& b, std::uint32_t device, std::uint32_t from, std::uint32_t most) {
    slot cells[2];
    mgws::local_queue<B, slot> local(cells, 2);
    bool open = true;
    const bool any = b.take(
        view, run, device, from, local, 1, most, [](std::uint32_t) { return 5u; },
        [&] { open = view.board(from).taken.load() != view.board(from).until.load(); });
    if (!any) return 0;
    CHECK(open);  // it is called before the steps count as taken
    CHECK(local.size() == 1);
    CHECK(local.newest().read<numbered>().get().number == 7);
    const auto h = local.newest().read_header();
    for (std::uint32_t i = 0; i != h.count(); ++i)
      seen.push_back(h.first() + i);
    return h.count();
  }
  mgws::device_range devices[2]{{0, 4, 0, 4}, {4, 4, 4, 4}};
  mgws::run_parameters run{};
  transport shared{
      {.workers = 8, .queues = 8, .queue_bytes = sizeof(slot), .device_cells = {0, 0}}};
  transport::view view = shared.workers_view(nullptr);
  std::vector<std::uint64_t> seen;
};

}  // namespace

TEST_CASE("board: parts are guided, whole steps but the last, and every instance is dealt once") {
  boards all;
  bulk_board first;
  bulk_board second;
  REQUIRE(all.show(first, 0, 100, 1000 * 32 + 5));
  CHECK(all.take(first, 0, 0, ~0u) == 1001 / 4 / 2 * 32);
  CHECK(all.take(second, 0, 0, ~0u) == (1001 - 125) / 4 / 2 * 32);
  CHECK(all.take(second, 0, 0, 3) == 3 * 32);
  // Who comes from elsewhere is one of all.
  CHECK(all.take(second, 1, 0, ~0u) == (1001 - 125 - 109 - 3) / 8 / 2 * 32);
  std::uint32_t last = 0;
  while (const std::uint32_t n = all.take(first, 0, 0, ~0u))
    last = n;
  CHECK(last == 5);
  std::vector<std::uint64_t> expected(1000 * 32 + 5);
  std::iota(expected.begin(), expected.end(), 100);
  CHECK(all.seen == expected);
}

TEST_CASE("board: one slot at a time, until it has all been taken") {
  boards all;
  bulk_board first;
  bulk_board second;
  CHECK(first.closed(all.view, 0));
  CHECK(first.shown() == 0);
  CHECK_FALSE(first.lasts(all.view, 0));
  REQUIRE(all.show(first, 0, 0, 64));
  CHECK(first.lasts(all.view, 0));
  CHECK_FALSE(all.show(second, 0, 0, 64));
  CHECK(second.closed(all.view, 0));
  CHECK(all.show(second, 1, 0, 64));  // another device has another board
  CHECK(all.take(second, 1, 0, 1) == 32);
  CHECK_FALSE(first.closed(all.view, 0));
  CHECK(bulk_board::shows(all.view, 0));
  CHECK(all.take(second, 1, 0, 1) == 32);
  CHECK(first.closed(all.view, 0));
  CHECK_FALSE(first.lasts(all.view, 0));
  CHECK(all.take(second, 1, 0, 1) == 0);

  // Whoever adds in vain, or late, takes from what is shown then.
  all.view.board(0).left.fetch_add(5);
  const std::uint64_t before = first.shown();
  REQUIRE(all.show(first, 0, 0, 96));
  CHECK(first.shown() > before);
  CHECK(all.take(first, 0, 0, 1) == 32);
  CHECK(all.take(first, 0, 0, 1) == 32);
  CHECK_FALSE(first.closed(all.view, 0));
  CHECK(all.take(second, 0, 0, 9) == 32);
  CHECK(first.closed(all.view, 0));
}

TEST_CASE("board: far from all workers a part is all that falls to its worker") {
  boards all;
  all.run.far_counter = true;
  bulk_board b;
  REQUIRE(all.show(b, 0, 0, 400 * 32));
  CHECK(all.take(b, 0, 0, 1) == 100 * 32);
}

TEST_CASE("board: steps of instances") {
  CHECK(mgws::steps_of(0, 5) == 0);
  CHECK(mgws::steps_of(1, 5) == 1);
  CHECK(mgws::steps_of(32, 5) == 1);
  CHECK(mgws::steps_of(33, 5) == 2);
  CHECK(mgws::steps_of(~0u, 5) == 1u << 27);
  CHECK(mgws::steps_of(~0u, 0) == ~0u);
}
