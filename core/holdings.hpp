/// \file
/// The tasks that one worker holds, in three places: the local queue, the spill area, and its
/// public queue; and its way to the initial set and to the boards. How tasks move between them, and
/// when they are made stealable (docs/scheduling.md). Those of a lower priority wait in queues of
/// their own in the spill area (later.hpp), and are taken where there is no other.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include <mgws/core/bulk_board.hpp>
#include <mgws/core/elsewhere.hpp>
#include <mgws/core/initial_tasks.hpp>
#include <mgws/core/policy.hpp>
#include <mgws/core/queues.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/core/widths.hpp>
#include <mgws_port.hpp>

namespace mgws {

template <class C>
class giving;

/// \tparam C  a configuration (worker_base.hpp)
///
/// By age: what is public is oldest, then what is spilled, then what is local.
template <class C>
class holdings {
  using P = typename C::protocol;
  using V = typename C::view;
  using B = typename V::backend;
  using slot_type = slot<typename C::tasks>;
  using sizes = widths<C>;
  using pace_type = policy::pace<B::longest_burst, B::hand_over_ns>;
  using later_type = typename elsewhere<V, typename C::tasks>::waiting;
  using public_type =
      typename queue_kind<V>::template queue<P, B, slot_type,
                                             std::remove_cv_t<decltype(V::queue_scope)>>;

 public:
  MGWS_FN holdings(const V& view, const run_parameters& run, const worker_place& place,
                   slot_type* local, slot_type* spill, typename C::statistics& statistics)
      : view_(view),
        run_(run),
        statistics_(statistics),
        local_(local, run.local_capacity),
        spill_(spill, run.spill_capacity / later_type::k_spill_parts),
        later_(spill, run.spill_capacity / later_type::k_spill_parts),
        public_(
            view.head(place.queue),
            ring<slot_type>(static_cast<slot_type*>(view.slots(place.queue)), run.public_capacity),
            place.owners, run.max_batch, V::queue_scope),
        initial_(view, run, place),
        shares_(place.others_take),
        check_from_(shares_ ? 0 : local_.capacity() - 1) {}

  /// See worker_base.
  MGWS_FN void take_share(const fixed_share& share) {
    shares_ = false;
    check_from_ = local_.capacity() - 1;
    initial_.take_share(share);
  }

  [[nodiscard]] MGWS_FN const V& view() const { return view_; }
  [[nodiscard]] MGWS_FN local_queue<B, slot_type>& local() { return local_; }
  [[nodiscard]] MGWS_FN const local_queue<B, slot_type>& spilled() const { return spill_; }
  [[nodiscard]] MGWS_FN local_queue<B, slot_type>& spill() { return spill_; }
  /// Slots in the whole spill area; what waits there with a lower priority.
  [[nodiscard]] MGWS_FN std::uint32_t set_aside() const { return spill_.size() + later_.size(); }
  [[nodiscard]] MGWS_FN later_type& later() { return later_; }
  [[nodiscard]] MGWS_FN const later_type& later() const { return later_; }
  [[nodiscard]] MGWS_FN bool shares() const { return shares_; }
  [[nodiscard]] MGWS_FN bool has_fixed_share() const { return initial_.is_fixed_share(); }
  [[nodiscard]] MGWS_FN pace_type& pace() { return pace_; }
  [[nodiscard]] MGWS_FN const pace_type& pace() const { return pace_; }

  // ---- While tasks run ----

  /// Whether others may want what is local: not while the initial set lasts or what the board
  /// shows, where whoever needs work finds it.
  [[nodiscard]] MGWS_FN bool wanted() { return shares_ && initial_.exhausted() && !board_lasts(); }

