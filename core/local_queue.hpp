/// \file
/// A queue that only its owner touches: newest at the head, where tasks are pushed and taken;
/// oldest at the tail, from where they are released. A worker has two: the local queue, in the
/// fastest memory there is, and the spill area, large, for what fits neither that nor the public
/// queue. By age what is public is oldest, then what is spilled, then what is local. Tasks of a
/// lower priority wait in others (later.hpp).
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/deal.hpp>
#include <mgws/core/ring.hpp>
#include <mgws_port.hpp>

namespace mgws {

template <class B, class Slot>
class local_queue {
 public:
  local_queue() = default;
  /// \pre capacity is a power of two, at least 2
  MGWS_FN local_queue(Slot* storage, std::uint32_t capacity) : slots_(storage, capacity) {}

  [[nodiscard]] MGWS_FN std::uint32_t size() const { return head_ - tail_; }
  [[nodiscard]] MGWS_FN bool empty() const { return head_ == tail_; }
  [[nodiscard]] MGWS_FN std::uint32_t capacity() const { return slots_.capacity(); }
  [[nodiscard]] MGWS_FN std::uint32_t room() const { return capacity() - size(); }
  [[nodiscard]] MGWS_FN bool full() const { return room() == 0; }

  /// The slot that the next push fills. \pre !full()
  [[nodiscard]] MGWS_FN Slot& push() { return slots_.at(B::reserve(head_, 1)); }
  /// Adds a slot, which fill(slot) completes, if there is room. Any lane of a worker: what lanes
  /// push beyond the room is counted until drop_overrun().
  template <class Fill>
  [[nodiscard]] MGWS_FN bool push_if_room(Fill&& fill) {
    if (size() >= capacity()) return false;
    const std::uint32_t at = B::reserve(head_, 1);
    if (at - tail_ >= capacity()) return false;
    fill(slots_.at(at));
    return true;
  }
  MGWS_FN void drop_overrun() {
    if (size() > capacity()) head_ = tail_ + capacity();
  }
  /// \pre !empty()
  [[nodiscard]] MGWS_FN Slot& newest() { return slots_.at(head_ - 1); }
  MGWS_FN void pop_newest() { --head_; }
  [[nodiscard]] MGWS_FN const Slot& oldest() const { return slots_.at(tail_); }

  /// Moves up to n of another's oldest slots behind the newest here. \return how many
  MGWS_FN std::uint32_t take_oldest(local_queue& from, std::uint32_t n) {
    n = std::min({n, from.size(), room()});
    copy_slots<B>(slots_, head_, from.slots_, from.tail_, n);
    from.tail_ += n;
    head_ += n;
    return n;
  }
  /// The same so that the oldest are the next to be taken here, in groups of so many.
  MGWS_FN std::uint32_t take_oldest_first(local_queue& from, std::uint32_t n, std::uint32_t group) {
    n = std::min({n, from.size(), room()});
    for (std::uint32_t begun = 0; begun < n; begun += group) {
      const std::uint32_t some = std::min(group, n - begun);
      copy_slots<B>(slots_, head_ + (n - begun - some), from.slots_, from.tail_ + begun, some);
    }
    from.tail_ += n;
    head_ += n;
    return n;
  }
  /// The same with its newest slots, in their order.
  MGWS_FN std::uint32_t take_newest(local_queue& from, std::uint32_t n) {
    n = std::min({n, from.size(), room()});
    from.head_ -= n;
    copy_slots<B>(slots_, head_, from.slots_, from.head_, n);
    head_ += n;
    return n;
  }

