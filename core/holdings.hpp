/// \file
/// The tasks that one worker holds, in three places: the local queue, the spill area, and its
/// public queue; and its way to the initial set. How tasks move between them, and when they are
/// made stealable (CONTRACT.md, "Releasing").
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <mgws/core/granularity.hpp>
#include <mgws/core/initial_tasks.hpp>
#include <mgws/core/place.hpp>
#include <mgws/core/public_queue.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/spill_area.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/core/transport.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// \tparam C  a configuration (worker.hpp)
///
/// Every function is collective for the lanes of the worker. By age: what is public is oldest, then
/// what is spilled, then what is local.
template <class C>
class holdings {
  using P = typename C::protocol;
  using V = typename C::view;
  using B = typename V::backend;
  using slot_type = slot<typename C::tasks>;
  /// Whether the worker has several lanes.
  static constexpr bool k_several = team_backend<B>;
  using grain_type = std::conditional_t<k_several, step_granularity, granularity>;
  using public_type = public_queue<P, B, slot_type, std::remove_cv_t<decltype(V::queue_scope)>>;

 public:
  /// Tasks of this width that run side by side.
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t units(shape width) {
    if constexpr (k_several) {
      using team = typename B::team;
      return width == shape::lane   ? team::k_lanes
             : width == shape::warp ? team::k_lanes / team::k_warp_lanes
                                    : 1;
    } else {
      return 1;
    }
  }
  /// Of any width that the set has, at most.
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t units() {
    return units(C::tasks::has_width(shape::lane)   ? shape::lane
                 : C::tasks::has_width(shape::warp) ? shape::warp
                                                    : shape::block);
  }

  /// \param balanced  whether there are others at all: false for the static baseline
  MGWS_FN holdings(typename B::group& g, const V& view, const run_parameters& run,
                   const place_in_run& place, slot_type* local, slot_type* spill, bool balanced,
                   typename C::statistics& statistics)
      : g_(g),
        view_(view),
        run_(run),
        statistics_(statistics),
        local_(local, run.local_capacity),
        spill_(spill, run.spill_capacity),
        public_(
            view.head(place.queue),
            ring<slot_type>(static_cast<slot_type*>(view.slots(place.queue)), run.public_capacity),
            place.owners, run.max_batch, V::queue_scope),
        initial_(view, run, place.device, place.id - run.device[place.device].first_worker),
        shares_(balanced && place.others_take),
        grain_(begin_grain(g, run, shares_)),
        barren_(run.step_ns != 0),
        look_at_(shares_ ? 0 : local_.capacity() - 1) {}

  [[nodiscard]] MGWS_FN local_queue<B, slot_type>& local() { return local_; }
  [[nodiscard]] MGWS_FN const spill_area<B, slot_type>& spilled() const { return spill_; }
  [[nodiscard]] MGWS_FN bool shares() const { return shares_; }
  [[nodiscard]] MGWS_FN grain_type& grain() { return grain_; }

  // ---- While tasks run ----

  /// Before each burst: keeps the public queue stocked. Coarse tasks are all made stealable; fine
  /// ones when the public queue holds less than half of what the local one does, or when many were
  /// spawned, which may be of another kind than those that have run.
  MGWS_FN void share() {
    if (!shares_) return;
    if (grain_.coarse()) {
      release_all();
      // Of a claim that was to run where it lies. Not more than is public at once.
      while (local_.empty() && load_claimed())
        release_all();
    } else if (grown_) {
      release_insisting(1);
    } else if (worth_sharing()) {
      release_all_but(1);
    }
    grown_ = false;
    eager_ = k_eager_releases;
    look_again();
  }

  /// Whether the next spawn has more to do than to fill a slot: room may have to be made, or it
  /// makes the local queue grow so much that it has to share.
  [[nodiscard]] MGWS_FN bool watched() const { return local_.size() >= look_at_; }
  /// After such a spawn: whether it has to share, because so much was spawned since the last look
  /// (hazard 29: the task that spawns may run for long).
  [[nodiscard]] MGWS_FN bool grown() const { return shares_ && local_.size() > look_at_; }

  /// What spawn does then. Where tasks have been coarse, or nothing is known of them yet, each
  /// spawn is stealable at once, up to a bound: handing out tiny tasks one by one costs more than
  /// running them. A release that is put off would be stranded if this spawn were the last.
  MGWS_FN void share_grown() {
    if (grain_.coarse() && eager_ != 0) {
      --eager_;
      release_all();
      return;
    }
    if (worth_sharing()) release_all_but(1);
    grown_ = true;
    look_again();
  }

