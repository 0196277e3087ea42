/// \file
/// What a worker does that has nothing local: it looks for work, in its own holdings, in the
/// initial set, then in others' queues, until it finds some or the run is over.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <mgws/core/bridge.hpp>
#include <mgws/core/frames.hpp>
#include <mgws/core/giving.hpp>
#include <mgws/core/holdings.hpp>
#include <mgws/core/homeward.hpp>
#include <mgws/core/inbox.hpp>
#include <mgws/core/policy.hpp>
#include <mgws/core/queues.hpp>
#include <mgws/core/returns.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/signals.hpp>
#include <mgws/core/target.hpp>
#include <mgws/core/termination/detector.hpp>
#include <mgws/core/widths.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// \tparam C  a configuration (worker_base.hpp)
template <class C>
class search {
  using P = typename C::protocol;
  using V = typename C::view;
  using B = typename V::backend;
  using slot_type = slot<typename C::tasks>;
  using places = elsewhere<V, typename C::tasks>;
  static_assert(termination_detector<typename C::detector, V>);

 public:
  enum class found : std::uint8_t { work, over, stopped };

  /// \param damping  the worker's damping map, or nullptr
  MGWS_FN search(const V& view, const run_parameters& run, const worker_place& place,
                 std::uint32_t* damping, holdings<C>& mine, signals<C>& host,
                 typename C::statistics& statistics)
      : view_(view),
        run_(run),
        mine_(mine),
        host_(host),
        statistics_(statistics),
        place_(place),
        targets_(run, place.device, place.queue, place.id),
        damping_(damping),
        detector_(view, run, place.device, place.id),
        sent_(run, place.device),
        steals_(targets_.any()) {}

  /// Between two tasks: gives other domains that wait for tasks some of what this worker has, or
  /// looks whether any do. \param clock  clock(): the time \return whether it did
  template <class Clock>
  MGWS_FN bool serve(Clock&& clock) {
    if constexpr (k_bridged) {
      if (run_.domains == 0) return false;
      const std::uint64_t now = B::host_memory_is_far ? clock() : 0;
      if (!mine_.later().has_away() && !bridge_.is_time(now)) return false;
      return serve_now(now);
    } else {
      return false;
    }
  }

  /// What this worker has sent back to frames of other devices.
  [[nodiscard]] MGWS_FN auto& sent() { return sent_; }

