/// \file
/// mgws::atomic_ref: an object in memory that several tasks change, wherever they run.
///
///     struct context { std::uint32_t* levels; };
///     ...
///     mgws::atomic_ref level(worker.context().levels[v]);
///     if (level.fetch_min(mine) > mine) worker.spawn(visit{v});
///
/// What is seen besides the value itself: docs/memory-model.md.
#pragma once

// clang-format off
#include <mgws/language.hpp>  // before all others
// clang-format on

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <mgws/core/order.hpp>
#include <mgws_atomics.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// What a port supplies as `port_atomics` for atomic_ref: each one indivisible access of a plain,
/// naturally aligned T in any memory that its workers reach, at exactly the order and scope of the
/// call or stronger, on its workers and on the host. docs/porting.md says more.
template <class A, class T>
concept atomics_on = requires(T& x, const T& c, T v) {
  { A::load(c, order::relaxed, scope::system) } -> std::same_as<T>;
  { A::load(c, order::acquire, scope::device) } -> std::same_as<T>;
  A::store(x, v, order::relaxed, scope::system);
  A::store(x, v, order::release, scope::device);
  { A::exchange(x, v, order::acq_rel, scope::system) } -> std::same_as<T>;
  /// Stores v if x is bit by bit what the second argument is, else tells there what x is. The order
  /// of a failure is that of a load.
  { A::compare_exchange(x, x, v, order::relaxed, scope::device) } -> std::same_as<bool>;
  { A::compare_exchange(x, x, v, order::acq_rel, scope::system) } -> std::same_as<bool>;
};
/// Besides, on numbers. min and max may be a load where they change nothing.
template <class A, class T>
concept atomics_on_numbers = atomics_on<A, T> && requires(T& x, T v) {
  { A::fetch_add(x, v, order::acq_rel, scope::system) } -> std::same_as<T>;
  { A::fetch_min(x, v, order::acq_rel, scope::system) } -> std::same_as<T>;
  { A::fetch_max(x, v, order::acq_rel, scope::system) } -> std::same_as<T>;
};
/// Besides, on integers.
template <class A, class T>
concept atomics_on_integers = atomics_on_numbers<A, T> && requires(T& x, T v) {
  { A::fetch_and(x, v, order::acq_rel, scope::system) } -> std::same_as<T>;
  { A::fetch_or(x, v, order::acq_rel, scope::system) } -> std::same_as<T>;
  { A::fetch_xor(x, v, order::acq_rel, scope::system) } -> std::same_as<T>;
};

