/// \file
/// What a task may call of the worker that runs it: written here once, for workers of one lane and
/// of many. worker.hpp and lane_task.hpp say where a slot goes, who has the signals, and which
/// lanes the task has.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <mgws/core/elsewhere.hpp>
#include <mgws/core/frames.hpp>
#include <mgws/core/homeward.hpp>
#include <mgws/core/purse.hpp>
#include <mgws/core/run.hpp>
#include <mgws/core/scratch.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/core/transport.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// The lanes that run one task of a worker of one lane, or a task of shape::lane: one.
struct one_lane {
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t lane() { return 0; }
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t lanes() { return 1; }
  MGWS_FN static void sync() {}
  [[nodiscard]] MGWS_FN static constexpr bool any(bool p) { return p; }
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t first(bool p) { return p ? 0 : 1; }
  template <class T>
  [[nodiscard]] MGWS_FN static constexpr T broadcast(const T& v, std::uint32_t /*from*/) {
    return v;
  }
  template <class T, class Combine>
  [[nodiscard]] MGWS_FN static constexpr T reduce(const T& v, Combine&& /*combine*/) {
    return v;
  }
};

/// The worker as its task sees it, `auto& worker` of its call operator. Unless it is said
/// otherwise, any lane of the task may call a member, any number of times, also while others do
/// not. None of them waits for another worker, none throws.
///
/// \tparam Self   derives from this and has, for it: `runs<T>`, as whom a task of type T would see
///                its worker; push(t, n), which adds a slot of n instances; push_below(t, n, f),
///                one below another finish; push_ready(fill), a continuation's that fill(slot)
///                completes; push_away(fill), one that goes to another domain; came_home(), when
///                one has come from there;
///                finish_of_task(), take_tokens(n), gather<A>(v); scratch_of_task<S>(), if any
///                task wants some; share_all(); frames_of_run(), where anything
///                waits; lane_of_worker(), lanes_of_worker(); signals_of_worker(), place(),
///                parameters(), context_ and accumulated_
/// \tparam C      a configuration (worker_base.hpp)
/// \tparam Lanes  the lanes that run the task, as one_lane
template <class Self, class C, class Lanes>
class task_worker {
  using tasks = typename C::tasks;

 public:
  /// Adds a task to the run; each call of a lane adds one. The newest runs first; a type that says
  /// `static constexpr std::uint32_t priority = n`, or `priorities = n` and a member function
  /// priority() const, has it run after those of a lower number, and from 1 on the oldest first, of
  /// those that one worker holds. A bulk task is added with one instance, number 0. Where no queue
  /// and no spill area has room, the run ends with an error that says how much was missing
  /// (failure::out_of_space).
  template <class T>
  MGWS_FN void spawn(const T& t) {
    check_task<T>();
    self().push(t, 1);
  }

  /// Adds n instances of a bulk task, run as task(worker, i) for i in [0, n) or in ranges, as one
  /// slot. n, of any integer type, may be 0; n below that or above slot::max_instances (2^32 - 1
  /// for a set of one type, at least 2^28 - 1) ends the run with an error
  /// (failure::too_many_instances).
  template <class T, std::integral N>
  MGWS_FN void spawn_n(const T& t, N n) {
    check_bulk_task<T>();
    if (n == 0 || !fits_slot(n)) return;
    self().push(t, static_cast<task_index>(n));
  }

