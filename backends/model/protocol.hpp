/// \file
/// The protocol table that the model backend runs core with: every entry names its step, and what
/// order and scope that step gets is looked up while the program runs. So one compiled program can
/// run core as it is and every mutant of it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include <mgws/backends/model/machine.hpp>
#include <mgws/backends/model/step.hpp>
#include <mgws/core/order.hpp>
#include <mgws/core/protocol.hpp>
#include <mgws/core/word.hpp>

namespace mgws::model_backend {

[[nodiscard]] constexpr memory_order model_order(order::relaxed_t) {
  return memory_order::relaxed;
}
[[nodiscard]] constexpr memory_order model_order(order::acquire_t) {
  return memory_order::acquire;
}
[[nodiscard]] constexpr memory_order model_order(order::release_t) {
  return memory_order::release;
}
[[nodiscard]] constexpr memory_order model_order(order::acq_rel_t) {
  return memory_order::acq_rel;
}

/// What core's own table says.
inline constexpr std::array<memory_order, k_steps> k_core_orders = [] {
  std::array<memory_order, k_steps> t{};
  const auto set = [&](step s, auto o) { t[static_cast<std::size_t>(s)] = model_order(o); };
  using P = mgws::protocol;
  set(step::look, P::look);
  set(step::claim, P::claim);
  set(step::complete, P::complete);
  set(step::lock_alone, P::lock_alone);
  set(step::lock_shared, P::lock_shared);
  set(step::check_reuse, P::check_reuse);
  set(step::check_room, P::check_room);
  set(step::check_quiet, P::check_quiet);
  set(step::publish, P::publish);
  set(step::reopen, P::reopen);
  set(step::snapshot, P::snapshot);
  set(step::bookkeep, P::bookkeep);
  set(step::sdc_look, P::sdc_look);
  set(step::sdc_lock, P::sdc_lock);
  set(step::sdc_read, P::sdc_read);
  set(step::sdc_split, P::sdc_split);
  set(step::sdc_move, P::sdc_move);
  set(step::sdc_take, P::sdc_take);
  set(step::sdc_unlock, P::sdc_unlock);
  set(step::sdc_publish, P::sdc_publish);
  set(step::sdc_complete, P::sdc_complete);
  set(step::sdc_check, P::sdc_check);
  set(step::sdc_check_quiet, P::sdc_check_quiet);
  set(step::board_seize, P::board_seize);
  set(step::board_show, P::board_show);
  set(step::board_claim, P::board_claim);
  set(step::board_complete, P::board_complete);
  set(step::board_free, P::board_free);
  set(step::board_check, P::board_check);
  set(step::frame_open, P::frame_open);
  set(step::frame_look, P::frame_look);
  set(step::frame_deliver, P::frame_deliver);
  set(step::frame_free, P::frame_free);
  set(step::frame_take, P::frame_take);
  set(step::finish_draw, P::finish_draw);
  set(step::finish_return, P::finish_return);
  set(step::finish_gather, P::finish_gather);
  set(step::return_part, P::return_part);
  set(step::return_link, P::return_link);
  set(step::return_finish, P::return_finish);
  set(step::return_take, P::return_take);
  set(step::return_settle, P::return_settle);
  set(step::return_check, P::return_check);
  set(step::inbox_put, P::inbox_put);
  set(step::inbox_room, P::inbox_room);
  set(step::inbox_wait, P::inbox_wait);
  set(step::inbox_enter, P::inbox_enter);
  set(step::inbox_leave, P::inbox_leave);
  set(step::inbox_look, P::inbox_look);
  set(step::inbox_check, P::inbox_check);
  set(step::inbox_read, P::inbox_read);
  set(step::inbox_end, P::inbox_end);
  set(step::bridge_ask, P::bridge_ask);
  set(step::bridge_notice, P::bridge_notice);
  set(step::bridge_ended, P::bridge_ended);
  set(step::bridge_sent, P::bridge_sent);
  set(step::load_initial, P::load_initial);
  set(step::stop, P::stop);
  set(step::over, P::over);
  set(step::ask, P::ask);
  set(step::beat, P::beat);
  set(step::idle_up, P::idle_up);
  set(step::idle_down, P::idle_down);
  set(step::idle_read, P::idle_read);
  set(step::idle_up_live, P::idle_up_live);
  set(step::idle_read_live, P::idle_read_live);
  set(step::device_idle_up, P::device_idle_up);
  set(step::device_idle_down, P::device_idle_down);
  set(step::vote, P::vote);
  set(step::read_vote, P::read_vote);
  return t;
}();

/// Changes of what core does, beyond orders, scopes and barriers. Each is made at the operations
/// that core asks the backend for, or in the layout, so that core itself stays as it is.
enum class behaviour : std::uint8_t {
  none,
  no_look,           ///< hazard 1
  lock_keeps_tasks,  ///< hazard 2: the lock leaves the fields, and a locked word is claimed on
  available_ignores_lock,  ///< hazard 2, one half
  block_ignores_lock,      ///< hazard 2, the other half
  use_looked_at_word,      ///< hazard 3
  keep_attempts,           ///< hazard 4: the unlock adds instead of storing
  claims_from_look,        ///< hazard 4: claimed is what was seen before the lock
  lock_not_taken,          ///< hazard 5
  lock_by_add,             ///< hazard 6
  split_operations,        ///< hazard 8
  no_reuse_check,          ///< hazard 9
  reset_counters,          ///< hazard 10
  complete_current_epoch,  ///< hazard 11
  no_room_check,           ///< hazard 12
  complete_before_copy,    ///< hazard 13
  wait_before_complete,    ///< hazard 14
  release_waits,           ///< hazard 9: waits instead of putting the release off
  no_room_reserved,        ///< hazard 15
  prose_sequence,          ///< hazard 16
  shift_unchecked,         ///< hazard 17
  full_width_capacity,     ///< hazard 18
  no_quiet_check,          ///< hazard 19
  complete_before_idle,    ///< hazard 20
  idle_after_unlock,       ///< hazard 21
  open_set_ignored,        ///< hazard 23
  over_unasked,            ///< the word that the run is over counts before anybody wrote it
  vote_not_sticky,         ///< hazard 24
  queue_freed_early,       ///< hazard 25
  spawn_blocks,            ///< hazard 26
  torn_look,               ///< hazard 27, each of three
  torn_snapshot,
  torn_publish,
  sdc_lock_not_taken,  ///< the queue with a lock: its write is lost
  sdc_lock_ignored,    ///< goes on though another one has the lock
  sdc_unlocked_early,  ///< unlocks, then moves the tail or the split
  sdc_keeps_lock,      ///< does not unlock if there was nothing to take
  sdc_completes_early,
  sdc_tail_first,  ///< reads the tail before the completions
  sdc_no_check,
  sdc_no_quiet_check,
  sdc_takes_unlocked,     ///< an owner takes back without the lock
  board_completes_early,  ///< the board, each of four
  board_freed_early,
  board_unchecked,
  board_claims_by_look,
  frame_counts_by_look,  ///< joins
  finish_draws_late,     ///< finishes, each of four
  finish_counts_by_look,
  finish_keeps_tokens,
  finish_gathers_late,
  return_unchecked,  ///< what comes back to frames of other devices
  inbox_unchecked,   ///< live runs, each of five
  inbox_taken_before_idle,
  inbox_gate_ignored,
  inbox_read_untold,
  submit_wakes_nobody,
  no_release_in_task,  ///< hazard 29
  no_wake_on_release,  ///< parking: nobody is told of new work
  stop_unseen_idle,    ///< requests to stop, each of five
  stop_unseen_asleep,
  cancel_wakes_nobody,
  stop_one_device,
  all_fail_first,
  one_idle_speaks,      ///< hierarchical: the first idle worker of a device speaks for all of it
  claims_one,           ///< a claim of several initial slots adds one
  bridge_sent_ignored,  ///< a bridge between domains
  bridge_more_ignored,  ///< a live run over one
};

/// What the program under check runs with.
struct settings {
  std::array<memory_order, k_steps> orders = k_core_orders;
  std::array<bool, k_steps> narrow{};
  behaviour changed = behaviour::none;
  const char* no_barrier_in = nullptr;  ///< a function whose barriers are left out
  int barrier_number = 0;               ///< of them in the order of the text; 0: all
};
inline settings current_settings;

/// Whether core's operations are to be changed at all.
[[nodiscard]] inline bool mutated() {
  return current_settings.changed != behaviour::none;
}
[[nodiscard]] inline bool changed(behaviour b) {
  return current_settings.changed == b;
}

/// An order of the model's table: a step's name, looked up when it is used.
template <step S>
struct order_of_step {};

template <step S>
[[nodiscard]] memory_order model_order(order_of_step<S>) {
  return current_settings.orders[static_cast<std::size_t>(S)];
}
template <class Order>
struct step_of {
  static constexpr step value = step::other;
};
template <step S>
struct step_of<order_of_step<S>> {
  static constexpr step value = S;
};

/// Core's layout at small widths, with the mutants of words and sequences.
template <unsigned AttemptBits, unsigned InitialBits, unsigned TailBits>
struct small_layout {
  using real = word_layout<AttemptBits, InitialBits, TailBits>;
  using word = typename real::word;
  static constexpr auto one_attempt = real::one_attempt;
  static constexpr auto locked = real::locked;
  static constexpr auto attempt_shift = real::attempt_shift;