  /// Whether what is not public lasts for longer than the worker should have it to itself. Slots of
  /// tasks that spawn may last for anything: where each is a lane's, this is asked when they are
  /// too many (slots_of).
  [[nodiscard]] MGWS_FN bool lasts_too_long() const {
    if (!spawned_lately_) return holds_more_than(pace_.full() - 1);
    return !sizes::k_several || holds_more_than(pace_.sure());
  }
  /// Whether what is not public lasts for more than so many steps. Where slots may stand for a lane
  /// or for many, looks at as many as it takes; else at the newest, like which the others are taken
  /// to be: to look at all takes longer than some steps.
  [[nodiscard]] MGWS_FN bool holds_more_than(std::uint32_t steps) const {
    if (!spill_.empty() || !later_.empty() || (!local_.empty() && lasts(local_.oldest())))
      return true;
    if constexpr (sizes::k_several) {
      std::uint32_t lanes = 0;
      for (std::uint32_t i = 0; i != local_.size() && lanes <= steps * sizes::k_lanes; ++i)
        lanes += sizes::lanes_for(local_.slots().at(local_.head() - 1 - i));
      return lanes > steps * sizes::k_lanes;
    }
    if (local_.empty()) return false;
    const std::uint64_t lanes = sizes::lanes_for(local_.slots().at(local_.head() - 1));
    return lanes * local_.size() > std::uint64_t{steps} * sizes::k_lanes;
  }
  [[nodiscard]] MGWS_FN bool lasts(const slot_type& s) const {
    return sizes::lanes_for(s) > pace_.full() * sizes::k_lanes;
  }

  /// Between two steps: if nothing is public, makes the older half of the slots stealable, cut into
  /// pieces if they are few; more than half while it is not known how long what is here takes, and
  /// everything where steps are coarse. \return whether something is public
  MGWS_FN bool share() {
    if (!shares_) return false;
    if (pace_.coarse()) {
      share_all_but(0, true);
    } else if (public_.looks_empty()) {
      if (spill_.empty()) show_or_cut();
      share_all_but(kept(), false);
    }
    return !public_.looks_empty();
  }

  /// Empties part of a full local queue: into the public queue if that has run out, else into the
  /// spill area. Never waits for a thief (hazard 26). \param n  slots wanted, at most half the
  /// local queue. \return false if there is no room anywhere
  MGWS_FN bool make_room(std::uint32_t n = 1) {
    const std::uint32_t half = std::max(local_.capacity() / 2, 1u);
    if (shares_ && spill_.empty() && public_.looks_empty()) release_oldest(half);
    if (local_.room() >= n) return true;
    std::uint32_t spilled = spill_.take_oldest(local_, half);
    if (spilled == 0 && shares_) {
      release_oldest(half);
      spilled = spill_.take_oldest(local_, half);
    }
    statistics_.count(&worker_counts::slots_spilled, spilled);
    return spilled != 0;
  }

  /// Makes everything stealable but the newest `kept` local slots, as far as the public queue has
  /// room. \param insists  a thief in the middle of its copy, which prevents it, is waited for, but
  /// not long: before what may be a long task
  [[gnu::noinline]] MGWS_FN void share_all_but(std::uint32_t kept, bool insists) {
    if (!shares_) return;
    for (typename B::backoff wait;;) {
      const bool spilled = !spill_.empty();
      if (!spilled) show_or_cut();
      const std::uint32_t n =
          spilled ? spill_.size() : local_.size() - std::min(local_.size(), kept);
      const bool later = may_share_later() && (n == 0 || (!insists && later_.like_local()));
      if (n == 0 && !later) return;
      const auto sent = later ? release_later() : release_oldest(n);
      if (sent.slots != 0 && !spilled) return;
      if (sent.slots != 0) continue;
      if (!sent.postponed || !insists || wait.exhausted()) return;
      wait.pause();
    }
  }

  // ---- When nothing is local ----

  /// Brings the newest spilled tasks back. \pre nothing is local
  MGWS_FN bool refill() {
    later_.loaded();
    return !spill_.empty() && local_.take_newest(spill_, std::max(local_.capacity() / 2, 1u)) != 0;
  }

