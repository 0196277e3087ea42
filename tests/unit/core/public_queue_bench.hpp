/// \file
/// A public queue with its owners and a thief's two halves, for tests that go through its steps one
/// at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <mgws/core/public_queue.hpp>

#include "catch.hpp"
#include "support.hpp"

namespace unit {

using mgws::steal_result;

using head_type = mgws::queue_head<B>;
using owner_type = mgws::public_queue<P, B, slot, mgws::scope::system_t>;

inline constexpr auto nothing = [] {};

/// A claim of which the copy is not done yet: what a slow thief is between two instructions.
struct claim {
  layout::fields batch;
  std::uint32_t block;
};

/// A public queue with its owners, each with a local queue.
struct bench {
  explicit bench(std::uint32_t capacity, std::uint32_t local_capacity = 64,
                 std::uint32_t owners = 1)
      : storage(capacity, make_slot(~0ull)),
        slots(storage.data(), capacity),
        max_batch(std::min(capacity, 2 * local_capacity)) {
    for (std::uint32_t i = 0; i != owners; ++i) {
      this->owners.push_back(
          std::make_unique<owner_type>(head, slots, owners, max_batch, mgws::scope::system));
      locals.push_back(std::make_unique<stored_queue>(local_capacity));
    }
  }
  bench(const bench&) = delete;
  bench& operator=(const bench&) = delete;

  owner_type& owner(std::uint32_t i = 0) { return *owners[i]; }
  stored_queue& local(std::uint32_t i = 0) { return *locals[i]; }
  [[nodiscard]] layout::fields word() const { return layout::decode(head.word.load()); }

  /// Pushes tasks with these values and releases all that there is room for.
  owner_type::released publish(std::uint64_t first, std::uint32_t n, std::uint32_t who = 0) {
    for (std::uint32_t i = 0; i != n; ++i)
      local(who).push(first + i);
    return release(local(who).queue.size(), who);
  }
  owner_type::released release(std::uint32_t n, std::uint32_t who = 0) {
    auto& q = local(who).queue;
    const auto done = owner(who).release(q.slots(), q.tail(), n);
    q.took_oldest(done.slots);
    return done;
  }
  owner_type::acquired acquire(std::uint32_t who = 0, bool only_one = false) {
    return owner(who).acquire(local(who).queue, 0, only_one ? 1 : ~0u, nothing);
  }
  owner_type::acquired acquire_at_least(std::uint32_t least, std::uint32_t most) {
    return owner().acquire(local().queue, least, most, nothing);
  }
  bool quiet(std::uint64_t& given, std::uint32_t who = 0) { return owner(who).quiet(given); }
  bool quiet() {
    std::uint64_t given = 0;
    return quiet(given);
  }

  /// The thief's half up to the claim.
  claim add_attempt() {
    const auto f = layout::decode(head.word.fetch_add(layout::one_attempt));
    return {f, f.lock ? 0 : mgws::steal_sequence::block(f.initial, f.attempts)};
  }
  std::vector<std::uint64_t> read(const claim& c) const {
    std::vector<std::uint64_t> values;
    for (std::uint32_t i = 0; i != c.block; ++i)
      values.push_back(value_of(slots.at(c.batch.tail + c.batch.claimed() + i)));
    return values;
  }
  /// The thief's half after the copy.
  void complete(const claim& c) { head.completed[c.batch.epoch].fetch_add(c.block); }

  /// A whole attempt into an empty queue. \return the values
  std::vector<std::uint64_t> steal(bool look_first = true, steal_result* result = nullptr) {
    stored_queue thief(std::max(2u, max_batch / 2));
    std::uint32_t n = 0;
    bool regained = false;
    const auto before = std::array{head.completed[0].load(), head.completed[1].load()};
    bool early = false;
    const auto r = mgws::steal<P, B, slot>(
        head, slots, thief.queue, mgws::scope::system, look_first, [] {},
        [&] {
          regained = true;
          early = head.completed[0].load() == before[0] && head.completed[1].load() == before[1];
        },
        n);
    if (result != nullptr) *result = r;
    CHECK(regained == (r == steal_result::won));
    CHECK(early == regained);  // counted busy before the owner can see the block as done
    std::vector<std::uint64_t> values;
    if (r != steal_result::won) return values;
    CHECK(n == thief.queue.size());
    while (!thief.queue.empty())
      values.push_back(thief.pop());
    std::ranges::reverse(values);
    return values;
  }
  head_type head;
  std::vector<slot> storage;
  ring slots;
  std::uint32_t max_batch;
  std::vector<std::unique_ptr<owner_type>> owners;
  std::vector<std::unique_ptr<stored_queue>> locals;
};

inline std::vector<std::uint64_t> values(std::uint64_t first, std::uint32_t n) {
  std::vector<std::uint64_t> v(n);
  for (std::uint32_t i = 0; i != n; ++i)
    v[i] = first + i;
  return v;
}

}  // namespace unit
