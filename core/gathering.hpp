/// \file
/// What the tasks below a finish contribute to what comes after it (docs/finish.md): sums, maxima
/// and minima, of which that has the values when it runs.
///
/// A lane combines what its tasks contribute in values of its own, and those into cells of the
/// finish's frame before it gives back its tokens (purse.hpp). As long as a value is missing there,
/// a token is.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <mgws/core/accumulators.hpp>
#include <mgws_port.hpp>

namespace mgws {

namespace detail {

/// Whether a task type may be what comes after a finish (purse.hpp).
template <class T>
constexpr bool is_after_finish() {
  if constexpr (requires { T::after_finish; }) {
    static_assert(std::same_as<std::remove_cv_t<decltype(T::after_finish)>, bool>,
                  "mgws: a task type's `after_finish` must be a bool");
    return T::after_finish;
  } else {
    return false;
  }
}

/// What ports add up, or keep the larger or the smaller of, in one indivisible access.
template <class A>
concept gatherable = (std::derived_from<A, sum<typename A::value_type>> ||
                      std::derived_from<A, maximum<typename A::value_type>> ||
                      std::derived_from<A, minimum<typename A::value_type>>)&&std::
                         is_arithmetic_v<typename A::value_type> &&
                     (sizeof(typename A::value_type) == 4 || sizeof(typename A::value_type) == 8);

/// Whether a task type that comes after a finish has a member for what was contributed.
template <class T>
concept gathers = is_after_finish<T>() && requires(T& t) {
  t.gathered;
};

template <class Member>
struct checked_gathered {
  static_assert(is_accumulators<Member>,
                "mgws: what comes after a finish has what was contributed in a member "
                "`mgws::accumulators<...> gathered`");
  using type = accumulators<>;
};
template <class... As>
struct checked_gathered<accumulators<As...>> {
  static_assert((gatherable<As> && ...),
                "mgws: tasks below a finish contribute sums, maxima and minima of numbers of 4 or "
                "8 bytes");
  using type = accumulators<As...>;
};

/// Of the first of the types that gathers.
template <class... Ts>
struct gathered_of {
  using type = accumulators<>;
};
template <class T, class... Ts>
struct gathered_of<T, Ts...> : gathered_of<Ts...> {};
template <gathers T, class... Ts>
struct gathered_of<T, Ts...>
    : checked_gathered<std::remove_cvref_t<decltype(std::declval<T&>().gathered)>> {};
/// Whether that is what a type has, if it has any.
template <class Values, class T>
constexpr bool gathers_only() {
  if constexpr (gathers<T>) {
    return std::same_as<Values, std::remove_cvref_t<decltype(std::declval<T&>().gathered)>>;
  } else {
    return true;
  }
}

}  // namespace detail

/// In a finish's frame: a value of each accumulator, which several workers change. In each other,
/// so that a frame is laid out as C would.
template <class Values>
struct gather_cells;
template <>
struct gather_cells<accumulators<>> {
  template <class Atomics, class Order, class Scope>
  MGWS_FN void begin(Order /*o*/, Scope /*s*/) {}
  template <class Atomics, class Values, class Order, class Scope>
  MGWS_FN void read(Values& /*into*/, Order /*o*/, Scope /*s*/) const {}
};
template <class A, class... As>
struct gather_cells<accumulators<A, As...>> {
  using value_type = typename A::value_type;

  value_type value;
  [[no_unique_address]] gather_cells<accumulators<As...>> others;

  /// \tparam Atomics  a backend's, as a port's (atomic_ref.hpp)
  template <class Atomics, class Order, class Scope>
  MGWS_FN void begin(Order o, Scope s) {
    Atomics::store(value, A::identity(), o, s);
    others.template begin<Atomics>(o, s);
  }
  template <class Atomics, class Which, class Order, class Scope>
  MGWS_FN void combine(typename Which::value_type v, Order o, Scope s) {
    if constexpr (!std::same_as<A, Which>) {
      others.template combine<Atomics, Which>(v, o, s);
    } else if constexpr (std::derived_from<A, sum<value_type>>) {
      Atomics::fetch_add(value, v, o, s);
    } else if constexpr (std::derived_from<A, maximum<value_type>>) {
      Atomics::fetch_max(value, v, o, s);
    } else {
      Atomics::fetch_min(value, v, o, s);
    }
  }
  /// \param into  values that are neutral
  template <class Atomics, class Values, class Order, class Scope>
  MGWS_FN void read(Values& into, Order o, Scope s) const {
    into.template add<A>(Atomics::load(value, o, s));
    others.template read<Atomics>(into, o, s);
  }
};

}  // namespace mgws
