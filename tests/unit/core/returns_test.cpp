// What comes back to frames from another device, among threads.
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/backends/cpu/memory.hpp>
#include <mgws/core/frames.hpp>
#include <mgws/core/protocol.hpp>
#include <mgws/transports/impl/transport.hpp>
#include <mgws/transports/transport.hpp>
#include <mgws/transports/view.hpp>

#include "catch.hpp"

namespace {

using B = mgws::cpu_backend::backend;
using mgws::returned_parts;

struct joined {
  static constexpr bool continuation = true;
  std::uint32_t parts[8];
  void operator()(auto& /*worker*/) const {}
};
using tasks = mgws::task_set<joined>;
using slot_type = mgws::slot<tasks>;
using frame_type = mgws::frame<B, slot_type>;

constexpr std::uint32_t k_log_frames = 6;
constexpr std::uint32_t k_parts = 8;

/// Worker 0 is on the first device, the others on the second.
struct world {
  using transport =
      mgws::transport<mgws::placed_view<B, mgws::scope::system_t, 2>, mgws::cpu_backend::area>;
  using view = transport::view;
  struct configuration {
    using protocol = mgws::protocol;
    using view = world::view;
    using tasks = ::tasks;
  };
  using frames = mgws::frames<configuration>;
  using sent = mgws::sent_back_of<mgws::protocol, view, tasks>;

  explicit world(std::uint32_t others) : devices{{0, 1, 0, 1}, {1, others, 1, others}} {
    run.workers = run.queues = 1 + others;
    run.owners = 1;
    run.devices = 2;
    run.device = devices;
    run.log_frames = k_log_frames;
    shared = std::make_unique<transport>(
        mgws::transport_request{.workers = run.workers,
                                .queues = run.queues,
                                .queue_bytes = sizeof(slot_type),
                                .frame_bytes = sizeof(frame_type) << k_log_frames,
                                .frame_lines = mgws::free_frames<B>::lines(1u << k_log_frames),
                                .devices = {devices[0], devices[1]}});
    seen = shared->workers_view(nullptr);
  }

  /// One worker's way to the frames.
  struct worker {
    worker(const world& w, std::uint32_t id)
        : place(w.run, id == 0 ? 0 : 1, id),
          gone(w.run, place.device),
          all(w.seen, w.run, place, kept, gone) {
      all.begin(0);
    }
    [[nodiscard]] bool deliver(std::uint32_t frame, std::uint16_t generation, std::uint32_t part,
                               std::uint32_t value) {
      const auto offset = static_cast<std::uint16_t>(part * sizeof(std::uint32_t));
      return all.deliver(
          {frame, offset, generation}, [&](slot_type& s) { s.as<std::uint32_t>(offset) = value; },
          [](auto&&) { FAIL("completed elsewhere"); });
    }
    /// \return sums of the continuations' parts
    std::vector<std::uint32_t> take(bool& unasked) {
      std::vector<std::uint32_t> sums;
      all.take_returned([] {},
                        [&](auto&& fill) {
                          slot_type s;
                          fill(s);
                          std::uint32_t sum = 0;
                          const auto copy = s.read<joined>();
                          for (const std::uint32_t part : copy.get().parts)
                            sum += part;
                          sums.push_back(sum);
                        },
                        [&](std::uint32_t /*frame*/) { unasked = true; });
      return sums;
    }
    mgws::worker_place place;
    mgws::lane_frames kept;
    sent gone;
    frames all;
  };

  mgws::device_range devices[2];
  mgws::run_parameters run{};
  std::unique_ptr<transport> shared;
  view seen;
};

}  // namespace