  /// \param dry  dry(): called before this worker becomes passive; returns whether it has made
  ///              something of its own, which is work then
  /// \pre nothing is local \return work: something is local now
  template <class Dry>
  MGWS_FN found find_work(Dry&& dry) {
    if (mine_.has_fixed_share())
      return mine_.refill() || mine_.load_initial() || mine_.refill_later() || dry() ? found::work
                                                                                     : found::over;
    bool passive = false;
    std::uint32_t looks = 0;  // until the next question to the detector
    std::uint32_t attempts =
        0;  // since the last look at what all workers look at: a board, a channel
    const auto regained = [&] {
      if (passive) detector_.regained_work();
      passive = false;
      looks = 0;
    };
    std::uint64_t since = 0;
    std::uint64_t idle_since = 0;
    for (auto wait = backoff_up_to(run_.longest_pause_ns);;) {
      bool postponed = false;
      // Who is passive has nothing of its own, and only who shares its queue may come to something.
      if (!passive || place_.owners != 1) {
        if (mine_.refill() || mine_.refill_before_public()) return found::work;
        const auto got = mine_.acquire(regained);
        if (got.slots != 0 || mine_.load_initial() || mine_.refill_later()) return resume(since);
        postponed = got.postponed;
      }
      const bool lasts = mine_.board_lasts();
      if (lasts || ++attempts == B::looks_at_once) {
        attempts = 0;
        if (mine_.take_shown(lasts ? place_.device : next_board(), regained)) return resume(since);
      }
      const bool looks_afar = attempts == 0 || place_.id == 0;
      if (run_.inboxes != 0 && take_submitted(regained)) return resume(since);
      if constexpr (k_takes_returns)
        if (take_returned(regained)) return resume(since);
      if constexpr (places::k_any)
        if (mine_.later().has_away()) send_away();
      if constexpr (k_bridged)
        if (run_.domains != 0 && looks_afar && take_given(passive || place_.id == 0, regained))
          return resume(since);

      host_.enter(passive ? phase::idle : phase::searching);
      if (B::owners_listen && mine_.shares() && since == 0) since = B::now();
      if (steals_ && try_steal(mine_.local(), regained)) return resume(since, true);

      std::uint64_t given = 0;
      if (!passive && !postponed && !mine_.may_load() && mine_.quiet(given)) {
        if (dry()) return resume(since);
        // Until somebody has taken what it sent back, a worker counts as having work.
        const bool gave_all = sent_.closed(view_, run_, place_.device, given);
        if (gave_all && place_.id == 0 && more_may_come()) {
          if (wait.exhausted() && sleep_at_inboxes()) {
            wait = backoff_up_to(run_.longest_pause_ns);
            continue;
          }
        } else if (gave_all) {
          passive = true;
          if constexpr (k_bridged && B::parking::sleeps) idle_since = B::now();
          const bool last = detector_.out_of_work(given);
          looks = last ? 0 : run_.looks_between_questions;
          if (last && run_.inboxes != 0) view_.parking().notify_all();
        }
      }
      if (passive && run_.far_detector && host_.told_over()) return found::over;
      // The request to stop comes last: whoever finds work looks as well, and so most need not ask.
      if (!passive) {
        if (host_.stopping()) return found::stopped;
      } else if (looks-- == 0) {
        looks = run_.looks_between_questions;
        const verdict v = ask();
        if (v == verdict::over) return found::over;
        if (host_.stopping()) return found::stopped;
        if (v == verdict::progressed) continue;
        if (wait.exhausted() && may_sleep(idle_since) && sleep()) {
          wait = backoff_up_to(run_.longest_pause_ns);
          continue;
        }
      }
      wait.pause();
    }
  }

  /// For a worker that has something, but less than a step, and nothing below it: one attempt at
  /// what others show, which then lies there.
  MGWS_FN bool steal_below() {
    auto& below = mine_.spill();
    return steals_ && 2 * below.capacity() >= run_.max_batch && try_steal(below, [] {});
  }

 private:
  static constexpr bool k_bridged = bridged_view<V>;
  static constexpr bool k_takes_returns = k_returns<V> && C::tasks::has_frames;

  /// Apart from what is asked after each burst.
  [[gnu::noinline]] MGWS_FN bool serve_now(std::uint64_t now) {
    const bool looks = bridge_.looks(now, place_.id, run_.workers) && !has_nothing_for_others();
    if (!looks && !mine_.later().has_away()) return false;
    serve_others();
    return true;
  }
  [[gnu::noinline]] MGWS_FN void serve_others() {
    bridge_.look(view_, run_);
    const bool sends = mine_.later().has_away();
    if (!sends && !bridge_.called(view_, run_)) return;
    bridge_.give(
        view_, run_,
        [&](std::uint32_t to) { return sends && (places::k_homes || places::is_other(run_, to)); },
        [&](std::uint32_t to, std::uint32_t most, std::uint32_t room, auto&& put) {
          const bool spares = most != 0 && !(places::is_slower(run_, to) &&
                                             (detector_.half_idle(0) || would_be_late(most)));
          return giving<C>::give(mine_, to, most, spares, room, put);
        });
  }

  [[nodiscard]] MGWS_FN bool would_be_late(std::uint32_t most) const {
    return giving<C>::would_be_late(mine_, most, [&] { return bridge_.short_so_far(); });
  }
  /// Whether it need not look who asks.
  [[nodiscard]] MGWS_FN bool has_nothing_for_others() const {
    return places::others_are_slower(run_) && mine_.later().empty() && would_be_late(~0u);
  }
  /// Of a worker that has nothing but what only others can run. These have watchdogs of their own.
  [[gnu::noinline]] MGWS_FN void send_away() {
    serve_others();
    host_.beat(B::now());
  }

