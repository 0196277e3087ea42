/// \file
/// Atomic operations by libcu++, at exactly the order and scope of the call: device scope is PTX's
/// .gpu, system scope .sys (tests/isa checks the instructions).
#pragma once

#include <cuda/atomic>

#include <mgws/core/order.hpp>
#include <mgws_port.hpp>

namespace mgws::cuda_backend {

struct operations {
  template <class T, class Order, class Scope>
  MGWS_FN static T load(const T& x, Order o, Scope s) {
    return at(const_cast<T&>(x), s).load(order_of(o));
  }
  template <class T, class Order, class Scope>
  MGWS_FN static void store(T& x, T v, Order o, Scope s) {
    at(x, s).store(v, order_of(o));
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T exchange(T& x, T v, Order o, Scope s) {
    return at(x, s).exchange(v, order_of(o));
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T fetch_add(T& x, T v, Order o, Scope s) {
    return at(x, s).fetch_add(v, order_of(o));
  }
  MGWS_FN static void fence(scope::device_t /*s*/) {
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
  }
  MGWS_FN static void fence(scope::system_t /*s*/) {
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_system);
  }

 protected:
  template <class T>
  MGWS_FN static auto at(T& x, scope::device_t /*s*/) {
    return cuda::atomic_ref<T, cuda::thread_scope_device>(x);
  }
  template <class T>
  MGWS_FN static auto at(T& x, scope::system_t /*s*/) {
    return cuda::atomic_ref<T, cuda::thread_scope_system>(x);
  }
  MGWS_FN static constexpr cuda::memory_order order_of(order::relaxed_t) {
    return cuda::memory_order_relaxed;
  }
  MGWS_FN static constexpr cuda::memory_order order_of(order::acquire_t) {
    return cuda::memory_order_acquire;
  }
  MGWS_FN static constexpr cuda::memory_order order_of(order::release_t) {
    return cuda::memory_order_release;
  }
  MGWS_FN static constexpr cuda::memory_order order_of(order::acq_rel_t) {
    return cuda::memory_order_acq_rel;
  }
};

}  // namespace mgws::cuda_backend
