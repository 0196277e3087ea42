/// \file
/// Loading the initial task set: a plain array of slots that the workers deal out to themselves in
/// batches. A batch may be larger than what fits the local queue at once. The set is complete
/// before the run starts, so a worker that found it exhausted may count itself idle (hazards 22 and
/// 23).
///
/// Each device has a part of the set, as large as its share of the workers, with a counter of its
/// own. A worker takes from its own device's part as long as that has some, then from the others':
/// so claims stay near, and where data lies on the device whose part works on it, work does too.
/// Whoever claims the last of a part leaves word on every device: thousands of workers that all
/// asked another device's counter would wait for each other.
///
/// A part is dealt out from its end: a worker runs the newest of its tasks first, so that it walks
/// through the part in one direction.
///
/// The first slots of a part may be its workers' from the start (run_parameters::initial_each);
/// those behind them are claimed.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/local_queue.hpp>
#include <mgws/core/protocol.hpp>
#include <mgws/core/transport.hpp>
#include <mgws_port.hpp>

namespace mgws {

template <class P, transport_view V, class Slot>
class initial_tasks {
  using B = typename V::backend;

 public:
  /// \param device  the worker's own \param rank  its number there
  MGWS_FN initial_tasks(const V& view, const run_parameters& run, std::uint32_t device,
                        std::uint32_t rank)
      : view_(view),
        run_(run),
        device_(device),
        turn_(rank % k_visits_a_look),
        part_(device),
        others_(run.devices - 1) {
    enter();
    for_workers(run.device[device].workers);
    equal_part_ = static_cast<float>(count_ - first_) * part_for_one_;
    mine_ = std::min<std::uint64_t>(std::uint64_t{rank} * run.initial_each, first_);
    mine_end_ = std::min<std::uint64_t>(mine_ + run.initial_each, first_);
    if (run.initial_count == 0) others_ = 0;
  }

  /// Whether none are left, of the own claims neither, by a look.
  [[nodiscard]] MGWS_FN bool exhausted(typename B::group& g) {
    if (claimed()) return false;
    do {
      if (!spent_) spent_ = handed_out(g) >= count_;
      if (!spent_) return false;
    } while (next_part(g));
    return true;
  }

  /// Whether slots are left that this worker has claimed.
  [[nodiscard]] MGWS_FN bool claimed() const { return mine_ != mine_end_; }
  /// Whether this worker may still find some.
  [[nodiscard]] MGWS_FN bool may_have_more() const { return claimed() || !spent_ || others_ != 0; }

  /// Collective: loads the next slots into an empty local queue. If none are left of the last claim
  /// it claims a part of its fair share of what is left, but at least `least` and at most
  /// `most`, and never more than a batch. Returns the number of slots, which is at most `room`: 0
  /// if there are none any more, or if those that there are had better be left to others for now,
  /// in which case there may be more.
  MGWS_FN std::uint32_t load(typename B::group& g, local_queue<B, Slot>& local, std::uint32_t least,
                             std::uint32_t most, std::uint32_t room) {
    return claimed() || claim(g, least, most) ? load_claimed(g, local, room) : 0;
  }

  /// Collective: the same of the last claim. \pre claimed()
  MGWS_FN std::uint32_t load_claimed(typename B::group& g, local_queue<B, Slot>& local,
                                     std::uint32_t room) {
    const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(mine_end_ - mine_, room));
    const auto* const slots = static_cast<const Slot*>(view_.initial_slots());
    load_slots<B>(g, local.slots(), local.head(), slots + (end_ - mine_ - n), n);
    mine_ += n;
    g.sync();
    local.added_newest(n);
    return n;
  }

  // ---- For workers of one lane, which may run slots where they lie ----

