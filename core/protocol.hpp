/// \file
/// The steps of the queue protocol and the memory order that each asks for, as one table. Core
/// takes the table as a template parameter, so that a checker can weaken one entry at a time and
/// see what it was for; a program always uses `protocol`.
#pragma once

#include <mgws/core/order.hpp>
#include <mgws/core/word.hpp>

namespace mgws {

struct protocol {
  using layout = word_layout<>;

  // ---- Thief ----

  /// Looking at a word before claiming. Only a hint: the add decides.
  static constexpr auto look = order::relaxed;
  /// The claim. Acquire: the slots were written before the word was published. Thieves' adds
  /// continue the release sequence that the owner's publishing store heads, so every thief of an
  /// epoch synchronizes with the owner, not only the first.
  static constexpr auto claim = order::acquire;
  /// The completion. Release: the copy of the slots, and the decrement of the idle count before
  /// it, happen before the owner sees the block as done (hazards 13 and 20).
  static constexpr auto complete = order::release;

  // ---- Owner ----

  /// The lock of a queue with one owner. Relaxed: nobody else writes what it protects.
  static constexpr auto lock_alone = order::relaxed;
  /// The lock of a queue with several owners. Acquire: the other owner's changes to the ring and
  /// the owners' state come before its publishing store.
  static constexpr auto lock_shared = order::acquire;
  /// Reading a completion counter before an epoch's number is used again (hazard 9). Acquire:
  /// thieves' reads of a slot come before the owner writes it again.
  static constexpr auto check_reuse = order::acquire;
  /// The same to learn which slots are free (hazard 12), for the same reason.
  static constexpr auto check_room = order::acquire;
  /// The same to learn whether the queue is empty for good (hazard 19). Acquire: a thief left the
  /// idle count before it completed, and this owner enters it after.
  static constexpr auto check_quiet = order::acquire;
  /// Publishing a batch, which is also the unlock. Release: the slots are written.
  static constexpr auto publish = order::release;
  /// Unlocking with the batch as it was. Release: this store ends the release sequence of the one
  /// that published the slots.
  static constexpr auto reopen = order::release;
  /// The snapshot that decides that a queue is empty for good (hazard 19). Relaxed: only its owner
  /// can make an empty queue less empty, and check_quiet, read after it, synchronizes with thieves.
  static constexpr auto snapshot = order::relaxed;
  /// The owners' bookkeeping: private, or protected by the lock; atomic only for the dump.
  static constexpr auto bookkeep = order::relaxed;

  // ---- The queue with a lock (sdc_queue.hpp) ----

  /// Looking at tail and split without the lock. A hint; an only owner, who knows its split, sees a
  /// tail that is too small at worst.
  static constexpr auto sdc_look = order::relaxed;
  /// The lock. Acquire: the tail that the last one has moved, and the split that an owner has taken
  /// back, are read next.
  static constexpr auto sdc_lock = order::acquire;
  /// Reading under the lock what is written under it.
  static constexpr auto sdc_read = order::relaxed;
  /// A thief's reading of the split. Acquire: an only owner writes the slots and then the split,
  /// without the lock.
  static constexpr auto sdc_split = order::acquire;
  /// Moving the tail, and the split back, under the lock.
  static constexpr auto sdc_move = order::relaxed;
  static constexpr auto sdc_take = order::relaxed;
  /// The unlock. Release: what was moved; and it ends the release sequence of the unlock before.
  static constexpr auto sdc_unlock = order::release;
  /// Moving the split forward. Release: the slots are written.
  static constexpr auto sdc_publish = order::release;
  /// The completion, as for `complete`.
  static constexpr auto sdc_complete = order::release;
  /// Reading the completions to learn which slots are free. Acquire: thieves' reads of a slot come
  /// before the owner writes it again, and the tail is not read from before what is counted here.
  static constexpr auto sdc_check = order::acquire;
  /// The same to learn whether the queue is empty for good, as for `check_quiet`.
  static constexpr auto sdc_check_quiet = order::acquire;

  // ---- The board (bulk_board.hpp) ----

  /// Making the board one's own. Acquire: who took from it before has read the slot.
  static constexpr auto board_seize = order::acquire;
  /// Showing a slot. Release: the slot is written.
  static constexpr auto board_show = order::release;
  /// The claim of steps. Acquire, as for `claim`: adds continue the release sequence of the store
  /// that showed the slot.
  static constexpr auto board_claim = order::acquire;
  /// The completion. Release, as for `complete`; acquire, because who completes last frees the
  /// board on behalf of all.
  static constexpr auto board_complete = order::acq_rel;
  /// Freeing the board. Release: everybody has read the slot.
  static constexpr auto board_free = order::release;
  /// Reading what was taken, before its shower counts itself idle: as for `check_quiet`.
  static constexpr auto board_check = order::acquire;

  // ---- Frames (frames.hpp) ----

