/// \file
/// What the mutants of `behaviour` do to the operations that core asks for. Nothing here is used
/// when core runs as it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <mgws/backends/model/machine.hpp>
#include <mgws/backends/model/operations.hpp>
#include <mgws/backends/model/protocol.hpp>
#include <mgws/core/inbox.hpp>
#include <mgws/core/run.hpp>

namespace mgws::model_backend {

/// The atomics of one queue and the meaning of its word, so that mutants can get from one to the
/// other.
struct known_queue {
  atomic<std::uint64_t>* word = nullptr;
  atomic<std::uint64_t>* completed[2]{};
  atomic<std::uint64_t>* claimed[2]{};
  bool shared = false;
  std::uint64_t locked = 0;
  std::uint64_t (*epoch_of)(std::uint64_t word) = nullptr;
  std::uint64_t (*block_of)(std::uint64_t word) = nullptr;
  std::uint64_t (*claimed_of)(std::uint64_t word) = nullptr;
};
inline constexpr unsigned k_known_queues = 4;
inline known_queue known_queues[k_known_queues];

/// The same of a queue with a lock.
struct known_sdc_queue {
  const atomic<std::uint64_t>* tail = nullptr;
  const atomic<std::uint64_t>* split = nullptr;
  const atomic<std::uint64_t>* completed = nullptr;
};
inline known_sdc_queue known_sdc;

/// The same of a board.
struct known_board {
  atomic<std::uint64_t>* left = nullptr;
  atomic<std::uint64_t>* taken = nullptr;
  atomic<std::uint32_t>* busy = nullptr;
};
inline constexpr unsigned k_boards = 2;
inline known_board known_boards[k_boards];

/// What was written into the only inbox, where mutants must know.
inline const atomic<std::uint64_t>* known_inbox = nullptr;

/// What a fiber did that a mutant must know. Lies in the machine's arena; touched by mutants only.
struct lane_notes {
  std::uint64_t looked;           ///< the word it saw last
  std::uint64_t claimed_word;     ///< that its last claim returned
  std::uint32_t claim_queue;      ///< 1 + the queue of a claim that is not completed
  std::uint32_t completed_early;  ///< the completion that comes was made already
  std::uint32_t holds_lock;
  std::uint32_t late_idle;    ///< 1 + location of a decrement of the idle count, put off
  std::uint32_t behind_gate;  ///< of an inbox
  std::uint32_t in_task;
  std::uint32_t own_queue;           ///< 1 + it, if scenarios tell
  const atomic<std::uint32_t>* now;  ///< its worker's phase, likewise
  std::uint32_t to_sleep;            ///< it has said that it is about to sleep
  std::uint64_t drawn_late;          ///< tokens that its finish has not been told of
  std::uint64_t gathered_late;       ///< what was contributed to it, likewise
  std::uint32_t gathered_in;         ///< its location
  std::uint32_t sdc_moved;           ///< 1 + what it has moved under the lock: tail or split
  std::uint64_t sdc_value;           ///< to where
  std::uint32_t sdc_block;           ///< slots that it claims
  std::uint32_t sdc_looked;          ///< 1 + the tail that it looked at before its turn
};
inline lane_notes* notes_of_fibers = nullptr;
[[nodiscard]] inline lane_notes& notes() {
  return notes_of_fibers[the_machine().self_number()];
}

[[nodiscard]] inline unsigned queue_of_word(std::uint16_t location) {
  for (unsigned q = 0; q != k_known_queues; ++q)
    if (known_queues[q].word != nullptr && known_queues[q].word->location() == location) return q;
  return k_known_queues;
}
[[nodiscard]] inline unsigned queue_of_counter(std::uint16_t location, unsigned& epoch) {
  for (unsigned q = 0; q != k_known_queues; ++q)
    for (epoch = 0; epoch != 2; ++epoch)
      if (known_queues[q].word != nullptr &&
          known_queues[q].completed[epoch]->location() == location)
        return q;
  return k_known_queues;
}

[[nodiscard]] inline const known_board& board_of(std::uint16_t left) {
  const bool second = known_boards[1].left != nullptr && known_boards[1].left->location() == left;
  return known_boards[second ? 1 : 0];
}

/// Bits of the word that a torn access takes from its first half.
inline constexpr std::uint64_t k_low_half = 0xf;

/// The completion of this fiber's claim, made now, out of its place.
inline void complete_now() {
  lane_notes& n = notes();
  const known_queue& q = known_queues[n.claim_queue - 1];
  request r =
      make_request<scope::system_t>(op::add, q.completed[q.epoch_of(n.claimed_word)]->location(),
                                    q.block_of(n.claimed_word), order_of_step<step::complete>{});
  n.claim_queue = 0;
  n.completed_early = 1;
  modify(r);
}

/// Whether all claims of a closed epoch of this queue are complete, as it stands.
[[nodiscard]] inline bool all_complete(const known_queue& q, unsigned epoch) {
  return q.completed[epoch]->peek() == q.claimed[epoch]->peek();
}

/// Waits until nobody copies from this fiber's own queue any more.
inline void wait_for_own_thieves() {
  const unsigned own = notes().own_queue;
  if (own == 0) return;
  const known_queue& q = known_queues[own - 1];
  const auto busy = [&] {
    const std::uint64_t word = q.word->peek();
    const std::uint64_t now = (word & q.locked) != 0 ? 0 : q.claimed_of(word);
    return q.completed[0]->peek() + q.completed[1]->peek() !=
           q.claimed[0]->peek() + q.claimed[1]->peek() + now;
  };
  // A step first: what was claimed before is seen by who waits.
  the_machine().call({.kind = op::act});
  while (busy())
    the_machine().call({.kind = op::pause});
}

/// What a completion counter would show if every claim of its epoch were complete.
[[nodiscard]] inline std::uint64_t as_if_complete(std::uint16_t location, step s) {
  unsigned epoch = 0;
  const known_queue& q = known_queues[queue_of_counter(location, epoch)];
  std::uint64_t v = q.claimed[epoch]->peek();
  const std::uint64_t word = q.word->peek();
  if (s == step::check_quiet && !q.shared && q.epoch_of(word) == epoch) v += q.claimed_of(word);
  return v;
}

/// Whether this fiber's worker is in this phase, as far as scenarios tell.
[[nodiscard]] inline bool is(phase p) {
  return notes().now != nullptr && notes().now->peek() == static_cast<std::uint32_t>(p);
}

/// Counts along the run what a load has shown.
template <step S>
void note_loaded(std::uint64_t v) {
  if (v == 0) return;
  if constexpr (S == step::over) the_machine().reach(milestone::heard_over);
  if constexpr (S == step::ask)
    if (is(phase::working)) the_machine().reach(milestone::sign_seen);
  if constexpr (S == step::stop) {
    if (is(phase::working)) the_machine().reach(milestone::stop_working);
    if (is(phase::searching)) the_machine().reach(milestone::stop_searching);
    if (is(phase::idle)) the_machine().reach(milestone::stop_idle);
  }
}

inline std::uint64_t changed_load(const request& r) {
  machine& m = the_machine();
  const auto s = static_cast<step>(r.step);
  switch (s) {
    case step::stop:
      if (changed(behaviour::stop_unseen_idle) && is(phase::idle) && notes().to_sleep == 0)
        return 0;
      if (changed(behaviour::stop_unseen_asleep) && notes().to_sleep != 0) return 0;
      break;
    case step::look:
      if (changed(behaviour::torn_look)) {
        const std::uint64_t low = m.call(r);
        return (low & k_low_half) | (m.call(r) & ~k_low_half);
      }
      return notes().looked = m.call(r);
    case step::frame_look:
      return notes().looked = m.call(r);
    case step::snapshot:
      if (changed(behaviour::torn_snapshot)) {
        const std::uint64_t low = m.call(r);
        return (low & k_low_half) | (m.call(r) & ~k_low_half);
      }
      break;
    case step::over:
      if (changed(behaviour::over_unasked)) return 1;
      break;
    case step::check_reuse:
      if (changed(behaviour::no_reuse_check)) return as_if_complete(r.location, s);
      if (changed(behaviour::release_waits)) {
        unsigned epoch = 0;
        const known_queue& q = known_queues[queue_of_counter(r.location, epoch)];
        while (!all_complete(q, epoch))
          m.call({.kind = op::pause});
      }
      if (changed(behaviour::no_release_in_task) && notes().in_task != 0) return ~std::uint64_t{0};
      break;
    case step::check_room:
      if (changed(behaviour::no_room_check)) return as_if_complete(r.location, s);
      break;
    case step::check_quiet:
      if (changed(behaviour::no_quiet_check)) return as_if_complete(r.location, s);
      break;
    case step::sdc_check:
      if (changed(behaviour::sdc_no_check)) return known_sdc.tail->peek();
      if (changed(behaviour::sdc_tail_first))
        notes().sdc_looked =
            1 + static_cast<std::uint32_t>(m.call(make_request<scope::system_t>(
                    op::load, known_sdc.tail->location(), 0, order_of_step<step::sdc_look>{})));
      break;
    case step::sdc_look:
      if (r.location == known_sdc.tail->location() && notes().sdc_looked != 0)
        return std::exchange(notes().sdc_looked, 0u) - 1;
      break;
    case step::sdc_check_quiet:
      if (changed(behaviour::sdc_no_quiet_check)) return known_sdc.split->peek();
      break;
    case step::board_check:
      if (changed(behaviour::board_unchecked)) return ~std::uint64_t{0} >> 2;
      break;
    case step::bridge_ended:
      if (changed(behaviour::bridge_more_ignored)) return m.call(r) & ~std::uint64_t{1};
      break;
    case step::bridge_sent:
      if (changed(behaviour::bridge_sent_ignored)) return 0;
      break;
    case step::return_check:
      if (changed(behaviour::return_unchecked)) return 0;
      break;
    case step::inbox_check:
      if (changed(behaviour::inbox_unchecked)) return (known_inbox->peek() >> 1) * k_gate_opened;
      break;
    default:
      break;
  }
  return m.call(r);
}

/// The decrement of the idle count that a mutant has put off.
inline void leave_idle_late() {
  lane_notes& n = notes();
  if (n.late_idle == 0) return;
  const auto at = static_cast<std::uint16_t>(n.late_idle - 1);
  n.late_idle = 0;
  modify(make_request<scope::system_t>(op::add, at, ~std::uint64_t{0},
                                       order_of_step<step::idle_down>{}));
}

/// What is stored under the lock of a queue that has one, and the unlock.
inline void changed_sdc_store(const request& r) {
  machine& m = the_machine();
  lane_notes& n = notes();
  if (static_cast<step>(r.step) != step::sdc_unlock) {
    n.sdc_moved = r.location + 1u;
    n.sdc_value = r.value;
    if (static_cast<step>(r.step) == step::sdc_move)
      n.sdc_block = static_cast<std::uint32_t>(r.value - known_sdc.tail->peek());
    if (!changed(behaviour::sdc_unlocked_early)) m.call(r);
    return;
  }
  const std::uint32_t moved = std::exchange(n.sdc_moved, 0u);
  if (changed(behaviour::sdc_keeps_lock) && moved == 0) return;
  if (!changed(behaviour::sdc_takes_unlocked) || n.own_queue == 0) m.call(r);
  if (changed(behaviour::sdc_unlocked_early) && moved != 0)
    m.call(make_request<scope::system_t>(op::store, static_cast<std::uint16_t>(moved - 1),
                                         n.sdc_value, order_of_step<step::sdc_move>{}));
  const std::uint32_t block = std::exchange(n.sdc_block, 0u);
  if (changed(behaviour::sdc_completes_early) && block != 0) {
    modify(make_request<scope::system_t>(op::add, known_sdc.completed->location(), block,
                                         order_of_step<step::sdc_complete>{}));
    n.completed_early = 1;
  }
}

inline void changed_store(request r) {
  machine& m = the_machine();
  const auto s = static_cast<step>(r.step);
  if (s == step::sdc_move || s == step::sdc_take || s == step::sdc_unlock)
    return changed_sdc_store(r);
  if (s == step::inbox_read && changed(behaviour::inbox_read_untold)) return;
  if (s != step::publish && s != step::reopen) {
    m.call(r);
    if (s == step::inbox_leave) {
      notes().behind_gate = 0;
      leave_idle_late();
    }
    return;
  }
  const known_queue& q = known_queues[queue_of_word(r.location)];
  lane_notes& n = notes();
  if (changed(behaviour::keep_attempts)) {
    r.kind = op::add;
    r.value -= q.locked;
    modify(r);
    return;
  }
  if (changed(behaviour::torn_publish)) {
    // The upper half first. The lower half of the locked word is 0, so adding is writing it.
    request upper = r;
    upper.value = r.value & ~k_low_half;
    m.call(upper);
    r.kind = op::add;
    r.value &= k_low_half;
    m.call(r);
    return;
  }
  const bool resets = changed(behaviour::reset_counters) && s == step::publish;
  const std::uint64_t epoch = q.epoch_of(r.value);
  if (resets) q.claimed[epoch]->plain() = 0;
  m.call(r);
  if (resets)
    m.call(make_request<scope::system_t>(op::store, q.completed[epoch]->location(), 0,
                                         order::relaxed));
  n.holds_lock = 0;
  leave_idle_late();
}

inline std::uint64_t changed_exchange(request r) {
  const auto s = static_cast<step>(r.step);
  if (s == step::sdc_lock) {
    if (changed(behaviour::sdc_takes_unlocked) && notes().own_queue != 0) return 0;
    if (changed(behaviour::sdc_lock_not_taken)) {
      r.kind = op::load;
      r.fresh = true;
      return the_machine().call(r);
    }
    const std::uint64_t before = modify(r);
    return changed(behaviour::sdc_lock_ignored) ? 0 : before;
  }
  if (s != step::lock_alone && s != step::lock_shared) return modify(r);
  const known_queue& q = known_queues[queue_of_word(r.location)];
  if (changed(behaviour::lock_not_taken)) {
    r.kind = op::load;
    r.fresh = true;
    return the_machine().call(r);
  }
  if (changed(behaviour::lock_by_add) || changed(behaviour::lock_keeps_tasks)) r.kind = op::add;
  if (changed(behaviour::claims_from_look)) {
    modify(r);
    return notes().looked;
  }
  const std::uint64_t before = modify(r);
  if (changed(behaviour::idle_after_unlock) && (before & q.locked) == 0) notes().holds_lock = 1;
  return before;
}

inline std::uint64_t changed_add(request r) {
  machine& m = the_machine();
  lane_notes& n = notes();
  switch (static_cast<step>(r.step)) {
    case step::claim: {
      const unsigned number = queue_of_word(r.location);
      const std::uint64_t looked = n.looked;
      const std::uint64_t word = modify(r);
      if (changed(behaviour::use_looked_at_word)) return looked;
      if (known_queues[number].block_of(word) == 0) return word;
      n.claim_queue = number + 1;
      n.claimed_word = word;
      if (changed(behaviour::complete_before_copy)) complete_now();
      return word;
    }
    case step::complete:
      if (n.completed_early != 0) {
        n.completed_early = 0;
        return 0;
      }
      if (changed(behaviour::wait_before_complete)) wait_for_own_thieves();
      if (changed(behaviour::complete_current_epoch)) {
        unsigned epoch = 0;
        const known_queue& q = known_queues[queue_of_counter(r.location, epoch)];
        const std::uint64_t word = the_machine().call(make_request<scope::system_t>(
            op::load, q.word->location(), 0, order_of_step<step::look>{}));
        r.location = q.completed[q.epoch_of(word)]->location();
      }
      n.claim_queue = 0;
      break;
    case step::sdc_complete:
      if (n.completed_early != 0) {
        n.completed_early = 0;
        return 0;
      }
      break;
    case step::board_claim: {
      const std::uint64_t looked = n.looked;
      const std::uint64_t word = modify(r);
      if (changed(behaviour::board_claims_by_look)) return looked;
      const auto left = -static_cast<std::int64_t>(word);
      if (left <= 0) return word;
      const known_board& board = board_of(r.location);
      const auto claimed = std::min(left, static_cast<std::int64_t>(r.value));
      if (changed(behaviour::board_completes_early)) {
        modify(make_request<scope::system_t>(op::add, board.taken->location(),
                                             static_cast<std::uint64_t>(claimed),
                                             order_of_step<step::board_complete>{}));
        n.completed_early = 1;
      }
      if (changed(behaviour::board_freed_early) && claimed == left)
        m.call(make_request<scope::system_t>(op::store, board.busy->location(), 0,
                                             order_of_step<step::board_free>{}));
      return word;
    }
    case step::inbox_enter: {
      const std::uint64_t word = modify(r);
      if (word % k_gate_opened == 0) n.behind_gate = 1;
      return changed(behaviour::inbox_gate_ignored) ? word - word % k_gate_opened : word;
    }
    case step::frame_deliver: {
      const std::uint64_t looked = n.looked;
      const std::uint64_t word = modify(r);
      return changed(behaviour::frame_counts_by_look) ? looked : word;
    }
    case step::finish_draw:
      if (changed(behaviour::finish_draws_late)) {
        n.drawn_late += r.value;
        return 0;
      }
      break;
    case step::finish_gather:
      if (changed(behaviour::finish_gathers_late)) {
        n.gathered_late = r.value;
        n.gathered_in = r.location;
        return 0;
      }
      break;
    case step::finish_return: {
      if (n.gathered_late != 0) {
        const std::uint64_t word = modify(r);
        modify(make_request<scope::system_t>(op::add, static_cast<std::uint16_t>(n.gathered_in),
                                             std::exchange(n.gathered_late, std::uint64_t{0}),
                                             order_of_step<step::finish_gather>{}));
        return word;
      }
      if (changed(behaviour::finish_keeps_tokens)) return 0;
      if (changed(behaviour::finish_counts_by_look)) {
        request look = r;
        look.kind = op::load;
        const std::uint64_t looked = m.call(look);
        modify(r);
        return looked;
      }
      if (changed(behaviour::finish_draws_late) && n.drawn_late != 0) {
        // It had fewer than it thinks: what it was told of and gives back now comes out the same.
        request late = r;
        late.value = std::exchange(n.drawn_late, std::uint64_t{0});
        modify(late);
      }
      break;
    }
    case step::board_complete:
      if (n.completed_early != 0) {
        // Who completes last frees the board: as it would have seen it.
        n.completed_early = 0;
        request look = r;
        look.kind = op::load;
        look.fresh = true;
        look.order = memory_order::relaxed;
        return the_machine().call(look) - r.value;
      }
      break;
    case step::idle_down:
    case step::device_idle_down:
      if (changed(behaviour::complete_before_idle) && n.claim_queue != 0) complete_now();
      if ((changed(behaviour::idle_after_unlock) && n.holds_lock != 0) ||
          (changed(behaviour::inbox_taken_before_idle) && n.behind_gate != 0)) {
        n.late_idle = r.location + 1u;
        return 0;
      }
      break;
    case step::load_initial:
      if (changed(behaviour::open_set_ignored)) {
        // Once others have begun with the set, this worker takes it as used up.
        request look = r;
        look.kind = op::load;
        look.fresh = true;
        if (the_machine().call(look) != 0) return ~std::uint64_t{0} >> 1;
      }
      if (changed(behaviour::claims_one)) r.value = 1;
      break;
    case step::other:
      if (changed(behaviour::all_fail_first)) {
        modify(r);
        return 0;
      }
      break;
    default:
      break;
  }
  return modify(r);
}

}  // namespace mgws::model_backend
