/// \file
/// Joins and finishes over a bridge (bridge.hpp). A frame lies in its maker's coherence domain, and
/// only workers there reach it. What tasks in another domain have for it goes home as a task of its
/// own: a delivery with its value; of a finish, the tokens that tasks took along, with what these
/// have contributed. Such a task runs anywhere: where it is not at home, it goes on to there.
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

/// A delivery to a place in another domain. \tparam Most  bytes of a value
template <std::size_t Most>
struct delivery_home {
  place<void> to;
  std::uint32_t bytes;
  std::byte value[Most];

  [[nodiscard]] MGWS_FN std::uint32_t frame() const { return to.frame; }
  MGWS_FN void operator()(auto& worker) const { worker.arrive(*this); }
};

struct tokens_of_finish {
  static constexpr bool after_finish = true;

  std::uint64_t tokens;
  std::uint32_t number;  ///< of the finish's frame

  [[nodiscard]] MGWS_FN std::uint32_t frame() const { return number; }
};
/// Tokens that tasks took along to another domain, where all of these have ended. \tparam Values
/// what they have contributed
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

/// Whether a task has something for a frame: T::frame() says for which.
template <class T>
inline constexpr bool goes_home = false;
template <std::size_t Most>
inline constexpr bool goes_home<delivery_home<Most>> = true;
template <class Values>
inline constexpr bool goes_home<tokens_home<Values>> = true;

template <class Tasks, class... More>
struct with_more;
template <class... Ts, class... More>
struct with_more<task_set<Ts...>, More...> {
  using type = task_set<Ts..., More...>;
};

template <class Tasks>
struct with_way_home;
template <class... Ts>
struct with_way_home<task_set<Ts...>> {
  using set = task_set<Ts...>;
  static constexpr std::size_t largest_continuation =
      std::max({std::size_t{1}, is_continuation<Ts>() ? sizeof(Ts) : 0 ...});
  using delivery = delivery_home<largest_continuation>;
  using delivers = std::conditional_t<set::has_continuations,
                                      typename with_more<set, delivery>::type, set>;
  using type = std::conditional_t<
      set::has_finish,
      typename with_more<delivers, tokens_home<typename set::gathered>>::type, delivers>;
};

}  // namespace detail

/// The tasks of a run over several domains whose own are these.
template <class Tasks>
using with_way_home = typename detail::with_way_home<Tasks>::type;

}  // namespace mgws