  /// Brings the oldest tasks of the highest priority that waits, as many as are to be begun within
  /// delta.
  MGWS_FN bool refill_later() {
    const std::uint32_t half = std::max(local_.capacity() / 2, 1u);
    return later_.load(local_, std::min(pace_.full() * sizes::units(), half), sizes::units());
  }
  /// The same if it goes before what is public.
  MGWS_FN bool refill_before_public() { return later_.before_public() && refill_later(); }

  /// Takes public tasks back: half of them, but at least a step's, and no more than that if they
  /// are coarse. \param regained  see public_queue::acquire
  template <class Regained>
  MGWS_FN typename public_type::acquired acquire(Regained&& regained) {
    if (!shares_) return {0, false};
    // Fewer than are sure to be run soon are not worth the way.
    const bool coarse = pace_.coarse();
    const auto least =
        static_cast<std::uint32_t>(slots_of_step_ * static_cast<float>(coarse ? 1 : pace_.sure()));
    const std::uint32_t step = least < 1 ? 1 : least < sizes::units() ? least : sizes::units();
    return take_back(step, coarse ? step : k_all, regained);
  }

  /// Takes the next slots of the initial set, as far as there is room. Apart: trees, whose set is
  /// one task, would have its instructions among those of every burst's end.
  [[gnu::noinline]] MGWS_FN bool load_initial() {
    if (!initial_.claim(pace_.least(), pace_.full(), local_.room())) return false;
    statistics_.count(&worker_counts::initial_slots, initial_.load(local_, &sizes::log_units));
    return true;
  }
  /// Takes steps of what a device's board shows. \pre nothing is local
  template <class Regained>
  MGWS_FN bool take_shown(std::uint32_t device, Regained&& regained) {
    if (!uses_boards() || !board_.take(view_, run_, initial_.device(), device, local_,
                                       pace_.least(), pace_.full(), &sizes::log_units, regained))
      return false;
    statistics_.count(&worker_counts::shown_taken);
    return true;
  }
  /// Whether the own device's board had something left when this worker last looked, and has still.
  [[nodiscard]] MGWS_FN bool board_lasts() { return board_.lasts(view_, initial_.device()); }
  /// Takes the next slots of the initial set if nothing newer is waiting anywhere, and without a
  /// search where there is no more. \pre nothing is local
  MGWS_FN bool load_more() {
    later_.loaded();
    if (refill_before_public()) return true;
    if (!initial_.may_have_more() && later_.empty()) return false;
    if (!spill_.empty() || !public_looks_empty()) return false;
    return (initial_.may_have_more() && load_initial()) || refill_later();
  }
  /// Brings more where resumable tasks are too few for all lanes, in the order of a search: below
  /// them, which have begun. \return false if only a thief finds any
  MGWS_FN bool top_up() {
    if (local_.room() < sizes::units()) return true;
    const std::uint32_t head = local_.head();
    const auto busy = [] {};
    if (!refill() && !refill_before_public() && acquire(busy).slots == 0 && !load_more())
      take_shown(initial_.device(), busy);
    local_.put_newest_below(local_.head() - head);
    return local_.head() != head || may_top_up();
  }
  /// Whether that may bring any.
  [[nodiscard]] MGWS_FN bool may_top_up() {
    return !spill_.empty() || !public_looks_empty() || initial_.may_have_more() || !later_.empty();
  }
  /// Whether it may find some later, or has what only others can run.
  [[nodiscard]] MGWS_FN bool may_load() const {
    return initial_.may_have_more() || later_.has_away();
  }

  /// Whether the public queue is empty for good (public_queue::quiet), and all was taken that this
  /// worker has shown, which then counts among the slots that were given.
  [[nodiscard]] MGWS_FN bool quiet(std::uint64_t& given) {
    if (!board_.closed(view_, initial_.device()) || !public_.quiet(given)) return false;
    given += board_.shown();
    return true;
  }
  /// Whether a device's board shows something, by a look.
  [[nodiscard]] MGWS_FN bool sees_shown(std::uint32_t device) const {
    return uses_boards() && board_.shows(view_, device);
  }
  [[nodiscard]] MGWS_FN const head_of<V>& public_head() const { return public_.head(); }
  [[nodiscard]] MGWS_FN bool public_looks_empty() { return !shares_ || public_.looks_empty(); }