  /// \param ns  the longest pause; 0, and where the backend does not count it so: the backend's own
  MGWS_FN static typename B::backoff backoff_up_to(std::uint32_t ns) {
    if constexpr (std::constructible_from<typename B::backoff, std::uint32_t>) {
      return typename B::backoff(ns);
    } else {
      return {};
    }
  }

  MGWS_FN found resume(std::uint64_t since, bool stolen = false) {
    if (stolen) mine_.pace().restart();
    if constexpr (B::owners_listen)
      if (since != 0) mine_.pace().exclude(B::now() - since);
    return found::work;
  }

  /// The device at whose board to look: the own one and, in turn with it, the others' if this
  /// worker may steal there.
  MGWS_FN std::uint32_t next_board() {
    if (run_.devices == 1 || run_.steal == steal_policy::local) return place_.device;
    board_ = board_ + 1 < 2 * run_.devices ? board_ + 1 : 0;
    return (board_ & 1) == 0 ? place_.device : board_ / 2;
  }

  /// \param to  an empty queue that holds half a largest batch
  template <class Regained>
  MGWS_FN bool try_steal(local_queue<B, slot_type>& to, Regained&& regained) {
    statistics_.reaches(attempt::begins, &B::now);
    std::uint32_t target = 0;
    std::uint32_t slots = 0;
    bool look = false;
    bool promising = true;
    if (B::looks_at_once > 1 && run_.overflow == overflow_policy::probe &&
        run_.longest_pause_ns == 0) {
      promising = seems_to_have_work(target);  // the look is done here
    } else {
      target = targets_.next();
      look = damping_.look_first(target);
    }
    steal_result r = steal_result::empty;
    if (promising) {
      host_.tries(target);
      r = steal<P, B, slot_type>(
          view_.head(target),
          ring<slot_type>(static_cast<slot_type*>(view_.slots(target)), run_.public_capacity), to,
          V::queue_scope, look, [&] { statistics_.reaches(attempt::claims, &B::now); },
          [&] {
            statistics_.reaches(attempt::took, &B::now);
            regained();
          },
          slots);
    }
    const bool won = r == steal_result::won;
    if (!won && B::owners_listen) ask_owner(target);
    statistics_.attempt_ends(won, r == steal_result::empty, target, device_of(target), slots,
                             &B::now);
    damping_.tried(target, won);
    return won;
  }

  /// Looks at several queues at once. \param target  set to one that shows work, or to any
  MGWS_FN bool seems_to_have_work(std::uint32_t& target) {
    std::uint32_t queue[B::looks_at_once];
    decltype(glance<P>(view_.head(0), V::queue_scope)) seen[B::looks_at_once];
    targets_.next(queue);
    for (std::uint32_t i = 0; i != B::looks_at_once; ++i)
      seen[i] = glance<P>(view_.head(queue[i]), V::queue_scope);
    bool any = false;
    for (std::uint32_t i = 0; i != B::looks_at_once; ++i) {
      if (!any) target = queue[i];
      any = any || shown_by<P>(seen[i]) != 0;
    }
    return any;
  }

  /// Asks whoever owns a queue of which nothing was to be had for what he keeps to himself.
  MGWS_FN void ask_owner(std::uint32_t target) {
    auto& asked = view_.head(target).asked;
    if (B::load(asked, P::ask, V::queue_scope) == 0) B::store(asked, 1u, P::ask, V::queue_scope);
  }

  MGWS_FN std::uint32_t device_of(std::uint32_t queue) const {
    std::uint32_t d = 0;
    while (queue >= run_.device[d].first_queue + run_.device[d].queues)
      ++d;
    return d;
  }

  MGWS_FN verdict ask() {
    const verdict v = detector_.ask();
    if (v == verdict::over && run_.far_detector) host_.tell_over();
    if (v != verdict::running) view_.parking().notify_all();
    return v;
  }

