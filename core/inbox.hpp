/// \file
/// Inboxes: how tasks come to the workers of a run that goes on (live runs). A producer outside of
/// the run writes slots into a ring, in memory that it and the workers of one device reach; loads
/// and stores are enough there, and every word has a single writer. Workers that look for work let
/// one of them at a time through a gate near them, which takes what has come.
///
/// A task in an inbox is as one in the first worker's queue: that worker counts as having work
/// until all inboxes are closed and all of it was taken, whoever took it; so termination needs no
/// more than it did. docs/protocol.md has the proof.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/backend.hpp>
#include <mgws/core/local_queue.hpp>
#include <mgws/core/policy.hpp>
#include <mgws/core/ring.hpp>
#include <mgws/core/run.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// What a producer and workers tell each other. A line for each writer.
template <class B>
struct inbox_head {
  /// Twice the slots that were written so far, and 1 more once there will be no others. The
  /// producer's.
  alignas(B::line) atomic_of<B, std::uint64_t> written{};
  static constexpr std::uint64_t closed = 1;

  /// Slots that were copied away, or up to half a ring fewer. Theirs who are behind the gate.
  alignas(B::line) atomic_of<B, std::uint64_t> read{};

  /// Twice (1 more than the first slots of which so many have ended, with all that they have
  /// spawned, and with the initial set), and 1 more if others may come to this domain from outside
  /// of the run; 0 before anything is known. The first worker's.
  alignas(B::line) atomic_of<B, std::uint64_t> ended{};
};

/// More workers than come to a gate while somebody is behind it.
inline constexpr std::uint64_t k_gate_opened = 1 << 16;

/// What the workers of a device share of an inbox, in its memory.
template <class B>
struct inbox_gate {
  /// Slots that were taken, times k_gate_opened, and how many workers have come since it was last
  /// open: the first of them is behind it. One word, so that who leaves says both by one release.
  /// Enough for 2^48 slots, some hundred days of them.
  alignas(B::line) atomic_of<B, std::uint64_t> taken{};
  /// inbox_head::written as the last one behind it saw it.
  atomic_of<B, std::uint64_t> written{};
  /// inbox_head::ended, as its writer left it.
  atomic_of<B, std::uint64_t> told{};
};

/// Goes behind a gate, unless somebody is there. Never waits. Each worker has come at most once
/// since it was open (docs/protocol.md).
/// \param taken  set to the slots that were taken, if it returns true
template <class P, class V, class B>
[[nodiscard]] MGWS_FN bool enter_gate(inbox_gate<B>& gate, std::uint64_t& taken) {
  if (B::load(gate.taken, P::look, V::global_scope) % k_gate_opened != 0) return false;
  const std::uint64_t before =
      B::fetch_add(gate.taken, std::uint64_t{1}, P::inbox_enter, V::global_scope);
  taken = before / k_gate_opened;
  return before % k_gate_opened == 0;
}
/// Opens it again. \pre behind it
template <class P, class V, class B>
MGWS_FN void leave_gate(inbox_gate<B>& gate, std::uint64_t taken) {
  B::store(gate.taken, taken * k_gate_opened, P::inbox_leave, V::global_scope);
}

/// Slots that were taken until now.
template <class P, class V, class B>
[[nodiscard]] MGWS_FN std::uint64_t taken_of(const inbox_gate<B>& gate) {
  return B::load(gate.taken, P::inbox_check, V::global_scope) / k_gate_opened;
}

/// Whether a producer is to hear now that its slots were read: whenever another half of its ring
/// was. So it finds at least a half free once all was taken, and who takes need not wait for a word
/// to go to other memory each time.
/// \param capacity  a power of two
[[nodiscard]] MGWS_FN constexpr bool passes_half(std::uint64_t taken, std::uint32_t n,
                                                 std::uint32_t capacity) {
  return (taken ^ (taken + n)) >= (capacity + 1) / 2;
}

/// Takes some of what has come into a ring, a guided part, into an empty local queue, unless
/// somebody else is behind the gate. Never waits. One lane.
/// \tparam Looks  at the producer's word, if there is nothing new
/// \param takers  workers that take from the ring \param least, most  as policy::claim_of
/// \param regained  called before the slots count as taken (as hazard 20)
/// \param took      called when they are local
/// \param none  none(taken): called behind the gate if there are none
/// \return slots
template <class P, class V, std::uint32_t Looks, class B, class Slot, class Regained, class Took,
          class None>
