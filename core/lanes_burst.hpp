/// \file
/// What a worker of several lanes (lanes.hpp) keeps in registers from step to step, of which tasks
/// want most.
#pragma once

#include <cstdint>

#include <mgws/core/lane_task.hpp>
#include <mgws/core/lanes_leader.hpp>
#include <mgws/core/ring.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Every lane has the same.
/// \tparam C  a configuration (worker_base.hpp) whose backend is a team_backend
template <class C>
struct lanes_burst {
  /// Whether tasks of the set are resumable: then lanes of a step may go on while others are free.
  [[nodiscard]] MGWS_FN static constexpr bool has_resumable() {
    return C::tasks::template has_resumable<lane_task<C, shape::lane>>;
  }
  /// Of resumable tasks, in a burst.
  struct begun_tasks {
    std::uint32_t lanes;  ///< whose instances have ended, over all steps; all lanes of other steps
    std::uint32_t slots;  ///< that went back
    std::uint32_t rest;   ///< more instances than one of the newest slot that has not begun
    bool may_top_up;      ///< there may be more to be had for lanes that are free
    bool short_of;        ///< what is local is less than a step
  };

  ring<slot<typename C::tasks>> local;
  std::uint32_t head;
  std::uint32_t tail;
  std::uint32_t spawned;     ///< by the step before
  std::uint32_t left;        ///< steps of this burst that are still to come
  std::uint32_t slots;       ///< used up in this burst
  std::uint32_t lanes;       ///< that what ended in it ran on, where tasks differ in their width
  std::uint32_t share_from;  ///< slots from which on the leader is asked to share, or never
  std::uint32_t look_ticks;  ///< of the near clock, between two looks around
  std::uint32_t looked;      ///< what the near clock showed at the last one
  bool due;                  ///< it was time for the next when the last step ended
  bool watches;              ///< the public queue had something, and is to be refilled
  begun_tasks begun;         ///< if there are any

  static constexpr std::uint32_t k_never = ~std::uint32_t{0};

  [[nodiscard]] MGWS_FN std::uint32_t size() const { return head - tail; }
  MGWS_FN void follow(const typename lanes_leader<C>::plan& o) {
    head = o.head;
    tail = o.tail;
    look_ticks = o.look_ticks;
    looked = C::view::backend::ticks();
    watches = o.wanted && o.stocked;
    share_from = o.wanted && !o.stocked ? o.share_from : k_never;
    if constexpr (has_resumable()) begun.may_top_up = o.may_top_up;
  }
};

}  // namespace mgws
