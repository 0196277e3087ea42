/// \file
/// What the tasks below a finish contribute to what comes after it (docs/finish.md): sums, maxima
/// and minima, of which that has the values when it runs.
///
/// A lane combines what its tasks contribute in values of its own, and those into cells of the
/// finish's frame before it gives back its tokens (purse.hpp). As long as a value is missing there,
/// a token is.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
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

/// Which of several types T is; how many there are, if it is none of them.
template <class T, class... Ts>
constexpr std::uint32_t index_of() {
  std::uint32_t at = 0;
  const bool found = ((std::same_as<T, Ts> ? true : (++at, false)) || ...);
  return found ? at : static_cast<std::uint32_t>(sizeof...(Ts));
}

}  // namespace detail

/// In a finish's frame: a value of each accumulator, which several workers change, in 8 bytes of
/// its own. Bytes, and no members in each other: behind nested ones without an address a compiler
/// for GPUs has put what follows elsewhere than its own offsetof says.
template <class Values>
struct gather_cells;
template <>
struct gather_cells<accumulators<>> {};
template <class... As>
struct gather_cells<accumulators<As...>> {
  alignas(8) std::byte cells[8 * sizeof...(As)];

  /// \tparam Atomics  a backend's, as a port's (atomic_ref.hpp)
  template <class Atomics, class Order, class Scope>
  MGWS_FN void begin(Order o, Scope s) {
    (Atomics::store(cell<As>(), As::identity(), o, s), ...);
  }
  template <class Atomics, class A, class Order, class Scope>
  MGWS_FN void combine(typename A::value_type v, Order o, Scope s) {
    if constexpr (std::derived_from<A, sum<typename A::value_type>>) {
      Atomics::fetch_add(cell<A>(), v, o, s);
    } else if constexpr (std::derived_from<A, maximum<typename A::value_type>>) {
      Atomics::fetch_max(cell<A>(), v, o, s);
    } else {
      Atomics::fetch_min(cell<A>(), v, o, s);
    }
  }
  template <class Atomics, class Order, class Scope>
  [[nodiscard]] MGWS_FN accumulators<As...> values(Order o, Scope s) {
    accumulators<As...> all;
    (all.template add<As>(Atomics::load(cell<As>(), o, s)), ...);
    return all;
  }
  template <class A>
  [[nodiscard]] MGWS_FN typename A::value_type& cell() {
    return *reinterpret_cast<typename A::value_type*>(cells + 8 * detail::index_of<A, As...>());
  }
};

}  // namespace mgws