MGWS_FN std::uint32_t take_through_gate(inbox_gate<B>& gate, inbox_head<B>& head, ring<Slot> from,
                                        std::uint32_t takers, local_queue<B, Slot>& local,
                                        std::uint32_t slots_of_step, std::uint32_t least,
                                        std::uint32_t most, Regained&& regained, Took&& took,
                                        None&& none) {
  std::uint64_t taken = 0;
  if (!enter_gate<P, V>(gate, taken)) return 0;
  std::uint64_t written = 0;
  std::uint64_t left = 0;
  for (std::uint32_t looks = 0; looks != Looks && left == 0; ++looks) {
    written = B::load(head.written, P::inbox_look, scope::system);
    left = (written >> 1) - taken;
  }
  B::store(gate.written, written, P::bookkeep, V::global_scope);
  std::uint32_t n = 0;
  if (left == 0) {
    none(taken);
  } else {
    const auto at = static_cast<std::uint32_t>(taken);
    if (left == 1) {
      // Over a bus it takes as long to come as this worker needs to leave the idle count.
      n = 1;
      const Slot lone = B::read_plain(from.at(at));
      regained();
      local.slots().at(local.head()) = lone;
    } else {
      n = policy::claim_of(left, 1.0f / static_cast<float>(takers), slots_of_step, least, most);
      n = static_cast<std::uint32_t>(std::min<std::uint64_t>({n, left, local.room()}));
      copy_slots<B>(local.slots(), local.head(), from, at, n);
      regained();
    }
    local.added_newest(n);
    took();
    if (passes_half(taken, n, from.capacity()))
      B::store(head.read, taken + n, P::inbox_read, scope::system);
  }
  leave_gate<P, V>(gate, taken + n);
  return n;
}

/// Says how far what came into a ring has ended, with all that it has spawned. The first worker's.
/// \pre this worker has nothing, for good but for what comes from outside
/// \param more  whether tasks may come to this domain from outside of the run
/// \param idle  idle(): whether all others count as idle
/// \return whether all that was taken has ended
template <class P, class V, class B, class Idle>
MGWS_FN bool tell_ended(inbox_gate<B>& gate, inbox_head<B>& head, bool more, Idle&& idle) {
  // In this order: what was taken until now has left the hands of all that are idle now.
  const std::uint64_t taken = taken_of<P, V>(gate);
  const std::uint64_t ended = (taken + 1) << 1 | static_cast<std::uint64_t>(more);
  if (ended == B::load(gate.told, P::bookkeep, V::global_scope)) return true;
  if (!idle()) return false;
  B::store(gate.told, ended, P::bookkeep, V::global_scope);
  B::store(head.ended, ended, P::inbox_end, scope::system);
  return true;
}

/// A worker's way to the inboxes: those of its device, run_parameters::inboxes of them; the first
/// worker's to those of all devices. One lane runs all of it.
template <class P, class V, class Slot>
class inbox_reader {
  using B = typename V::backend;

 public:
  /// Takes some of what has come into one of the inboxes, which are looked at in turn, into an
  /// empty local queue: take_through_gate().
  template <class Regained>
  [[gnu::noinline]] MGWS_FN std::uint32_t take(const V& view, const run_parameters& run,
                                               const worker_place& place,
                                               local_queue<B, Slot>& local,
                                               std::uint32_t slots_of_step, std::uint32_t least,
                                               std::uint32_t most, Regained&& regained) {
    const std::uint32_t device = place.id == 0 ? next_ / run.inboxes : place.device;
    const std::uint32_t i = next_ % run.inboxes;
    next_ = next_ + 1 < (place.id == 0 ? run.devices : 1) * run.inboxes ? next_ + 1 : 0;
    return take_through_gate<P, V, B::looks_at_once>(
        view.inbox_gate(device, i), view.inbox(device, i),
        ring<Slot>(static_cast<Slot*>(view.inbox_slots(device, i)), run.inbox_capacity),
        run.device[device].workers, local, slots_of_step, least, most, regained, [] {},
        [](std::uint64_t /*taken*/) {});
  }