  /// Empties part of a full local queue: into the public queue if that has run out, else into the
  /// spill area. Never waits for a thief (hazard 26). \param n  slots wanted, at most half the
  /// local queue. \return false if there is no room anywhere
  MGWS_FN bool make_room(std::uint32_t n = 1) {
    const std::uint32_t half = std::max(local_.capacity() / 2, 1u);
    if (shares_ && spill_.empty() && public_.looks_empty(g_)) release_oldest(half);
    if (local_.room() >= n) return true;
    const std::uint32_t spilled = spill_.take_from(g_, local_, half);
    statistics_.spilled(spilled);
    if (spilled != 0) return true;
    if (shares_) {
      release_oldest(half);
      if (spill_.take_from(g_, local_, half) != 0) return true;
    }
    return false;
  }

  /// Makes everything stealable, as far as the public queue has room, before what may run long.
  MGWS_FN void release_all() { release_insisting(0); }

  // ---- When nothing is local ----

  /// Brings the newest spilled tasks back. \pre nothing is local
  MGWS_FN bool refill() { return !spill_.empty() && spill_.refill(g_, local_) != 0; }

  /// Takes public tasks back, if they are coarse only what can run at once. \param regained  see
  /// public_queue::acquire
  template <class Regained>
  MGWS_FN typename public_type::acquired acquire(Regained&& regained) {
    if (!shares_) return {0, false};
    // For many lanes a few slots are hardly a step, and an acquire takes as long as some of them.
    const auto got = public_.acquire(g_, local_, units() / 2, at_once(), regained);
    if (got.slots != 0) {
      took_back_ = true;
      statistics_.acquired(got.slots);
    }
    return got;
  }

  /// Takes the next batch of the initial set. \pre nothing is local
  MGWS_FN bool load_initial() {
    // One lane claims what it loads: nobody else could take the rest of a larger claim.
    const std::uint32_t most = claim_at_once();
    const std::uint32_t n =
        initial_.load(g_, local_, k_several ? k_least_claim : most, most, batch());
    statistics_.loaded_initial(n);
    return n != 0;
  }

  /// Whether it may find some later.
  [[nodiscard]] MGWS_FN bool may_load() const { return initial_.may_have_more(); }

  /// The same if nothing newer is waiting anywhere, and without a search where there is no more.
  /// \pre nothing is local
  MGWS_FN bool load_more() {
    if (!initial_.may_have_more() || !spill_.empty() || !public_looks_empty()) return false;
    if (!initial_.claimed()) return load_initial();
    load_claimed_batch();
    return true;
  }
  /// Whether some are left of the last claim.
  [[nodiscard]] MGWS_FN bool has_claimed() const { return initial_.claimed(); }
  /// Takes the next batch of them. \pre nothing is local, has_claimed()
  MGWS_FN void load_claimed_batch() {
    statistics_.loaded_initial(initial_.load_claimed(g_, local_, batch()));
  }

  /// Slots to load at once: what spawns needs room for it.
  [[nodiscard]] MGWS_FN std::uint32_t batch() const {
    return barren_ ? local_.capacity() : std::max(local_.capacity() / 2, 1u);
  }

  // ---- For workers of one lane: initial slots that run where they lie ----

  /// Whether to run some of them so: a copy less for tasks that spawn nothing. Only fine ones, with
  /// nothing newer anywhere, and while the initial set lasts: nobody needs what this worker keeps
  /// for itself. \pre nothing is local
  MGWS_FN bool claim_in_place() {
    if (grain_.coarse() || !initial_.may_have_more() || !spill_.empty() || !public_looks_empty())
      return false;
    in_place_ = std::clamp(in_place_, claim_at_once(), std::max(claim_at_once(), grain_.burst()));
    if (!initial_.claim_early(g_, claim_at_once(), in_place_)) return false;
    if (shares_) look_again();
    return true;
  }
  /// From here backwards.
  [[nodiscard]] MGWS_FN const slot_type* claimed_end() const { return initial_.claimed_end(); }
  [[nodiscard]] MGWS_FN std::uint32_t claimed_slots() const {
    return static_cast<std::uint32_t>(initial_.claimed_slots());
  }
  /// \param n  slots that have begun to run \param others  whether the others are wanted in the
  /// local queue
  MGWS_FN void began_in_place(std::uint64_t n, bool others) {
    initial_.began(n);
    statistics_.loaded_initial(static_cast<std::uint32_t>(n));
    in_place_ = others ? 0 : 2 * in_place_;
    if (others) load_claimed();
  }

