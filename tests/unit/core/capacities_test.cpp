// What a GPU's worker has where the options do not say: a local queue as long as costs no worker.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <mgws/options.hpp>
#include <mgws/runtime/gpu_plan.hpp>

#include "catch.hpp"

namespace {

using mgws::capacities;

/// A multiprocessor with so much shared memory, of which each worker takes 1 KB besides its queue,
/// and with registers for so many workers.
struct multiprocessor {
  std::size_t bytes = 100 * 1024;
  std::uint32_t slot_bytes = 16;
  std::uint32_t most = 8;

  [[nodiscard]] std::uint32_t holds(const capacities& c) const {
    const std::size_t each = 1024 + std::size_t{c.local_queue} * slot_bytes;
    return std::min(most, static_cast<std::uint32_t>(bytes / each));
  }
};

capacities of(const std::vector<multiprocessor>& gpus, std::uint32_t lanes, std::uint32_t units,
              const mgws::options& o = {}) {
  return mgws::gpu_capacities(o, lanes, units, [&](const capacities& c) {
    std::vector<std::uint32_t> each;
    for (const multiprocessor& gpu : gpus)
      each.push_back(gpu.holds(c));
    return each;
  });
}

}  // namespace

TEST_CASE("capacities: by lanes, and a local queue as long as costs no worker") {
  const capacities c = of({{}}, 32, 32);
  CHECK(c.local_queue == 8 * 32);
  CHECK(c.public_queue == 8 * 32);
  CHECK(c.spill == 512 * 32);
  CHECK(c.frames == 64 * 32);
  // Eight workers have 12.5 KB each: 512 slots of 16 bytes fit, 1,024 do not.
  CHECK(of({{}}, 128, 128).local_queue == 512);
  CHECK(of({{}}, 128, 128).public_queue == 1024);
  CHECK(of({{.most = 6}}, 128, 128).local_queue == 512);
  CHECK(of({{.most = 5}}, 128, 128).local_queue == 1024);
}

TEST_CASE("capacities: two steps' slots at least, however few workers that leaves, if one") {
  CHECK(of({{.slot_bytes = 64}}, 128, 128).local_queue == 256);
  CHECK(of({{.slot_bytes = 300}}, 128, 128).local_queue == 256);
  CHECK(of({{.slot_bytes = 1024}}, 128, 128).local_queue == 64);
  // A step of a worker of four warps, each of which takes a task, is four slots.
  CHECK(of({{.slot_bytes = 1024}}, 128, 4).local_queue == 8);
  CHECK(of({{.slot_bytes = 1024, .most = 4}}, 128, 4).local_queue == 16);
  CHECK(of({{}}, 128, 1).local_queue == 512);
}

TEST_CASE("capacities: of several GPUs none loses a worker") {
  const multiprocessor small{.bytes = 48 * 1024};
  CHECK(of({{}, small}, 128, 128).local_queue == 256);
  CHECK(of({small, {}}, 128, 128).local_queue == 256);
}

TEST_CASE("capacities: what the options say is asked of nobody") {
  mgws::options o;
  o.local_queue = 64;
  const capacities c = mgws::gpu_capacities(
      o, 128, 128, [](const capacities&) -> std::vector<std::uint32_t> { throw 0; });
  CHECK(c.public_queue == 1024);
  o.public_queue = 32;
  const mgws::plan p = mgws::make_plan(o, {4}, c);
  CHECK(p.run.local_capacity == 64);
  CHECK(p.run.public_capacity == 32);
  CHECK(p.run.max_batch == 32);
  CHECK(p.run.spill_capacity == 512 * 128);
}
