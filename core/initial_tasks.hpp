/// \file
/// Loading the initial task set, whose pieces the workers deal out to themselves.
/// The set is complete before the run starts, so a worker that found it exhausted may count itself
/// idle (hazards 22 and 23).
///
/// Each device has a part of the set, as large as its share of the workers, with a counter of its
/// own. A worker takes from its own device's part as long as that has some, then from the others',
/// of which workers of one device begin with different ones: so claims stay near, and where data
/// lies on the device whose part works on it, work does too. Whoever claims the last of a part
/// leaves word on every device: thousands of workers that all asked another device's counter would
/// wait for each other.
///
/// A part is dealt out from its beginning, so that the tasks that were added first are begun first,
/// but for those of one claim.
///
/// How much is claimed at a time is guided by how much is left and how long steps take
/// (policy.hpp).
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/initial_pieces.hpp>
#include <mgws/core/local_queue.hpp>
#include <mgws/core/policy.hpp>
#include <mgws/core/transport.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// What the static baseline gives a worker: initial pieces of its own, and no public queue.
struct fixed_share {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint32_t batch;  ///< pieces to load at a time, at most, not 0
};

/// A worker's part, all of them being equal. \param one_at_a_time  else as many as there is room
/// for
[[nodiscard]] MGWS_FN inline fixed_share share_of(const run_parameters& run, std::uint32_t id,
                                                  bool one_at_a_time) {
  const std::uint64_t n = run.initial_count;
  return {n * id / run.workers, n * (id + 1) / run.workers, one_at_a_time ? 1u : ~0u};
}

template <class P, transport_view V, class Slot>
class initial_tasks {
  using B = typename V::backend;

 public:
  MGWS_FN initial_tasks(const V& view, const run_parameters& run, const worker_place& place)
      : view_(view),
        run_(run),
        device_(place.device),
        worker_(place.id),
        part_(place.device),
        others_(run.initial_count == 0 ? 0 : run.devices - 1) {
    enter();
    for_workers(run.device[device_].workers);
  }

  /// From now on those of a fixed share only.
  MGWS_FN void take_share(const fixed_share& share) {
    batch_ = share.batch;
    others_ = 0;
    begin_ = share.begin;
    count_ = share.end - share.begin;
    spent_ = count_ == 0;
  }

  [[nodiscard]] MGWS_FN bool is_fixed_share() const { return batch_ != 0; }
  /// The worker's own.
  [[nodiscard]] MGWS_FN std::uint32_t device() const { return device_; }

  /// Whether none are left for anybody: by what its last claim showed, then by looks.
  [[nodiscard]] MGWS_FN bool exhausted() {
    if (claimed()) return false;
    if (fresh_ && !spent_) {
      fresh_ = false;
      return false;
    }
    do {
      if (!spent_) spent_ = handed_out() >= count_;
      if (!spent_) return false;
    } while (next_part());
    return true;
  }

  /// Pieces of the part.
  struct claim_type {
    std::uint64_t begin;
    std::uint32_t n;
  };

  /// Whether pieces are left that this worker has claimed.
  [[nodiscard]] MGWS_FN bool claimed() const { return mine_.n != 0; }
  /// Whether each piece is a slot, and can be run where it lies.
  [[nodiscard]] MGWS_FN bool are_slots() const { return pieces().are_slots(); }
  /// Pieces of the part that nobody has claimed, by a look.
  [[nodiscard]] MGWS_FN std::uint64_t left() const {
    return spent_ ? 0 : count_ - std::min(handed_out(), count_);
  }
  /// The same without a look, as of this worker's last claim: that many or fewer.
  [[nodiscard]] MGWS_FN std::uint64_t left_as_known() const { return spent_ ? 0 : count_ - known_; }
  /// Whether this worker may still find some.
  [[nodiscard]] MGWS_FN bool may_have_more() const { return claimed() || !spent_ || others_ != 0; }

