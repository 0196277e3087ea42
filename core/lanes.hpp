/// \file
/// The worker of several lanes: the loop of worker.hpp, running as many tasks side by side as its
/// lanes allow. Queues, search and termination are the same templates, run by one lane, the leader.
///
/// One *step* takes the newest slots of one task type, deals their instances to units (lanes, warps
/// or the whole worker, as the type wants), pops them, and runs them; of a slot of very many
/// instances round after round. What they spawn is written side by side behind what is left.
/// Between steps the leader shares when the public queue has run out, and after a burst of steps it
/// looks at the clock and at the stop request.
///
/// What the steps touch is kept in registers; the leader's part is in calls that are not inlined,
/// so that a lane's registers are the tasks'.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>

#include <mgws/core/lane_task.hpp>
#include <mgws/core/lanes_burst.hpp>
#include <mgws/core/lanes_dealing.hpp>
#include <mgws/core/lanes_in_common.hpp>
#include <mgws/core/lanes_leader.hpp>
#include <mgws/core/lanes_rounds.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/core/widths.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// \tparam C  a configuration (worker_base.hpp) whose backend is a team_backend
///
/// Every function is collective, unless it says otherwise.
template <class C>
class lane_worker : public lanes_in_common<C> {
  using common = lanes_in_common<C>;
  using common::frames_of, common::local_slots, common::over_lanes;
  using V = typename C::view;
  using B = typename V::backend;
  using team = typename B::team;
  using tasks = typename C::tasks;
  using slot_type = slot<tasks>;
  using context_type = typename C::context;
  using accumulators = typename C::accumulators;
  using leader_type = lanes_leader<C>;
  using plan = typename leader_type::plan;
  using dealing = lanes_dealing<C>;
  using hand = typename dealing::hand;
  using hot = lanes_burst<C>;
  using rounds = lanes_rounds<C>;

 public:
  using common::leader;

  /// \pre memory.local is the team's local_memory()
  MGWS_FN lane_worker(const V& view, const run_parameters& run, std::uint32_t device,
                      std::uint32_t id, const typename leader_type::memory_type& memory) {
    if (team::lane() == 0) new (&leader()) leader_type(view, run, device, id, memory);
    team::sync();
  }

  lane_worker(const lane_worker&) = delete;
  lane_worker& operator=(const lane_worker&) = delete;

  /// Before run(); see worker_base.
  MGWS_FN void take_share(const fixed_share& share) {
    if (team::lane() == 0) leader().take_share(share);
  }

  // ---- The loop ----

  /// Runs tasks until the run is over or stopped.
  /// \param context  taken here and not kept: its place may be one that a compiler reads faster
  ///                 when it sees it
  MGWS_FN void run(const context_type& context) {
    kept_by_lane<C> kept{};
    if constexpr (tasks::has_frames) frames_of(kept.frames).begin(team::lane());
    for (plan o = find_work(kept); o.going; o = find_work(kept)) {
      if constexpr (tasks::has_finish)
        if (o.head == o.tail) o = settle(o, context, kept);
      const bool going = drain(o, context, kept);
      if constexpr (tasks::has_frames) frames_of(kept.frames).end();
      if (!going) break;
    }
    if constexpr (tasks::has_finish && C::statistics::enabled) count_adds(kept.purse.adds);
    finish(kept.accumulated);
  }

  // ---- For lane_task ----

  /// Makes everything stealable while a task runs that has all lanes. \return the local queue's
  /// tail
  [[gnu::noinline]] MGWS_FN static std::uint32_t release_within_task(std::uint32_t tail) {
    team::sync();
    std::uint32_t head = team::counter();
    if (head - tail > leader().parameters().local_capacity) {
      const plan o = absorb(head, tail);
      head = o.head;
      tail = o.tail;
    }
    const plan o = ask_leader<&leader_type::release>(head, tail);
    if (team::lane() == 0) team::counter() = o.head;
    team::sync();
    return o.tail;
  }

 private:
  // ---- Between the steps: not inlined ----

  /// What the leader finds out, for all lanes.
  template <auto Question, class... Args>
  [[gnu::noinline]] MGWS_FN static plan ask_leader(Args... args) {
    return team::lead([&] { return (leader().*Question)(args...); });
  }

  [[nodiscard]] MGWS_FN static plan find_work(const kept_by_lane<C>& kept) {
    bool lanes_owe = false;
    if constexpr (tasks::has_finish) lanes_owe = team::any(kept.purse.owes());
    return ask_leader<&leader_type::template find_work<hot::has_resumable()>>(lanes_owe);
  }