  struct fields {
    std::uint32_t attempts;
    bool lock;
    std::uint32_t epoch;
    std::uint32_t initial;
    std::uint32_t tail;

    [[nodiscard]] typename real::fields plain() const {
      return {attempts, lock, epoch, initial, tail};
    }
    [[nodiscard]] std::uint32_t remaining() const {
      if (changed(behaviour::prose_sequence)) {
        // "Halve with every attempt, end after log2 n": what is left over is nobody's.
        const unsigned steps = initial < 2 ? 0 : std::bit_width(initial) - 1u;
        return attempts >= steps ? 0 : initial >> attempts;
      }
      if (changed(behaviour::shift_unchecked)) {
        // A shift by the attempts modulo a width, as processors do it; the width is small here.
        const unsigned by = attempts & 3;
        return (initial + (1u << by) - 1) >> by;
      }
      return plain().remaining();
    }
    [[nodiscard]] std::uint32_t claimed() const { return initial - remaining(); }
    [[nodiscard]] std::uint32_t block() const {
      if (changed(behaviour::block_ignores_lock) || changed(behaviour::lock_keeps_tasks))
        return steal_sequence::block(initial, attempts);
      if (changed(behaviour::prose_sequence) || changed(behaviour::shift_unchecked)) {
        if (lock) return 0;
        const std::uint32_t left = remaining();
        return left <= 1 ? left : left / 2;
      }
      return plain().block();
    }
  };

