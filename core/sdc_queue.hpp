/// \file
/// The classic queue to steal from, as a baseline for public_queue.hpp: split, with a lock and
/// deferred copies ("SDC", the one that SWS compares itself with in its section 3). The slots
/// between `tail` and `split` are shared; thieves move the one under the lock, owners the other.
///
/// A steal is six operations on the victim's memory: lock (exchange), read (two words of one line,
/// both under way at once), move the tail (store), unlock (store), copy, complete (add).
/// public_queue.hpp's is three: claim (add), copy, complete (add). A look before, which is one more
/// in both, is left out by both for the same targets (target.hpp).
/// An only owner publishes without the lock, as it does there without a wait, and takes back under
/// it.
///
/// What is as good as it gets: a look comes before the lock; nobody waits for the lock, a thief
/// that does not get it tries another victim, and an owner puts off what it wanted; copies are made
/// without it; completions are one counter, and are read only when the ring seems full. What is not
/// to be helped: who stops for good while it holds the lock keeps the queue locked for good.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/backend.hpp>
#include <mgws/core/local_queue.hpp>
#include <mgws/core/protocol.hpp>
#include <mgws/core/public_queue.hpp>
#include <mgws/core/ring.hpp>
#include <mgws/core/steal_sequence.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Control block of one such queue, in the memory that the transport chooses. Three lines, as
/// queue_head: what thieves and owners claim on; what thieves complete on; what owners use.
/// Positions count slots over the whole run; the ring wraps them.
template <class B>
struct sdc_head {
  /// 1 while somebody has the queue locked.
  alignas(B::line) atomic_of<B, std::uint64_t> lock{};
  /// Position of the oldest shared slot, and so the slots that thieves have claimed. Written under
  /// the lock.
  atomic_of<B, std::uint64_t> tail{};
  /// Position behind the newest shared slot. Written by owners: forward, and under the lock by
  /// several; back under the lock.
  atomic_of<B, std::uint64_t> split{};

  /// Slots whose copy by a thief is done.
  alignas(B::line) atomic_of<B, std::uint64_t> completed{};

  /// See queue_head.
  alignas(B::line) atomic_of<B, std::uint64_t> acquired{};
  atomic_of<B, std::uint32_t> asked{};
};

/// What a look at such a queue shows: two words, which need not belong together.
struct sdc_glance {
  std::uint64_t tail;
  std::uint64_t split;

  [[nodiscard]] MGWS_FN constexpr std::uint32_t left() const {
    return split <= tail ? 0 : static_cast<std::uint32_t>(split - tail);
  }
};

/// A relaxed look. \see glance of a queue_head
template <class P, class B, class Scope>
[[nodiscard]] MGWS_FN sdc_glance glance(const sdc_head<B>& head, Scope scope) {
  return {B::load(head.tail, P::sdc_look, scope), B::load(head.split, P::sdc_look, scope)};
}
template <class P>
[[nodiscard]] MGWS_FN std::uint32_t shown_by(const sdc_glance& seen) {
  return seen.left();
}

/// Unlocks. Also who has changed nothing releases: the next one synchronizes with this store only.
template <class P, class B, class Scope>
MGWS_FN void unlock(sdc_head<B>& head, Scope scope) {
  B::store(head.lock, std::uint64_t{0}, P::sdc_unlock, scope);
}

/// One thief's attempt on one queue. The same as for a queue_head.
template <class P, class B, class Slot, class Scope, class Claims, class Regained>
MGWS_FN steal_result steal(sdc_head<B>& head, ring<Slot> slots, local_queue<B, Slot>& local,
                           Scope scope, bool look_first, Claims&& claims, Regained&& regained,
                           std::uint32_t& stolen) {
  if (look_first && glance<P>(head, scope).left() == 0) return steal_result::empty;

  claims();
  if (B::exchange(head.lock, std::uint64_t{1}, P::sdc_lock, scope) != 0) return steal_result::lost;
  const sdc_glance here{B::load(head.tail, P::sdc_read, scope),
                        B::load(head.split, P::sdc_split, scope)};
  const std::uint32_t block = steal_sequence::largest_block(here.left());
  if (block != 0) B::store(head.tail, here.tail + block, P::sdc_move, scope);
  unlock<P>(head, scope);
  if (block == 0) return steal_result::lost;

  copy_slots<B>(local.slots(), local.head(), slots, static_cast<std::uint32_t>(here.tail), block);
  local.added_newest(block);
  regained();  // hazard 20; and the copy is done before the completion says so (hazard 13)
  B::fetch_add(head.completed, std::uint64_t{block}, P::sdc_complete, scope);
  stolen = block;
  return steal_result::won;
}

/// An owner's side of such a queue. The same as public_queue's, but that what needs the lock is put
/// off where somebody else has it.
template <class P, class B, class Slot, class Scope>
class sdc_queue {
 public:
  /// \see public_queue. \param max_batch  most slots that are shared at any time
  MGWS_FN sdc_queue(sdc_head<B>& head, ring<Slot> slots, std::uint32_t owners,
                    std::uint32_t max_batch, Scope scope)
      : head_(&head), slots_(slots), scope_(scope), shared_(owners > 1), max_batch_(max_batch) {}

  /// Whether fewer than n slots are left to steal, by a relaxed look.
  [[nodiscard]] MGWS_FN bool holds_less_than(std::uint32_t n) {
    look();
    return at_.left() < n;
  }

  /// Whether there is nothing left to steal, by a relaxed look. An only owner that has seen it
  /// empty need not look again.
  [[nodiscard]] MGWS_FN bool looks_empty() {
    if (shared_ || at_.left() != 0) look();
    return at_.left() == 0;
  }

