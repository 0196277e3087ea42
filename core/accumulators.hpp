/// \file
/// Results that tasks reduce into: each lane has its own value of every accumulator, the runtime
/// combines them when the run ends. No atomic operation is ever needed for a task's result.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <mgws_port.hpp>

namespace mgws {

/// Base of an accumulator that adds up. An accumulator is a type of the user's own:
/// `struct nodes : mgws::sum<std::uint64_t> {};`
template <class T>
struct sum {
  using value_type = T;
  [[nodiscard]] MGWS_FN static constexpr T identity() { return T{}; }
  [[nodiscard]] MGWS_FN static constexpr T combine(T a, T b) { return static_cast<T>(a + b); }
};

/// Base of an accumulator that keeps the largest value.
template <class T>
struct maximum {
  using value_type = T;
  [[nodiscard]] MGWS_FN static constexpr T identity() { return std::numeric_limits<T>::lowest(); }
  [[nodiscard]] MGWS_FN static constexpr T combine(T a, T b) { return a < b ? b : a; }
};

/// Base of an accumulator that keeps the smallest value.
template <class T>
struct minimum {
  using value_type = T;
  [[nodiscard]] MGWS_FN static constexpr T identity() { return std::numeric_limits<T>::max(); }
  [[nodiscard]] MGWS_FN static constexpr T combine(T a, T b) { return b < a ? b : a; }
};

/// An accumulator: a value type with a neutral element and a way to combine two values that is
/// associative and commutative, since the order in which workers ran is not fixed.
template <class A>
concept accumulator = std::is_trivially_copyable_v<typename A::value_type> &&
    requires(typename A::value_type a, typename A::value_type b) {
  { A::identity() } -> std::same_as<typename A::value_type>;
  { A::combine(a, b) } -> std::same_as<typename A::value_type>;
};

namespace detail {

template <class A>
struct accumulator_cell {
  typename A::value_type value = A::identity();
};

}  // namespace detail

/// One value of each accumulator. Trivially copyable, so that it crosses from a device to the host
/// as bytes.
template <accumulator... As>
struct accumulators : detail::accumulator_cell<As>... {
  template <class A>
  static constexpr bool contains = (std::same_as<A, As> || ...);

  template <class A>
  [[nodiscard]] MGWS_FN constexpr typename A::value_type get() const {
    static_assert(contains<A>, "mgws: this accumulator is not among the run's accumulators");
    return static_cast<const detail::accumulator_cell<A>&>(*this).value;
  }

  template <class A>
  MGWS_FN constexpr void add(typename A::value_type v) {
    static_assert(contains<A>, "mgws: this accumulator is not among the run's accumulators");
    auto& cell = static_cast<detail::accumulator_cell<A>&>(*this);
    cell.value = A::combine(cell.value, v);
  }

  MGWS_FN constexpr void merge([[maybe_unused]] const accumulators& other) {
    (add<As>(other.template get<As>()), ...);
  }
};

namespace detail {

template <class T>
inline constexpr bool is_accumulators = false;
template <class... As>
inline constexpr bool is_accumulators<accumulators<As...>> = true;

}  // namespace detail

}  // namespace mgws