  /// Makes a continuation wait for so many deliveries: it runs, as a task of its own, once all have
  /// come, next and on the worker that delivers last, unless it is stolen before. Its places are
  /// for whoever is to deliver:
  ///     auto sum = worker.join(add{to}, 2);
  ///     worker.spawn(fibonacci{n - 1, sum.to(&add::left)});
  ///     worker.spawn(fibonacci{n - 2, sum.to(&add::right)});
  /// The type says `static constexpr bool continuation = true`, and is a plain task. With no parts
  /// it is spawned at once. Where the device has no frame left, the run ends with an error
  /// (failure::out_of_frames). A run that ends while a continuation still waits is an error.
  template <class T>
  [[nodiscard]] MGWS_FN join_places<T> join(const T& then, std::uint32_t parts) {
    static_assert(tasks::template contains<T>,
                  "mgws: join of a task type that is not in the task_set");
    static_assert(detail::is_continuation<T>(),
                  "mgws: join of a task type that does not say "
                  "`static constexpr bool continuation = true`");
    static_assert(plain_task<T, typename Self::template runs<T>>,
                  "mgws: a continuation needs operator()(worker) const");
    std::uint32_t number = 0;
    std::uint16_t generation = 0;
    if (parts == 0) {
      self().push(then, 1);
    } else {
      self().take_tokens(1);
      auto all = self().frames_of_run();
      number = all.open(then, parts, generation, self().finish_of_task());
      if (number == all.none) report_no_frame();
    }
    return {number, generation};
  }
  /// Delivers a part, once for each place: of a task that has several lanes, by one of them. A
  /// second delivery to a place, as far as it is noticed, ends the run with an error
  /// (failure::not_awaited).
  template <class Value>
  MGWS_FN void deliver(mgws::place<Value> to, const std::type_identity_t<Value>& value) {
    const mgws::place<void> at{to.frame, to.offset, to.generation};
    if (is_far(at)) return send_home(at, value);
    deliver_into(at, [value, offset = to.offset](slot<tasks>& waiting) {
      C::backend::write_plain(waiting.template as<Value>(offset), value);
    });
  }
  MGWS_FN void deliver(mgws::place<void> to) {
    if (is_far(to)) return send_home(to);
    deliver_into(to, [](slot<tasks>& /*waiting*/) {});
  }

  /// Makes a continuation wait until all tasks below this call have ended, at any depth: the roots
  /// that are given here, all that they spawn, what those spawn, and continuations of joins and
  /// finishes that they make. It runs, as a task of its own, next and on the worker that notices,
  /// and all that those tasks did has happened before it. It and the task that calls this are not
  /// below the call; a finish may be made below another one.
  ///     worker.finish(phase{2}, relax{source});
  /// The type says `static constexpr bool after_finish = true`, and is a plain task; a root is what
  /// spawn() takes. Without roots it is spawned at once. A finish takes a frame, as a join does.
  template <class T, class... Roots>
  MGWS_FN void finish(const T& then, const Roots&... roots) {
    check_after_finish<T>();
    (check_task<Roots>(), ...);
    if constexpr (sizeof...(Roots) == 0) {
      push_after_nothing(then);
    } else if (const auto below = open_finish(then, sizeof...(Roots)); below != 0) {
      (self().push_below(roots, 1, below), ...);
    }
  }
  /// The same with n instances of a bulk task as roots, n as in spawn_n().
  template <class T, class Root, std::integral N>
  MGWS_FN void finish_n(const T& then, const Root& root, N n) {
    check_after_finish<T>();
    check_bulk_task<Root>();
    if (n == 0) return push_after_nothing(then);
    if (!fits_slot(n)) return;
    const auto instances = static_cast<task_index>(n);
    if (const auto below = open_finish(then, instances); below != 0)
      self().push_below(root, instances, below);
  }

  /// Contributes a value to what comes after the finish below which this task is, the innermost
  /// one: combined with all others it is there in the member `mgws::accumulators<A, ...> gathered`
  /// when that runs. A is a sum, maximum or minimum of numbers of 4 or 8 bytes; those that are
  /// summed up are so in any order. Where the task is below no finish, or what comes after that has
  /// no such member, the value is dropped. Hardly ever touches memory that others reach, but for
  /// lanes beyond the first of a task that has several: there it may be an atomic operation a call,
  /// so combine first what they have.
  template <class A>
  MGWS_FN void contribute(typename A::value_type v) {
    static_assert(
        tasks::gathers,
        "mgws: contribute() where no type of the task_set that comes after a finish has a "
        "member `mgws::accumulators<...> gathered`");
    static_assert(tasks::gathered::template contains<A>,
                  "mgws: this accumulator is not among those of the member `gathered`");
    if constexpr (tasks::gathered::template contains<A>) self().template gather<A>(v);
  }
  template <class A>
  MGWS_FN void contribute(A /*which*/, typename A::value_type v) {
    contribute<A>(v);
  }