  /// Whether an inbox shows what was not taken, or, for the first worker, that it was closed, by a
  /// look past the gate.
  [[nodiscard]] MGWS_FN static bool shows(const V& view, const run_parameters& run,
                                          const worker_place& place) {
    const bool first = place.id == 0;
    for (std::uint32_t d = first ? 0 : place.device; d != (first ? run.devices : place.device + 1);
         ++d)
      for (std::uint32_t i = 0; i != run.inboxes; ++i) {
        const std::uint64_t written = B::load(view.inbox(d, i).written, P::look, scope::system);
        const std::uint64_t taken =
            B::load(view.inbox_gate(d, i).taken, P::look, V::global_scope) / k_gate_opened;
        if (written >> 1 != taken || (first && (written & inbox_head<B>::closed) != 0)) return true;
      }
    return false;
  }

  // ---- The first worker ----

  /// Whether tasks may still come, or wait to be taken: then it counts as having work.
  [[nodiscard]] MGWS_FN bool open(const V& view, const run_parameters& run) {
    for (std::uint32_t d = 0; open_ && d != run.devices; ++d)
      for (std::uint32_t i = 0; i != run.inboxes; ++i) {
        const inbox_gate<B>& gate = view.inbox_gate(d, i);
        const std::uint64_t written = B::load(gate.written, P::bookkeep, V::global_scope);
        // Who takes the last one has left the idle count by then, and this worker enters it after.
        if ((written & inbox_head<B>::closed) == 0 || taken_of<P, V>(gate) != written >> 1)
          return true;
      }
    open_ = false;
    return false;
  }

  /// For the producers: how far everything has ended. \pre this worker has nothing, for good but
  /// for what comes from outside \param idle  idle(): whether all others count as idle
  template <class Idle>
  MGWS_FN void tell(const V& view, const run_parameters& run, Idle&& idle) const {
    for (std::uint32_t d = 0; d != run.devices; ++d)
      for (std::uint32_t i = 0; i != run.inboxes; ++i)
        tell_ended<P, V>(view.inbox_gate(d, i), view.inbox(d, i), true, idle);
  }

 private:
  std::uint32_t next_ = 0;
  bool open_ = true;
};

/// The producer's side of one inbox, on the host. One thread at a time.
template <class P, class V, class Slot>
class inbox_writer {
  using B = typename V::backend;

 public:
  /// \param device, number  of the inbox \param capacity  slots of its ring
  inbox_writer(const V& view, std::uint32_t device, std::uint32_t number, std::uint32_t capacity)
      : head_(&view.inbox(device, number)),
        ring_(static_cast<Slot*>(view.inbox_slots(device, number)), capacity) {}

  /// \param write  write(slot): writes a slot \return false if the ring is full: workers have not
  /// copied away enough
  template <class Write>
  [[nodiscard]] bool put(Write&& write) {
    if (written_ - read_ == ring_.capacity()) {
      read_ = B::load(head_->read, P::inbox_room, scope::system);
      if (written_ - read_ == ring_.capacity()) return false;
    }
    write(ring_.at(static_cast<std::uint32_t>(written_)));
    ++written_;
    B::store(head_->written, written_ << 1, P::inbox_put, scope::system);
    return true;
  }
  /// No others will come.
  void close() {
    B::store(head_->written, written_ << 1 | inbox_head<B>::closed, P::inbox_put, scope::system);
  }

  // ---- Any thread ----

  /// Slots that were written so far.
  [[nodiscard]] std::uint64_t written() const {
    return B::load(head_->written, order::relaxed, scope::system) >> 1;
  }
  /// Whether the first so many have ended, with all that they have spawned, and with the initial
  /// set; what all of them wrote is seen then.
  [[nodiscard]] bool ended(std::uint64_t written) const {
    return B::load(head_->ended, P::inbox_wait, scope::system) >> 1 > written;
  }

 private:
  inbox_head<B>* head_;
  ring<Slot> ring_;
  std::uint64_t written_ = 0;
  std::uint64_t read_ = 0;
};

}  // namespace mgws
