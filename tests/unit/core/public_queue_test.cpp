// The public queue's protocol, one step at a time on one thread: what owner and thieves see of each
// other at every point where they could meet.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "public_queue_bench.hpp"
#include "support.hpp"

using namespace unit;

TEST_CASE("public queue: what thieves, completions and owners touch lies on different lines") {
  head_type h;
  const auto line_of = [](const auto& x) { return reinterpret_cast<std::uintptr_t>(&x) / B::line; };
  CHECK(line_of(h.word) != line_of(h.completed[0]));
  CHECK(line_of(h.word) != line_of(h.claimed[0]));
  CHECK(line_of(h.completed[1]) != line_of(h.claimed[0]));
}

TEST_CASE("public queue: released in order, stolen oldest first by the sequence") {
  bench b(256, 256);
  const auto done = b.publish(0, 150);
  CHECK(done.slots == 150);
  CHECK(done.was_empty);
  std::uint64_t next = 0;
  for (const std::uint32_t block : {75, 37, 19, 9, 5, 2, 1, 1, 1}) {
    CHECK(b.steal() == values(next, block));
    next += block;
  }
  steal_result r{};
  CHECK(b.steal(true, &r).empty());
  CHECK(r == steal_result::empty);
  CHECK(b.quiet());
}

TEST_CASE("public queue: a look at an empty or locked queue adds nothing") {
  bench b(8);
  steal_result r{};
  b.steal(true, &r);
  CHECK(r == steal_result::empty);
  CHECK(b.word().attempts == 0);

  b.head.word = layout::locked;
  b.steal(true, &r);
  CHECK(r == steal_result::empty);
  CHECK(b.head.word == layout::locked);
}

TEST_CASE("public queue: an attempt without a look claims nothing where nothing is") {
  bench b(8);
  steal_result r{};
  b.steal(false, &r);
  CHECK(r == steal_result::lost);
  b.head.word = layout::locked;
  b.steal(false, &r);
  CHECK(r == steal_result::lost);
  CHECK(layout::decode(b.head.word).lock);
  CHECK(b.head.completed[0] + b.head.completed[1] == 0);
}

TEST_CASE("public queue: attempts under the lock vanish with the next word that is published") {
  // The owner is stopped under the lock by hand: its exchange, then a thief's add, then its store.
  bench b(8);
  b.publish(0, 4);
  const auto before = b.head.word.exchange(layout::locked);
  CHECK(b.add_attempt().block == 0);
  b.head.word = before;
  CHECK(b.word().attempts == 0);
  CHECK(b.steal() == values(0, 2));
}

TEST_CASE(
    "public queue: acquire takes the newest half, or one, and reports busy before it unlocks") {
  bench b(16);
  b.publish(0, 9);
  bool locked = false;
  const auto got = b.owner().acquire(b.local().queue, 0, ~0u,
                                     [&] { locked = layout::decode(b.head.word).lock; });
  CHECK(locked);
  CHECK(got.slots == 5);
  for (const std::uint64_t v : {8, 7, 6, 5, 4})
    CHECK(b.local().pop() == v);
  CHECK(b.acquire(0, true).slots == 1);
  CHECK(b.local().pop() == 3);
  CHECK(b.steal() == values(0, 1));
  CHECK(b.acquire().slots == 1);
  CHECK(b.acquire().slots == 1);
  CHECK(b.acquire().slots == 0);
  CHECK(b.local().pop() == 1);
  CHECK(b.local().pop() == 2);
  CHECK(b.quiet());
}

TEST_CASE("public queue: acquire takes at least so many, if they are there and may be taken") {
  bench b(32);
  b.publish(0, 20);
  CHECK(b.acquire_at_least(8, ~0u).slots == 10);
  CHECK(b.acquire_at_least(8, ~0u).slots == 8);
  CHECK(b.acquire_at_least(8, 1).slots == 1);
  CHECK(b.acquire_at_least(8, ~0u).slots == 1);
  CHECK(b.acquire_at_least(8, ~0u).slots == 0);
  for (const std::uint64_t v :
       {0, 1, 9, 8, 7, 6, 5, 4, 3, 2, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10})
    CHECK(b.local().pop() == v);
  CHECK(b.quiet());
}

