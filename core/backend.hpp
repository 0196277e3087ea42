/// \file
/// What core asks of a backend, as concepts; CONTRACT.md says in words what the compiler cannot
/// check. A backend is a class of static functions and nested types.
#pragma once

#include <concepts>
#include <cstdint>

#include <mgws/core/deal.hpp>
#include <mgws/core/order.hpp>
#include <mgws_port.hpp>

namespace mgws {

namespace detail {

/// A function for the concepts below.
struct example {
  [[nodiscard]] MGWS_FN std::uint64_t operator()() const { return 0; }
  [[nodiscard]] MGWS_FN std::uint64_t operator()(std::uint64_t a, std::uint64_t) const { return a; }
};

}  // namespace detail

/// The lanes of a worker that has several, as lanes.hpp deals tasks out to them. Every function is
/// collective. `k_warp_lanes` of the `k_lanes` lanes are a warp, which has a barrier of its own.
template <class G>
concept lane_team = requires(std::uint32_t n, bool p, std::uint64_t v) {
  { G::k_lanes } -> std::convertible_to<std::uint32_t>;
  { G::k_warp_lanes } -> std::convertible_to<std::uint32_t>;
  { G::lane() } -> std::convertible_to<std::uint32_t>;
  G::sync();
  G::sync_warp();
  /// A barrier that tells whether a function returns true for any lane, called by each about when
  /// it comes to it.
  { G::sync_any(detail::example{}) } -> std::same_as<bool>;
  /// Lane 0, the leader, runs the function once all have come; all receive its (trivially copyable)
  /// result. Meanwhile the others wait.
  { G::lead(detail::example{}) } -> std::same_as<std::uint64_t>;
  /// The sum of n over the lanes below this one, and over all.
  { G::prefix_sum(n) } -> std::same_as<prefix>;
  /// For how many lanes p holds; whether for any, of the worker or of the warp.
  { G::count(p) } -> std::same_as<std::uint32_t>;
  { G::any(p) } -> std::same_as<bool>;
  { G::any_of_warp(p) } -> std::same_as<bool>;
  /// The first of the warp's lanes for which p holds, or their number.
  { G::first_of_warp(p) } -> std::same_as<std::uint32_t>;
  /// Lane 0's value.
  { G::from_first(n) } -> std::same_as<std::uint32_t>;
  /// The value of any one lane of the worker, or of the warp; n is the same for all.
  { G::broadcast(v, n) } -> std::same_as<std::uint64_t>;
  { G::broadcast_in_warp(v, n) } -> std::same_as<std::uint64_t>;
  /// Deals segments to the units: deal(offered, whole, units, unit). A lane's segment, `offered`
  /// long, begins where those of the lanes below end, and so many units as `units` receive one of
  /// its elements each. \param whole  how long a segment is that is used up when it is all taken
  /// \param unit  which the lane asks for \pre lane 0 offers some; all lanes have met since the
  /// last
  { G::deal(n, n, n, n) } -> std::same_as<shares>;
  /// All values combined by an associative, commutative function; lane 0 receives the result, of
  /// the worker or of the warp.
  { G::reduce(v, detail::example{}) } -> std::same_as<std::uint64_t>;
  { G::reduce_warp(v, detail::example{}) } -> std::same_as<std::uint64_t>;
  /// A word in local memory for B::reserve; its value means nothing between two steps.
  { G::counter() } -> std::same_as<std::uint32_t&>;
  /// Where the local queue lies: what worker_memory::local points to, but so that a compiler can
  /// see which memory that is; and room in the same memory for one object of a type.
  { G::local_memory() } -> std::same_as<void*>;
  { G::template object<std::uint64_t>() } -> std::same_as<std::uint64_t*>;
};

/// Atomic operations on T at one order and scope, each a single indivisible access.
template <class B, class T>
concept atomic_operations = requires(typename B::template atomic<T>& x,
                                     const typename B::template atomic<T>& c, T v) {
  { B::load(c, order::relaxed, scope::device) } -> std::same_as<T>;
  { B::load(c, order::acquire, scope::device) } -> std::same_as<T>;
  { B::load(c, order::relaxed, scope::system) } -> std::same_as<T>;
  { B::load(c, order::acquire, scope::system) } -> std::same_as<T>;
  B::store(x, v, order::relaxed, scope::device);
  B::store(x, v, order::release, scope::device);
  B::store(x, v, order::relaxed, scope::system);
  B::store(x, v, order::release, scope::system);
  { B::exchange(x, v, order::relaxed, scope::device) } -> std::same_as<T>;
  { B::exchange(x, v, order::acquire, scope::device) } -> std::same_as<T>;
  { B::exchange(x, v, order::relaxed, scope::system) } -> std::same_as<T>;
  { B::exchange(x, v, order::acquire, scope::system) } -> std::same_as<T>;
  { B::fetch_add(x, v, order::relaxed, scope::device) } -> std::same_as<T>;
  { B::fetch_add(x, v, order::acquire, scope::device) } -> std::same_as<T>;
  { B::fetch_add(x, v, order::release, scope::device) } -> std::same_as<T>;
  { B::fetch_add(x, v, order::acq_rel, scope::device) } -> std::same_as<T>;
  { B::fetch_add(x, v, order::relaxed, scope::system) } -> std::same_as<T>;
  { B::fetch_add(x, v, order::acquire, scope::system) } -> std::same_as<T>;
  { B::fetch_add(x, v, order::release, scope::system) } -> std::same_as<T>;
  { B::fetch_add(x, v, order::acq_rel, scope::system) } -> std::same_as<T>;
};

/// A word that several workers use, by the backend's operations only.
template <class B, class T>
using atomic_of = typename B::template atomic<T>;

/// A worker's random numbers: one stream a worker, a function of seed and stream alone.
template <class R>
concept random_stream = std::constructible_from<R, std::uint64_t, std::uint64_t> && requires(R& r) {
  { r.next() } -> std::same_as<std::uint32_t>;
};

/// Waiting between two failed attempts to find work, longer each time.
template <class W>
concept backoff = std::default_initializable<W> && requires(W& w) {
  /// Waits a little.
  w.pause();
  /// True once pausing more is a waste and the worker may sleep instead.
  { w.exhausted() } -> std::same_as<bool>;
};

/// Where a worker sleeps until somebody publishes work: an event count. A sleeper calls prepare(),
/// looks at everything that could have woken it once more, then calls wait() or cancel(); a waker
/// changes what the sleeper looks at, then notifies. No notification between prepare() and wait()
/// is lost. A backend whose workers never sleep sets `sleeps` to false and may do nothing.
template <class P>
concept parking_lot = requires(P& p, typename P::ticket t) {
  { P::sleeps } -> std::convertible_to<bool>;
  { p.prepare() } -> std::same_as<typename P::ticket>;
  p.cancel(t);
  p.wait(t);
  p.notify_one();
  p.notify_all();
};

/// A backend: everything of a platform that the core algorithm uses on its workers.
template <class B>
concept backend = atomic_operations<B, std::uint32_t> && atomic_operations<B, std::uint64_t> &&
    random_stream<typename B::random> && backoff<typename B::backoff> &&
    parking_lot<typename B::parking> &&
    requires(void* to, const void* from, std::size_t n, std::uint32_t& count) {
  /// One lane: copies n 16-byte words between local and shared memory; done when it returns. And
  /// the same into local memory, of words that nobody has written since the run began.
  B::copy_words(to, from, n);
  B::load_words(to, from, n);
  /// Any lane: stores a value in shared memory, or loads it from there, as plain data. Besides, a
  /// backend whose workers have one lane may have `read_words<n>(from)`, which returns an array of
  /// n words of 8 bytes in local memory of which some were written just now.
  B::write_plain(count, count);
  { B::read_plain(count) } -> std::same_as<std::uint32_t>;
  /// Adds to a counter in local memory and returns what it was; lanes that call it side by side
  /// receive disjoint ranges.
  { B::reserve(count, std::uint32_t{1}) } -> std::same_as<std::uint32_t>;
  /// A clock of this worker's device, in nanoseconds.
  { B::now() } -> std::same_as<std::uint64_t>;
  /// How far apart any two looks at the stop request should be, those of all workers together; 0
  /// where looking is free.
  { B::stop_interval_ns } -> std::convertible_to<std::uint64_t>;
  /// What it takes to get work from somewhere else, in nanoseconds: less of it than lasts as long
  /// is not worth the way.
  { B::hand_over_ns } -> std::convertible_to<std::uint32_t>;
  /// Steps between two looks at the clock and at the stop request, at most.
  { B::longest_burst } -> std::convertible_to<std::uint32_t>;
  /// Queues that a thief looks at in one attempt: where most of an attempt is waiting for one word,
  /// the words of several come as fast. Where looks take so long, one attempt in as many looks at
  /// the board.
  { B::looks_at_once } -> std::convertible_to<std::uint32_t>;
  /// Whether owners look, while they run, whether thieves ask for what they keep to themselves. An
  /// owner that does measures what its tasks take across several searches, which do not count.
  { B::owners_listen } -> std::convertible_to<bool>;
  /// Whether host memory is far from this device's workers, behind a bus: many that look at one
  /// word there wait for each other.
  { B::host_memory_is_far } -> std::convertible_to<bool>;
  /// Bytes between two objects that different workers write.
  { B::line } -> std::convertible_to<std::size_t>;
};

/// A backend whose workers have several lanes. All that core does between tasks runs on one of
/// them, the leader.
template <class B>
concept team_backend = backend<B> && lane_team<typename B::team> && requires {
  /// A clock that is read faster than now(), after each step: it counts evenly, in a unit of its
  /// own, and wraps.
  { B::ticks() } -> std::same_as<std::uint32_t>;
};

}  // namespace mgws
