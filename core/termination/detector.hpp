/// \file
/// The contract of a termination detector. docs/protocol.md proves each of them.
#pragma once

#include <concepts>
#include <cstdint>

#include <mgws/core/transport.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// What a passive worker learns when it asks whether the run is over.
enum class verdict : std::uint8_t {
  running,
  progressed,  ///< not over, but something changed that a sleeping worker may be waiting for
  over
};

/// One worker's part of a detector. Called by that worker only, by one lane:
/// - out_of_work(given): the worker became passive. It holds no task, its queue is quiet, the
///   initial set is exhausted; `given` slots have left its queue for others so far. Returns whether
///   the run may be over by this: who asks seldom asks then.
/// - regained_work(): a passive worker took tasks, and their giver cannot become passive before
///   this call returns.
/// - ask(): only by a passive worker.
/// - others_idle(): by one that is not, of a run into which work may come: whether all others are
///   passive, and then what they wrote is seen; false if the detector cannot tell.
/// - half_idle(more): by anybody in such a run: whether at least half of the workers are without
///   work, roughly, if so many more were than are counted.
/// `global_cells` and `device_cells` say how many cells the detector needs, all zero at start.
template <class D, class V>
concept termination_detector = transport_view<V> &&
    std::constructible_from<D, const V&, const run_parameters&, std::uint32_t, std::uint32_t> &&
    requires(D& d, std::uint64_t given, std::uint32_t n) {
  { d.out_of_work(given) } -> std::same_as<bool>;
  d.regained_work();
  { d.ask() } -> std::same_as<verdict>;
  { d.others_idle() } -> std::same_as<bool>;
  { d.half_idle(n) } -> std::same_as<bool>;
  { D::global_cells(n) } -> std::same_as<std::uint32_t>;
  { D::device_cells(n) } -> std::same_as<std::uint32_t>;
};

}  // namespace mgws
