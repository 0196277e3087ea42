/// \file
/// What mgws::atomic_ref is on NVIDIA GPUs, and on the CPU workers of a program that has some:
/// libcu++'s atomic_ref, at exactly the order and scope of the call.
#pragma once

#include <concepts>

#include <cuda/atomic>

#include <mgws/atomic_loop.hpp>
#include <mgws/backends/cuda/operations.hpp>
#include <mgws/core/order.hpp>
#include <mgws_port.hpp>

namespace mgws::cuda_backend {

struct atomics : operations {
  template <class T, class Order, class Scope>
  MGWS_FN static bool compare_exchange(T& x, T& expected, T v, Order o, Scope s) {
    return at(x, s).compare_exchange_strong(expected, v, order_of(o),
                                            order_of(mgws::detail::order_of_load<Order>{}));
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T fetch_and(T& x, T v, Order o, Scope s) {
    return at(x, s).fetch_and(v, order_of(o));
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T fetch_or(T& x, T v, Order o, Scope s) {
    return at(x, s).fetch_or(v, order_of(o));
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T fetch_xor(T& x, T v, Order o, Scope s) {
    return at(x, s).fetch_xor(v, order_of(o));
  }
  /// Instructions for integers; no GPU has any for floating-point numbers.
  template <class T, class Order, class Scope>
  MGWS_FN static T fetch_min(T& x, T v, Order o, Scope s) {
    if constexpr (std::integral<T>) {
      return at(x, s).fetch_min(v, order_of(o));
    } else {
      return mgws::detail::modify_to_min<atomics>(x, v, o, s);
    }
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T fetch_max(T& x, T v, Order o, Scope s) {
    if constexpr (std::integral<T>) {
      return at(x, s).fetch_max(v, order_of(o));
    } else {
      return mgws::detail::modify_to_max<atomics>(x, v, o, s);
    }
  }
};

}  // namespace mgws::cuda_backend
