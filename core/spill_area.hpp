/// \file
/// Where a worker keeps tasks that fit neither its local nor its public queue: private, in large
/// memory, of fixed size. Its oldest slots are released first; its newest come back first. Between
/// the queues the order of age is: public queue, then spill area, then local queue.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/local_queue.hpp>
#include <mgws/core/ring.hpp>
#include <mgws_port.hpp>

namespace mgws {

template <class B, class Slot>
class spill_area {
 public:
  /// \pre capacity is a power of two
  MGWS_FN spill_area(Slot* storage, std::uint32_t capacity) : slots_(storage, capacity) {}

  [[nodiscard]] MGWS_FN std::uint32_t size() const { return head_ - tail_; }
  [[nodiscard]] MGWS_FN bool empty() const { return head_ == tail_; }
  [[nodiscard]] MGWS_FN std::uint32_t capacity() const { return slots_.capacity(); }
  [[nodiscard]] MGWS_FN std::uint32_t room() const { return capacity() - size(); }
  [[nodiscard]] MGWS_FN std::uint32_t high_water() const { return high_water_; }

  [[nodiscard]] MGWS_FN ring<Slot> slots() const { return slots_; }
  [[nodiscard]] MGWS_FN std::uint32_t tail() const { return tail_; }
  [[nodiscard]] MGWS_FN std::uint32_t head() const { return head_; }
  MGWS_FN void took_oldest(std::uint32_t n) { tail_ += n; }
  /// For whoever wrote slots from head() on: they are here now, as the newest.
  MGWS_FN void added_newest(std::uint32_t n) {
    head_ += std::min(n, room());
    high_water_ = std::max(high_water_, size());
  }

  /// Takes up to n of the local queue's oldest slots, fewer if there is less room.
  MGWS_FN std::uint32_t take_from(local_queue<B, Slot>& local, std::uint32_t n) {
    n = std::min({n, local.size(), room()});
    copy_slots<B>(slots_, head_, local.slots(), local.tail(), n);
    head_ += n;
    local.took_oldest(n);
    high_water_ = std::max(high_water_, size());
    return n;
  }

  /// Gives its newest slots, at most half the local queue's capacity, to an empty local
  /// queue.
  MGWS_FN std::uint32_t refill(local_queue<B, Slot>& local) {
    const std::uint32_t n = std::min(size(), std::max(local.capacity() / 2, 1u));
    copy_slots<B>(local.slots(), local.head(), slots_, head_ - n, n);
    head_ -= n;
    local.added_newest(n);
    return n;
  }

 private:
  ring<Slot> slots_;
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t high_water_ = 0;
};

}  // namespace mgws
