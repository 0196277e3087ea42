/// \file
/// The standard library's names of core's memory orders.
#pragma once

#include <atomic>

#include <mgws/core/order.hpp>

namespace mgws::cpu_backend {

constexpr std::memory_order std_order(order::relaxed_t) {
  return std::memory_order_relaxed;
}
constexpr std::memory_order std_order(order::acquire_t) {
  return std::memory_order_acquire;
}
constexpr std::memory_order std_order(order::release_t) {
  return std::memory_order_release;
}
constexpr std::memory_order std_order(order::acq_rel_t) {
  return std::memory_order_acq_rel;
}

}  // namespace mgws::cpu_backend
