/// \file
/// One large bulk slot of a device, shown to all workers at once: each takes steps of it by one
/// add, as from the initial set, instead of getting at it through a chain of thieves that halve it.
///
/// Who holds a slot of many steps shows it if the board is free, and counts as having work until
/// all of it has been taken. The word counts the steps that are left up to zero, as a negative
/// number, so that the add alone tells whether it won and which steps: adds in vain leave it at
/// zero or more. The slot is read by those only who won, and each of them says so afterwards; who
/// says it last frees the board. docs/protocol.md has the proof.
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

/// Control block of one device's board, in the memory that the transport chooses. Two lines: what
/// takers claim on; what they complete on.
template <class B>
struct board_head {
  /// Steps that nobody has claimed, as a negative number; zero or more: none.
  alignas(B::line) atomic_of<B, std::uint64_t> left{};

  /// Steps that were taken, over the whole run: never reset.
  alignas(B::line) atomic_of<B, std::uint64_t> taken{};
  /// What `taken` is once all that is shown has been. Written by who shows it.
  atomic_of<B, std::uint64_t> until{};
  /// 1 from before a slot is shown until all of it has been taken.
  atomic_of<B, std::uint32_t> busy{};
};

/// One worker's way to the boards; one lane runs all of it. It keeps little, because workers have
/// little memory: what it works on comes as arguments. `device` is the worker's own, unless said
/// otherwise.
template <class P, class V, class Slot>
class bulk_board {
  using B = typename V::backend;

 public:
  /// Shows a slot on the own device's board, if that is free. \return whether it did: then the slot
  /// belongs to all. \param steps  that it stands for, at least 1
  MGWS_FN bool show(const V& view, std::uint32_t device, ring<Slot> from, std::uint32_t position,
                    std::uint32_t steps) {
    board_head<B>& board = view.board(device);
    if (B::load(board.busy, P::look, V::global_scope) != 0) return false;
    if (B::exchange(board.busy, 1u, P::board_seize, V::global_scope) != 0) return false;
    // Nobody adds to `taken` until something is shown.
    until_ = B::load(board.taken, P::bookkeep, V::global_scope) + steps;
    B::store(board.until, until_, P::bookkeep, V::global_scope);
    copy_slots<B>(slot_of(view, device), 0, from, position, 1);
    B::store(board.left, std::uint64_t{0} - steps, P::board_show, V::global_scope);
    seen_ = true;
    return true;
  }

  /// Takes steps of what a device's board shows (policy::claim_of) into an empty local queue, as
  /// one slot. \param from  whose board \param log_units  log2 of the instances of a type that are
  /// one step \param regained  called before the steps count as taken (hazard 20)
  template <class Log, class Regained>
  MGWS_FN bool take(const V& view, const run_parameters& run, std::uint32_t device,
                    std::uint32_t from, local_queue<B, Slot>& local, std::uint32_t least,
                    std::uint32_t most, Log&& log_units, Regained&& regained) {
    board_head<B>& board = view.board(from);
    const std::uint64_t seen = left_on(board);
    if (from == device) seen_ = seen != 0;
    if (seen == 0) return false;
    const std::uint32_t takers = from == device ? run.device[device].workers : run.workers;
    const std::uint32_t wanted =
        policy::claim_of(seen, 1.0f / static_cast<float>(takers), 1, least, most, run.far_counter);
    const std::uint64_t left =
        left_of(B::fetch_add(board.left, std::uint64_t{wanted}, P::board_claim, V::global_scope));
    if (left == 0) return false;

    const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, left));
    copy_slots<B>(local.slots(), local.head(), slot_of(view, from), 0, 1);
    local.added_newest(1);
    Slot& mine = local.newest();
    const auto h = mine.read_header();
    const std::uint32_t log = log_units(h.type());
    const std::uint32_t begin = (steps_of(h.count(), log) - static_cast<std::uint32_t>(left))
                                << log;
    const std::uint32_t count = n == left ? h.count() - begin : n << log;  // the last may be short
    mine.write_header(Slot::header::make(h.type(), h.first() + begin, count));

    const std::uint64_t until = B::load(board.until, P::bookkeep, V::global_scope);
    regained();
    const std::uint64_t before =
        B::fetch_add(board.taken, std::uint64_t{n}, P::board_complete, V::global_scope);
    if (before + n == until) B::store(board.busy, 0u, P::board_free, V::global_scope);
    return true;
  }

  /// Whether a device's board shows something, by a relaxed look.
  [[nodiscard]] MGWS_FN static bool shows(const V& view, std::uint32_t from) {
    return left_on(view.board(from)) != 0;
  }
  /// Whether the own device's board had something left when this worker last looked, and has still.
  [[nodiscard]] MGWS_FN bool lasts(const V& view, std::uint32_t device) {
    seen_ = seen_ && shows(view, device);
    return seen_;
  }

  /// Whether all that this worker has shown was taken, for good: its takers count as having work.
  [[nodiscard]] MGWS_FN bool closed(const V& view, std::uint32_t device) const {
    if (until_ == 0) return true;
    const std::uint64_t taken = B::load(view.board(device).taken, P::board_check, V::global_scope);
    return static_cast<std::int64_t>(taken - until_) >= 0;
  }
  /// A number that grows with each slot that it shows.
  [[nodiscard]] MGWS_FN std::uint64_t shown() const { return until_; }

 private:
  [[nodiscard]] MGWS_FN static std::uint64_t left_of(std::uint64_t word) {
    return static_cast<std::int64_t>(word) < 0 ? std::uint64_t{0} - word : 0;
  }
  [[nodiscard]] MGWS_FN static std::uint64_t left_on(const board_head<B>& board) {
    return left_of(B::load(board.left, P::look, V::global_scope));
  }
  [[nodiscard]] MGWS_FN static ring<Slot> slot_of(const V& view, std::uint32_t device) {
    return {static_cast<Slot*>(view.board_slot(device)), 1};
  }

  std::uint64_t until_ = 0;  ///< board_head::taken when what it showed last is taken
  bool seen_ = false;        ///< its device's board had something left
};

}  // namespace mgws