  // ---- For workers of several lanes, which keep the local queue's ends elsewhere ----

  /// Steps have run, in which together so many lanes had something, at least one, and which used up
  /// and spawned so many slots. What counts is a step in which all lanes have: lanes are empty when
  /// work is short. Lanes and not instances, which take more or fewer of them in one set.
  MGWS_FN void took(std::uint32_t slots, std::uint32_t spawned, std::uint32_t lanes) {
    const float full = static_cast<float>(sizes::k_lanes) / static_cast<float>(lanes);
    slots_of_step_ = static_cast<float>(slots) * full;
    fewer_by_step_ = (static_cast<float>(slots) - static_cast<float>(spawned)) * full;
    spawned_lately_ = spawned != 0;
  }
  /// Local slots that will have been begun after so many steps, besides those that run: all that a
  /// step uses up, less what it spawns, but those of a few steps anyway. Where slots may stand for
  /// a lane or for many, each is taken to be a step.
  [[nodiscard]] MGWS_FN std::uint32_t slots_of(std::uint32_t steps) const {
    if (pace_.coarse()) return 0;
    const auto more = static_cast<float>(steps - 1);
    const float sure = static_cast<float>(pace_.sure()) * slots_of_step_;
    const auto n = static_cast<std::uint32_t>(std::max(more * fewer_by_step_, sure));
    return sizes::k_several ? std::min(n, steps) : n;
  }

  /// Slots that were spawned into the spill area because the local queue was full.
  MGWS_FN void spilled_newest(std::uint32_t n) {
    statistics_.count(&worker_counts::slots_spilled, n);
    spill_.added_newest(std::min(n, spill_.room()));
  }

  // ---- For workers of one lane ----

  /// Whether others look for work and found none here. One question answers for all that came
  /// before.
  [[nodiscard]] MGWS_FN bool asked() {
    return B::load(public_.head().asked, P::ask, V::queue_scope) != 0;
  }

  /// The same, and takes it as answered.
  [[nodiscard]] MGWS_FN bool take_question() {
    if (!asked()) return false;
    B::store(public_.head().asked, 0u, P::ask, V::queue_scope);
    return true;
  }

  /// Before each burst: keeps the public queue stocked. Coarse tasks are all made stealable; so is
  /// everything but the newest slot if others ask or if many were spawned, which may be of another
  /// kind than those that have run; and if less is public than half of what is local.
  MGWS_FN void share_before_burst() {
    if (!shares_) return;
    const bool others = take_question();
    const bool all = pace_.coarse();
    if (all || others || many_spawned_ || worth_sharing())
      share_all_but(all ? 0 : 1, all || others || many_spawned_);
    // Of a claim that was to run where it lies. Not more than is public at once.
    while (all && local_.empty() && load_claimed())
      share_all_but(0, true);
    many_spawned_ = false;
    eager_ = policy::k_eager_releases;
    check_later();
  }

  /// Whether the next spawn has more to do than to fill a slot: room may have to be made, or it
  /// makes the local queue grow so much that it has to share.
  [[nodiscard]] MGWS_FN bool must_check() const { return local_.size() >= check_from_; }
  /// After a spawn of a lower priority: the same, of those and of what is local.
  [[nodiscard]] MGWS_FN bool later_has_grown() {
    return local_.size() + later_.grow() > check_from_ && shares_;
  }
  /// After such a spawn: whether it has to share, because so much was spawned since the last look
  /// (hazard 29: the task that spawns may run for long).
  [[nodiscard]] MGWS_FN bool has_grown() const { return shares_ && local_.size() > check_from_; }