  /// Whether the public queue is empty for good (public_queue::quiet).
  [[nodiscard]] MGWS_FN bool quiet(std::uint64_t& given) { return public_.quiet(g_, given); }
  /// Whether nothing is or was in any place but the local queue, and the initial set is exhausted.
  /// No look at what others write is needed for the answer.
  [[nodiscard]] MGWS_FN bool never_had_more() const {
    return public_.never_filled() && spill_.empty() && !initial_.may_have_more();
  }
  [[nodiscard]] MGWS_FN bool public_looks_empty() { return !shares_ || public_.looks_empty(g_); }

  // ---- For workers of several lanes, which keep the local queue's ends elsewhere ----

  /// Told after each burst whether it spawned anything.
  MGWS_FN void ran(bool spawned) {
    breeds_ = breeds_ || spawned;
    barren_ = !breeds_;
  }
  /// Whether tasks have run and none of them spawned.
  [[nodiscard]] MGWS_FN bool barren() const { return barren_; }

  /// Slots that were spawned into the spill area because the local queue was full.
  MGWS_FN void spilled_newest(std::uint32_t n) {
    statistics_.spilled(n);
    spill_.added_newest(n);
  }

  /// Whether to share at all for now: while the initial set lasts, nobody needs fine tasks.
  [[nodiscard]] MGWS_FN bool shares_now() {
    return shares_ && (grain_.coarse() || local_.empty() || initial_.exhausted(g_));
  }

  /// Fine slots that have to be local for some to be shared while nothing is public.
  [[nodiscard]] MGWS_FN std::uint32_t share_from() const { return share_from_; }
  /// So many at least, and while thieves empty the public queue. More where a step takes many.
  static constexpr std::uint32_t k_share_from = C::tasks::has_width(shape::lane) ? 16 : 8;
  /// Steps from which on fine bulk slots are shared, however few they are.
  [[nodiscard]] MGWS_FN std::uint32_t steps_worth_sharing() const {
    return std::max(grain_.private_burst(), 2u);
  }

  /// Shares what is local: all of it if tasks are coarse, else the older half, if need be of what
  /// one slot stands for.
  /// \return whether the public queue has something
  MGWS_FN bool share_some() {
    if (!shares_ || local_.empty()) return false;
    if (grain_.coarse()) {
      release_all();
    } else if (public_.looks_empty(g_)) {
      if (spill_.empty() && local_.size() == 1) cut_oldest();
      release_oldest(((spill_.empty() ? local_.size() : spill_.size()) + 1) / 2);
    }
    return !public_.looks_empty(g_);
  }

 private:
  /// k_share_from after a release of which some came back.
  static constexpr std::uint32_t k_share_seldom = C::tasks::has_width(shape::lane) ? 32 : 8;
  /// Slots that a release should have at least, so that several thieves find something.
  static constexpr std::uint32_t k_pieces = 8;
  /// Spawns of one coarse task that are released one by one.
  static constexpr std::uint32_t k_eager_releases = 256;
  /// Slots by which the local queue grows between two looks of spawn.
  static constexpr std::uint32_t k_growth = 16;
  /// Initial slots that several lanes claim at least, if tasks are fine: two steps' worth.
  static constexpr std::uint32_t k_least_claim = 64;
  static constexpr std::uint32_t k_never = ~std::uint32_t{0};

  /// Makes several slots of the oldest, if that stands for several instances.
  MGWS_FN void cut_oldest() { local_.split_oldest(g_, k_pieces); }

  /// Makes everything stealable but the newest `kept` local slots, as far as the public queue has
  /// room. \return whether thieves that still copy prevented it
  MGWS_FN bool release_all_but(std::uint32_t kept) {
    if (!shares_) return false;
    for (;;) {
      const bool spilled = !spill_.empty();
      if (!spilled && !local_.empty() && local_.size() < k_pieces) cut_oldest();
      const std::uint32_t n = spilled ? spill_.size() : local_.size();
      if (!spilled && n <= kept) return false;
      const auto done = release_oldest(spilled ? n : n - kept);
      if (!spilled || done.slots == 0) return done.postponed;
    }
  }

