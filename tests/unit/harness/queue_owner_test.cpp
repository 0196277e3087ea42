// From whom was stolen, by the number of the queue.
#include "harness/queue_owner.hpp"

#include <cstdint>
#include <vector>

#include "catch.hpp"

namespace bench = mgws::bench;

TEST_CASE("queue owner: queues are numbered within what the thief shares them with") {
  mgws::run_report r;
  for (const std::uint32_t workers : {3u, 2u, 4u}) {
    mgws::device_report d;
    d.kind = "cpu";
    d.first_worker = static_cast<std::uint32_t>(r.workers.size());
    d.workers = workers;
    for (std::uint32_t w = 0; w != workers; ++w)
      r.workers.emplace_back().device = static_cast<std::uint32_t>(r.devices.size());
    r.devices.push_back(d);
  }
  using bench::owner_of;
  // All together, one each: the worker's own number.
  for (std::uint32_t q = 0; q != 9; ++q)
    CHECK(owner_of(r, 0, q, {}) == q);
  // Two share one; a device's last has one by itself.
  const std::vector<std::uint32_t> first = {0, 2, 3, 5, 7};
  for (std::uint32_t q = 0; q != 5; ++q)
    CHECK(owner_of(r, 8, q, {.owners = 2}) == first[q]);
  // Each device by itself.
  const bench::queue_sharing apart{.owners = 1, .domains = mgws::domain_split::each};
  CHECK(owner_of(r, 1, 2, apart) == 2);
  CHECK(owner_of(r, 3, 1, apart) == 4);
  CHECK(owner_of(r, 8, 0, apart) == 5);
  // GPUs by themselves.
  r.devices[1].kind = "gpu";
  CHECK(owner_of(r, 0, 3, {}) == 5);
  CHECK(owner_of(r, 4, 0, {}) == 3);
}
