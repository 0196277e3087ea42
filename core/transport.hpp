/// \file
/// What core asks of a transport: a view, copied to every worker, that says where each shared
/// object is and at which scope it is reached. CONTRACT.md says the rest in words.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <mgws/core/backend.hpp>
#include <mgws/core/bridge.hpp>
#include <mgws/core/bulk_board.hpp>
#include <mgws/core/frame.hpp>
#include <mgws/core/inbox.hpp>
#include <mgws/core/queues.hpp>
#include <mgws/core/returns.hpp>
#include <mgws/core/run.hpp>

namespace mgws {

template <class S>
concept scope_tag = std::same_as<std::remove_cvref_t<S>, scope::device_t> ||
    std::same_as<std::remove_cvref_t<S>, scope::system_t>;

/// A transport's view as one worker holds it. Trivially copyable: it crosses to a device as bytes.
template <class V>
concept transport_view = std::is_trivially_copyable_v<V> && backend<typename V::backend> &&
    scope_tag<decltype(V::queue_scope)> && scope_tag<decltype(V::device_scope)> &&
    scope_tag<decltype(V::global_scope)> && scope_tag<decltype(V::frame_scope)> &&
    requires(const V& v, std::uint32_t i) {
  /// The control block and the slots of queue i, wherever its owner's device keeps them.
  { v.head(i) } -> queue_control<typename V::backend>;
  { v.slots(i) } -> std::same_as<void*>;
  /// Frame i, and the words that say which of worker i's are free, so many lines of them. Only
  /// where a task set has continuations.
  { v.frame(i, i, std::size_t{}) } -> std::same_as<void*>;
  { v.free_frames(i, i) } -> std::same_as<free_frames<typename V::backend>*>;
  /// Where what comes back to the i-th device's frames is listed, where workers of other devices do
  /// not reach these: where frame_scope is not queue_scope.
  { v.returns(i) } -> std::same_as<return_head<typename V::backend>&>;
  /// Cells of the termination detector: one set for all, one set a device.
  { v.global_cell(i) } -> std::same_as<cell<typename V::backend>&>;
  { v.device_cell(i, i) } -> std::same_as<cell<typename V::backend>&>;
  /// The initial task set, which may be a copy of the worker's device, and how many of the i-th
  /// device's part were handed out.
  { v.initial_slots() } -> std::same_as<const void*>;
  { v.initial_next(i) } -> std::same_as<cell<typename V::backend>&>;
  /// The i-th device's board and the one slot that it shows.
  { v.board(i) } -> std::same_as<board_head<typename V::backend>&>;
  { v.board_slot(i) } -> std::same_as<void*>;
  /// The i-th device's inboxes, of a run that has some: what producers reach, their slots, and the
  /// gate, which is the device's.
  { v.inbox(i, i) } -> std::same_as<inbox_head<typename V::backend>&>;
  { v.inbox_slots(i, i) } -> std::same_as<void*>;
  { v.inbox_gate(i, i) } -> std::same_as<inbox_gate<typename V::backend>&>;
  /// The i-th device's control block, which all may share; a worker's sign of life; and where its
  /// workers sleep.
  { v.control(i) } -> std::same_as<run_control<typename V::backend>&>;
  { v.progress(i) } -> std::same_as<worker_progress<typename V::backend>&>;
  { v.parking() } -> std::same_as<typename V::backend::parking&>;
};

/// Of a run that may be one of several coherence domains'.
template <class V>
concept bridged_view = transport_view<V> && requires(const V& v, std::uint32_t i) {
  /// The gate of the i-th channel between domains.
  { v.bridge_gate(i) } -> std::same_as<channel_gate<typename V::backend>&>;
};

/// Where the host cannot look while workers run: a transport has a second record of requests and
/// signs of life, in the host's memory, that workers read and write seldom (signals.hpp).
template <class V>
concept mirrored_view = transport_view<V> && requires(const V& v, std::uint32_t i) {
  { v.host_control(i) } -> std::same_as<run_control<typename V::backend>&>;
  { v.host_progress(i) } -> std::same_as<worker_progress<typename V::backend>&>;
};

}  // namespace mgws