  [[nodiscard]] static word encode(const fields& f) {
    if (changed(behaviour::full_width_capacity)) {
      // One bit less: the capacity no longer fits and runs over into the epoch.
      using narrow = word_layout<AttemptBits + 1, InitialBits - 1, TailBits>;
      return narrow::encode({f.attempts, f.lock, f.epoch, f.initial, f.tail});
    }
    return real::encode(f.plain());
  }
  [[nodiscard]] static fields decode(word w) {
    if (changed(behaviour::full_width_capacity)) {
      using narrow = word_layout<AttemptBits + 1, InitialBits - 1, TailBits>;
      const auto f = narrow::decode(w);
      return {f.attempts, f.lock, f.epoch, f.initial, f.tail};
    }
    const auto f = real::decode(w);
    return {f.attempts, f.lock, f.epoch, f.initial, f.tail};
  }
  [[nodiscard]] static std::uint32_t available(word w) {
    const fields f = decode(w);
    const bool ignore =
        changed(behaviour::available_ignores_lock) || changed(behaviour::lock_keeps_tasks);
    return f.lock && !ignore ? 0 : f.remaining();
  }
};

/// \tparam Layout  a small_layout
template <class Layout>
struct protocol {
  using layout = Layout;
  static constexpr order_of_step<step::look> look{};
  static constexpr order_of_step<step::claim> claim{};
  static constexpr order_of_step<step::complete> complete{};
  static constexpr order_of_step<step::lock_alone> lock_alone{};
  static constexpr order_of_step<step::lock_shared> lock_shared{};
  static constexpr order_of_step<step::check_reuse> check_reuse{};
  static constexpr order_of_step<step::check_room> check_room{};
  static constexpr order_of_step<step::check_quiet> check_quiet{};
  static constexpr order_of_step<step::publish> publish{};
  static constexpr order_of_step<step::reopen> reopen{};
  static constexpr order_of_step<step::snapshot> snapshot{};
  static constexpr order_of_step<step::bookkeep> bookkeep{};
  static constexpr order_of_step<step::sdc_look> sdc_look{};
  static constexpr order_of_step<step::sdc_lock> sdc_lock{};
  static constexpr order_of_step<step::sdc_read> sdc_read{};
  static constexpr order_of_step<step::sdc_split> sdc_split{};
  static constexpr order_of_step<step::sdc_move> sdc_move{};
  static constexpr order_of_step<step::sdc_take> sdc_take{};
  static constexpr order_of_step<step::sdc_unlock> sdc_unlock{};
  static constexpr order_of_step<step::sdc_publish> sdc_publish{};
  static constexpr order_of_step<step::sdc_complete> sdc_complete{};
  static constexpr order_of_step<step::sdc_check> sdc_check{};
  static constexpr order_of_step<step::sdc_check_quiet> sdc_check_quiet{};
  static constexpr order_of_step<step::board_seize> board_seize{};
  static constexpr order_of_step<step::board_show> board_show{};
  static constexpr order_of_step<step::board_claim> board_claim{};
  static constexpr order_of_step<step::board_complete> board_complete{};
  static constexpr order_of_step<step::board_free> board_free{};
  static constexpr order_of_step<step::board_check> board_check{};
  static constexpr order_of_step<step::frame_open> frame_open{};
  static constexpr order_of_step<step::frame_look> frame_look{};
  static constexpr order_of_step<step::frame_deliver> frame_deliver{};
  static constexpr order_of_step<step::frame_free> frame_free{};
  static constexpr order_of_step<step::frame_take> frame_take{};
  static constexpr order_of_step<step::finish_draw> finish_draw{};
  static constexpr order_of_step<step::finish_return> finish_return{};
  static constexpr order_of_step<step::finish_gather> finish_gather{};
  static constexpr order_of_step<step::return_part> return_part{};
  static constexpr order_of_step<step::return_link> return_link{};
  static constexpr order_of_step<step::return_finish> return_finish{};
  static constexpr order_of_step<step::return_take> return_take{};
  static constexpr order_of_step<step::return_settle> return_settle{};
  static constexpr order_of_step<step::return_check> return_check{};
  static constexpr order_of_step<step::inbox_put> inbox_put{};
  static constexpr order_of_step<step::inbox_room> inbox_room{};
  static constexpr order_of_step<step::inbox_wait> inbox_wait{};
  static constexpr order_of_step<step::inbox_enter> inbox_enter{};
  static constexpr order_of_step<step::inbox_leave> inbox_leave{};
  static constexpr order_of_step<step::inbox_look> inbox_look{};
  static constexpr order_of_step<step::inbox_check> inbox_check{};
  static constexpr order_of_step<step::inbox_read> inbox_read{};
  static constexpr order_of_step<step::inbox_end> inbox_end{};
  static constexpr order_of_step<step::bridge_ask> bridge_ask{};
  static constexpr order_of_step<step::bridge_notice> bridge_notice{};
  static constexpr order_of_step<step::bridge_ended> bridge_ended{};
  static constexpr order_of_step<step::bridge_sent> bridge_sent{};
  static constexpr order_of_step<step::load_initial> load_initial{};
  static constexpr order_of_step<step::stop> stop{};
  static constexpr order_of_step<step::over> over{};
  static constexpr order_of_step<step::ask> ask{};
  static constexpr order_of_step<step::beat> beat{};
  static constexpr order_of_step<step::idle_up> idle_up{};
  static constexpr order_of_step<step::idle_down> idle_down{};
  static constexpr order_of_step<step::idle_read> idle_read{};
  static constexpr order_of_step<step::idle_up_live> idle_up_live{};
  static constexpr order_of_step<step::idle_read_live> idle_read_live{};
  static constexpr order_of_step<step::device_idle_up> device_idle_up{};
  static constexpr order_of_step<step::device_idle_down> device_idle_down{};
  static constexpr order_of_step<step::vote> vote{};
  static constexpr order_of_step<step::read_vote> read_vote{};
};

}  // namespace mgws::model_backend
