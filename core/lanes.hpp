/// \file
/// The worker of several lanes: the loop of worker.hpp, running as many tasks side by side as its
/// lanes allow. Queues, search, termination are the same templates; every lane holds their state,
/// which is uniform, and calls them together.
///
/// One *step* takes the newest slots of one task type, deals their instances to units (lanes, warps
/// or the whole worker, as the type wants), pops them, and runs them. What they spawn is written
/// side by side behind what is left. Between steps the worker shares, and now and then looks at the
/// clock and at the stop request.
///
/// What the steps touch is kept in registers; the rest only in calls that are not inlined, so that
/// a lane's registers are the tasks'.
#pragma once

#include <algorithm>
#include <cstdint>

#include <mgws/core/deal.hpp>
#include <mgws/core/holdings.hpp>
#include <mgws/core/lane_task.hpp>
#include <mgws/core/place.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/search.hpp>
#include <mgws/core/signals.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/core/worker.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// \tparam C  a configuration (worker.hpp) whose backend's group is a lane_group
///
/// Every function is collective, unless it says otherwise.
template <class C>
class lane_worker {
  using P = typename C::protocol;
  using V = typename C::view;
  using B = typename V::backend;
  using group = typename B::group;
  using tasks = typename C::tasks;
  using slot_type = slot<tasks>;
  using header = typename slot_type::header;
  using context_type = typename C::context;
  using accumulators = typename C::accumulators;
  using memory_type = worker_memory<slot_type, accumulators>;
  static_assert(lane_group<group>);

 public:
  enum class mode : std::uint8_t { balanced, direct };

  /// \pre memory.local is the group's local_memory()
  MGWS_FN lane_worker(group& g, const V& view, const run_parameters& run, std::uint32_t device,
                      std::uint32_t id, const memory_type& memory, mode m = mode::balanced)
      : g_(g),
        view_(view),
        run_(run),
        place_(run, device, id),
        statistics_(g.lane() == 0 ? memory.statistics : nullptr),
        host_(g, view, id, run.workers, statistics_),
        mine_(g, view, run, place_, memory.local, memory.spill, m == mode::balanced, statistics_),
        search_(g, view, run, place_, memory.damping, mine_, host_, statistics_),
        result_(memory.result) {}

  lane_worker(const lane_worker&) = delete;
  lane_worker& operator=(const lane_worker&) = delete;

  // ---- The loop ----

  /// Runs tasks until the run is over or stopped.
  /// \param context  taken here and not kept: its place may be one that a compiler reads faster
  ///                 when it sees it
  MGWS_FN void run(const context_type& context) {
    accumulators accumulated{};
    while (find_work() && drain(context, accumulated)) {
    }
    finish(accumulated);
  }

  /// The static baseline; see worker::run_direct.
  MGWS_FN void run_direct(const context_type& context, std::uint64_t begin, std::uint64_t end,
                          bool one_at_a_time) {
    accumulators accumulated{};
    while (load_direct(begin, end, one_at_a_time) && drain(context, accumulated)) {
    }
    finish(accumulated);
  }

  // ---- For lane_task. Any lane, unless they say otherwise ----

  [[nodiscard]] MGWS_FN signals<C>& host() { return host_; }
  [[nodiscard]] MGWS_FN std::uint32_t id() const { return place_.id; }
  [[nodiscard]] MGWS_FN std::uint32_t device() const { return place_.device; }
  [[nodiscard]] MGWS_FN std::uint32_t workers() const { return run_.workers; }

  /// Keeps a spawned slot that did not fit the local queue: the n-th such of this step.
  [[gnu::noinline]] MGWS_FN void overflow(std::uint32_t n, const slot_type& s) {
    const auto& spill = mine_.spilled();
    if (n < spill.room()) {
      spill.slots().at(spill.head() + n) = s;
    } else {
      host_.report(failure::out_of_space, std::uint64_t{spill.capacity()} + n + 1 - spill.room());
    }
  }

  /// Collective: makes everything stealable while a task runs that has all lanes.
  /// \return the tail of the local queue
  [[gnu::noinline]] MGWS_FN std::uint32_t release_within_task() {
    auto& local = mine_.local();
    g_.sync();
    settle(g_.counter(), local.tail());
    if (g_.lane() == 0) host_.beat(B::now());
    mine_.release_all();
    g_.sync();
    if (g_.lane() == 0) g_.counter() = local.head();
    g_.sync();
    return local.tail();
  }

 private:
  /// What the steps keep in registers of the local queue and of the public queue's state.
  struct hot {
    ring<slot_type> local;
    std::uint32_t head;
    std::uint32_t tail;
    bool stocked;  ///< the public queue had something when last seen
    bool coarse;
    bool shares;
    [[nodiscard]] MGWS_FN std::uint32_t size() const { return head - tail; }
  };

  // ---- Between the steps: not inlined ----