  /// Claims pieces for so many steps (policy::claim_of), unless some are left of the last claim. A
  /// worker adds at most once in vain to each counter: it remembers which parts are exhausted, so
  /// the counters cannot run away. \param most_slots  of no more than about so many slots, if that
  /// is not 0 \return whether there are any
  MGWS_FN bool claim(std::uint32_t least, std::uint32_t most, std::uint32_t most_slots) {
    if (claimed()) return true;
    while (!spent_ || next_part()) {
      // Others have claimed since: about as much as between the last two claims. A look would tell,
      // but all look at the one word that all add to.
      const std::uint64_t left = count_ - known_ > drift_ ? count_ - known_ - drift_ : 0;
      std::uint32_t n = batch_;
      if (n == 0)
        n = policy::claim_of(left, share_, run_.pieces_of_step, least, most, run_.far_counter);
      if (most_slots != 0) n = at_most(n, most_slots);
      mine_ = claim_of(n);
      if (claimed()) return true;
    }
    return false;
  }

  /// Claims pieces for others, beside its own claim: for about so many instances, if all stand for
  /// as many as the next one. \param most  no more than so many, and of no more than about
  /// `most_slots` slots \pre it has no fixed share
  template <class Log>
  [[nodiscard]] [[gnu::noinline]] MGWS_FN claim_type claim_for_others(std::uint32_t instances,
                                                                      std::uint64_t most,
                                                                      std::uint32_t most_slots,
                                                                      Log&& log_units) {
    if (spent_) return {};
    const std::uint64_t next = pieces().seed_of(begin_ + known_);
    const std::uint32_t each = pieces().instances_of_each(next, log_units);
    const std::uint32_t wanted = (instances - 1) / each + 1;
    return claim_of(
        at_most(static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, most)), most_slots));
  }
  /// Takes what is left of such a claim for its own. \pre it has none, or nothing is left
  MGWS_FN void keep(const claim_type& left) {
    if (left.n != 0) mine_ = left;
  }

  /// Writes slots that stand for claimed pieces, the first of them, which are claimed no more.
  /// \return the number of slots, at most `most`
  template <class Log>
  MGWS_FN std::uint32_t write(ring<Slot> to, std::uint32_t at, std::uint32_t most,
                              claim_type& claimed, Log&& log_units) const {
    std::uint32_t taken = 0;
    const std::uint32_t n =
        pieces().write(to, at, most, begin_ + claimed.begin, claimed.n, taken, log_units);
    take(claimed, taken);
    return n;
  }

  /// Loads what is claimed, as far as there is room, into the local queue. \return slots
  template <class Log>
  MGWS_FN std::uint32_t load(local_queue<B, Slot>& local, Log&& log_units) {
    const std::uint32_t n = write(local.slots(), local.head(), local.room(), mine_, log_units);
    local.added_newest(n);
    return n;
  }

  // ---- For workers of one lane, which may run slots where they lie. \pre are_slots() ----

  /// The claimed slots, where they lie, and their number.
  [[nodiscard]] MGWS_FN const Slot* claimed_begin() const {
    return pieces().slots() + (begin_ + mine_.begin);
  }
  [[nodiscard]] MGWS_FN std::uint32_t claimed_slots() const { return mine_.n; }
  /// The first n of them have begun to run.
  MGWS_FN void began(std::uint32_t n) { take(mine_, n); }
  /// Loads others, older than what is local: at most half a queue, so that with what was spawned
  /// they can be released at once, and as far as there is room. Returns their number.
  MGWS_FN std::uint32_t load_oldest(local_queue<B, Slot>& local) {
    const std::uint32_t half = std::max(local.capacity() / 2, 1u);
    const std::uint32_t n = std::min({claimed_slots(), local.room(), half});
    load_slots<B>(local.slots(), local.tail() - n, claimed_begin(), n);
    began(n);
    local.added_oldest(n);
    return n;
  }

 private:
  [[nodiscard]] MGWS_FN initial_pieces<B, Slot> pieces() const {
    return {view_.initial_slots(), run_};
  }
  MGWS_FN static void take(claim_type& from, std::uint32_t n) {
    from.begin += n;
    from.n -= n;
  }
  /// n, or as many pieces as so many slots have on average.
  [[nodiscard]] MGWS_FN std::uint32_t at_most(std::uint32_t n, std::uint32_t slots) const {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(n, std::uint64_t{slots} * run_.pieces_of_seed));
  }
  /// Claims n pieces. \return as many as there were
  [[nodiscard]] MGWS_FN claim_type claim_of(std::uint32_t n) {
    const std::uint64_t at = hand_out(n);
    if (at >= count_) return {};
    return {at, static_cast<std::uint32_t>(std::min<std::uint64_t>(n, count_ - at))};
  }
  /// Adds to the part's counter. \return where the n pieces begin, which may be behind the last
  MGWS_FN std::uint64_t hand_out(std::uint32_t n) {
    const std::uint64_t at = batch_ != 0
                                 ? known_
                                 : B::fetch_add(view_.initial_next(part_).value, std::uint64_t{n},
                                                P::load_initial, V::global_scope);
    drift_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(at - known_, ~std::uint32_t{0}));
    known_ = at + n;
    spent_ = known_ >= count_;
    fresh_ = true;
    if (at < count_ && spent_ && batch_ == 0) tell_spent();
    return at;
  }

  [[nodiscard]] MGWS_FN std::uint64_t handed_out() const {
    return B::load(view_.initial_next(part_).value, P::load_initial, V::global_scope);
  }

  /// Leaves word on every device that the part is exhausted.
  MGWS_FN void tell_spent() {
    if (run_.devices == 1 || part_ >= run_control<B>::most_parts) return;
    for (std::uint32_t d = 0; d != run_.devices; ++d)
      B::store(view_.control(d).spent[part_], 1u, P::load_initial, V::global_scope);
  }
  /// Whether there is such word here. It may be late, but is never wrong.
  [[nodiscard]] MGWS_FN bool told_spent() {
    if (part_ >= run_control<B>::most_parts) return false;
    return B::load(view_.control(device_).spent[part_], P::load_initial, V::global_scope) != 0;
  }

  /// Goes on to another device's part that has some: first to one by the worker's number, as at
  /// one counter all would wait for each other, then in the devices' order. \return false if there
  /// is none
  [[gnu::noinline]] MGWS_FN bool next_part() {
    while (others_ != 0) {
      if (part_ == device_) part_ = (part_ + worker_ % others_) % run_.devices;
      --others_;
      do {
        part_ = part_ + 1 == run_.devices ? 0 : part_ + 1;
      } while (part_ == device_);
      enter();
      spent_ = spent_ || told_spent();
      if (spent_) continue;
      // Its own workers have long been at it: how far decides how much to claim.
      for_workers(run_.workers);
      known_ = handed_out();
      spent_ = known_ >= count_;
      if (!spent_) return true;
    }
    return false;
  }

  /// \param n  workers that take from the part
  MGWS_FN void for_workers(std::uint32_t n) {
    // Not an integer's division, which a GPU does in a hundred instructions, at each claim: how
    // much exactly does not matter.
    share_ = 1.0f / static_cast<float>(n);
  }

  MGWS_FN void enter() {
    const initial_part part(run_, part_);
    begin_ = part.begin;
    count_ = part.size();
    known_ = 0;
    drift_ = 0;
    mine_ = {};
    spent_ = count_ == 0;
  }

  const V& view_;
  const run_parameters& run_;
  std::uint32_t device_;     ///< the worker's own
  std::uint32_t worker_;     ///< its number
  std::uint32_t part_;       ///< the device whose part it takes from
  std::uint32_t others_;     ///< devices behind that
  std::uint32_t batch_ = 0;  ///< fixed_share::batch, of one that was taken
  std::uint32_t drift_ = 0;  ///< pieces that others claimed between the last two claims
  float share_ = 0;          ///< of one of those who take from it
  bool spent_ = false;       ///< whether the part is exhausted
  bool fresh_ = false;       ///< whether it has just claimed
  std::uint64_t begin_ = 0;  ///< of the part, among all pieces
  std::uint64_t count_ = 0;  ///< pieces of the part
  std::uint64_t known_ = 0;  ///< of them, handed out as far as this worker knows
  claim_type mine_{};        ///< claimed but not yet loaded
};

}  // namespace mgws
