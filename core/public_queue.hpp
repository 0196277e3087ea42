/// \file
/// The queue that others steal from: its shared control block, what a thief does with it, and what
/// its owners do. The steps, their orders and the ways to get them wrong are in docs/protocol.md
/// and, number by number, in the comments here.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/backend.hpp>
#include <mgws/core/local_queue.hpp>
#include <mgws/core/protocol.hpp>
#include <mgws/core/ring.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Control block of one public queue, in the memory that the transport chooses. Three lines: what
/// thieves look at and claim on; what thieves complete on; what owners use.
template <class B>
struct queue_head {
  /// The queue word (word.hpp).
  alignas(B::line) atomic_of<B, std::uint64_t> word{};

  /// Slots whose copy by a thief is done, by epoch, over the whole run: never reset (hazard 10).
  alignas(B::line) atomic_of<B, std::uint64_t> completed[2]{};

  /// Slots claimed in the closed lives of each epoch, over the whole run. Written by owners, under
  /// the lock if they are several.
  alignas(B::line) atomic_of<B, std::uint64_t> claimed[2]{};
  /// Slots that owners took back, over the whole run: with several owners it tells each of them
  /// that another one was given work.
  atomic_of<B, std::uint64_t> acquired{};
  /// 1 once a thief has found nothing here: an owner of one lane then shares what it holds, be it
  /// in the middle of a burst. A hint, set and cleared by anybody.
  atomic_of<B, std::uint32_t> asked{};
};

/// What came of an attempt to steal.
enum class steal_result : std::uint8_t {
  won,    ///< the block is in the thief's local queue
  empty,  ///< the look showed nothing to take; nothing was added to the word
  lost    ///< work was seen, but others claimed it first
};

/// A relaxed look at a queue, and the slots that it shows: apart, so that several looks can be
/// under way at once.
template <class P, class B, class Scope>
[[nodiscard]] MGWS_FN typename P::layout::word glance(const queue_head<B>& head, Scope scope) {
  return B::load(head.word, P::look, scope);
}
template <class P>
[[nodiscard]] MGWS_FN std::uint32_t shown_by(typename P::layout::word seen) {
  return P::layout::available(seen);
}

/// One thief's attempt on one queue.
/// \param look_first  look before the add; an attempt without it is for targets of which the thief
///                    keeps account (target.hpp), so that attempts stay bounded (hazard 1)
/// \param claims      called before the claim
/// \param regained    called after the copy and before the completion: a thief that counted itself
///                    idle must be counted busy before the owner can see the block as done
/// \pre local is empty and holds half a largest batch (hazard 15)
/// \return the result, and in `stolen` the number of slots
template <class P, class B, class Slot, class Scope, class Claims, class Regained>
MGWS_FN steal_result steal(queue_head<B>& head, ring<Slot> slots, local_queue<B, Slot>& local,
                           Scope scope, bool look_first, Claims&& claims, Regained&& regained,
                           std::uint32_t& stolen) {
  using layout = typename P::layout;

  if (look_first) {
    const auto seen = B::load(head.word, P::look, scope);
    if (layout::available(seen) == 0) return steal_result::empty;
  }

  claims();
  // Only the word that the add returns counts: since the look the epoch may have moved on
  // (hazard 3), and the completion belongs to the epoch in that word (hazard 11).
  const auto word = B::fetch_add(head.word, layout::one_attempt, P::claim, scope);
  const auto batch = layout::decode(word);
  const std::uint32_t block = batch.block();
  if (block == 0) return steal_result::lost;

  copy_slots<B>(local.slots(), local.head(), slots, batch.tail + batch.claimed(), block);
  local.added_newest(block);
  regained();  // hazard 20; and the copy is done before the completion says so (hazard 13)
  B::fetch_add(head.completed[batch.epoch], std::uint64_t{block}, P::complete, scope);
  stolen = block;
  return steal_result::won;
}

/// An owner's side of a public queue.
template <class P, class B, class Slot, class Scope>
class public_queue {
 public:
  using layout = typename P::layout;