TEST_CASE("returned parts: what a frame's second word says") {
  const std::uint64_t three = 3 * returned_parts::one(0xfff7);
  CHECK(returned_parts::count(three) == 3);
  CHECK(returned_parts::are_of(three, 0xfff7));
  CHECK_FALSE(returned_parts::are_of(three, 0xfff6));
  CHECK_FALSE(returned_parts::is_linked(three));
  const std::uint64_t most = (1u << returned_parts::log_frames) - 2;
  for (const std::uint64_t before : {std::uint64_t{0}, std::uint64_t{77}, most}) {
    const std::uint64_t word = three + returned_parts::linked(before);
    CHECK(returned_parts::is_linked(word));
    CHECK(returned_parts::before(word) == before);
    CHECK(returned_parts::count(word) == 3);
    CHECK(returned_parts::are_of(word, 0xfff7));
  }
}

TEST_CASE("returned parts: a delivery to a use of the frame that is over is noticed") {
  world w(1);
  world::worker home(w, 0);
  world::worker other(w, 1);
  std::uint16_t generation = 0;
  const std::uint32_t frame = home.all.open(joined{}, 1, generation);
  REQUIRE(other.deliver(frame, generation, 0, 5));
  std::uint64_t given = 0;
  CHECK_FALSE(other.gone.closed(w.seen, w.run, 1, given));
  bool unasked = false;
  CHECK(home.take(unasked) == std::vector<std::uint32_t>{5});
  CHECK(other.gone.closed(w.seen, w.run, 1, given));
  CHECK(given == 1);
  CHECK_FALSE(unasked);
  REQUIRE(other.deliver(frame, generation, 0, 5));
  CHECK(home.take(unasked).empty());
  CHECK(unasked);
}

TEST_CASE("returned parts: of a run that was stopped nothing is left") {
  world w(1);
  std::uint16_t generation = 0;
  for (int run = 0; run != 2; ++run) {
    world::worker home(w, 0);
    world::worker other(w, 1);
    const std::uint32_t frame = home.all.open(joined{}, 2, generation);
    REQUIRE(other.deliver(frame, generation, 0, 5));
    w.shared->reset();
    w.shared->clear_frames();
  }
  world::worker home(w, 0);
  world::worker other(w, 1);
  const std::uint32_t frame = home.all.open(joined{}, 1, generation);
  REQUIRE(other.deliver(frame, generation, 0, 7));
  bool unasked = false;
  CHECK(home.take(unasked) == std::vector<std::uint32_t>{7});
  CHECK_FALSE(unasked);
}

TEST_CASE("returned parts: many at once, none is lost and none comes twice") {
  constexpr std::uint32_t k_others = 4;
  constexpr std::uint32_t k_rounds = 2'000;
  world w(k_others);
  world::worker home(w, 0);
  std::atomic<std::uint64_t> told{0};  // the frame, and its generation above it
  std::atomic<bool> refused{false};
  std::vector<std::thread> threads;
  for (std::uint32_t id = 1; id <= k_others; ++id)
    threads.emplace_back([&, id] {
      world::worker mine(w, id);
      std::uint64_t last = 0;
      for (std::uint32_t round = 0; round != k_rounds; ++round) {
        std::uint64_t now = 0;
        while ((now = told.load(std::memory_order_acquire)) == last)
          std::this_thread::yield();
        last = now;
        // Two of the parts.
        for (const std::uint32_t part : {2 * (id - 1), 2 * (id - 1) + 1})
          if (!mine.deliver(static_cast<std::uint32_t>(now), static_cast<std::uint16_t>(now >> 32),
                            part, round + part))
            refused = true;
      }
    });
  bool unasked = false;
  bool right = true;
  for (std::uint32_t round = 0; round != k_rounds; ++round) {
    std::uint16_t generation = 0;
    const std::uint32_t frame = home.all.open(joined{}, k_parts, generation);
    told.store(frame | std::uint64_t{generation} << 32 | std::uint64_t{round + 1} << 48,
               std::memory_order_release);
    std::vector<std::uint32_t> sums;
    while ((sums = home.take(unasked)).empty())
      std::this_thread::yield();
    right = right && sums == std::vector<std::uint32_t>{k_parts * round + 28};
  }
  for (auto& t : threads)
    t.join();
  CHECK(right);
  CHECK_FALSE(unasked);
  CHECK_FALSE(refused);
}