TEST_CASE("public queue: acquire takes no more than the local queue holds") {
  bench b(16, 8);
  b.publish(0, 8);
  b.publish(8, 8);
  REQUIRE(b.word().remaining() == 16);
  b.local().push(100);
  b.local().push(101);
  CHECK(b.acquire().slots == 6);
  CHECK(b.local().queue.full());
  CHECK(b.acquire(0, true).slots == 0);
  CHECK(b.acquire(0, false).slots == 0);
  CHECK(b.local().queue.size() == 8);
}

TEST_CASE("public queue: a release adds to what is left") {
  bench b(16);
  b.publish(0, 4);
  CHECK(b.steal() == values(0, 2));
  const auto done = b.publish(4, 3);
  CHECK(done.slots == 3);
  CHECK_FALSE(done.was_empty);
  CHECK(b.word().initial == 5);
  CHECK(b.word().attempts == 0);
  CHECK(b.steal() == values(2, 2));
  CHECK(b.steal() == values(4, 1));
  CHECK(b.steal() == values(5, 1));
  CHECK(b.steal() == values(6, 1));
  CHECK(b.quiet());
}

TEST_CASE("public queue: an epoch is not used again while a thief of its last life copies") {
  bench b(8);
  b.publish(0, 4);
  const auto slow = b.add_attempt();  // of epoch e
  CHECK(slow.block == 2);
  // The next epoch may begin: it is the other one.
  CHECK(b.publish(4, 1).slots == 1);
  CHECK(b.word().epoch != slow.batch.epoch);
  const auto word = b.head.word.load();
  // But then neither release nor acquire: the owner puts it off, and the word stays untouched.
  CHECK(b.publish(5, 1).slots == 0);
  CHECK(b.acquire().postponed);
  CHECK(b.acquire().slots == 0);
  CHECK(b.head.word == word);
  CHECK_FALSE(b.quiet());
  // Others go on stealing meanwhile.
  CHECK(b.steal() == values(2, 1));
  CHECK(b.read(slow) == values(0, 2));
  b.complete(slow);
  CHECK(b.release(1).slots == 1);
  CHECK(b.word().epoch == slow.batch.epoch);
}

TEST_CASE("public queue: a completion goes to the epoch of the claim, not to the current one") {
  bench b(8);
  b.publish(0, 4);
  const auto slow = b.add_attempt();
  b.publish(4, 2);
  // A thief of the new epoch completes at once; the slow one of the old one has not.
  CHECK(b.steal() == values(2, 2));
  CHECK(b.acquire().postponed);
  b.complete(slow);
  CHECK(b.acquire().slots == 1);
}

TEST_CASE("public queue: slots in flight are not free") {
  bench b(4);
  b.publish(0, 4);
  const auto slow = b.add_attempt();
  REQUIRE(b.read(slow) == values(0, 2));
  // Two slots remain, two are being read: there is no room, whatever the word says.
  b.publish(10, 2);
  CHECK(b.read(slow) == values(0, 2));
  CHECK(b.word().remaining() == 2);
  CHECK(b.local().queue.size() == 2);
  b.complete(slow);
  CHECK(b.release(2).slots == 2);
  CHECK(b.steal() == values(2, 2));
  CHECK(b.steal() == values(10, 1));
}

TEST_CASE("public queue: a full ring is full, not empty") {
  for (const std::uint32_t capacity : {2u, 4u, 64u}) {
    bench b(capacity);
    CHECK(b.publish(0, capacity).slots == capacity);
    CHECK(b.word().remaining() == capacity);
    CHECK_FALSE(b.owner().looks_empty());
    CHECK(b.publish(1000, 1).slots == 0);
    CHECK(b.word().remaining() == capacity);
    CHECK(b.steal() == values(0, capacity / 2));
    CHECK(b.release(1).slots == 1);
  }
}