  /// What a release did.
  struct released {
    std::uint32_t slots;  ///< moved into the queue
    /// Nothing may have been left to steal before: somebody may be asleep. An only owner cannot
    /// know that something was: thieves go on while it publishes, and may have taken the last of it
    /// and gone to sleep before they could see what is new.
    bool was_empty;
    bool postponed;  ///< nothing was moved because thieves still copy, or have the queue locked
  };

  /// Moves up to n slots from `from`, beginning at `position`, behind the tasks in the queue.
  MGWS_FN released release(ring<Slot> from, std::uint32_t position, std::uint32_t n) {
    if (shared_ && !lock()) return {0, false, true};
    look();
    const std::uint32_t left = at_.left();
    n = std::min(n, max_batch_ - left);
    const bool wanted = n != 0;
    if (n > room()) reclaim();
    n = std::min(n, room());
    if (n != 0) {
      copy_slots<B>(slots_, static_cast<std::uint32_t>(at_.split), from, position, n);
      at_.split += n;
      B::store(head_->split, at_.split, P::sdc_publish, scope_);
    }
    if (shared_) unlock<P>(*head_, scope_);
    if (n == 0) return {0, false, wanted && copied_to_ != at_.tail};
    return {n, !shared_ || left == 0, false};
  }

  /// What an acquire did.
  struct acquired {
    std::uint32_t slots;  ///< taken back into the local queue
    bool postponed;       ///< work may be there, but somebody else has the queue locked
  };

  /// Takes back the newest slots, as many as public_queue does. A worker that counted itself idle
  /// is counted busy before the lock is given up (hazard 21). An only owner copies after that:
  /// nobody else writes there.
  template <class Regained>
  MGWS_FN acquired acquire(local_queue<B, Slot>& local, std::uint32_t least, std::uint32_t most,
                           Regained&& regained) {
    if (looks_empty()) return {0, false};
    if (!lock()) return {0, true};
    read();
    const std::uint32_t left = at_.left();
    const std::uint32_t n =
        std::min({std::max(left - left / 2, std::min(left, least)), most, local.room()});
    if (n != 0) {
      at_.split -= n;
      if (shared_) {
        take(local, n);
        B::store(head_->acquired, B::load(head_->acquired, P::bookkeep, scope_) + n, P::bookkeep,
                 scope_);
      }
      regained();
      B::store(head_->split, at_.split, P::sdc_take, scope_);
    }
    unlock<P>(*head_, scope_);
    if (!shared_) take(local, n);
    local.added_newest(n);
    return {n, false};
  }

  [[nodiscard]] MGWS_FN sdc_head<B>& head() const { return *head_; }
  [[nodiscard]] MGWS_FN ring<Slot> slots() const { return slots_; }

  /// Whether the queue is empty for good: nothing left to steal and every thief done (hazard 19).
  /// One from which its only owner took back all that it ever published is, without a look.
  /// Only an owner could change that. \param given  set to the number of slots that left the queue
  /// for other workers so far, if the answer is yes
  MGWS_FN bool quiet(std::uint64_t& given) {
    if (!looks_empty()) return false;
    if (!shared_) {
      // Nobody can move the tail of an empty queue: what was claimed is what was published.
      given = at_.split;
      return given == 0 || completed(P::sdc_check_quiet) == given;
    }
    if (!lock()) return false;
    read();
    const bool is_quiet = at_.left() == 0 && completed(P::sdc_check_quiet) == at_.tail;
    if (is_quiet) given = at_.tail + B::load(head_->acquired, P::bookkeep, scope_);
    unlock<P>(*head_, scope_);
    return is_quiet;
  }

 private:
  template <class Order>
  [[nodiscard]] MGWS_FN std::uint64_t completed(Order order) const {
    return B::load(head_->completed, order, scope_);
  }
  /// One try. \return whether this worker has it now
  [[nodiscard]] MGWS_FN bool lock() {
    return B::exchange(head_->lock, std::uint64_t{1}, P::sdc_lock, scope_) == 0;
  }
  /// Of an only owner's queue, the split is what it wrote itself.
  MGWS_FN void look() {
    at_.tail = B::load(head_->tail, P::sdc_look, scope_);
    if (shared_) at_.split = B::load(head_->split, P::sdc_look, scope_);
  }
  /// Under the lock.
  MGWS_FN void read() {
    at_.tail = B::load(head_->tail, P::sdc_read, scope_);
    if (shared_) at_.split = B::load(head_->split, P::sdc_read, scope_);
  }
  MGWS_FN void take(local_queue<B, Slot>& local, std::uint32_t n) {
    copy_slots<B>(local.slots(), local.head(), slots_, static_cast<std::uint32_t>(at_.split), n);
  }

  /// Slots that nobody uses, as far as is known. Another owner may have got further ahead than a
  /// ring since this one last learnt how far thieves have copied.
  [[nodiscard]] MGWS_FN std::uint32_t room() const {
    const std::uint64_t used = at_.split - copied_to_;
    return used >= slots_.capacity() ? 0 : slots_.capacity() - static_cast<std::uint32_t>(used);
  }
  /// Learns how far thieves have copied, if none of them is at it. The completions are read before
  /// the tail: read after it, they could be those of later claims, and make up for one that is
  /// not complete.
  MGWS_FN void reclaim() {
    const std::uint64_t copied = completed(P::sdc_check);
    look();
    if (copied == at_.tail) copied_to_ = copied;
  }

  sdc_head<B>* head_;
  ring<Slot> slots_;
  sdc_glance at_{0, 0};          ///< as last seen
  std::uint64_t copied_to_ = 0;  ///< all claims before this position are complete
  [[no_unique_address]] Scope scope_;
  bool shared_;
  std::uint32_t max_batch_;
};

}  // namespace mgws