  /// \param owners     workers that share the queue: 1, 2 or 4
  /// \param max_batch  most slots in one epoch: a thief's local queue must hold half of them
  MGWS_FN public_queue(queue_head<B>& head, ring<Slot> slots, std::uint32_t owners,
                       std::uint32_t max_batch, Scope scope)
      : head_(&head),
        slots_(slots),
        scope_(scope),
        shared_(owners > 1),
        published_(shared_),
        known_empty_(!shared_),
        max_batch_(max_batch) {}

  /// Whether fewer than n slots are left to steal, by a relaxed look.
  [[nodiscard]] MGWS_FN bool holds_less_than(std::uint32_t n) const {
    return layout::available(B::load(head_->word, P::look, scope_)) < n;
  }

  /// Whether there is nothing left to steal, by a relaxed look. While nobody steals, the word stays
  /// what it was and one comparison answers.
  [[nodiscard]] MGWS_FN bool looks_empty() {
    if (known_empty_) return true;
    const auto word = B::load(head_->word, P::look, scope_);
    if (word == last_nonempty_) return false;
    if (layout::available(word) == 0) {
      known_empty_ = !shared_;
      return true;
    }
    last_nonempty_ = word;
    return false;
  }

  /// What a release did.
  struct released {
    std::uint32_t slots;  ///< moved into the queue
    bool was_empty;       ///< nothing was left to steal before: somebody may be asleep
    bool postponed;       ///< nothing was moved because thieves still copy
  };

  /// Moves up to n slots from `from`, beginning at `position`, behind the tasks in the queue.
  MGWS_FN released release(ring<Slot> from, std::uint32_t position, std::uint32_t n) {
    batch b;
    if (!open(b)) return {0, false, true};

    // Thieves of the epoch that ends here may still be reading what they claimed: that part of the
    // ring is free only once they are done (hazard 12).
    const bool completed = complete(b.epoch, P::check_room);
    const std::uint32_t in_use = completed ? b.remaining() : b.initial;
    n = std::min({n, slots_.capacity() - in_use, max_batch_ - b.remaining()});
    if (n == 0) {
      reopen(b);
      return {0, false, !completed};
    }
    copy_slots<B>(slots_, b.tail + b.initial, from, position, n);
    publish(b.epoch ^ 1, b.remaining() + n, b.tail + b.claimed());
    return {n, b.remaining() == 0, false};
  }

  /// What an acquire did.
  struct acquired {
    std::uint32_t slots;  ///< taken back into the local queue
    bool postponed;       ///< work may be there, but thieves of the epoch before still copy
  };

  /// Takes back the newest slots: about half of what is left, but at least `least`, as far as there
  /// are so many, and `most` at most. A worker that counted itself idle is counted busy before the
  /// lock is given up (hazard 21).
  template <class Regained>
  MGWS_FN acquired acquire(local_queue<B, Slot>& local, std::uint32_t least, std::uint32_t most,
                           Regained&& regained) {
    if (looks_empty()) return {0, false};
    batch b;
    if (!open(b)) return {0, true};
    const std::uint32_t left = b.remaining();
    const std::uint32_t n =
        std::min({std::max(left - left / 2, std::min(left, least)), most, local.room()});
    if (n == 0) {
      reopen(b);
      return {0, false};
    }
    copy_slots<B>(local.slots(), local.head(), slots_, b.tail + b.initial - n, n);
    local.added_newest(n);
    regained();
    if (shared_) book(head_->acquired, n);
    publish(b.epoch ^ 1, left - n, b.tail + b.claimed());
    return {n, false};
  }

  [[nodiscard]] MGWS_FN queue_head<B>& head() const { return *head_; }
  [[nodiscard]] MGWS_FN ring<Slot> slots() const { return slots_; }

  /// Whether the queue is empty for good: nothing left to steal and every thief done (hazard 19).
  /// One that its only owner never filled is, without a look.
  /// Only an owner could change that. \param given  set to the number of slots that left the queue
  /// for other workers so far, if the answer is yes
  MGWS_FN bool quiet(std::uint64_t& given) {
    if (!published_) {
      given = 0;
      return true;
    }
    if (!looks_empty()) return false;
    if (shared_) {
      // The other owners' books can be read only under the lock.
      batch b = lock();
      const bool is_quiet = b.remaining() == 0 && complete(b.epoch, P::check_quiet) &&
                            complete(b.epoch ^ 1, P::check_quiet);
      if (is_quiet) given = total_given();
      reopen(b);
      return is_quiet;
    }
    const auto f = layout::decode(B::load(head_->word, P::snapshot, scope_));
    if (f.remaining() != 0) return false;
    const std::uint64_t now = claimed(f.epoch) + f.claimed();
    const std::uint64_t before = claimed(f.epoch ^ 1);
    if (completed(f.epoch, P::check_quiet) != now ||
        completed(f.epoch ^ 1, P::check_quiet) != before)
      return false;
    given = now + before;
    return true;
  }