TEST_CASE("public queue: a batch never exceeds twice a thief's local queue") {
  bench b(64, 4);
  CHECK(b.max_batch == 8);
  b.publish(0, 4);
  b.publish(4, 4);
  CHECK(b.word().remaining() == 8);
  b.publish(8, 4);
  CHECK(b.word().remaining() == 8);
  CHECK(b.steal().size() == 4);
  CHECK(b.release(4).slots == 4);
}

TEST_CASE("public queue: a lock that changes nothing gives back the word as it was") {
  bench b(8, 4);
  b.publish(0, 4);
  CHECK(b.steal() == values(0, 2));
  const auto slow = b.add_attempt();
  for (std::uint64_t v = 10; v != 14; ++v)
    b.local().push(v);
  const auto before = b.head.word.load();
  // No room in the local queue, so the acquire gives up under the lock.
  const auto got = b.acquire();
  CHECK(got.slots == 0);
  CHECK_FALSE(got.postponed);
  CHECK(b.head.word == before);
  CHECK(b.head.claimed[0] + b.head.claimed[1] == 0);
  // The attempts were kept: the next thief takes the next block, not one that was taken before.
  CHECK(b.steal() == values(3, 1));
  b.complete(slow);
  CHECK(b.quiet());
}

TEST_CASE("public queue: attempts beyond the last step do not pile up over a reopened epoch") {
  bench b(8, 4);
  b.publish(0, 1);
  b.steal();
  for (int i = 0; i != 100; ++i)
    b.steal(false);
  CHECK(b.word().attempts == 101);
  // With one slot more there would be something to acquire; an empty queue is not even locked.
  CHECK(b.acquire().slots == 0);
  bench shared(8, 4, 2);
  shared.publish(0, 1);
  shared.steal();
  for (int i = 0; i != 100; ++i)
    shared.steal(false);
  std::uint64_t given = 0;
  CHECK(shared.quiet(given));
  CHECK(given == 1);
  CHECK(shared.word().attempts == mgws::steal_sequence::steps(1));
  CHECK(shared.word().remaining() == 0);
}

TEST_CASE("public queue: quiet only when empty and every copy is done, in both epochs") {
  const std::uint32_t owners = GENERATE(1u, 2u, 4u);
  bench b(8, 64, owners);
  CHECK(b.quiet());  // nothing was ever published
  b.publish(0, 2);
  CHECK_FALSE(b.quiet());
  const auto first = b.add_attempt();
  CHECK_FALSE(b.quiet());
  b.publish(2, 1);
  const auto second = b.add_attempt();
  const auto third = b.add_attempt();
  REQUIRE(b.word().remaining() == 0);
  CHECK_FALSE(b.quiet());
  b.complete(second);
  b.complete(third);
  CHECK_FALSE(b.quiet());
  b.complete(first);
  std::uint64_t given = 0;
  CHECK(b.quiet(given));
  CHECK(given == 3);
}

TEST_CASE("public queue, shared: an owner sees what another one was given") {
  bench b(16, 16, 2);
  b.publish(0, 4, 0);
  std::uint64_t given = 77;
  CHECK(b.acquire(1).slots == 2);
  CHECK(b.local(1).pop() == 3);
  CHECK(b.steal() == values(0, 1));
  CHECK(b.steal() == values(1, 1));
  CHECK(b.quiet(given, 0));
  CHECK(given == 4);
  CHECK(b.quiet(given, 1));
  CHECK(given == 4);
}

TEST_CASE("public queue, shared: an epoch in use is put off under the lock, attempts kept") {
  bench b(8, 16, 2);
  b.publish(0, 4, 0);
  const auto slow = b.add_attempt();
  b.publish(4, 3, 1);
  b.add_attempt();
  const auto before = b.head.word.load();
  CHECK(b.acquire(0).postponed);
  CHECK(b.acquire(1).postponed);
  CHECK(b.publish(9, 1, 0).slots == 0);
  CHECK(b.head.word == before);
  b.complete(slow);
  CHECK(b.acquire(1).slots == 2);
}