  /// Initial slots to claim at most, given how long tasks take: what is claimed is nobody else's.
  [[nodiscard]] MGWS_FN std::uint32_t claim_at_once() const {
    if constexpr (k_several) {
      return grain_.coarse() ? units() : units() * grain_.steps_at_once();
    } else {
      return std::max(local_.capacity() / 2, 1u);
    }
  }

  /// Slots to take back at most, given how long tasks take.
  [[nodiscard]] MGWS_FN std::uint32_t at_once() const {
    return grain_.coarse() ? units() : k_never;
  }

  MGWS_FN static grain_type begin_grain(typename B::group& g, const run_parameters& run,
                                        bool shares) {
    if constexpr (k_several) {
      return grain_type(shares, run.step_ns);
    } else {
      return grain_type(g.once(&B::now));
    }
  }

  MGWS_FN void look_again() {
    look_at_ = grain_.coarse() && eager_ != 0
                   ? 0
                   : std::min(local_.size() + k_growth, local_.capacity()) - 1;
  }

  /// Fine tasks: whether the public queue is short of what is local. A single plain task is better
  /// run than released; and while the initial set lasts, nobody needs more.
  [[nodiscard]] MGWS_FN bool worth_sharing() {
    const std::uint32_t n = local_.size();
    if (n <= 1 && spill_.empty() && (n == 0 || local_.oldest().read_header().count() == 1))
      return false;
    return public_.holds_less_than(g_, std::max(n / 2, 1u)) && initial_.all_claimed(g_);
  }

  /// Puts what is left of a claim where it can be shared, a batch at a time.
  MGWS_FN bool load_claimed() {
    if (!initial_.claimed()) return false;
    const std::uint32_t n = initial_.load_oldest(g_, local_);
    statistics_.loaded_initial(n);
    return n != 0;
  }

  /// release_all_but before what may be a long task: a thief in the middle of its copy is waited
  /// for, but not long.
  MGWS_FN void release_insisting(std::uint32_t kept) {
    for (typename B::backoff wait; release_all_but(kept) && !wait.exhausted();)
      wait.pause();
  }

  /// Makes up to n of the oldest slots public that are not: spilled ones or, if there are none,
  /// local ones.
  MGWS_FN typename public_type::released release_oldest(std::uint32_t n) {
    if (!announced_) announce();
    share_from_ = took_back_ ? k_share_seldom : k_share_from;
    took_back_ = false;
    const bool spilled = !spill_.empty();
    const auto done = public_.release(g_, spilled ? spill_.slots() : local_.slots(),
                                      spilled ? spill_.tail() : local_.tail(),
                                      std::min(n, spilled ? spill_.size() : local_.size()));
    if (spilled) {
      spill_.took_oldest(done.slots);
    } else {
      local_.took_oldest(done.slots);
    }
    statistics_.released(done.slots);
    if (done.was_empty) wake();
    return done;
  }

  /// Tells all devices that there is something to steal.
  [[gnu::noinline]] MGWS_FN void announce() {
    announced_ = true;
    g_.once([&] {
      for (std::uint32_t d = 0; d != run_.devices; ++d)
        B::store(view_.control(d).shared, 1u, P::shared, V::global_scope);
      return 0;
    });
  }

  /// One sleeper is enough where any may take the work; where not, the right one is among all.
  MGWS_FN void wake() {
    if (run_.steal == steal_policy::uniform || run_.steal == steal_policy::bias) {
      view_.parking().notify_one();
    } else {
      view_.parking().notify_all();
    }
  }

  typename B::group& g_;
  const V& view_;
  const run_parameters& run_;
  typename C::statistics& statistics_;
  local_queue<B, slot_type> local_;
  spill_area<B, slot_type> spill_;
  public_type public_;
  initial_tasks<P, V, slot_type> initial_;
  bool shares_;
  bool announced_ = false;  ///< whether this worker has said that it makes tasks public
  bool took_back_ = false;  ///< whether some of the last release came back by an acquire
  std::uint32_t share_from_ = k_share_from;  ///< by what came of the release before that
  grain_type grain_;
  std::uint32_t eager_ = k_eager_releases;
  std::uint32_t in_place_ = 0;  ///< slots of the next claim that is to run where it lies
  bool grown_ = false;          ///< many were spawned in the burst that ended
  bool breeds_ = false;         ///< whether any task so far has spawned
  bool barren_;                 ///< whether some have run, now or before, and none has
  std::uint32_t look_at_;       ///< size of the local queue from which a spawn is watched
};

}  // namespace mgws
