/// \file
/// A finish as one lane sees it (docs/finish.md): how it counts the tasks below one without an
/// atomic operation a task.
///
/// Each instance below a finish that has not ended is worth a *token*, and the finish's frame
/// counts the tokens that there are. A lane has a purse for those of the finish below which it
/// works: a task that begins puts its own in, a spawn takes one out for the new task. If it has too
/// few it adds many to the frame and to itself; what it holds it takes off the frame when it goes
/// on to another finish, or runs out of work. Who takes off the last ends the finish.
#pragma once

#include <cstdint>
#include <type_traits>

#include <mgws/core/frames.hpp>
#include <mgws/core/policy.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Tokens that a lane has to itself, of one finish.
struct lane_purse {
  /// Of no finish: nobody counts them.
  static constexpr std::uint64_t plenty = std::uint64_t{1} << 62;

  std::uint64_t tokens = plenty;
  std::uint32_t finish = 0;
  std::uint32_t adds = 0;  ///< atomic additions made to finishes, for statistics

  /// So many instances below the finish begin on this lane, or have ended there.
  MGWS_FN void put(std::uint64_t n) { tokens += n; }
  /// For so many new instances. At least one token stays: while a task runs on this lane, its
  /// finish cannot end. \param draw  draw(): makes them more than n
  template <class Draw>
  MGWS_FN void take(std::uint32_t n, Draw&& draw) {
    if (tokens <= n) [[unlikely]]
      draw();
    tokens -= n;
  }
  /// Whether it has to give back something.
  [[nodiscard]] MGWS_FN bool owes() const { return finish != 0 && tokens != 0; }
  /// From here on it is for tasks of that finish, or of none. \pre it owes nothing
  MGWS_FN void enter(std::uint32_t below) {
    finish = below;
    tokens = below == 0 ? plenty : 0;
  }
};
/// Where no task type comes after a finish.
struct no_purse {};

/// With what the lane's tasks have contributed to the finish, and it has not: nothing, unless the
/// lane has tokens.
template <class Values>
struct gathering_purse : lane_purse {
  Values gathered{};
};
template <class Tasks>
using purse_of_lane =
    std::conditional_t<Tasks::gathers, gathering_purse<typename Tasks::gathered>, lane_purse>;

/// Combines what tasks have contributed into a finish's. \return atomic operations that it took
template <class C, class... As>
MGWS_FN std::uint32_t hand_in(frames<C>& all, std::uint32_t number,
                              const accumulators<As...>& values) {
  std::uint32_t adds = 0;
  const auto one = [&]<class A>(std::type_identity<A>) {
    const auto v = values.template get<A>();
    if (v == A::identity()) return;
    ++adds;
    all.template gather<A>(number, v);
  };
  (one(std::type_identity<As>{}), ...);
  return adds;
}

/// \tparam C  a configuration (worker_base.hpp) whose task set has a type that ends a finish
template <class C>
class purse {
 public:
  using mine_type = purse_of_lane<typename C::tasks>;

  MGWS_FN purse(frames<C> all, mine_type& mine) : all_(all), mine_(mine) {}

  /// Draws tokens for n instances, and many more: seldom, and for a lane that is about to give back
  /// what is left of them.
  MGWS_FN void draw(std::uint32_t n) {
    if (mine_.finish == 0) {
      mine_.tokens = lane_purse::plenty;
      return;
    }
    ++mine_.adds;
    const std::uint64_t more = policy::k_tokens_drawn + n;
    all_.add_tokens(mine_.finish - 1, more, C::protocol::finish_draw);
    mine_.tokens += more;
  }

  /// Before a task of a finish, or of none. Not while one runs.
  /// \param push  push(fill): adds a slot to the run, which fill(slot) completes
  /// \return whether the finish before has ended by this, and its continuation was added here
  template <class Push>
  [[nodiscard]] MGWS_FN bool change(std::uint32_t finish, Push&& push) {
    const bool ended = settle(push);
    mine_.enter(finish);
    return ended;
  }
  /// Without work: gives back all that there is. Not while a task runs. \return as change()
  template <class Push>
  [[nodiscard]] MGWS_FN bool settle(Push&& push) {
    if (!mine_.owes()) return false;
    ++mine_.adds;
    const std::uint32_t number = mine_.finish - 1;
    if constexpr (C::tasks::gathers) {
      mine_.adds += hand_in<C>(all_, number, mine_.gathered);
      mine_.gathered = {};
    }
    const std::uint64_t held = mine_.tokens;
    mine_.tokens = 0;
    if (all_.add_tokens(number, std::uint64_t{0} - held, C::protocol::finish_return) != held)
      return false;
    return all_.complete(number, push);
  }

 private:
  frames<C> all_;
  mine_type& mine_;
};

}  // namespace mgws
