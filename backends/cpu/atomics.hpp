/// \file
/// What mgws::atomic_ref is on CPU workers: std::atomic_ref. Both scopes are the processor's
/// coherent memory.
#pragma once

#include <atomic>

#include <mgws/atomic_loop.hpp>
#include <mgws/backends/cpu/std_order.hpp>

namespace mgws::cpu_backend {

struct atomics {
  template <class T, class Order, class Scope>
  static T load(const T& x, Order o, Scope /*s*/) {
    return std::atomic_ref<T>(const_cast<T&>(x)).load(std_order(o));
  }
  template <class T, class Order, class Scope>
  static void store(T& x, T v, Order o, Scope /*s*/) {
    std::atomic_ref<T>(x).store(v, std_order(o));
  }
  template <class T, class Order, class Scope>
  static T exchange(T& x, T v, Order o, Scope /*s*/) {
    return std::atomic_ref<T>(x).exchange(v, std_order(o));
  }
  template <class T, class Order, class Scope>
  static bool compare_exchange(T& x, T& expected, T v, Order o, Scope /*s*/) {
    return std::atomic_ref<T>(x).compare_exchange_strong(expected, v, std_order(o),
                                                         std_order(detail::order_of_load<Order>{}));
  }
  template <class T, class Order, class Scope>
  static T fetch_add(T& x, T v, Order o, Scope /*s*/) {
    return std::atomic_ref<T>(x).fetch_add(v, std_order(o));
  }
  template <class T, class Order, class Scope>
  static T fetch_and(T& x, T v, Order o, Scope /*s*/) {
    return std::atomic_ref<T>(x).fetch_and(v, std_order(o));
  }
  template <class T, class Order, class Scope>
  static T fetch_or(T& x, T v, Order o, Scope /*s*/) {
    return std::atomic_ref<T>(x).fetch_or(v, std_order(o));
  }
  template <class T, class Order, class Scope>
  static T fetch_xor(T& x, T v, Order o, Scope /*s*/) {
    return std::atomic_ref<T>(x).fetch_xor(v, std_order(o));
  }
  template <class T, class Order, class Scope>
  static T fetch_min(T& x, T v, Order o, Scope s) {
    return detail::modify_to_min<atomics>(x, v, o, s);
  }
  template <class T, class Order, class Scope>
  static T fetch_max(T& x, T v, Order o, Scope s) {
    return detail::modify_to_max<atomics>(x, v, o, s);
  }
};

}  // namespace mgws::cpu_backend