  /// Whether a worker may sleep that has been idle since then: not in a short run over a GPU.
  [[nodiscard]] MGWS_FN bool may_sleep([[maybe_unused]] std::uint64_t since) const {
    if constexpr (k_bridged && B::parking::sleeps && B::hand_over_ns != 0) {
      return run_.other_kind == 0 || B::now() - since >= policy::k_short_run_ns;
    } else {
      return true;
    }
  }
  /// Sleeps until somebody publishes something, unless a last look shows that they did.
  /// \return whether it slept
  MGWS_FN bool sleep() {
    if constexpr (B::parking::sleeps) {
      const auto ticket = view_.parking().prepare();
      if (ask() != verdict::running || host_.stopping() || work_in_sight()) {
        view_.parking().cancel(ticket);
        return false;
      }
      statistics_.count(&worker_counts::sleeps);
      view_.parking().wait(ticket);
      return true;
    } else {
      return false;
    }
  }

  /// Takes what has come from outside.
  template <class Regained>
  MGWS_FN bool take_submitted(Regained&& regained) {
    auto& pace = mine_.pace();
    const std::uint32_t n = inboxes_.take(view_, run_, place_, mine_.local(), widths<C>::units(),
                                          pace.least(), pace.full(), regained);
    if (n == 0) return false;
    pace.restart();
    statistics_.count(&worker_counts::slots_submitted, n);
    return true;
  }

  /// Takes what has come back to frames of this device. \return whether there is work by this
  template <class Regained>
  [[nodiscard]] [[gnu::noinline]] MGWS_FN bool take_returned(Regained&& regained) {
    lane_frames none;
    frames<C> all(view_, run_, place_, none, sent_);
    all.take_returned(
        regained, [&](auto&& fill) { add(fill); },
        [&](std::uint32_t number) { host_.report(failure::not_awaited, number); });
    return !mine_.local().empty();
  }
  /// Adds a continuation to an empty local queue, or to others that were added so.
  template <class Fill>
  MGWS_FN void add(Fill&& fill) {
    slot_type s;
    fill(s);
    auto& local = mine_.local();
    if constexpr (places::k_any && C::tasks::has_affinity)
      if (places::must_leave(run_, s)) {
        if (!mine_.later().away().push_if_room([&](slot_type& to) { to = s; }))
          host_.report(failure::out_of_space, mine_.later().room_for_more_away());
        return;
      }
    if (local.full() && !mine_.make_room())
      return host_.report(failure::out_of_space, std::uint64_t{run_.spill_capacity} + 1);
    local.push() = s;
  }

  /// Takes what another domain has given. One asks for more if its domain is short of work, and not
  /// if it is only itself: what the others have is nearer.
  template <class Regained>
  [[gnu::noinline]] MGWS_FN bool take_given(bool waits, Regained&& regained) {
    auto& pace = mine_.pace();
    std::uint64_t asked_ns = 0;
    std::uint32_t from = 0;
    const std::uint32_t n = bridge_.take(
        view_, run_, [&] { return waits && detector_.half_idle(1); }, widths<C>::units(),
        mine_.local(), pace.least(), pace.full(), regained, [&] { return instances_of_work(); },
        [&](std::uint32_t domain, const auto& gate) {
          if constexpr (C::statistics::enabled) {
            from = domain;
            asked_ns = B::load(gate.asked_ns, P::bookkeep, V::global_scope);
          }
        });
    if (n == 0) return false;
    if (asked_ns != 0) statistics_.answered(from, asked_ns, n, &B::now);
    if constexpr (C::tasks::has_finish) adopt();
    pace.restart();
    statistics_.count(&worker_counts::slots_submitted, n);
    return true;
  }

