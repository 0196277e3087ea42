/// \file
/// Joins and finishes over a bridge (bridge.hpp). A frame lies in its maker's coherence domain, and
/// only workers there reach it. What tasks in another domain have for it goes home as a task of its
/// own: a delivery with its value; of a finish, the tokens that tasks took along, with what these
/// have contributed. Such a task runs anywhere: where it is not at home, it goes on to there. A
/// task type may have one of its own (`T::way_home`, as a graph's nodes have), which says `static
/// constexpr bool goes_home = true`, and by home() to which domain.
///
/// Tasks that come from another domain below a finish of theirs are put below one of the domain
/// that they come to (search.hpp), after which that tokens_home goes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/frame.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// A delivery to a place in another domain. Its one instance's number says how many bytes it has.
/// \tparam Most  bytes of a value
template <std::size_t Most>
struct delivery_home {
  static constexpr bool goes_home = true;
  static constexpr std::size_t most = Most;

  place<void> to;
  std::byte value[Most];

  [[nodiscard]] MGWS_FN std::uint32_t home() const { return domain_of_frame(to.frame); }
  MGWS_FN void operator()(auto& worker, task_index bytes) const { worker.arrive(*this, bytes); }
};

/// Tokens of a finish that tasks took along to another domain: this, and what they contributed.
struct tokens_of_finish {
  static constexpr bool after_finish = true;
  static constexpr bool goes_home = true;

  std::uint64_t tokens;
  std::uint32_t number;  ///< of the finish's frame

  [[nodiscard]] MGWS_FN std::uint32_t home() const { return domain_of_frame(number); }
};
/// Once all of these tasks have ended. \tparam Values  what they have contributed
template <class Values>
struct tokens_home : tokens_of_finish {
  Values gathered{};

  MGWS_FN void operator()(auto& worker) const { worker.arrive(*this); }
};
template <>
struct tokens_home<accumulators<>> : tokens_of_finish {
  MGWS_FN void operator()(auto& worker) const { worker.arrive(*this); }
};

namespace detail {

/// Whether a task has something for its home, and is no work.
template <class T>
inline constexpr bool goes_home = requires {
  requires T::goes_home;
};
template <class Tasks>
inline constexpr bool some_go_home = false;
template <class... Ts>
inline constexpr bool some_go_home<task_set<Ts...>> = (goes_home<Ts> || ...);

/// The one of some types that is a delivery.
template <class... Ts>
struct delivery_of;
template <class T, class... Ts>
struct delivery_of<T, Ts...> : delivery_of<Ts...> {};
template <std::size_t Most, class... Ts>
struct delivery_of<delivery_home<Most>, Ts...> {
  using type = delivery_home<Most>;
};

template <class Tasks, class... More>
struct with_more;
template <class... Ts, class... More>
struct with_more<task_set<Ts...>, More...> {
  using type = task_set<Ts..., More...>;
};

template <class T>
concept has_way_home = requires {
  typename T::way_home;
};
template <class Set, class T>
inline constexpr bool lacks_way_of = false;
template <class Set, has_way_home T>
inline constexpr bool lacks_way_of<Set, T> = !Set::template contains<typename T::way_home>;

/// A set with the ways home of some types, each once.
template <class Set, class... Ts>
struct with_ways_of {
  using type = Set;
};
template <class Set, class T, class... Ts>
struct with_ways_of<Set, T, Ts...> : with_ways_of<Set, Ts...> {};
template <class Set, class T, class... Ts>
  requires(lacks_way_of<Set, T>)
struct with_ways_of<Set, T, Ts...>
    : with_ways_of<typename with_more<Set, typename T::way_home>::type, Ts...> {};

template <class Tasks>
struct with_way_home;
template <class... Ts>
struct with_way_home<task_set<Ts...>> {
  using set = task_set<Ts...>;
  /// With as much room for a value as slots have anyway: it comes from a member of a continuation,
  /// of which another one is a place most often.
  static constexpr std::size_t room =
      slot<set>::bytes - sizeof(std::uint64_t) - slot<set>::finish_bytes;
  using delivery = delivery_home<std::max(room, 2 * sizeof(place<void>)) - sizeof(place<void>)>;
  using delivers =
      std::conditional_t<set::has_continuations, typename with_more<set, delivery>::type, set>;
  using returns =
      std::conditional_t<set::has_finish,
                         typename with_more<delivers, tokens_home<typename set::gathered>>::type,
                         delivers>;
  using type = typename with_ways_of<returns, Ts...>::type;
};

template <class Tasks>
struct delivery_in;
template <class... Ts>
struct delivery_in<task_set<Ts...>> : delivery_of<Ts...> {};

/// Of a worker that may run what goes home: how much of what it has run that was.
struct ran_for_others {
  std::uint32_t tasks_for_others = 0;
};
struct ran_its_own {};

}  // namespace detail

/// The tasks of a run over several domains whose own are these.
template <class Tasks>
using with_way_home = typename detail::with_way_home<Tasks>::type;

}  // namespace mgws