  /// What lane 0 notices after a step: the public queue has run out; of the newest or the oldest
  /// slot alone more is left than the worker should have to itself; a step was long, as those
  /// before it may not have been, or the burst was where nothing was wanted as it began: then there
  /// is nothing to look at, but to ask anew.
  static constexpr std::uint32_t nothing = 0;
  static constexpr std::uint32_t ran_out = 1;
  static constexpr std::uint32_t much = 2;
  static constexpr std::uint32_t long_step = 4;
  /// Lane 0: looks around, so long after the last time.
  [[nodiscard]] MGWS_FN static std::uint32_t look_around(const hot& h, std::uint32_t ticks) {
    leader_type& l = leader();
    if (!h.watches && h.share_from == hot::k_never) return long_step;
    std::uint32_t seen = ticks > leader_type::k_delta_looks * h.look_ticks ? long_step : 0;
    if (h.watches && l.public_seems_empty()) seen |= ran_out;
    if (h.size() != 0 &&
        (l.mine().lasts(h.local.at(h.head - 1)) || l.mine().lasts(h.local.at(h.tail))))
      seen |= much;
    return seen;
  }

  /// After a step whose spawns did not all fit the local queue. What did not fit lies in the spill
  /// area, though it is newer than what is local: each such slot changes places with the oldest one
  /// that is left, whose cell of the ring is the very one that it would have had.
  [[gnu::noinline]] MGWS_FN static plan absorb(std::uint32_t head, std::uint32_t tail) {
    const auto& spill = leader().mine().spilled();
    const std::uint32_t capacity = leader().parameters().local_capacity;
    const ring<slot_type> local = local_slots();
    const std::uint32_t n = std::min(head - tail - capacity, spill.room());
    for (std::uint32_t swapped = 0; swapped < n; swapped += capacity) {
      const std::uint32_t until = std::min(swapped + capacity, n);
      for (std::uint32_t i = swapped + team::lane(); i < until; i += team::k_lanes) {
        slot_type& newer = spill.slots().at(spill.head() + i);
        const slot_type older = local.at(tail + i);
        local.at(tail + i) = newer;
        newer = older;
      }
      team::sync();
    }
    return ask_leader<&leader_type::take_spilled>(tail + n + capacity, tail + n, n);
  }

