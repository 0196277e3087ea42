/// \file
/// A ring of slots in some memory, and copying between two of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws_port.hpp>

namespace mgws {

/// View of a power-of-two ring of slots. Positions count on beyond the capacity; `at` wraps them.
/// Does not own the storage.
template <class Slot>
class ring {
 public:
  constexpr ring() = default;
  /// \pre capacity is a power of two
  MGWS_FN constexpr ring(Slot* storage, std::uint32_t capacity)
      : storage_(storage), mask_(capacity - 1) {}

  [[nodiscard]] MGWS_FN constexpr std::uint32_t capacity() const { return mask_ + 1; }
  [[nodiscard]] MGWS_FN constexpr std::uint32_t wrap(std::uint32_t position) const {
    return position & mask_;
  }
  [[nodiscard]] MGWS_FN constexpr Slot& at(std::uint32_t position) const {
    return storage_[position & mask_];
  }
  /// Slots from `position` to where the ring wraps.
  [[nodiscard]] MGWS_FN constexpr std::uint32_t until_wrap(std::uint32_t position) const {
    return capacity() - wrap(position);
  }

 private:
  Slot* storage_ = nullptr;
  std::uint32_t mask_ = 0;
};

/// Copies n slots from one ring to another, in at most three straight pieces.
template <class B, class Slot>
MGWS_FN void copy_slots(ring<Slot> to, std::uint32_t to_position, ring<Slot> from,
                        std::uint32_t from_position, std::uint32_t n) {
  while (n != 0) {
    const std::uint32_t piece =
        std::min({n, to.until_wrap(to_position), from.until_wrap(from_position)});
    B::copy_words(&to.at(to_position), &from.at(from_position), piece * (sizeof(Slot) / 16));
    to_position += piece;
    from_position += piece;
    n -= piece;
  }
}

/// Copies n initial slots into the ring that is a worker's local queue.
template <class B, class Slot>
MGWS_FN void load_slots(ring<Slot> to, std::uint32_t to_position, const Slot* from,
                        std::uint32_t n) {
  constexpr std::size_t words = sizeof(Slot) / 16;
  const std::uint32_t straight = std::min(n, to.until_wrap(to_position));
  B::load_words(&to.at(to_position), from, straight * words);
  B::load_words(&to.at(to_position + straight), from + straight, (n - straight) * words);
}

/// Where slots are put one behind the other, in a ring.
template <class B, class Slot>
struct slots_into {
  ring<Slot> to;
  std::uint32_t end;

  /// Slots of another ring, from a position on.
  MGWS_FN void operator()(ring<Slot> from, std::uint32_t position, std::uint32_t n) {
    copy_slots<B>(to, end, from, position, n);
    end += n;
  }
};

}  // namespace mgws
