/// \file
/// What core asks of a backend, as concepts; CONTRACT.md says in words what the compiler cannot
/// check. A backend is a class of static functions and nested types.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <mgws/core/order.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// The lanes of one worker, as seen by one of them. Functions marked "collective" are called by all
/// lanes of the worker together.
template <class G>
concept worker_group = requires(G& g) {
  /// This lane's number and how many lanes there are.
  { g.lane() } -> std::convertible_to<std::uint32_t>;
  { g.lanes() } -> std::convertible_to<std::uint32_t>;
  /// Collective: a barrier that also orders the lanes' accesses to local and shared memory.
  g.sync();
  /// Collective: one lane calls the function, all receive its (trivially copyable) result.
  {
    g.once([] { return std::uint64_t{}; })
    } -> std::same_as<std::uint64_t>;
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
    worker_group<typename B::group> && random_stream<typename B::random> &&
    backoff<typename B::backoff> && parking_lot<typename B::parking> &&
    requires(typename B::group& g, void* to, const void* from, std::size_t n,
             std::uint32_t& count) {
  /// Collective: copies n 16-byte words between local and shared memory. No barrier inside.
  B::copy_words(g, to, from, n);
  /// Adds to a counter in local memory and returns what it was; lanes that call it side by side
  /// receive disjoint ranges.
  { B::reserve(count, std::uint32_t{1}) } -> std::same_as<std::uint32_t>;
  /// A clock of this worker's device, in nanoseconds.
  { B::now() } -> std::same_as<std::uint64_t>;
  /// Bytes between two objects that different workers write.
  { B::line } -> std::convertible_to<std::size_t>;
};

}  // namespace mgws