  /// Reduces a value into this lane's accumulator A. Never touches memory that others reach.
  template <class A>
  MGWS_FN void accumulate(typename A::value_type v) {
    self().accumulated_.template add<A>(v);
  }
  /// The same with the accumulator as an argument: no `template` keyword in generic code.
  template <class A>
  MGWS_FN void accumulate(A /*which*/, typename A::value_type v) {
    accumulate<A>(v);
  }

  /// Memory of the task's own while its call operator runs, near the lanes, and so that they do not
  /// meet in a bank: `worker.scratch(*this)`, where the type says `using scratch =
  /// std::array<element, n>`. A lane task has its own, the lanes of a wider one share theirs. What
  /// it holds when the call operator begins means nothing, also in a later piece of a resumable
  /// task.
  template <class T>
  [[nodiscard]] MGWS_FN auto scratch(const T& /*self*/) {
    static_assert(tasks::template contains<T>,
                  "mgws: scratch of a task type that is not in the task_set");
    static_assert(detail::scratch_of<T>() != 0,
                  "mgws: scratch of a task type that does not say "
                  "`using scratch = std::array<element, n>`");
    return self().template scratch_of_task<typename T::scratch>();
  }

  /// What the run was given for all tasks to read.
  [[nodiscard]] MGWS_FN const typename C::context& context() const { return self().context_; }

  /// This worker's number, among those of all devices.
  [[nodiscard]] MGWS_FN std::uint32_t id() const {
    const std::uint32_t here = self().place().id;
    if constexpr (bridged_view<typename C::view>) return self().parameters().first_worker + here;
    return here;
  }
  /// Its device's number, in the order of the options.
  [[nodiscard]] MGWS_FN std::uint32_t device() const {
    const std::uint32_t here = self().place().device;
    if constexpr (bridged_view<typename C::view>) return self().parameters().first_device + here;
    return here;
  }
  /// How many workers the run has.
  [[nodiscard]] MGWS_FN std::uint32_t workers() const {
    const run_parameters& run = self().parameters();
    if constexpr (bridged_view<typename C::view>)
      if (run.domains != 0) return run.all_workers;
    return run.workers;
  }

  /// The calling lane among the lanes that run this task: 0 on a CPU.
  [[nodiscard]] MGWS_FN static std::uint32_t lane() { return Lanes::lane(); }
  /// How many lanes run this task: 1 on a CPU.
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t lanes() { return Lanes::lanes(); }
  /// The calling lane among those of all workers, whatever the width: id() on CPUs. Lanes that run
  /// at the same time have different ones, so that an array of as many elements as global_lanes()
  /// has one for each, until the call operator returns: another piece of a resumable task may run
  /// on another lane.
  [[nodiscard]] MGWS_FN std::uint32_t global_lane() const {
    const std::uint32_t here = self().place().id * Self::lanes_of_worker() + Self::lane_of_worker();
    if constexpr (bridged_view<typename C::view>) return self().parameters().first_lane + here;
    return here;
  }
  /// How many lanes the workers of the run have, as runtime::lanes().
  [[nodiscard]] MGWS_FN std::uint32_t global_lanes() const {
    const run_parameters& run = self().parameters();
    if constexpr (bridged_view<typename C::view>)
      if (run.domains != 0) return run.all_lanes;
    return run.workers * Self::lanes_of_worker();
  }
  /// A barrier of the task's lanes. Called by all of them.
  MGWS_FN static void sync() { Lanes::sync(); }
  /// Whether p holds for any of the task's lanes. Called by all of them.
  [[nodiscard]] MGWS_FN static bool any(bool p) { return Lanes::any(p); }
  /// The first of the task's lanes for which p holds; lanes() if there is none. Called by all of
  /// them, as the two that follow.
  [[nodiscard]] MGWS_FN static std::uint32_t first(bool p) { return Lanes::first(p); }
  /// The value that lane `from` of the task has; `from` is the same for all. T is trivially
  /// copyable.
  template <class T>
  [[nodiscard]] MGWS_FN static T broadcast(const T& value, std::uint32_t from) {
    static_assert(std::is_trivially_copyable_v<T>,
                  "mgws: broadcast of a type that is not trivially copyable");
    return Lanes::broadcast(value, from);
  }
  /// The values of all lanes of the task, combined by an associative and commutative function of
  /// two: worker.reduce(n, [](auto a, auto b) { return a + b; }). All lanes receive the same.
  template <class T, class Combine>
  [[nodiscard]] MGWS_FN static T reduce(const T& value, Combine&& combine) {
    static_assert(std::is_trivially_copyable_v<T>,
                  "mgws: reduce of a type that is not trivially copyable");
    return Lanes::reduce(value, combine);
  }