  /// Without work: gives back the tokens that the lanes hold, those of one finish by one addition.
  /// \return a plan with what comes after a finish that has ended by this
  MGWS_FN plan settle(const plan& o, const context_type& context, kept_by_lane<C>& kept) {
    auto& mine = kept.purse;
    const std::uint32_t some = team::from_first(
        team::reduce(mine.finish, [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); }));
    if (!team::any(mine.finish != 0 && mine.finish != some)) {
      const std::uint64_t all =
          team::reduce(mine.finish != 0 ? mine.tokens : 0,
                       [](std::uint64_t a, std::uint64_t b) { return a + b; });
      mine.finish = some;
      mine.tokens = team::lane() == 0 ? all : 0;
      if constexpr (tasks::gathers) {
        const auto values = over_lanes(mine.gathered);
        mine.gathered = {};
        if (team::lane() == 0) mine.gathered = values;
      }
    }
    if (team::lane() == 0) team::counter() = o.head;
    team::sync();  // what the tasks of all lanes did comes before the addition
    std::uint32_t tail = o.tail;
    const ring<slot_type> local = local_slots();
    lane_task<C, shape::lane>(local, tail, context, kept).settle();
    team::sync();
    plan found = o;
    found.head = team::counter();
    return found.head - tail > local.capacity() ? absorb(found.head, tail) : found;
  }

  /// For statistics. \param adds  this lane's to finishes
  [[gnu::noinline]] MGWS_FN static void count_adds(std::uint32_t adds) {
    const std::uint32_t all =
        team::reduce(adds, [](std::uint32_t a, std::uint32_t b) { return a + b; });
    team::lead([&] { return leader().added_to_finishes(all); });
  }

  [[gnu::noinline]] MGWS_FN void finish(accumulators accumulated) {
    const accumulators all = over_lanes(accumulated);
    team::lead([&] { return leader().finish(); });
    if (team::lane() == 0) *leader().result() = all;
  }

  // ---- The steps ----

  /// Runs tasks, newest first, until the local queue is empty. \return false if the run stops
  MGWS_FN bool drain(const plan& first, const context_type& context, kept_by_lane<C>& kept) {
    hot h{};
    h.local = local_slots();
    h.follow(first);
    h.left = first.burst;
    bool going = true;
    while (going && h.head != h.tail) {
      std::uint32_t ran = 0;
      const std::uint32_t burst = h.left;
      std::uint32_t seen = nothing;
      h.slots = h.lanes = 0;
      if constexpr (hot::has_resumable()) h.begun.lanes = h.begun.slots = 0;
      do {
        ran += step(context, kept, h);
        if (h.left == 0 || !h.due) continue;
        const std::uint32_t ticks = B::ticks();
        seen = team::from_first(team::lane() == 0 ? look_around(h, ticks - h.looked) : 0);
        h.looked = ticks;
        if ((seen & (ran_out | much)) != 0) {
          if ((seen & ran_out) != 0) h.watches = false;
          if (!h.watches) h.share_from = (seen & much) != 0 ? 1 : leader().share_from();
        }
      } while (h.left != 0 && h.head != h.tail && (seen & long_step) == 0 && !runs_empty(h));
      const plan o = end_burst(h, burst - h.left, ran);
      h.follow(o);
      h.left = o.burst;
      going = o.going;
    }
    return going;
  }

  /// Whether lanes would be free in the next step, and there may be more than what is local.
  [[nodiscard]] MGWS_FN static bool runs_empty(const hot& h) {
    if constexpr (hot::has_resumable()) {
      return h.begun.short_of && h.begun.may_top_up;
    } else {
      return false;
    }
  }
  [[nodiscard]] MGWS_FN static plan end_burst(const hot& h, std::uint32_t steps,
                                              std::uint32_t ran) {
    const std::uint32_t lanes =
        widths<C>::k_several ? h.lanes : ran * (team::k_lanes / widths<C>::units());
    if constexpr (hot::has_resumable()) {
      // How long what is here will last, the instances that ended tell.
      const float as_if =
          std::max(static_cast<float>(h.begun.lanes) * (1.0f / team::k_lanes), 1.0f);
      return ask_leader<&leader_type::end_burst_of_pieces>(
          h.head, h.tail, steps, ran, lanes, h.slots, as_if, h.begun.slots, h.begun.short_of);
    } else {
      return ask_leader<&leader_type::end_burst>(h.head, h.tail, steps, ran, lanes, h.slots);
    }
  }

  /// Takes, shares, runs. \return instances run
  MGWS_FN std::uint32_t step(const context_type& context, kept_by_lane<C>& kept, hot& h) {
    std::uint32_t ran = 0;
    std::uint32_t mine = 0;  // type of the slot that is as far from the newest as this lane
    std::uint32_t type = 0;
    if constexpr (tasks::size > 1) {
      mine = tasks::size;
      if (team::lane() < h.size())
        mine = h.local.at(h.head - 1 - team::lane()).read_header().type();
      type = dealing::most_urgent(mine);
    }
    tasks::with_type(type, [&]<class T>() {
      if constexpr (detail::is_for<T, B>()) ran = step_of<T>(mine, context, kept, h);
    });
    return ran;
  }

  /// \param type_here  of the slot that is as far from the newest as this lane
  template <class T>
  MGWS_FN std::uint32_t step_of(std::uint32_t type_here, const context_type& context,
                                kept_by_lane<C>& kept, hot& h) {
    constexpr std::uint32_t lanes_a_unit = team::k_lanes / dealing::template k_units<T>;
    using task_type = lane_task<C, tasks::template width<T>>;

    const hand dealt = dealing::template deal<T>(h.local, h.head, h.size(), type_here);
    const bool asked = go(h, dealt.popped, keeps_much<T>(dealt, h));
    const auto copy = dealt.from->template read<T>();
    const auto below = dealt.from->finish();
    team::sync();  // every lane has read what spawns overwrite
    std::uint32_t ended = dealt.total;
    if constexpr (resumable_task<T, task_type>) {
      ended = run_pieces<task_type>(copy.get(), dealt, below, context, kept, h);
      h.begun.lanes += ended * lanes_a_unit;
      --h.left;
    } else {
      const std::uint32_t left = h.left;
      // A task that has all lanes may make stealable what is here while it runs; and after the
      // leader was asked the newest slot may be another one.
      const std::uint32_t rest = dealing::template k_units<T> != 1 && !asked ? dealt.rest : 0;
      ended +=
          rounds::template run_rounds<task_type>(copy.get(), dealt, rest, below, context, kept, h);
      if constexpr (hot::has_resumable()) {
        h.begun.lanes += (left - h.left) * team::k_lanes;
        h.begun.short_of = false;
      }
    }

    h.due = team::sync_any([&] { return B::ticks() - h.looked >= h.look_ticks; });
    const std::uint32_t before = h.head;
    h.head = team::counter();
    h.spawned = h.head - before;
    if constexpr (resumable_task<T, task_type>)
      h.begun.short_of = h.size() + h.begun.rest < dealing::template k_units<T>;
    if constexpr (C::statistics::enabled && !resumable_task<T, task_type>)
      if (team::lane() == 0) leader().used_lanes(ended * lanes_a_unit);
    if (h.size() > h.local.capacity()) h.follow(absorb(h.head, h.tail));
    if constexpr (widths<C>::k_several) h.lanes += ended * lanes_a_unit;
    return ended;
  }

  /// Runs piece after piece of what the units were dealt, and where some have ended, of what the
  /// newest slot has for these: until it has too few, something was spawned or it is time to look
  /// around. What goes on then goes back.
  /// \return instances that have ended
  template <class Task, class T>
  MGWS_FN std::uint32_t run_pieces(const T& t, const hand& dealt, finish_of<tasks> below,
                                   const context_type& context, kept_by_lane<C>& kept, hot& h) {
    constexpr std::uint32_t units = dealing::template k_units<T>;
    constexpr std::uint32_t lanes_a_unit = team::k_lanes / units;
    Task worker(h.local, h.tail, context, kept);
    T mine = t;
    task_index instance = dealt.instance;
    bool goes_on = dealing::template unit<T>() < dealt.total;
    if (goes_on) worker.begin(below);
    std::uint32_t begun = dealt.total;
    std::uint32_t busy = 0;  // units
    std::uint32_t ran = 0;   // for statistics
    std::uint32_t pieces = 0;
    for (;;) {
      if constexpr (C::statistics::enabled) {
        ran += goes_on ? 1 : 0;
        ++pieces;
      }
      if (goes_on) goes_on = run_piece_on_lanes(mine, worker, instance) == again;
      busy = team::count(goes_on) / lanes_a_unit;
      if (team::any(B::ticks() - h.looked > h.look_ticks || team::counter() != h.head)) break;
      if (busy == units) continue;
      if (const std::uint32_t free = units - busy;
          deal_newest(mine, instance, goes_on, free, worker, h)) {
        begun += free;
      } else if (busy == 0 || h.begun.may_top_up || has_more_of<T>(h)) {
        break;
      }
    }
    h.begun.rest = h.size() == 0 ? 0 : h.local.at(h.head - 1).read_header().count() - 1;
    if (goes_on && worker.lane() == 0) worker.push_begun(mine, instance);
    h.begun.slots += busy;
    if constexpr (C::statistics::enabled) {
      const std::uint32_t all =
          team::reduce(ran, [](std::uint32_t a, std::uint32_t b) { return a + b; });
      if (team::lane() == 0) leader().used_lanes(all, pieces);
    }
    return begun - busy;
  }
  /// Deals instances of the newest slot to the units that have none, so many, if it has as many of
  /// that type. \return whether it has
  template <class Task, class T>
  [[nodiscard]] MGWS_FN static bool deal_newest(T& mine, task_index& instance, bool& goes_on,
                                                std::uint32_t free, Task& worker, hot& h) {
    if (!has_more_of<T>(h)) return false;
    slot_type& newest = h.local.at(h.head - 1);
    const auto n = newest.read_header();
    if (n.count() < free) return false;
    const bool begins = !goes_on;
    const std::uint32_t before = team::prefix_sum(begins ? 1 : 0).before;
    const auto below = newest.finish();
    if (begins) {
      new (static_cast<void*>(&mine)) T(newest.template read<T>().get());
      instance = n.first() + before / (team::k_lanes / dealing::template k_units<T>);
    }
    team::sync();  // every lane has read what spawns overwrite
    if (n.count() == free) {
      rounds::pop_newest(h);
    } else {
      if (team::lane() == 0) newest.write_header(n.without_first(free));
      team::sync();
    }
    if (begins) worker.begin(below);
    goes_on = true;
    return true;
  }
  /// Whether the newest slot is of that type.
  template <class T>
  [[nodiscard]] MGWS_FN static bool has_more_of(const hot& h) {
    if (h.head == h.tail) return false;
    if constexpr (tasks::size == 1) {
      return true;
    } else {
      return team::from_first(h.local.at(h.head - 1).read_header().type()) ==
             tasks::template index<T>;
    }
  }

  /// Whether what is left of the slot that is being dealt is more than the worker should have to
  /// itself, and others may want some.
  template <class T>
  [[nodiscard]] MGWS_FN static bool keeps_much(const hand& dealt, const hot& h) {
    constexpr std::uint32_t units = dealing::template k_units<T>;
    return dealt.rest > units && h.share_from != hot::k_never &&
           dealt.rest > leader().mine().pace().full() * units;
  }
  /// Pops what was dealt, which stays where it is until something is spawned. Before it runs: room
  /// for about as many spawns as in the step before; and if nothing is public, what the worker will
  /// not have begun soon is made stealable.
  /// \param too_much  is left of the newest slot alone
  /// \return whether the leader was asked
  MGWS_FN bool go(hot& h, std::uint32_t popped, bool too_much) {
    h.head -= popped;
    h.slots += popped;
    const std::uint32_t room = std::min(h.spawned, h.local.capacity() / 2);
    const bool asks = h.size() > h.local.capacity() - room || h.size() >= h.share_from || too_much;
    if (asks) h.follow(ask_leader<&leader_type::share>(h.head, h.tail, popped, room));
    if (team::lane() == 0) team::counter() = h.head;
    return asks;
  }
};

}  // namespace mgws