  /// What spawn does then. Where tasks have been coarse, or nothing is known of them yet, each
  /// spawn is stealable at once, up to a bound: handing out tiny tasks one by one costs more than
  /// running them. A release that is put off would be stranded if this spawn were the last.
  MGWS_FN void share_growth() {
    if (pace_.coarse() && eager_ != 0) {
      --eager_;
      return share_all_but(0, true);
    }
    if (worth_sharing()) share_all_but(1, false);
    many_spawned_ = true;
    check_later();
  }

  /// Claims initial slots to run where they lie: a copy less for tasks that spawn nothing. Only
  /// fine ones, with nothing newer anywhere. Of a set with seeds of several pieces it loads some.
  /// \pre nothing is local
  MGWS_FN bool claim_in_place() {
    if (pace_.coarse() || !initial_.may_have_more() || !spill_.empty() || !public_looks_empty())
      return false;
    if (!initial_.are_slots()) return load_initial();
    if (!initial_.claim(pace_.least(), pace_.full(), 0)) return false;
    if (shares_) check_later();
    return true;
  }
  [[nodiscard]] MGWS_FN const slot_type* claimed_begin() const { return initial_.claimed_begin(); }
  [[nodiscard]] MGWS_FN std::uint32_t claimed_slots() const { return initial_.claimed_slots(); }
  /// \param n  slots that have begun to run \param others  whether the others are wanted in the
  /// local queue
  MGWS_FN void began_in_place(std::uint32_t n, bool others) {
    initial_.began(n);
    statistics_.count(&worker_counts::initial_slots, n);
    if (others) load_claimed();
  }

 private:
  friend giving<C>;
  static constexpr std::uint32_t k_all = ~std::uint32_t{0};

  /// Newest slots that a worker with several keeps when it shares: half of them, and no more than
  /// its steps, but one.
  [[nodiscard]] MGWS_FN std::uint32_t kept() const {
    const std::uint32_t half = local_.size() / 2;
    if (pace_.settled() || spawned_lately_) return half;
    std::uint32_t n = 0;
    for (std::uint32_t lanes = 0; n < half; ++n) {
      lanes += sizes::lanes_for(local_.slots().at(local_.head() - 1 - n));
      if (n != 0 && lanes > pace_.steps() * sizes::k_lanes) break;
    }
    return n;
  }

  template <class Regained>
  MGWS_FN typename public_type::acquired take_back(std::uint32_t least, std::uint32_t most,
                                                   Regained&& regained) {
    const auto got = public_.acquire(local_, least, most, regained);
    if (got.slots != 0) {
      statistics_.count(&worker_counts::acquires);
      statistics_.count(&worker_counts::slots_acquired, got.slots);
      later_.took_back();
    }
    return got;
  }
  /// If the local slots are few: shows the oldest if it stands for very many steps and the board is
  /// free, and makes enough slots of the others if those stand for several.
  [[gnu::noinline]] MGWS_FN void show_or_cut() {
    if (local_.empty() || local_.size() >= policy::k_pieces) return;
    show_oldest();
    const std::uint32_t n = local_.size();
    if (n != 0) local_.split_oldest(n, (policy::k_pieces + n - 1) / n, &sizes::log_units);
  }
  /// Where nobody steals from anybody, nothing is for all.
  [[nodiscard]] MGWS_FN bool uses_boards() const {
    return shares_ && run_.steal != steal_policy::none;
  }
  /// If it is worth showing to all (policy::k_shown_steps).
  MGWS_FN void show_oldest() {
    const std::uint32_t steps = sizes::steps_for(local_.oldest());
    if (!uses_boards() || steps <= pace_.full() ||
        steps < policy::k_shown_steps * run_.device[initial_.device()].workers ||
        !board_.show(view_, initial_.device(), local_.slots(), local_.tail(), steps))
      return;
    local_.took_oldest(1);
    statistics_.count(&worker_counts::slots_shown);
    view_.parking().notify_all();
  }
  MGWS_FN void check_later() {
    later_.checked();
    check_from_ = pace_.coarse() && eager_ != 0
                      ? 0
                      : std::min(local_.size() + policy::k_growth, local_.capacity()) - 1;
  }

