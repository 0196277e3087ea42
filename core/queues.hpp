/// \file
/// The queues that others steal from, of which a transport has one kind: core takes the one whose
/// control block a view shows.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <mgws/core/public_queue.hpp>
#include <mgws/core/sdc_queue.hpp>
#include <mgws_port.hpp>

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

}  // namespace queues

/// A reference to a control block of either kind.
template <class R, class B>
concept queue_control = std::is_lvalue_reference_v<R> &&
    (std::same_as<std::remove_reference_t<R>, queue_head<B>> ||
     std::same_as<std::remove_reference_t<R>, sdc_head<B>>);

/// Of a transport's view: the control block, and the kind.
template <class V>
using head_of = std::remove_cvref_t<decltype(std::declval<const V&>().head(0))>;
template <class V>
using queue_kind = std::conditional_t<std::same_as<head_of<V>, queue_head<typename V::backend>>,
                                      queues::sws, queues::sdc>;

/// Slots that a thief who looks at a queue, relaxed, may hope for.
template <class P, class Head, class Scope>
[[nodiscard]] MGWS_FN std::uint32_t available(const Head& head, Scope scope) {
  return shown_by<P>(glance<P>(head, scope));
}

}  // namespace mgws
