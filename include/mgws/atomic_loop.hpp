/// \file
/// What a port makes of the operations that its hardware does not have in one piece: a loop around
/// compare-and-exchange. For the atomics of ports; programs use mgws::atomic_ref.
#pragma once

// clang-format off
#include <mgws/language.hpp>  // before all others
// clang-format on

#include <type_traits>

#include <mgws/core/order.hpp>
#include <mgws_port.hpp>

namespace mgws::detail {

/// What a load must be that may stand for a read-modify-write of this order.
template <class Order>
using order_of_load = std::conditional_t<std::is_same_v<Order, order::acquire_t> ||
                                             std::is_same_v<Order, order::acq_rel_t>,
                                         order::acquire_t, order::relaxed_t>;

/// Changes x to change(x), as long as wanted(x) holds; where it does not, this is a load.
/// \tparam Atomics  with load and compare_exchange \return what was there before
template <class Atomics, class T, class Wanted, class Change, class Order, class Scope>
MGWS_FN T modify(T& x, Wanted wanted, Change change, Order o, Scope s) {
  T seen = Atomics::load(x, order_of_load<Order>{}, s);
  while (wanted(seen)) {
    if (Atomics::compare_exchange(x, seen, static_cast<T>(change(seen)), o, s)) break;
  }
  return seen;
}

/// The smaller and the larger one. A value that is not a number changes nothing.
template <class Atomics, class T, class Order, class Scope>
MGWS_FN T modify_to_min(T& x, T v, Order o, Scope s) {
  return modify<Atomics>(
      x, [v](T seen) { return v < seen; }, [v](T /*seen*/) { return v; }, o, s);
}
template <class Atomics, class T, class Order, class Scope>
MGWS_FN T modify_to_max(T& x, T v, Order o, Scope s) {
  return modify<Atomics>(
      x, [v](T seen) { return seen < v; }, [v](T /*seen*/) { return v; }, o, s);
}

}  // namespace mgws::detail