inline namespace MGWS_PORT {

static_assert(atomics_on_integers<port_atomics, std::int32_t> &&
              atomics_on_integers<port_atomics, std::uint32_t> &&
              atomics_on_integers<port_atomics, std::int64_t> &&
              atomics_on_integers<port_atomics, std::uint64_t> &&
              atomics_on_numbers<port_atomics, float> && atomics_on_numbers<port_atomics, double> &&
              atomics_on<port_atomics, void*>);

/// Refers to an object that all tasks of a run may change at once through such references, as long
/// as none touches it in another way. Trivially copyable, as cheap as a pointer; must not outlive
/// the object. Any lane may call any member.
///
/// Orders are those of mgws::order, and relaxed unless the call says otherwise: then an operation
/// is about its own object alone, which is enough for counters, bounds, labels and marks. With
/// `release` what its lane did before becomes visible to whoever reads the value with `acquire`.
/// There is no sequentially consistent order.
///
/// \tparam T      trivially copyable, of 4 or 8 bytes, aligned to its size: a number, a pointer, an
///                enumerator, a small structure without padding. Arithmetic is for numbers.
/// \tparam Scope  who takes part. scope::system_t: all workers of the run, on whatever devices, and
///                right for every memory. scope::device_t: those of one device; right only if no
///                other device's task touches the object, and it lies in that device's memory.
///                Acquire and release are cheaper then.
template <class T, class Scope = scope::system_t>
class atomic_ref {
  static_assert(!std::is_const_v<T>,
                "mgws: an atomic_ref refers to what is not const: take the const from the pointer "
                "in the context");
  static_assert(std::is_trivially_copyable_v<T>,
                "mgws: what an atomic_ref refers to must be trivially copyable");
  static_assert(sizeof(T) == 4 || sizeof(T) == 8,
                "mgws: an atomic_ref refers to 4 or 8 bytes: use a std::uint32_t for a flag");
  static_assert(alignof(T) >= sizeof(T),
                "mgws: what an atomic_ref refers to must be aligned to its size: declare the type "
                "with alignas");
  static_assert(std::same_as<Scope, scope::system_t> || std::same_as<Scope, scope::device_t>,
                "mgws: the second argument of an atomic_ref is mgws::scope::system_t or "
                "mgws::scope::device_t");

  static constexpr bool k_integer = std::integral<T>;
  static constexpr bool k_number = std::integral<T> || std::floating_point<T>;

 public:
  using value_type = T;

  /// \pre x lies at a multiple of its size
  MGWS_FN explicit atomic_ref(T& x) : x_(&x) {}

  /// \param o  relaxed or acquire
  template <class Order = order::relaxed_t>
  [[nodiscard]] MGWS_FN T load(Order o = {}) const {
    static_assert(k_is<Order, order::relaxed_t, order::acquire_t>,
                  "mgws: a load is mgws::order::relaxed or mgws::order::acquire");
    return port_atomics::load(*x_, o, Scope{});
  }
  /// \param o  relaxed or release
  template <class Order = order::relaxed_t>
  MGWS_FN void store(T v, Order o = {}) const {
    static_assert(k_is<Order, order::relaxed_t, order::release_t>,
                  "mgws: a store is mgws::order::relaxed or mgws::order::release");
    port_atomics::store(*x_, v, o, Scope{});
  }

  // From here on: each is indivisible, and returns what was there before.

  template <class Order = order::relaxed_t>
  MGWS_FN T exchange(T v, Order o = {}) const {
    check_order<Order>();
    return port_atomics::exchange(*x_, v, o, Scope{});
  }
  /// Integers wrap around.
  template <class Order = order::relaxed_t>
  MGWS_FN T fetch_add(T v, Order o = {}) const {
    static_assert(k_number, "mgws: fetch_add of an atomic_ref is for numbers");
    check_order<Order>();
    return port_atomics::fetch_add(*x_, v, o, Scope{});
  }
  template <class Order = order::relaxed_t>
  MGWS_FN T fetch_sub(T v, Order o = {}) const {
    static_assert(k_number, "mgws: fetch_sub of an atomic_ref is for numbers");
    if constexpr (k_integer) {
      using bits = std::make_unsigned_t<T>;
      return fetch_add(static_cast<T>(bits{0} - static_cast<bits>(v)), o);
    } else {
      return fetch_add(-v, o);
    }
  }
  /// Keeps the smaller one. Where that is what was there this may be a load; a floating-point value
  /// that is not a number changes nothing.
  template <class Order = order::relaxed_t>
  MGWS_FN T fetch_min(T v, Order o = {}) const {
    static_assert(k_number, "mgws: fetch_min of an atomic_ref is for numbers");
    check_order<Order>();
    return port_atomics::fetch_min(*x_, v, o, Scope{});
  }
  /// Keeps the larger one.
  template <class Order = order::relaxed_t>
  MGWS_FN T fetch_max(T v, Order o = {}) const {
    static_assert(k_number, "mgws: fetch_max of an atomic_ref is for numbers");
    check_order<Order>();
    return port_atomics::fetch_max(*x_, v, o, Scope{});
  }
  template <class Order = order::relaxed_t>
  MGWS_FN T fetch_and(T v, Order o = {}) const {
    static_assert(k_integer, "mgws: fetch_and of an atomic_ref is for integers");
    check_order<Order>();
    return port_atomics::fetch_and(*x_, v, o, Scope{});
  }
  template <class Order = order::relaxed_t>
  MGWS_FN T fetch_or(T v, Order o = {}) const {
    static_assert(k_integer, "mgws: fetch_or of an atomic_ref is for integers");
    check_order<Order>();
    return port_atomics::fetch_or(*x_, v, o, Scope{});
  }
  template <class Order = order::relaxed_t>
  MGWS_FN T fetch_xor(T v, Order o = {}) const {
    static_assert(k_integer, "mgws: fetch_xor of an atomic_ref is for integers");
    check_order<Order>();
    return port_atomics::fetch_xor(*x_, v, o, Scope{});
  }

  /// Stores v if the object is `expected`, bit by bit; else `expected` becomes what it is.
  /// \param o  of a success; of a failure it is that of a load
  template <class Order = order::relaxed_t>
  MGWS_FN bool compare_exchange_strong(T& expected, T v, Order o = {}) const {
    check_order<Order>();
    return port_atomics::compare_exchange(*x_, expected, v, o, Scope{});
  }
  /// The same, for loops. It fails for no other reason than the strong one does.
  template <class Order = order::relaxed_t>
  MGWS_FN bool compare_exchange_weak(T& expected, T v, Order o = {}) const {
    return compare_exchange_strong(expected, v, o);
  }

 private:
  template <class Order, class... Of>
  static constexpr bool k_is = (std::same_as<Order, Of> || ...);
  template <class Order>
  MGWS_FN static constexpr void check_order() {
    static_assert(
        k_is<Order, order::relaxed_t, order::acquire_t, order::release_t, order::acq_rel_t>,
        "mgws: an order is mgws::order::relaxed, acquire, release or acq_rel");
  }

  T* x_;
};

}  // namespace MGWS_PORT
}  // namespace mgws
