/// \file
/// The table of queues that others steal from, and the one of this build, by Meson's -Dqueue. A
/// build with another than the first defines MGWS_QUEUE, for itself and for who uses it, as its
/// name.
#pragma once

#include <cstdint>

#include <mgws/core/public_queue.hpp>
#include <mgws/core/sdc_queue.hpp>
#include <mgws_port.hpp>

#if !defined(MGWS_QUEUE)
#define MGWS_QUEUE sws
#endif

namespace mgws {

namespace queues {

/// One word, on which a thief claims by one add (public_queue.hpp).
struct sws {
  static constexpr const char* k_name = "sws";
  template <class B>
  using head = queue_head<B>;
  template <class P, class B, class Slot, class Scope>
  using queue = public_queue<P, B, Slot, Scope>;
};

/// The classic one, with a lock: a baseline (sdc_queue.hpp).
struct sdc {
  static constexpr const char* k_name = "sdc";
  template <class B>
  using head = sdc_head<B>;
  template <class P, class B, class Slot, class Scope>
  using queue = sdc_queue<P, B, Slot, Scope>;
};

using chosen = MGWS_QUEUE;

}  // namespace queues

/// Control block of a public queue, and its owners' side.
template <class B>
using chosen_head = queues::chosen::head<B>;
template <class P, class B, class Slot, class Scope>
using chosen_queue = queues::chosen::queue<P, B, Slot, Scope>;

/// Slots that a thief who looks at a queue, relaxed, may hope for.
template <class P, class Head, class Scope>
[[nodiscard]] MGWS_FN std::uint32_t available(const Head& head, Scope scope) {
  return shown_by<P>(glance<P>(head, scope));
}

}  // namespace mgws