  /// For tasks that run long: tells the watchdog that the task is alive, and makes everything that
  /// the worker holds stealable. Of a task that has all lanes of its worker, all of them call it.
  /// With fewer it is a sign of life only: what narrower tasks spawn becomes stealable when those
  /// that run side by side have ended.
  MGWS_FN void release() { self().share_all(); }
  /// For tasks that run long: tells the watchdog that the task is alive.
  MGWS_FN void heartbeat() { self().signals_of_worker().beat(now()); }
  /// For tasks that run long: whether the run was cancelled or has failed, so that the task may end
  /// early. The worker asks between tasks anyway. A look at memory that may be far.
  [[nodiscard]] MGWS_FN bool stopping() const { return self().signals_of_worker().asked_to_stop(); }
  /// Ends the run with an error: the first code reported reaches the caller of run(). The task goes
  /// on until it returns.
  MGWS_FN void fail(std::uint64_t code) { self().signals_of_worker().report(failure::task, code); }

  /// The device's clock in nanoseconds, for tasks that measure or wait.
  [[nodiscard]] MGWS_FN static std::uint64_t now() { return C::backend::now(); }

  // ---- For tasks of core itself (homeward.hpp) ----

  /// Whether tasks of this type may be spawned.
  template <class T>
  static constexpr bool has_type = C::tasks::template contains<T>;

  /// Whether a task that goes home is there. It is none of those that a report counts.
  template <class T>
  [[nodiscard]] MGWS_FN bool arrives(const T& t) {
    self().came_home();
    return t.home() == self().parameters().domain;
  }

  /// A delivery has come, maybe to where its frame is.
  template <std::size_t Most>
  MGWS_FN void arrive(const delivery_home<Most>& d, std::uint32_t bytes) {
    if (!arrives(d)) return send_on(d, bytes);
    deliver_into(d.to, [&](slot<tasks>& waiting) {
      for (std::uint32_t i = 0; i != bytes; ++i)
        C::backend::write_plain(waiting.template as<std::byte>(d.to.offset + i), d.value[i]);
    });
  }
  /// Tokens likewise.
  template <class Values>
  MGWS_FN void arrive(const tokens_home<Values>& t) {
    if (!arrives(t)) return send_on(t, 0);
    auto all = self().frames_of_run();
    if constexpr (tasks::gathers) hand_in<C>(all, t.number, t.gathered);
    if (all.add_tokens(t.number, std::uint64_t{0} - t.tokens, C::protocol::finish_return) ==
        t.tokens)
      all.complete(t.number, [&](auto&& fill) { self().push_ready(fill); });
  }

 private:
  static constexpr bool k_homes = elsewhere<typename C::view, tasks>::k_homes;

  /// Whether a place is in another domain.
  [[nodiscard]] MGWS_FN bool is_far([[maybe_unused]] mgws::place<void> to) {
    if constexpr (k_homes && tasks::has_continuations)
      return to && !self().frames_of_run().has(to.frame);
    return false;
  }
  /// What is delivered there: a value, or none.
  template <class... Value>
  MGWS_FN void send_home([[maybe_unused]] mgws::place<void> to,
                         [[maybe_unused]] const Value&... value) {
    if constexpr (k_homes && tasks::has_continuations) {
      using delivery = typename detail::delivery_in<tasks>::type;
      constexpr std::size_t bytes = (sizeof(Value) + ... + 0);
      static_assert(bytes <= delivery::most,
                    "mgws: a value that may be delivered from another coherence domain is 8 bytes "
                    "smaller than the set's largest task at most: make the continuation larger, or "
                    "deliver the value in parts");
      delivery d;
      d.to = to;
      (std::memcpy(d.value, &value, sizeof(Value)), ...);
      send_on(d, static_cast<std::uint32_t>(bytes));
    }
  }
  /// \param instance  of the task that goes home, its number
  template <class T>
  MGWS_FN void send_on(const T& t, std::uint32_t instance) {
    if constexpr (k_homes)
      self().push_away([&](slot<tasks>& s) { s.template write<T>(t, instance, 1); });
  }

