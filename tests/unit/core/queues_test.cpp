// What only its owner touches: rings, the local queue, the spill area.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <mgws/core/ring.hpp>

#include "catch.hpp"
#include "support.hpp"

using namespace unit;

TEST_CASE("ring: positions wrap, also where they overflow") {
  std::vector<slot> storage(8);
  const ring r(storage.data(), 8);
  CHECK(r.capacity() == 8);
  CHECK(r.wrap(0) == 0);
  CHECK(r.wrap(13) == 5);
  CHECK(&r.at(8) == storage.data());
  CHECK(&r.at(~0u) == &storage[7]);
  CHECK(r.until_wrap(0) == 8);
  CHECK(r.until_wrap(15) == 1);
}

TEST_CASE("ring: copies between rings of any sizes and positions") {
  bool right = true;
  for (const std::uint32_t from_size : {2u, 4u, 8u})
    for (const std::uint32_t to_size : {2u, 4u, 8u, 16u})
      for (std::uint32_t from_at = 0; from_at != from_size; ++from_at)
        for (std::uint32_t to_at = 0; to_at != to_size; ++to_at)
          for (std::uint32_t n = 0; n <= std::min(from_size, to_size); ++n) {
            std::vector<slot> a(from_size, make_slot(0));
            std::vector<slot> b(to_size, make_slot(1000));
            const ring from(a.data(), from_size);
            const ring to(b.data(), to_size);
            for (std::uint32_t i = 0; i != from_size; ++i)
              from.at(from_at + i) = make_slot(i);
            // Positions beyond the capacity, too.
            mgws::copy_slots<B>(to, to_at + to_size, from, from_at - from_size, n);
            for (std::uint32_t i = 0; i != to_size; ++i)
              right = right && value_of(to.at(to_at + i)) == (i < n ? i : 1000);
          }
  REQUIRE(right);
}

TEST_CASE("local queue: newest first, oldest at the tail, full at its capacity") {
  stored_queue q(4);
  CHECK(q.queue.empty());
  for (std::uint64_t round = 0; round != 10; ++round) {
    for (std::uint64_t i = 0; i != 4; ++i) {
      CHECK(q.queue.room() == 4 - i);
      q.push(round * 10 + i);
    }
    CHECK(q.queue.full());
    CHECK(value_of(q.queue.oldest()) == round * 10);
    q.queue.took_oldest(1);
    CHECK(value_of(q.queue.oldest()) == round * 10 + 1);
    CHECK(q.pop() == round * 10 + 3);
    CHECK(q.pop() == round * 10 + 2);
    CHECK(q.pop() == round * 10 + 1);
    CHECK(q.queue.empty());
  }
}

TEST_CASE("local queue: added_newest makes copied slots part of it") {
  stored_queue q(4);
  q.push(1);
  q.queue.slots().at(q.queue.head()) = make_slot(2);
  q.queue.slots().at(q.queue.head() + 1) = make_slot(3);
  q.queue.added_newest(2);
  CHECK(q.queue.size() == 3);
  CHECK(q.pop() == 3);
  CHECK(q.pop() == 2);
  CHECK(q.pop() == 1);
}

/// Pieces of any length.
constexpr auto one_instance = [](std::uint32_t /*type*/) { return 0u; };

TEST_CASE("local queue: what came last goes below the others, and nothing is lost") {
  for (const std::uint32_t old : {0u, 1u, 3u, 5u})
    for (const std::uint32_t n : {0u, 1u, 3u, 5u}) {
      INFO(old << " slots, and " << n << " more");
      stored_queue q(16);
      for (std::uint32_t i = 0; i != old + n; ++i)
        q.queue.push() = make_slot(i);
      q.queue.put_newest_below(n);
      REQUIRE(q.queue.size() == old + n);
      std::vector<std::uint64_t> values;
      for (std::uint32_t i = q.queue.tail(); i != q.queue.head(); ++i)
        values.push_back(value_of(q.queue.slots().at(i)));
      // As many of those that were there as can be are the newest now.
      for (std::uint32_t i = 0; i != std::min(old, n); ++i)
        CHECK(values[old + n - 1 - i] < old);
      CHECK((n == 0 || old == 0 || values[0] >= old));
      std::ranges::sort(values);
      for (std::uint32_t i = 0; i != old + n; ++i)
        CHECK(values[i] == i);
    }
}