  /// Claims from `least` to `most` slots, as load does, unless some are left of the last claim.
  /// \return whether there are any that may wait for this worker: of a part that still has more,
  /// which others take first
  MGWS_FN bool claim_early(typename B::group& g, std::uint32_t least, std::uint32_t most) {
    return (claimed() || claim(g, least, most)) && !all_claimed(g);
  }
  /// Whether others find none any more, by a look; at least in the part of this worker's claim.
  [[nodiscard]] MGWS_FN bool all_claimed(typename B::group& g) {
    if (!claimed()) return exhausted(g);
    if (!spent_) spent_ = handed_out(g) >= count_;
    return spent_;
  }
  /// The claimed slots are the last ones before this place.
  [[nodiscard]] MGWS_FN const Slot* claimed_end() const {
    return static_cast<const Slot*>(view_.initial_slots()) + (end_ - mine_);
  }
  [[nodiscard]] MGWS_FN std::uint64_t claimed_slots() const { return mine_end_ - mine_; }
  /// The last n of them have begun to run.
  MGWS_FN void began(std::uint64_t n) { mine_ += n; }
  /// Loads others, older than what is local, at most a batch and as far as there is room. Returns
  /// their number.
  MGWS_FN std::uint32_t load_oldest(typename B::group& g, local_queue<B, Slot>& local) {
    const std::uint32_t most = std::min(local.room(), std::max(local.capacity() / 2, 1u));
    const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(claimed_slots(), most));
    load_slots<B>(g, local.slots(), local.tail() - n, claimed_end() - n, n);
    mine_ += n;
    local.added_oldest(n);
    return n;
  }

 private:
  /// A claim is this part of its worker's fair share of what is left: a small one balances, a large
  /// one spares the counter.
  static constexpr float k_part_of_share = 0.9f;
  /// What is left of a worker's equal part is not worth two claims if it is no more than one of so
  /// many parts of the most that a worker should claim.
  static constexpr std::uint32_t k_small_part = 2;
  /// Workers of several lanes are many, and judge before they take from another device's part: such
  /// work is worth the way if the device's own workers have that for more than one of so many parts
  /// of what they claim at most. They take turns to look: all at once they would wait for each
  /// other.
  static constexpr bool k_several = team_backend<B>;
  static constexpr std::uint32_t k_worth_going = 4;
  static constexpr std::uint32_t k_visits_a_look = 16;
  static constexpr std::uint32_t k_patient_looks = 4;
  /// Whoever is late takes no more than so many times its share of what is left.
  static constexpr float k_most_of_share = 4;

  /// A worker adds at most once in vain to each counter: it remembers which parts are exhausted. So
  /// the counters cannot run away.
  MGWS_FN bool claim(typename B::group& g, std::uint32_t least, std::uint32_t most) {
    while (!spent_ || next_part(g)) {
      if (k_several && part_ != device_ && !worth_going(g, most)) {
        if (spent_) continue;
        return false;
      }
      const std::uint64_t fair = least < most ? share(g, most) : least;
      if (spent_) continue;
      const std::uint64_t n = std::max<std::uint64_t>(
          std::min<std::uint64_t>({std::max<std::uint64_t>(fair, least), most, run_.initial_batch}),
          1);
      const std::uint64_t at = first_ + g.once([&] {
        return B::fetch_add(view_.initial_next(part_).value, n, P::load_initial, V::global_scope);
      });
      known_ = at + n;
      had_ += n;
      spent_ = known_ >= count_;
      if (at >= count_) continue;
      if (spent_) tell_spent(g);
      visits_ = 0;
      mine_ = at;
      mine_end_ = std::min<std::uint64_t>(at + n, count_);
      return true;
    }
    return false;
  }

  /// Whether to take from the part of another device. The end of one that its own workers will soon
  /// have taken is left to them: thousands of claims from afar would only be in their way. After a
  /// while it is not.
  [[gnu::noinline]] MGWS_FN bool worth_going(typename B::group& g, std::uint32_t most) {
    spent_ = told_spent(g);
    if (spent_ || (visits_++ + turn_) % k_visits_a_look != 0) return false;
    known_ = std::min(handed_out(g), count_);
    spent_ = known_ == count_;
    if (spent_) return false;
    return visits_ > k_patient_looks * k_visits_a_look ||
           static_cast<float>(count_ - known_) * k_worth_going >
               static_cast<float>(most) * static_cast<float>(owners_);
  }

  /// What of the rest falls to this worker: of its equal part of all, as long as it has not had
  /// that, so that workers that keep in step need few claims; of the rest after that. Others have
  /// taken some since the last claim, which a look tells, if the counter is near; and most workers
  /// find in the end that nothing is left, by a look that costs the others less than an addition.
  [[nodiscard]] MGWS_FN std::uint64_t share(typename B::group& g, std::uint32_t most) {
    if (known_ != first_ && part_ == device_ && !run_.far_counter) {
      known_ = std::min(handed_out(g), count_);
      spent_ = known_ == count_;
    }
    const float fair = static_cast<float>(count_ - known_) * part_for_one_;
    if (run_.far_counter) return static_cast<std::uint64_t>(fair);
    const float equal = std::max(equal_part_ - static_cast<float>(had_), 0.0f);
    if (equal * k_small_part <= static_cast<float>(most))
      return static_cast<std::uint64_t>(std::max(equal, fair * k_part_of_share)) + 1;
    return static_cast<std::uint64_t>(
        std::min(std::max(equal, fair) * k_part_of_share, fair * k_most_of_share));
  }

  [[nodiscard]] MGWS_FN std::uint64_t handed_out(typename B::group& g) {
    return first_ + g.once([&] {
      return B::load(view_.initial_next(part_).value, P::load_initial, V::global_scope);
    });
  }

  /// Leaves word on every device that the part is exhausted.
  MGWS_FN void tell_spent(typename B::group& g) {
    if (run_.devices == 1 || part_ >= run_control<B>::most_parts) return;
    g.once([&] {
      for (std::uint32_t d = 0; d != run_.devices; ++d)
        B::store(view_.control(d).spent[part_], 1u, P::load_initial, V::global_scope);
      return 0;
    });
  }
  /// Whether there is such word here. It may be late, but is never wrong.
  [[nodiscard]] MGWS_FN bool told_spent(typename B::group& g) {
    if (part_ >= run_control<B>::most_parts) return false;
    return g.once([&] {
      return B::load(view_.control(device_).spent[part_], P::load_initial, V::global_scope) != 0;
    });
  }

  /// Goes on to the next device's part that has some. \return false if there is none
  [[gnu::noinline]] MGWS_FN bool next_part(typename B::group& g) {
    while (others_ != 0) {
      --others_;
      part_ = part_ + 1 == run_.devices ? 0 : part_ + 1;
      enter();
      spent_ = spent_ || told_spent(g);
      if (spent_) continue;
      // Its own workers have long been at it: how far decides how much to claim.
      for_workers(run_.workers);
      if constexpr (k_several) {
        visits_ = 0;
        owners_ = run_.device[part_].workers;
        return true;
      }
      known_ = handed_out(g);
      spent_ = known_ >= count_;
      if (!spent_) return true;
    }
    return false;
  }

  /// \param n  workers that take from the part
  MGWS_FN void for_workers(std::uint32_t n) {
    // Not an integer's division, which a GPU does in a hundred instructions, at each claim: how
    // much exactly does not matter.
    part_for_one_ = 1.0f / static_cast<float>(n);
  }

  MGWS_FN void enter() {
    const initial_part part(run_, part_);
    end_ = part.end;
    count_ = part.size();
    known_ = first_ = part.from_the_start;
    equal_part_ = 0;
    mine_ = mine_end_ = 0;
    spent_ = first_ == count_;
  }

  const V& view_;
  const run_parameters& run_;
  std::uint32_t device_;      ///< the worker's own
  std::uint32_t turn_;        ///< among those that look at another device's part
  std::uint32_t part_;        ///< the device whose part it takes from
  std::uint32_t others_;      ///< devices behind that
  float part_for_one_ = 0;    ///< of what is left, a worker's fair share
  float equal_part_ = 0;      ///< if all workers of the part claimed the same
  std::uint32_t had_ = 0;     ///< slots claimed of that
  std::uint32_t visits_ = 0;  ///< to the part of another device
  std::uint32_t owners_ = 0;  ///< its workers
  bool spent_ = false;        ///< whether the part is exhausted
  std::uint64_t end_ = 0;     ///< of the part, among all slots
  std::uint64_t count_ = 0;   ///< slots of the part
  std::uint64_t first_ = 0;   ///< of them, what workers have from the start
  std::uint64_t known_ = 0;   ///< of them, handed out as far as this worker knows
  std::uint64_t mine_ = 0;    ///< claimed but not yet loaded: [mine_, mine_end_) of the part
  std::uint64_t mine_end_ = 0;
};

}  // namespace mgws
