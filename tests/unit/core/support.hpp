/// \file
/// What the unit tests of core share: the reference port, and slots that hold a number.
#pragma once

#include <cstdint>
#include <vector>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/core/local_queue.hpp>
#include <mgws/core/protocol.hpp>
#include <mgws/core/public_queue.hpp>
#include <mgws/core/task_set.hpp>

namespace unit {

using B = mgws::cpu_backend::backend;
using P = mgws::protocol;
using layout = P::layout;

struct number {
  std::uint64_t value;
  void operator()(auto&) const {}
};
using numbers = mgws::task_set<number>;
using slot = mgws::slot<numbers>;
using local_queue = mgws::local_queue<B, slot>;
using ring = mgws::ring<slot>;

inline slot make_slot(std::uint64_t value, std::uint32_t count = 1) {
  slot s;
  s.write(number{value}, 0, count);
  return s;
}
inline std::uint64_t value_of(const slot& s) {
  return s.read<number>().get().value;
}

/// A local queue with storage of its own.
struct stored_queue {
  explicit stored_queue(std::uint32_t capacity)
      : storage(capacity), queue(storage.data(), capacity) {}
  stored_queue(const stored_queue&) = delete;
  stored_queue& operator=(const stored_queue&) = delete;

  void push(std::uint64_t value) { queue.push() = make_slot(value); }
  std::uint64_t pop() {
    const auto v = value_of(queue.newest());
    queue.pop_newest();
    return v;
  }

  std::vector<slot> storage;
  local_queue queue;
};

}  // namespace unit
