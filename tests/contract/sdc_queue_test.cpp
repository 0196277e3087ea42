// The queue with a lock (core/sdc_queue.hpp): its steps one by one, with threads beside the other
// one, and whole runs. The build defines MGWS_QUEUE=sdc for this program.
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <mgws/core/queues.hpp>
#include <mgws/core/settled.hpp>
#include <mgws/mgws.hpp>

#include "catch.hpp"
#include "repeats.hpp"

namespace {

static_assert(std::is_same_v<mgws::transports::queue, mgws::queues::sdc>);

using B = mgws::cpu_backend::backend;
using P = mgws::protocol;
using mgws::steal_result;
constexpr auto k_scope = mgws::scope::system;
constexpr auto nothing = [] {};

struct alignas(16) numbered {
  std::uint64_t id;
  std::uint64_t check;
};
static_assert(sizeof(mgws::sdc_head<B>) == sizeof(mgws::queue_head<B>));

using local_type = mgws::local_queue<B, numbered>;

/// A local queue with storage of its own.
struct stored {
  explicit stored(std::uint32_t capacity) : storage(capacity), queue(storage.data(), capacity) {}
  stored(const stored&) = delete;
  stored& operator=(const stored&) = delete;
  void push(std::uint64_t id) { queue.push() = {id, ~id}; }
  std::vector<numbered> storage;
  local_type queue;
};

/// A queue of either kind and what its workers have of it.
template <class Q>
struct bench {
  using owner_type = typename Q::template queue<P, B, numbered, mgws::scope::system_t>;

  explicit bench(std::uint32_t capacity, std::uint32_t local_capacity = 64,
                 std::uint32_t owners = 1)
      : storage(capacity),
        slots(storage.data(), capacity),
        owners(owners),
        local_capacity(local_capacity) {}

  [[nodiscard]] owner_type owner() {
    return {head, slots, owners, std::min(slots.capacity(), 2 * local_capacity), k_scope};
  }
  steal_result steal(local_type& local, bool look = true) {
    std::uint32_t n = 0;
    const std::uint32_t before = local.size();
    const auto r =
        mgws::steal<P, B, numbered>(head, slots, local, k_scope, look, nothing, nothing, n);
    CHECK(local.size() - before == n);
    return r;
  }

  typename Q::template head<B> head;
  std::vector<numbered> storage;
  mgws::ring<numbered> slots;
  std::uint32_t owners;
  std::uint32_t local_capacity;
};
using locked_bench = bench<mgws::queues::sdc>;

template <class Owner>
auto release_all(Owner& owner, local_type& local) {
  const auto sent = owner.release(local.slots(), local.tail(), local.size());
  local.took_oldest(sent.slots);
  return sent;
}

}  // namespace

TEST_CASE("sdc: a thief takes half of the oldest, an owner half of the newest", "[sdc]") {
  locked_bench b(16);
  auto owner = b.owner();
  stored mine(64);
  stored thief(64);
  for (std::uint64_t i = 0; i != 8; ++i)
    mine.push(i);
  CHECK(release_all(owner, mine.queue).slots == 8);
  CHECK(b.steal(thief.queue) == steal_result::won);
  REQUIRE(thief.queue.size() == 4);
  CHECK(thief.queue.oldest().id == 0);
  CHECK(owner.acquire(mine.queue, 0, ~0u, nothing).slots == 2);
  CHECK(mine.queue.newest().id == 7);
  CHECK(mine.queue.oldest().id == 6);
  std::uint64_t given = 0;
  CHECK_FALSE(owner.quiet(given));
  CHECK(b.steal(thief.queue) == steal_result::won);
  CHECK(b.steal(thief.queue) == steal_result::won);
  CHECK(thief.queue.newest().id == 5);
  CHECK(b.steal(thief.queue) == steal_result::empty);
  CHECK(b.steal(thief.queue, false) == steal_result::lost);
  CHECK(b.head.lock == 0);
  CHECK(owner.quiet(given));
  CHECK(given == 6);
}

