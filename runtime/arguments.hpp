/// \file
/// The template arguments of mgws::runtime, or one sentence where they are not in their places.
#pragma once

#include <type_traits>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws/core/task_set.hpp>

namespace mgws::detail {

template <class T>
inline constexpr bool is_task_set = false;
template <class... Ts>
inline constexpr bool is_task_set<task_set<Ts...>> = true;

/// What stands in a wrong argument's place from there on, so that one sentence is all that the
/// compiler says: a task by itself in a set of its own, an accumulator by itself likewise.
template <class T>
struct as_task_set {
  struct nothing {};
  using type = task_set<std::conditional_t<task<T>, T, nothing>>;
};
template <class... Ts>
struct as_task_set<task_set<Ts...>> {
  using type = task_set<Ts...>;
};
template <class T>
struct as_accumulators {
  using type = accumulators<>;
};
template <accumulator A>
struct as_accumulators<A> {
  using type = accumulators<A>;
};
template <class... As>
struct as_accumulators<accumulators<As...>> {
  using type = accumulators<As...>;
};

template <class T>
inline constexpr bool is_statistics = requires {
  T::enabled;
};

/// What the rest of a runtime is made of. Apart from what is asserted: of a class in which that
/// failed clang keeps nothing, and complains about each member that it misses.
template <class Tasks, class Accumulators, class Context, class Statistics>
struct runtime_parts {
  static constexpr bool swapped = !is_accumulators<Accumulators> && is_accumulators<Context>;
  using tasks = typename as_task_set<Tasks>::type;
  using accumulators =
      typename as_accumulators<std::conditional_t<swapped, Context, Accumulators>>::type;
  using context = std::conditional_t<swapped, Accumulators, Context>;
  /// Else no worker is compiled: a task that reads its context would not find it.
  static constexpr bool right = is_task_set<Tasks> && is_accumulators<Accumulators> &&
                                !is_accumulators<Context> && is_statistics<Statistics>;
};

template <class Tasks, class Accumulators, class Context, class Statistics>
constexpr auto check_arguments() {
  static_assert(is_task_set<Tasks>,
                "mgws: the first argument of mgws::runtime is an mgws::task_set, also of a single "
                "type: mgws::runtime<mgws::task_set<my_task>>");
  static_assert(!is_task_set<Tasks> || is_accumulators<Accumulators>,
                "mgws: the second argument of mgws::runtime is an mgws::accumulators, also of one "
                "or none, and the context is the third: mgws::runtime<mgws::task_set<my_task>, "
                "mgws::accumulators<my_sum>, my_context>");
  static_assert(!is_accumulators<Accumulators> || !is_accumulators<Context>,
                "mgws: the third argument of mgws::runtime is the context, and the accumulators "
                "are the second: mgws::runtime<mgws::task_set<my_task>, "
                "mgws::accumulators<my_sum>, my_context>");
  static_assert(
      !std::is_same_v<Context, worker_statistics> && !std::is_same_v<Context, no_statistics>,
      "mgws: the third argument of mgws::runtime is the context, and the statistics are "
      "the fourth: mgws::runtime<mgws::task_set<my_task>, mgws::accumulators<my_sum>, "
      "mgws::no_context, mgws::worker_statistics>");
  static_assert(is_statistics<Statistics>,
                "mgws: the fourth argument of mgws::runtime is mgws::no_statistics or "
                "mgws::worker_statistics");
  static_assert(std::is_trivially_copyable_v<Context>,
                "mgws: a context must be trivially copyable: it is copied to every device");
  return 0;
}

}  // namespace mgws::detail