  [[gnu::noinline]] MGWS_FN bool find_work() {
    host_.executed(executed_);
    host_.holds(mine_.local().size(), mine_.spilled().size());
    if (search_.find_work() != search<C>::found::work) return false;
    host_.enter(phase::working);
    mine_.grain().begins(now());
    return true;
  }

  [[gnu::noinline]] MGWS_FN bool load_direct(std::uint64_t& begin, std::uint64_t end,
                                             bool one_at_a_time) {
    host_.enter(phase::working);
    if (mine_.refill()) return true;
    if (begin == end) return false;
    auto& local = mine_.local();
    const auto n = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(one_at_a_time ? 1 : local.capacity() / 2, end - begin));
    copy_slots<B>(g_, local.slots(), local.head(),
                  static_cast<const slot_type*>(view_.initial_slots()) + begin, n);
    g_.sync();
    local.added_newest(n);
    begin += n;
    statistics_.loaded_initial(n);
    return true;
  }

  /// Ends a burst. \return false if the run stops
  [[gnu::noinline]] MGWS_FN bool tick(std::uint32_t steps, std::uint32_t executed) {
    executed_ += executed;
    host_.executed(executed_);
    mine_.grain().ran(steps, [&] { return now(); });
    return !host_.stopping();
  }

  /// Makes work stealable, or makes room; see the callers. \return whether the public queue has
  /// something now
  [[gnu::noinline]] MGWS_FN bool share(std::uint32_t head, std::uint32_t tail) {
    settle(head, tail);
    if (mine_.local().room() < group::k_lanes) mine_.make_room(group::k_lanes);
    return mine_.share_some();
  }

  /// After a step whose spawns did not all fit the local queue. \return its head
  [[gnu::noinline]] MGWS_FN std::uint32_t absorb(std::uint32_t head, std::uint32_t tail) {
    settle(head, tail);
    return mine_.local().head();
  }

  /// The spawns of a step have ended, or something needs the queues as they are: tells the local
  /// queue and the spill area where the slots are.
  MGWS_FN void settle(std::uint32_t head, std::uint32_t tail) {
    auto& local = mine_.local();
    const std::uint32_t capacity = local.capacity();
    const std::uint32_t held = head - tail;
    if (held > capacity) mine_.spilled_newest(held - capacity);
    local.moved(tail + std::min(held, capacity), tail);
  }

  [[gnu::noinline]] MGWS_FN void finish(const accumulators& accumulated) {
    const accumulators all = g_.reduce(accumulated, [](accumulators a, const accumulators& b) {
      a.merge(b);
      return a;
    });
    host_.executed(executed_);
    host_.holds(mine_.local().size(), mine_.spilled().size());
    host_.enter(phase::finished);
    if (g_.lane() == 0) *result_ = all;
  }

  MGWS_FN std::uint64_t now() {
    return g_.once([] { return B::now(); });
  }

  // ---- The steps ----

  /// Runs tasks, newest first, until the local queue is empty. \return false if the run stops
  MGWS_FN bool drain(const context_type& context, accumulators& accumulated) {
    auto& word = view_.head(place_.queue).word;
    hot h{.local =
              ring<slot_type>(static_cast<slot_type*>(g_.local_memory()), mine_.local().capacity()),
          .head = mine_.local().head(),
          .tail = mine_.local().tail(),
          .stocked = !mine_.public_looks_empty(),
          .coarse = mine_.grain().coarse(),
          .shares = mine_.shares_now()};
    bool going = true;
    while (going && h.head != h.tail) {
      const std::uint32_t burst = mine_.grain().burst();
      std::uint32_t executed = 0;
      std::uint32_t steps = 0;
      do {
        executed += step(context, accumulated, h, word);
        ++steps;
      } while (steps != burst && h.head != h.tail);
      settle(h.head, h.tail);
      going = tick(steps, executed);
      h.coarse = mine_.grain().coarse();
      h.shares = mine_.shares_now();
    }
    return going;
  }

  /// Takes, shares, runs. \return instances run
  template <class Word>
  MGWS_FN std::uint32_t step(const context_type& context, accumulators& accumulated, hot& h,
                             const Word& word) {
    std::uint32_t ran = 0;
    if constexpr (tasks::size == 1) {
      tasks::with_type(0, [&]<class T>() { ran = step_of<T>(context, accumulated, h, word); });
    } else {
      const std::uint32_t type =
          g_.once([&] { return h.local.at(h.head - 1).read_header().type(); });
      tasks::with_type(type, [&]<class T>() { ran = step_of<T>(context, accumulated, h, word); });
    }
    return ran;
  }

  template <class T, class Word>
  MGWS_FN std::uint32_t step_of(const context_type& context, accumulators& accumulated, hot& h,
                                const Word& word) {
    constexpr shape width = tasks::template width<T>;
    constexpr std::uint32_t lanes_a_unit = width == shape::lane   ? 1
                                           : width == shape::warp ? group::k_warp_lanes
                                                                  : group::k_lanes;
    constexpr std::uint32_t units = group::k_lanes / lanes_a_unit;
    using task_type = lane_task<C, width>;
    const std::uint32_t unit = g_.lane() / lanes_a_unit;

    // The look is asked for here and its answer used after the deal.
    std::uint64_t seen = 0;
    if (h.stocked && g_.lane() == 0) seen = B::load(word, P::look, V::queue_scope);

    std::uint32_t total = 1;
    task_index instance = 0;
    const slot_type* from;
    header mine{};
    std::uint32_t taken = 0;
    if constexpr (units == 1) {
      from = &h.local.at(h.head - 1);
      mine = from->read_header();
      taken = 1;
      instance = mine.first();
    } else {
      if constexpr (tasks::size > 1) gather<T>(h, units);
      const std::uint32_t window = std::min(h.size(), units);
      if (g_.lane() < window) mine = h.local.at(h.head - 1 - g_.lane()).read_header();
      std::uint32_t offered = std::min(mine.count(), units);
      if constexpr (tasks::size > 1) offered = leading<T>(mine, offered);
      const prefix p = g_.prefix_sum(offered);
      taken = dealt_of(offered, p.before, units);
      total = std::min(p.total, units);
      const dealt d = g_.deal(p.before, taken != 0, unit);
      from = &h.local.at(h.head - 1 - d.segment);
      instance = from->read_header().first() + d.offset;
    }
    const auto copy = from->template read<T>();
    std::uint32_t popped = 0;
    if constexpr (units == 1) {
      popped = mine.count() == 1 ? 1 : 0;
    } else {
      popped = g_.count(taken != 0 && taken == mine.count());
    }

    g_.sync();  // every lane has read its slot
    if (taken != 0 && taken < mine.count() && (units != 1 || g_.lane() == 0)) {
      const std::uint32_t back = units == 1 ? 0 : g_.lane();
      h.local.at(h.head - 1 - back).write_header(mine.without_first(taken));
    }
    h.head -= popped;
    keep_stocked(h, seen);
    if (g_.lane() == 0) g_.counter() = h.head;
    g_.sync();

    if (unit < total) {
      task_type worker(*this, h.local, h.tail, context, accumulated);
      if constexpr (bulk_task<T, task_type>) {
        copy.get()(worker, instance);
      } else {
        copy.get()(worker);
      }
    }

    g_.sync();
    h.head = g_.counter();
    if (h.size() > h.local.capacity()) h.head = absorb(h.head, h.tail);
    return total;
  }

  /// Before the tasks of a step run, without them: room for one spawn of each lane; and the public
  /// queue stocked, with everything where tasks are coarse, else with the older half if it ran out
  /// and a few slots are there.
  MGWS_FN void keep_stocked(hot& h, std::uint64_t seen) {
    if (h.stocked) h.stocked = !g_.any(g_.lane() == 0 && P::layout::available(seen) == 0);
    const bool full = h.local.capacity() - h.size() < group::k_lanes;
    const bool wanted = h.shares && h.head != h.tail &&
                        (h.coarse || (!h.stocked && h.size() >= holdings<C>::k_pieces));
    if (full || wanted) {
      h.stocked = share(h.head, h.tail);
      h.head = mine_.local().head();
      h.tail = mine_.local().tail();
    }
  }

  /// Of lanes that hold the newest slots' headers: what each offers if only the newest slots of
  /// type T count, up to the first that is of another type.
  template <class T>
  MGWS_FN std::uint32_t leading(header mine, std::uint32_t offered) {
    const bool other = offered == 0 || mine.type() != tasks::template index<T>;
    const prefix others = g_.prefix_sum(other ? 1 : 0);
    return other || others.before != 0 ? 0 : offered;
  }

  /// Among the newest slots, moves those of type T before the others if they are not and if that
  /// gives work to more units. Both keep their order.
  template <class T>
  MGWS_FN void gather(hot& h, std::uint32_t units) {
    const std::uint32_t window = std::min(h.size(), units);
    const bool inside = g_.lane() < window;
    header mine{};
    if (inside) mine = h.local.at(h.head - 1 - g_.lane()).read_header();
    const bool fits = inside && mine.type() == tasks::template index<T>;
    const prefix of_type = g_.prefix_sum(fits ? 1 : 0);
    // A slot of the type behind one that is of another: its rank is not its place.
    if (!g_.any(fits && of_type.before != g_.lane())) return;
    const std::uint32_t place =
        fits ? of_type.before : of_type.total + (g_.lane() - of_type.before);
    slot_type s;
    if (inside) s = h.local.at(h.head - 1 - g_.lane());
    g_.sync();
    if (inside) h.local.at(h.head - 1 - place) = s;
    g_.sync();
  }

  group& g_;
  const V& view_;
  const run_parameters& run_;
  place_in_run place_;
  typename C::statistics statistics_;
  signals<C> host_;
  holdings<C> mine_;
  search<C> search_;
  accumulators* result_;
  std::uint64_t executed_ = 0;
};

}  // namespace mgws