TEST_CASE("sdc: who does not get the lock does not wait for it", "[sdc]") {
  for (const std::uint32_t owners : {1u, 2u}) {
    locked_bench b(16, 64, owners);
    auto owner = b.owner();
    stored mine(64);
    stored thief(64);
    for (std::uint64_t i = 0; i != 4; ++i)
      mine.push(i);
    REQUIRE(release_all(owner, mine.queue).slots == 4);
    b.head.lock = 1;
    CHECK(b.steal(thief.queue) == steal_result::lost);
    CHECK(owner.acquire(mine.queue, 0, ~0u, nothing).postponed);
    // An only owner publishes without it.
    mine.push(4);
    const auto sent = release_all(owner, mine.queue);
    CHECK(sent.slots == (owners == 1 ? 1 : 0));
    CHECK(sent.postponed == (owners != 1));
    CHECK(b.head.lock == 1);
    b.head.lock = 0;
    CHECK(b.steal(thief.queue) == steal_result::won);
  }
}

TEST_CASE("sdc: a slot is written again only when all claims are complete", "[sdc]") {
  locked_bench b(4);
  auto owner = b.owner();
  stored mine(64);
  for (std::uint64_t i = 0; i != 4; ++i)
    mine.push(i);
  REQUIRE(release_all(owner, mine.queue).slots == 4);
  b.head.tail = 2;  // a thief has claimed the first two, and copies them
  mine.push(4);
  CHECK(release_all(owner, mine.queue).postponed);
  b.head.tail = 3;  // another one has the third, and is done first
  b.head.completed = 1;
  CHECK(release_all(owner, mine.queue).postponed);
  b.head.completed = 3;
  CHECK(release_all(owner, mine.queue).slots == 1);
  CHECK(b.storage[0].id == 4);
  std::uint64_t given = 0;
  b.head.tail = 5;
  CHECK_FALSE(owner.quiet(given));  // claimed, and not complete
  b.head.completed = 5;
  CHECK(owner.quiet(given));
  CHECK(given == 5);
}

TEST_CASE("sdc: an owner whom another one has left far behind learns first what is free", "[sdc]") {
  locked_bench b(2, 64, 2);
  auto ahead = b.owner();
  auto behind = b.owner();
  stored mine(64);
  for (std::uint64_t i = 0; i != 8; ++i)
    mine.push(i);
  for (std::uint64_t published = 2; published != 8; published += 2) {
    REQUIRE(release_all(ahead, mine.queue).slots == 2);
    b.head.tail = published;
    if (published != 6) b.head.completed = published;
  }
  CHECK(release_all(behind, mine.queue).postponed);  // the last two are being copied
  b.head.completed = 6;
  CHECK(release_all(behind, mine.queue).slots == 2);
}

TEST_CASE("sdc: leaves the idle count before it completes, or unlocks", "[sdc]") {
  locked_bench b(16, 64, 2);
  auto owner = b.owner();
  stored mine(64);
  stored thief(64);
  for (std::uint64_t i = 0; i != 4; ++i)
    mine.push(i);
  REQUIRE(release_all(owner, mine.queue).slots == 4);
  std::uint32_t n = 0;
  bool right = false;
  (void)mgws::steal<P, B, numbered>(
      b.head, b.slots, thief.queue, k_scope, true, nothing,
      [&] { right = b.head.lock == 0 && b.head.completed == 0 && thief.queue.size() == 2; }, n);
  CHECK(right);
  right = false;
  CHECK(owner.acquire(mine.queue, 0, ~0u, [&] { right = b.head.lock == 1; }).slots == 1);
  CHECK(right);
  const auto read = [](const auto& x) { return x.load(); };
  CHECK_FALSE(mgws::head_settled(b.head, read));
  CHECK(b.steal(thief.queue) == steal_result::won);
  CHECK(mgws::head_settled(b.head, read));
  std::uint64_t given = 0;
  CHECK(owner.quiet(given));
  CHECK(given == 4);  // with what an owner took, of whom the other one cannot know
}

