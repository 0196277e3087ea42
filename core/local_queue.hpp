/// \file
/// The queue that only its owner touches: newest at the head, where tasks are pushed and taken;
/// oldest at the tail, from where they are released. Lies in the fastest memory a worker has.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/ring.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws {

template <class B, class Slot>
class local_queue {
 public:
  /// \pre capacity is a power of two, at least 2
  MGWS_FN local_queue(Slot* storage, std::uint32_t capacity) : slots_(storage, capacity) {}

  [[nodiscard]] MGWS_FN std::uint32_t size() const { return head_ - tail_; }
  [[nodiscard]] MGWS_FN bool empty() const { return head_ == tail_; }
  [[nodiscard]] MGWS_FN std::uint32_t capacity() const { return slots_.capacity(); }
  [[nodiscard]] MGWS_FN std::uint32_t room() const { return capacity() - size(); }
  [[nodiscard]] MGWS_FN bool full() const { return room() == 0; }

  /// The slot that the next push fills. \pre !full()
  [[nodiscard]] MGWS_FN Slot& push() { return slots_.at(B::reserve(head_, 1)); }
  /// \pre !empty()
  [[nodiscard]] MGWS_FN Slot& newest() { return slots_.at(head_ - 1); }
  MGWS_FN void pop_newest() { --head_; }
  [[nodiscard]] MGWS_FN const Slot& oldest() const { return slots_.at(tail_); }

  /// For bulk moves: where the slots are. The mover copies, then calls took_/added_.
  [[nodiscard]] MGWS_FN ring<Slot> slots() const { return slots_; }
  [[nodiscard]] MGWS_FN std::uint32_t tail() const { return tail_; }
  [[nodiscard]] MGWS_FN std::uint32_t head() const { return head_; }
  MGWS_FN void took_oldest(std::uint32_t n) { tail_ += n; }
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

  /// Collective: replaces the oldest slot, if it stands for several instances, by up to `pieces`
  /// slots of nearly as many instances each, so that a release can share it. It fills no slot that
  /// is still to be read. Returns the number of slots gained. \pre !empty()
  MGWS_FN std::uint32_t split_oldest(typename B::group& g, std::uint32_t pieces) {
    const Slot whole = oldest();
    const auto h = whole.read_header();
    pieces = std::min({pieces, h.count(), room() - unread_ + 1});
    if (pieces < 2) return 0;
    g.sync();  // all lanes have read the slot that one of them overwrites
    tail_ -= pieces - 1;
    const std::uint32_t share = h.count() / pieces;
    const std::uint32_t shorter = pieces - h.count() % pieces;  // the others have one more
    for (std::uint32_t i = g.lane(); i < pieces; i += g.lanes()) {
      Slot& s = slots_.at(tail_ + i);
      s = whole;
      const std::uint32_t before = i * share + (i < shorter ? 0 : i - shorter);
      s.write_header(
          Slot::header::make(h.type(), h.first() + before, share + (i < shorter ? 0 : 1)));
    }
    g.sync();
    return pieces - 1;
  }

 private:
  ring<Slot> slots_;
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t unread_ = 0;
};

}  // namespace mgws