 private:
  /// The batch that a lock closed: from the word that the exchange returned, so that attempts added
  /// under the lock are no claims (hazard 4).
  struct batch : layout::fields {};

  template <class Order>
  MGWS_FN std::uint64_t completed(std::uint32_t epoch, Order order) const {
    return B::load(head_->completed[epoch], order, scope_);
  }
  MGWS_FN std::uint64_t claimed(std::uint32_t epoch) const {
    return B::load(head_->claimed[epoch], P::bookkeep, scope_);
  }
  template <class Order>
  MGWS_FN bool complete(std::uint32_t epoch, Order order) const {
    return completed(epoch, order) == claimed(epoch);
  }
  MGWS_FN std::uint64_t total_given() const {
    return claimed(0) + claimed(1) + B::load(head_->acquired, P::bookkeep, scope_);
  }
  /// Adds to one of the owners' books.
  MGWS_FN void book(atomic_of<B, std::uint64_t>& sum, std::uint64_t n) {
    B::store(sum, B::load(sum, P::bookkeep, scope_) + n, P::bookkeep, scope_);
  }

  /// Locks the queue and closes its batch: the claims are booked.
  MGWS_FN batch lock() {
    batch b;
    if (shared_) {
      // An exchange, not an or or an add: the former does not exist on every bus, two of the latter
      // clear each other (hazards 5 and 6). Exchanging into a locked word changes nothing.
      for (typename B::backoff wait;; wait.pause()) {
        b = {layout::decode(B::load(head_->word, P::look, scope_))};
        if (b.lock) continue;
        b = {layout::decode(B::exchange(head_->word, layout::locked, P::lock_shared, scope_))};
        if (!b.lock) break;
      }
    } else {
      b = {layout::decode(B::exchange(head_->word, layout::locked, P::lock_alone, scope_))};
    }
    last_nonempty_ = k_none;
    book(head_->claimed[b.epoch], b.claimed());
    return b;
  }

  /// Locks the queue for a new epoch, unless thieves of that epoch's previous life still copy
  /// (hazard 9): then the owner puts it off. An only owner need not lock to learn the epoch.
  MGWS_FN bool open(batch& b) {
    const auto reusable = [&](std::uint32_t epoch) { return complete(epoch ^ 1, P::check_reuse); };
    if (!shared_ && !reusable(layout::decode(B::load(head_->word, P::look, scope_)).epoch))
      return false;
    b = lock();
    if (!shared_ || reusable(b.epoch)) return true;
    reopen(b);
    return false;
  }

  /// Unlocks with the batch as it was.
  MGWS_FN void reopen(const batch& b) {
    book(head_->claimed[b.epoch], std::uint64_t{0} - b.claimed());
    typename layout::fields f = b;
    f.attempts = std::min(b.attempts, steal_sequence::steps(b.initial));
    B::store(head_->word, layout::encode(f), P::reopen, scope_);
  }

  MGWS_FN void publish(std::uint32_t epoch, std::uint32_t n, std::uint32_t tail) {
    known_empty_ = false;
    published_ = true;
    const typename layout::fields f{
        .attempts = 0, .lock = false, .epoch = epoch, .initial = n, .tail = slots_.wrap(tail)};
    B::store(head_->word, layout::encode(f), P::publish, scope_);
  }

  queue_head<B>* head_;
  ring<Slot> slots_;
  /// A word that is known to have something left, or one that no queue ever shows.
  static constexpr typename layout::word k_none = ~typename layout::word{0};
  typename layout::word last_nonempty_ = k_none;
  [[no_unique_address]] Scope scope_;
  bool shared_;
  /// Whether anybody may have published anything so far.
  bool published_;
  /// Seen empty since this worker last published, and nobody else does.
  bool known_empty_;
  std::uint32_t max_batch_;
};

}  // namespace mgws