  /// Opening a frame, and marking it as complete. Relaxed: the places travel in slots, whose
  /// publishing store releases it.
  static constexpr auto frame_open = order::relaxed;
  /// Reading how many deliveries are awaited. Acquire: who finds that its own is the last one reads
  /// what the others have written.
  static constexpr auto frame_look = order::acquire;
  /// A delivery. Release: the value is written. Acquire: who delivers last reads the others'.
  static constexpr auto frame_deliver = order::acq_rel;
  /// Giving a frame back. Release: its slot has been read.
  static constexpr auto frame_free = order::release;
  /// Adding tokens to a finish. Relaxed: whoever is handed one of them is handed it by a slot's
  /// publication, and so takes it off later.
  static constexpr auto finish_draw = order::relaxed;
  /// Taking tokens off. Release: the tasks that had them have ended. Acquire: who takes the last
  /// off reads what all have written.
  static constexpr auto finish_return = order::acq_rel;
  /// Combining what was contributed to a finish, and reading it. Relaxed: who combines takes tokens
  /// off afterwards, who reads has taken off the last.
  static constexpr auto finish_gather = order::relaxed;
  /// Taking free frames. Acquire: who used them before has read their slots.
  static constexpr auto frame_take = order::acquire;

  // ---- What comes back to frames from other devices (returns.hpp) ----

  /// A delivery. Release: the value is written; and whoever takes it counts it as taken after it
  /// was counted as pending.
  static constexpr auto return_part = order::release;
  /// Linking a frame into the list. Relaxed for a join: it was released with the delivery. Release
  /// for a finish, as for a delivery.
  static constexpr auto return_link = order::relaxed;
  static constexpr auto return_finish = order::release;
  /// Taking what has come back to a frame. Acquire: what others have written is read next.
  static constexpr auto return_take = order::acquire;
  /// Counting that as taken. Release: who takes them counts as having work.
  static constexpr auto return_settle = order::release;
  /// Reading whether all was taken, before counting oneself idle. Acquire: as for `check_quiet`.
  static constexpr auto return_check = order::acquire;

  // ---- Inboxes (inbox.hpp) ----

  /// The producer's: having written slots, and that there will be no others. Release: the slots are
  /// written.
  static constexpr auto inbox_put = order::release;
  /// Reading how much is free again. Acquire: the slots were copied before they are written anew.
  static constexpr auto inbox_room = order::acquire;
  /// Reading how far all has ended. Acquire: what the tasks wrote is read next.
  static constexpr auto inbox_wait = order::acquire;
  /// The workers': going behind the gate, alone. Acquire: who was there before has taken what it
  /// took.
  static constexpr auto inbox_enter = order::acquire;
  /// Having taken slots, and opening the gate. Release: what was noted behind it, and that who
  /// takes slots has left the idle count (as hazard 20).
  static constexpr auto inbox_leave = order::release;
  /// Reading what was written. Acquire: the slots are read next.
  static constexpr auto inbox_look = order::acquire;
  /// The first worker's look at what was taken. Acquire: it looks at the idle count after.
  static constexpr auto inbox_check = order::acquire;
  /// Having copied slots. Release: they have been read.
  static constexpr auto inbox_read = order::release;
  /// Saying that so much has ended. Release: the tasks' writes come before.
  static constexpr auto inbox_end = order::release;

  // ---- The bridge (bridge.hpp), beside what it has of inboxes ----

  /// A question to another domain, asked and seen, and word of it in the giver's memory. Relaxed:
  /// what a question is answered with is decided behind the gate.
  static constexpr auto bridge_ask = order::relaxed;
  static constexpr auto bridge_notice = order::relaxed;
  /// Reading how far a channel's tasks have ended. Acquire: what was sent until that was said is
  /// counted after.
  static constexpr auto bridge_ended = order::acquire;
  static constexpr auto bridge_sent = order::relaxed;

  // ---- Both ----

  /// Counting initial tasks out: the tasks themselves were written before the launch.
  static constexpr auto load_initial = order::relaxed;
  /// Stop requests: nothing is read on the strength of one.
  static constexpr auto stop = order::relaxed;
  /// Word that the detector has found the run over. As with the detector's own: nothing is read on
  /// the strength of it.
  static constexpr auto over = order::relaxed;
  /// A thief's sign that it found nothing: an owner that does not see it yet only comes later.
  static constexpr auto ask = order::relaxed;
  /// The heartbeat: read by the host as plain numbers.
  static constexpr auto beat = order::relaxed;

  // ---- Termination ----

  static constexpr auto idle_up = order::relaxed;
  static constexpr auto idle_down = order::relaxed;
  static constexpr auto idle_read = order::relaxed;
  /// The same of a run with inboxes, where somebody outside reads what tasks wrote before the
  /// workers have ended. The count's changes continue each other's release sequences.
  static constexpr auto idle_up_live = order::release;
  static constexpr auto idle_read_live = order::acquire;
  /// The per-device counter of the hierarchical detector: its transitions to and from "all idle"
  /// order the changes of the global counter.
  static constexpr auto device_idle_up = order::acq_rel;
  /// Relaxed: the global decrement comes after this one, and before the completion that lets the
  /// giver's device become idle. It continues the release sequence of the increments.
  static constexpr auto device_idle_down = order::relaxed;
  /// Votes and waves of the tree detector are messages: each reader acts on what it read.
  static constexpr auto vote = order::release;
  static constexpr auto read_vote = order::acquire;
};

}  // namespace mgws