  /// For other bulk moves: where the slots are. The mover copies, then calls took_/added_.
  [[nodiscard]] MGWS_FN ring<Slot> slots() const { return slots_; }
  [[nodiscard]] MGWS_FN std::uint32_t tail() const { return tail_; }
  [[nodiscard]] MGWS_FN std::uint32_t head() const { return head_; }
  MGWS_FN void took_oldest(std::uint32_t n) { tail_ += n; }
  MGWS_FN void took_newest(std::uint32_t n) { head_ -= n; }
  MGWS_FN void added_newest(std::uint32_t n) { head_ += n; }
  MGWS_FN void added_oldest(std::uint32_t n) { tail_ -= n; }
  /// What comes next will not wrap, as far as it fits: one copy instead of two. \pre empty()
  MGWS_FN void restart() { head_ = tail_ = unread_ = 0; }
  /// For whoever keeps head and tail elsewhere while tasks run: where they are now.
  /// \param unread  slots above the head that are popped but still to be read
  MGWS_FN void moved(std::uint32_t head, std::uint32_t tail, std::uint32_t unread = 0) {
    head_ = head;
    tail_ = tail;
    unread_ = unread;
  }

  /// Replaces each of the n oldest slots that stands for several instances by up to
  /// `pieces` slots of nearly as many each, so that a release can share them. A piece is a multiple
  /// of 2^width(type) instances, but the last. Fills no slot that is still to be read. Returns the
  /// number of slots gained. \param pieces  fewer if there is no room for so many of each
  /// \pre n <= size()
  template <class Width>
  MGWS_FN std::uint32_t split_oldest(std::uint32_t n, std::uint32_t pieces, Width&& width) {
    if ((pieces - 1) * n > room() - unread_) pieces = 1 + (room() - unread_) / n;
    std::uint32_t all = 0;
    for (std::uint32_t i = 0; i != n; ++i)
      all += pieces_of(slots_.at(tail_ + i).read_header(), pieces, width);
    if (all == n) return 0;
    // From the oldest on: where pieces are written, everything has been read.
    std::uint32_t to = tail_ - (all - n);
    for (std::uint32_t i = 0; i != n; ++i) {
      const Slot whole = slots_.at(tail_ + i);
      const auto h = whole.read_header();
      const std::uint32_t w = width(h.type());
      const std::uint32_t parts = pieces_of(h, pieces, width);
      const std::uint32_t steps = steps_of(h.count(), w);
      const std::uint32_t share = parts == 1 ? steps : steps / parts;
      const std::uint32_t longer = steps - share * parts;  // have one more
      for (std::uint32_t p = 0; p != parts; ++p) {
        const std::uint32_t begin = (p * share + std::min(p, longer)) << w;
        const std::uint32_t end =
            p + 1 == parts ? h.count() : begin + ((share + (p < longer ? 1 : 0)) << w);
        Slot& s = slots_.at(to++);
        s = whole;
        s.write_header(Slot::header::make(h.type(), h.first() + begin, end - begin));
      }
    }
    tail_ -= all - n;
    return all - n;
  }
  /// Puts the n newest slots below the others, each of which changes places with one of them, as
  /// far as they go.
  MGWS_FN void put_newest_below(std::uint32_t n) {
    n = std::min(n, size() - n);
    for (std::uint32_t i = 0; i != n; ++i) {
      Slot& older = slots_.at(tail_ + i);
      Slot& newer = slots_.at(head_ - n + i);
      const Slot s = older;
      older = newer;
      newer = s;
    }
  }
  /// Makes two of the oldest slot, of which the older one stands for the first n instances.
  /// \pre it stands for more, and there is room
  MGWS_FN void cut_oldest(std::uint32_t n) {
    const Slot whole = oldest();
    const auto h = whole.read_header();
    added_oldest(1);
    Slot& first = slots_.at(tail_);
    first = whole;
    first.write_header(Slot::header::make(h.type(), h.first(), n));
    slots_.at(tail_ + 1).write_header(Slot::header::make(h.type(), h.first() + n, h.count() - n));
  }

 private:
  template <class Header, class Width>
  [[nodiscard]] MGWS_FN static std::uint32_t pieces_of(Header h, std::uint32_t most,
                                                       Width&& width) {
    const std::uint32_t steps = h.count() >> width(h.type());
    return std::min(std::max(steps, 1u), most);
  }

  ring<Slot> slots_;
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t unread_ = 0;
};

}  // namespace mgws