  /// Of what is local, without what goes home.
  [[nodiscard]] MGWS_FN std::uint64_t instances_of_work() {
    const auto& local = mine_.local();
    std::uint64_t n = 0;
    for (std::uint32_t i = local.tail(); i != local.head(); ++i) {
      const auto h = local.slots().at(i).read_header();
      if (!places::goes_home(h.type())) n += h.count();
    }
    return n;
  }
  /// Puts what has come below a finish of another domain below one of this domain, for each such
  /// finish. The tokens that the slots have brought go home after it. \pre nothing else is local
  MGWS_FN void adopt() {
    const auto& local = mine_.local();
    lane_frames none;
    frames<C> all(view_, run_, place_, none, sent_);
    all.begin(0);
    for (std::uint32_t i = local.tail(); i != local.head(); ++i) {
      const std::uint32_t theirs = local.slots().at(i).finish();
      if (theirs == 0 || all.has(theirs - 1)) continue;
      tokens_home<typename C::tasks::gathered> home{};
      home.number = theirs - 1;
      for (std::uint32_t j = i; j != local.head(); ++j)
        if (const slot_type& s = local.slots().at(j); s.finish() == theirs)
          home.tokens += s.read_header().count();
      const std::uint32_t ours = all.open_finish(home, home.tokens, 0);
      if (ours == all.none)
        return host_.report(failure::out_of_frames, std::uint64_t{1} << run_.log_frames);
      for (std::uint32_t j = i; j != local.head(); ++j)
        if (slot_type& s = local.slots().at(j); s.finish() == theirs) s.where_finish() = ours + 1;
    }
    all.end();
  }

  /// The first worker's: whether tasks may come from outside, whom it tells how far all here has
  /// ended.
  [[gnu::noinline]] MGWS_FN bool more_may_come() {
    const auto others_idle = [&] { return detector_.others_idle(); };
    if (run_.inboxes != 0 && inboxes_.open(view_, run_)) {
      if constexpr (k_bridged) {
        if (run_.domains != 0) {
          bridge_.tell(view_, run_, true, others_idle);
          inboxes_.tell(view_, run_, [&] { return others_idle() && bridge_.rests(view_, run_); });
          return true;
        }
      }
      inboxes_.tell(view_, run_, others_idle);
      return true;
    }
    if constexpr (k_bridged) return run_.domains != 0 && bridge_.open(view_, run_, others_idle);
    return false;
  }

  /// The first worker, which is never passive while inboxes are open. It is woken by what comes,
  /// and by who is the last of the others to become passive. Nobody wakes it for what another
  /// domain gives. \return whether it slept
  MGWS_FN bool sleep_at_inboxes() {
    if constexpr (B::parking::sleeps) {
      if (k_bridged && run_.domains != 0) return false;
      const auto ticket = view_.parking().prepare();
      if (host_.stopping() || work_in_sight()) {
        view_.parking().cancel(ticket);
        return false;
      }
      inboxes_.tell(view_, run_, [&] { return detector_.others_idle(); });
      statistics_.count(&worker_counts::sleeps);
      view_.parking().wait(ticket);
      return true;
    } else {
      return false;
    }
  }

  /// Looks at every queue that this worker could get work from.
  MGWS_FN bool work_in_sight() {
    if (!mine_.public_looks_empty()) return true;
    if (inboxes_.shows(view_, run_, place_)) return true;
    if constexpr (k_takes_returns)
      if (B::load(view_.returns(place_.device).newest, P::look, V::queue_scope) != 0) return true;
    if (!steals_) return false;
    const device_range& here = run_.device[place_.device];
    const bool everywhere = run_.steal != steal_policy::local;
    for (std::uint32_t d = 0; d != run_.devices; ++d)
      if ((everywhere || d == place_.device) && mine_.sees_shown(d)) return true;
    const std::uint32_t begin = everywhere ? 0 : here.first_queue;
    const std::uint32_t end = everywhere ? run_.queues : here.first_queue + here.queues;
    for (std::uint32_t q = begin; q != end; ++q) {
      if (q == place_.queue) continue;
      if (available<P>(view_.head(q), V::queue_scope) != 0) return true;
    }
    return false;
  }

  const V& view_;
  const run_parameters& run_;
  holdings<C>& mine_;
  signals<C>& host_;
  typename C::statistics& statistics_;
  const worker_place& place_;
  target_selection<typename B::random> targets_;
  damping_map damping_;
  typename C::detector detector_;
  inbox_reader<P, V, slot_type> inboxes_;
  struct no_bridge {};
  [[no_unique_address]] std::conditional_t<k_bridged, bridge_end<P, V, slot_type>, no_bridge>
      bridge_;
  [[no_unique_address]] sent_back_of<P, V, typename C::tasks> sent_;
  bool steals_;
  std::uint32_t board_ = 0;  ///< looked at last, if there are several
};

}  // namespace mgws
