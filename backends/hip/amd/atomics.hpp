/// \file
/// What mgws::atomic_ref is on AMD's GPUs, and on the CPU workers of a program that has some: the
/// compiler's atomics, at exactly the order and scope of the call.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <mgws/atomic_loop.hpp>
#include <mgws/backends/hip/amd/platform.hpp>
#include <mgws/core/order.hpp>
#include <mgws_port.hpp>

namespace mgws::hip_backend {

/// At system scope the memory may be another device's, behind a bus that knows additions, exchanges
/// and compare-and-exchange of integers, and nothing else: what is more is made of the last.
struct atomics {
  template <class T, class Order, class Scope>
  MGWS_FN static T load(const T& x, Order /*o*/, Scope /*s*/) {
    return value_of<T>(__hip_atomic_load(word_of(const_cast<T&>(x)), detail::k_order<Order>,
                                         detail::k_scope<Scope>));
  }
  template <class T, class Order, class Scope>
  MGWS_FN static void store(T& x, T v, Order /*o*/, Scope /*s*/) {
    __hip_atomic_store(word_of(x), bits_of(v), detail::k_order<Order>, detail::k_scope<Scope>);
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T exchange(T& x, T v, Order /*o*/, Scope /*s*/) {
    return value_of<T>(__hip_atomic_exchange(word_of(x), bits_of(v), detail::k_order<Order>,
                                             detail::k_scope<Scope>));
  }
  template <class T, class Order, class Scope>
  MGWS_FN static bool compare_exchange(T& x, T& expected, T v, Order /*o*/, Scope /*s*/) {
    bits<T> seen = bits_of(expected);
    const bool stored = __hip_atomic_compare_exchange_strong(
        word_of(x), &seen, bits_of(v), detail::k_order<Order>,
        detail::k_order<mgws::detail::order_of_load<Order>>, detail::k_scope<Scope>);
    if (!stored) expected = value_of<T>(seen);
    return stored;
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T fetch_add(T& x, T v, Order o, Scope s) {
    if constexpr (std::integral<T>) {
      return platform::fetch_add(x, v, o, s);
    } else {
      return mgws::detail::modify<atomics>(
          x, [](T /*seen*/) { return true; }, [v](T seen) { return seen + v; }, o, s);
    }
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T fetch_and(T& x, T v, Order o, Scope s) {
    if constexpr (std::same_as<Scope, scope::device_t>)
      return __hip_atomic_fetch_and(&x, v, detail::k_order<Order>, detail::k_scope<Scope>);
    return mgws::detail::modify<atomics>(
        x, [](T /*seen*/) { return true; }, [v](T seen) { return seen & v; }, o, s);
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T fetch_or(T& x, T v, Order o, Scope s) {
    if constexpr (std::same_as<Scope, scope::device_t>)
      return __hip_atomic_fetch_or(&x, v, detail::k_order<Order>, detail::k_scope<Scope>);
    return mgws::detail::modify<atomics>(
        x, [](T /*seen*/) { return true; }, [v](T seen) { return seen | v; }, o, s);
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T fetch_xor(T& x, T v, Order o, Scope s) {
    if constexpr (std::same_as<Scope, scope::device_t>)
      return __hip_atomic_fetch_xor(&x, v, detail::k_order<Order>, detail::k_scope<Scope>);
    return mgws::detail::modify<atomics>(
        x, [](T /*seen*/) { return true; }, [v](T seen) { return seen ^ v; }, o, s);
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T fetch_min(T& x, T v, Order o, Scope s) {
    if constexpr (std::integral<T> && std::same_as<Scope, scope::device_t>)
      return __hip_atomic_fetch_min(&x, v, detail::k_order<Order>, detail::k_scope<Scope>);
    return mgws::detail::modify_to_min<atomics>(x, v, o, s);
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T fetch_max(T& x, T v, Order o, Scope s) {
    if constexpr (std::integral<T> && std::same_as<Scope, scope::device_t>)
      return __hip_atomic_fetch_max(&x, v, detail::k_order<Order>, detail::k_scope<Scope>);
    return mgws::detail::modify_to_max<atomics>(x, v, o, s);
  }

 private:
  // The compiler's built-ins take integers.
  template <class T>
  using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  template <class T>
  using word [[gnu::may_alias]] = bits<T>;

  template <class T>
  MGWS_FN static auto word_of(T& x) {
    return reinterpret_cast<word<T>*>(&x);
  }
  template <class T>
  MGWS_FN static bits<T> bits_of(const T& v) {
    return __builtin_bit_cast(bits<T>, v);
  }
  template <class T>
  MGWS_FN static T value_of(bits<T> v) {
    return __builtin_bit_cast(T, v);
  }
};

}  // namespace mgws::hip_backend