  template <class T>
  MGWS_FN static constexpr void check_task() {
    static_assert(tasks::template contains<T>,
                  "mgws: spawn of a task type that is not in the task_set");
    using seen = typename Self::template runs<T>;
    static_assert(!resumable_range_task<T, seen>,
                  "mgws: a resumable task has one instance at a time: operator()(worker) or "
                  "operator()(worker, index)");
    static_assert(
        plain_task<T, seen> || bulk_task<T, seen>,
        "mgws: a task type needs operator()(worker) const, operator()(worker, index) const or "
        "operator()(worker, first, end) const");
  }
  template <class T>
  MGWS_FN static constexpr void check_bulk_task() {
    static_assert(tasks::template contains<T>,
                  "mgws: spawn of a task type that is not in the task_set");
    static_assert(bulk_task<T, typename Self::template runs<T>>,
                  "mgws: spawn_n needs a bulk task, with operator()(worker, index) const");
  }
  template <class T>
  MGWS_FN static constexpr void check_after_finish() {
    static_assert(tasks::template contains<T>,
                  "mgws: finish with a task type that is not in the task_set");
    static_assert(detail::is_after_finish<T>(),
                  "mgws: finish with a task type that does not say "
                  "`static constexpr bool after_finish = true`");
    static_assert(plain_task<T, typename Self::template runs<T>>,
                  "mgws: what comes after a finish needs operator()(worker) const");
  }
  /// Whether a slot can stand for so many instances; if not, the run ends.
  template <class N>
  [[nodiscard]] MGWS_FN bool fits_slot(N n) {
    // A number below 0 becomes a very large one.
    constexpr bool may_be_too_many =
        std::is_signed_v<N> ||
        std::uint64_t{std::numeric_limits<N>::max()} > slot<tasks>::max_instances;
    if constexpr (may_be_too_many)
      if (static_cast<std::uint64_t>(n) > slot<tasks>::max_instances) {
        self().signals_of_worker().report(failure::too_many_instances,
                                          static_cast<std::uint64_t>(n));
        return false;
      }
    return true;
  }
  MGWS_FN void report_no_frame() {
    self().signals_of_worker().report(failure::out_of_frames,
                                      std::uint64_t{1} << self().parameters().log_frames);
  }
  /// \return the finish, as slots below it name it; 0 if there is no frame
  template <class T>
  [[nodiscard]] MGWS_FN std::uint32_t open_finish(const T& then, std::uint64_t roots) {
    self().take_tokens(1);
    auto all = self().frames_of_run();
    const std::uint32_t number = all.open_finish(then, roots, self().finish_of_task());
    if (number == all.none) report_no_frame();
    return number + 1;
  }
  /// What comes after a finish without tasks: nobody has contributed.
  template <class T>
  MGWS_FN void push_after_nothing(T then) {
    if constexpr (detail::gathers<T>) then.gathered = {};
    self().push(then, 1);
  }
  template <class Write>
  MGWS_FN void deliver_into(mgws::place<void> to, Write&& write) {
    static_assert(tasks::has_continuations,
                  "mgws: deliver() where no type of the task_set says "
                  "`static constexpr bool continuation = true`");
    if (to &&
        !self().frames_of_run().deliver(to, write, [&](auto&& fill) { self().push_ready(fill); }))
      self().signals_of_worker().report(failure::not_awaited, to.frame);
  }
  [[nodiscard]] MGWS_FN Self& self() { return static_cast<Self&>(*this); }
  [[nodiscard]] MGWS_FN const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace mgws