  /// Fine tasks: whether the public queue is short of what is local. A single plain task is better
  /// run than released; and while the initial set lasts, nobody needs more.
  [[nodiscard]] MGWS_FN bool worth_sharing() {
    const std::uint32_t n = local_.size();
    if (n <= 1 && spill_.empty() && later_.empty() &&
        (n == 0 || local_.oldest().read_header().count() == 1))
      return false;
    return public_.holds_less_than(std::max(n / 2, 1u)) && initial_.exhausted() && !board_lasts();
  }

  /// Puts what is left of a claim where it can be shared, a batch at a time.
  MGWS_FN bool load_claimed() {
    if (!initial_.claimed() || !initial_.are_slots()) return false;
    const std::uint32_t n = initial_.load_oldest(local_);
    statistics_.count(&worker_counts::initial_slots, n);
    return n != 0;
  }

  /// Makes up to n of the oldest slots public that are not: spilled ones or, if there are none,
  /// local ones.
  [[gnu::noinline]] MGWS_FN typename public_type::released release_oldest(std::uint32_t n) {
    later_.shares_local();
    return release_from(spill_.empty() ? local_ : spill_, n);
  }
  MGWS_FN typename public_type::released release_from(local_queue<B, slot_type>& from,
                                                      std::uint32_t n) {
    const auto sent = public_.release(from.slots(), from.tail(), std::min(n, from.size()));
    from.took_oldest(sent.slots);
    statistics_.released(sent.slots);
    if (sent.was_empty) wake();
    return sent;
  }

  // ---- Of tasks with priorities ----

  /// Whether any waits, and nothing is public: behind what is, it would be the next that this
  /// worker takes back.
  [[nodiscard]] MGWS_FN bool may_share_later() { return !later_.empty() && public_.looks_empty(); }
  /// Makes the oldest of the highest priority that waits public; where these are too few for a
  /// thief's step, some of the next levels with them.
  [[gnu::noinline]] MGWS_FN typename public_type::released release_later() {
    typename public_type::released sent{};
    if constexpr (elsewhere<V, typename C::tasks>::k_levels > 1) {
      later_.shares_next();
      sent = release_from(later_.next(), k_all);
      for (auto more = sent; more.slots != 0 && sent.slots < sizes::units() && !later_.empty();) {
        more = release_from(later_.next(), sizes::units() - sent.slots);
        sent.slots += more.slots;
      }
    }
    return sent;
  }

  /// One sleeper is enough where any may take the work; where not, the right one is among all.
  MGWS_FN void wake() {
    if (run_.steal == steal_policy::uniform || run_.steal == steal_policy::bias) {
      view_.parking().notify_one();
    } else {
      view_.parking().notify_all();
    }
  }
  const V& view_;
  const run_parameters& run_;
  typename C::statistics& statistics_;
  local_queue<B, slot_type> local_;
  local_queue<B, slot_type> spill_;
  [[no_unique_address]] later_type later_;
  public_type public_;
  initial_tasks<P, V, slot_type> initial_;
  [[no_unique_address]] bulk_board<P, V, slot_type> board_;  // its last bytes are free
  bool shares_;
  pace_type pace_;
  float slots_of_step_ = 1;      ///< that a step used up lately
  float fewer_by_step_ = 1;      ///< less those that it spawned
  bool spawned_lately_ = false;  ///< whether it spawned any
  // Of a worker of one lane.
  std::uint32_t eager_ = policy::k_eager_releases;
  bool many_spawned_ = false;  ///< many were spawned in the burst that ended
  std::uint32_t check_from_;   ///< size of the local queue from which a spawn is watched
};

}  // namespace mgws