TEST_CASE("split_oldest: instances are conserved, in order, nearly even") {
  for (const std::uint32_t capacity : {2u, 4u, 16u})
    for (const std::uint32_t held : {1u, 2u, 3u, 9u, 16u})
      for (const std::uint32_t count : {1u, 2u, 5u, 8u, 1000u, ~0u})
        for (const std::uint32_t pieces : {1u, 2u, 3u, 8u}) {
          if (held > capacity) continue;
          stored_queue q(capacity);
          q.queue.push().write(number{42}, 0, count);
          for (std::uint32_t i = 1; i != held; ++i)
            q.push(i);
          const auto gained = q.queue.split_oldest(1, pieces, one_instance);

          const auto expected = std::min({pieces, count, capacity - held + 1});
          CHECK(gained == (expected < 2 ? 0 : expected - 1));
          REQUIRE(q.queue.size() == held + gained);
          std::uint64_t next = 0;
          std::uint32_t least = ~0u;
          std::uint32_t most = 0;
          for (std::uint32_t i = 0; i <= gained; ++i) {
            const slot& s = q.queue.slots().at(q.queue.tail() + i);
            CHECK(value_of(s) == 42);
            CHECK(s.read_header().first() == next);
            const auto share = s.read_header().count();
            least = std::min(least, share);
            most = std::max(most, share);
            next += share;
          }
          CHECK(next == count);
          CHECK(least >= 1);
          CHECK(most - least <= 1);
          // The slots behind it are untouched.
          for (std::uint32_t i = held; --i != 0;)
            CHECK(q.pop() == i);
        }
}

TEST_CASE("split_oldest: begins at the first instance that is left") {
  stored_queue q(8);
  q.queue.push().write(number{7}, 100, 10);
  REQUIRE(q.queue.split_oldest(1, 3, one_instance) == 2);
  std::vector<std::uint32_t> firsts;
  for (std::uint32_t i = 0; i != 3; ++i)
    firsts.push_back(q.queue.slots().at(q.queue.tail() + i).read_header().first());
  CHECK(firsts == std::vector<std::uint32_t>{100, 104, 107});
}

TEST_CASE("split_oldest: of several slots each, in whole steps, as far as there is room") {
  const std::uint32_t capacity = GENERATE(8u, 16u, 64u);
  const std::uint32_t counts[] = {100, 7, 64, 32, 33};
  for (std::uint32_t n = 1; n <= std::size(counts); ++n)
    for (const std::uint32_t pieces : {2u, 3u, 8u}) {
      stored_queue q(capacity);
      for (std::uint32_t i = 0; i != std::size(counts); ++i)
        q.queue.push().write(number{i}, 1000 * i, counts[i]);
      const auto gained = q.queue.split_oldest(n, pieces, [](std::uint32_t) { return 5u; });
      REQUIRE(q.queue.size() == std::size(counts) + gained);
      CHECK(q.queue.size() <= capacity);
      std::uint32_t at = q.queue.tail();
      for (std::uint32_t i = 0; i != std::size(counts); ++i) {
        std::uint32_t parts = 0;
        for (std::uint32_t next = 1000 * i; next != 1000 * i + counts[i]; ++parts) {
          REQUIRE(at != q.queue.head());
          const slot& s = q.queue.slots().at(at++);
          REQUIRE(value_of(s) == i);
          const auto h = s.read_header();
          REQUIRE(h.first() == next);
          next += h.count();
          // Only the last may be narrower than a step, and none is cut that is no longer than one.
          CHECK((h.count() % 32 == 0 || next == 1000 * i + counts[i]));
        }
        CHECK(parts <= pieces);
        if (i >= n || counts[i] < 64) CHECK(parts == 1);
        if (i < n && counts[i] >= 64 && capacity == 64)
          CHECK(parts == std::min(pieces, counts[i] / 32));
      }
      CHECK(at == q.queue.head());
    }
}

TEST_CASE("spill area: takes the oldest, gives back the newest, and says when it is full") {
  std::vector<slot> storage(4);
  mgws::local_queue<B, slot> spill(storage.data(), 4);
  stored_queue q(8);
  for (std::uint64_t round = 0; round != 5; ++round) {
    CHECK(spill.empty());
    for (std::uint64_t i = 0; i != 8; ++i)
      q.push(i);
    CHECK(spill.take_oldest(q.queue, 3) == 3);
    CHECK(spill.take_oldest(q.queue, 3) == 1);
    CHECK(spill.take_oldest(q.queue, 3) == 0);
    CHECK(spill.room() == 0);
    CHECK(q.queue.size() == 4);
    CHECK(value_of(q.queue.oldest()) == 4);
    CHECK(value_of(spill.slots().at(spill.tail())) == 0);
    spill.took_oldest(1);  // as a release does
    CHECK(spill.size() == 3);
    for (const std::uint64_t v : {7, 6, 5, 4})
      CHECK(q.pop() == v);
    CHECK(q.queue.take_newest(spill, 4) == 3);
    for (const std::uint64_t v : {3, 2, 1})
      CHECK(q.pop() == v);
  }
}

TEST_CASE("spill area: what was taken comes back newest first, as much as is wanted") {
  std::vector<slot> storage(8);
  mgws::local_queue<B, slot> spill(storage.data(), 8);
  stored_queue q(8);
  for (std::uint64_t i = 0; i != 8; ++i)
    q.push(i);
  CHECK(spill.take_oldest(q.queue, 100) == 8);
  stored_queue two(2);
  CHECK(two.queue.take_newest(spill, 1) == 1);
  CHECK(two.pop() == 7);
  CHECK(q.queue.take_newest(spill, 4) == 4);
  CHECK(q.pop() == 6);
  CHECK(spill.size() == 3);
}