// Owners that publish, take back and run, and thieves, all at once.
TEMPLATE_TEST_CASE("either queue: threads run each task once", "[sdc]", mgws::queues::sws,
                   mgws::queues::sdc) {
  const std::uint64_t tasks = test::repeats(100'000) + 100;
  for (const std::uint32_t owners : {1u, 2u})
    for (const std::uint32_t capacity : {4u, 64u}) {
      INFO(owners << " owners, " << capacity << " slots");
      bench<TestType> b(capacity, 64, owners);
      std::vector<std::atomic<std::uint8_t>> ran(tasks);
      std::atomic<std::uint64_t> done{0};
      std::atomic<std::uint64_t> torn{0};
      std::atomic<std::uint64_t> stolen{0};
      std::uint64_t given[2]{};
      const auto consume = [&](local_type& local) {
        while (!local.empty()) {
          const numbered s = local.newest();
          local.pop_newest();
          if (s.check != ~s.id || s.id >= tasks) {
            ++torn;
          } else {
            ++ran[s.id];
          }
          ++done;
        }
      };
      std::vector<std::thread> all;
      for (std::uint32_t who = 0; who != owners; ++who)
        all.emplace_back([&, who] {
          auto owner = b.owner();
          stored mine(64);
          std::uint64_t next = tasks * who / owners;
          const std::uint64_t last = tasks * (who + 1) / owners;
          for (std::uint64_t round = 0; done < tasks; ++round) {
            for (std::uint64_t i = 0; i != 1 + round % 7 && next != last; ++i)
              mine.push(next++);
            (void)release_all(owner, mine.queue);
            if (round % 3 != 0) consume(mine.queue);
            // Nothing can end before a thief has come.
            if (mine.queue.empty() && round % 5 == 0 && stolen != 0)
              (void)owner.acquire(mine.queue, 0, ~0u, nothing);
            if (round % 64 == 0) std::this_thread::yield();
          }
          while (!owner.quiet(given[who]))
            std::this_thread::yield();
        });
      for (std::uint32_t t = 0; t != 2; ++t)
        all.emplace_back([&] {
          stored local(64);
          while (done < tasks) {
            std::uint32_t n = 0;
            if (mgws::steal<P, B, numbered>(b.head, b.slots, local.queue, k_scope, true, nothing,
                                            nothing, n) == steal_result::won) {
              stolen += n;
              consume(local.queue);
            } else {
              std::this_thread::yield();
            }
          }
        });
      for (auto& t : all)
        t.join();
      CHECK(torn == 0);
      CHECK(done == tasks);
      std::uint64_t once = 0;
      for (const auto& n : ran)
        once += n == 1;
      CHECK(once == tasks);
      CHECK(stolen > 0);
      if (owners == 1) CHECK(given[0] == stolen);
      CHECK(mgws::head_settled(b.head, [](const auto& x) { return x.load(); }));
    }
}

namespace {

struct instances : mgws::sum<std::uint64_t> {};
/// Three children down to a depth, whose numbers are those of a tree.
struct branch {
  std::uint64_t number;
  std::uint32_t depth;
  void operator()(auto& worker) const {
    worker.accumulate(instances{}, number);
    for (std::uint64_t i = 1; depth != 0 && i != 4; ++i)
      worker.spawn(branch{3 * number + i, depth - 1});
  }
};

}  // namespace

TEST_CASE("sdc: whole runs", "[sdc]") {
  constexpr std::uint32_t k_depth = 9;
  std::uint64_t nodes = 1;
  for (std::uint32_t d = 0; d != k_depth; ++d)
    nodes = 3 * nodes + 1;
  std::uint64_t stolen = 0;
  for (const auto termination :
       {mgws::termination::counter, mgws::termination::hierarchical, mgws::termination::tree})
    for (const std::uint32_t owners : {1u, 2u})
      for (const std::uint32_t size : {2u, 64u}) {
        mgws::options o;
        o.devices = {{.workers = 2}, {.workers = 2}};
        o.owners = owners;
        o.public_queue = o.local_queue = size;
        o.termination = termination;
        mgws::runtime<mgws::task_set<branch>, mgws::accumulators<instances>, mgws::no_context,
                      mgws::worker_statistics>
            rt(o);
        for (std::uint32_t i = 0; i != test::repeats(10); ++i) {
          rt.seed(branch{0, k_depth});
          const auto r = rt.run();
          CHECK(r.tasks == nodes);
          CHECK(r.template get<instances>() == nodes * (nodes - 1) / 2);
          for (const auto& w : r.records)
            stolen += w.counts.slots_stolen;
        }
      }
  CHECK(stolen > 0);
}
