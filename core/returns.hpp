/// \file
/// What comes back to a frame from another device. A frame's word and slot are reached by workers
/// of its device alone, at that device's scope: most parts of a join run near their frame, and an
/// order at the scope of several devices takes a multiprocessor so long that `fib` on two GPUs
/// gained nothing (docs/joins.md). Elsewhere a part writes its value into the slot, which no other
/// part touches, and counts itself in the frame's second word; the first one puts the frame on its
/// device's list. Who looks for work there takes the list and makes the deliveries. So comes back,
/// too, a finish that has ended elsewhere.
///
/// Who puts a frame on the list has given work away: it counts as having some until the frame was
/// taken, by a worker that counts as having work by then (docs/protocol.md).
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <mgws/core/backend.hpp>
#include <mgws/core/run.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// One device's list, in its memory.
template <class B>
struct alignas(B::line) return_head {
  /// 1 + the number of the frame that came last; 0: none. The others follow by returned_parts.
  atomic_of<B, std::uint64_t> newest{};
  /// Deliveries, and finishes, that came back less those that were taken for good.
  atomic_of<B, std::uint64_t> pending{};
};

/// What a frame's second word says of deliveries from other devices: from the lowest bit on how
/// many they are, their link in the list, and the sum of their places' generations, which may
/// overflow there.
struct returned_parts {
  static constexpr unsigned log_most = 24;
  static constexpr unsigned log_frames = 28;
  /// Deliveries that may wait in a frame, far below what the field holds: as many lanes as there
  /// are may add one each before any of them looks.
  static constexpr std::uint32_t most = 1u << (log_most - 1);

  /// Of one delivery to a frame in its use of that generation.
  [[nodiscard]] MGWS_FN static constexpr std::uint64_t one(std::uint16_t generation) {
    return 1 + sum_of(1, generation);
  }
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t count(std::uint64_t word) {
    return static_cast<std::uint32_t>(word) & ((1u << log_most) - 1);
  }
  /// \param before  return_head::newest until this frame came
  [[nodiscard]] MGWS_FN static constexpr std::uint64_t linked(std::uint64_t before) {
    return (before + 1) << log_most;
  }
  /// Whether the frame was linked; and what was given for that.
  [[nodiscard]] MGWS_FN static constexpr bool is_linked(std::uint64_t word) {
    return link(word) != 0;
  }
  [[nodiscard]] MGWS_FN static constexpr std::uint64_t before(std::uint64_t word) {
    return link(word) - 1;
  }
  /// Whether all deliveries were to the use of that generation: if any was not, the sum is another
  /// one, but for few cases.
  [[nodiscard]] MGWS_FN static constexpr bool are_of(std::uint64_t word, std::uint16_t generation) {
    return (word ^ sum_of(count(word), generation)) >> (log_most + log_frames) == 0;
  }

 private:
  [[nodiscard]] MGWS_FN static constexpr std::uint64_t link(std::uint64_t word) {
    return word >> log_most & ((std::uint64_t{1} << log_frames) - 1);
  }
  [[nodiscard]] MGWS_FN static constexpr std::uint64_t sum_of(std::uint32_t n,
                                                              std::uint16_t generation) {
    return (std::uint64_t{n} * generation) << (log_most + log_frames);
  }
};

/// Whether frames of a view are reached by the workers of their device alone.
template <class V>
inline constexpr bool k_returns = !std::same_as<std::remove_cvref_t<decltype(V::frame_scope)>,
                                                std::remove_cvref_t<decltype(V::queue_scope)>>;

/// What one worker has put on others' lists, and who is near it.
template <class P, class V>
struct sent_back {
  using B = typename V::backend;

  std::uint32_t n = 0;     ///< by all of its lanes
  std::uint32_t left = 0;  ///< of them, so many were on no list any more when it last looked
  std::uint32_t first;     ///< of the workers of its device
  std::uint32_t near;      ///< how many these are

  MGWS_FN sent_back(const run_parameters& run, std::uint32_t device)
      : first(run.device[device].first_worker), near(run.device[device].workers) {}

  /// Whether a worker is of the same device.
  [[nodiscard]] MGWS_FN bool is_near(std::uint32_t worker) const { return worker - first < near; }
  /// Any lane puts a frame there.
  MGWS_FN void put() { B::reserve(n, 1); }
  /// Whether all was taken, for good: its takers count as having work. \param given  is increased
  /// by what this worker has put there \pre no lane runs
  [[nodiscard]] MGWS_FN bool closed(const V& view, const run_parameters& run, std::uint32_t device,
                                    std::uint64_t& given) {
    if (left != n) {
      for (std::uint32_t d = 0; d != run.devices; ++d)
        if (d != device && B::load(view.returns(d).pending, P::return_check, V::queue_scope) != 0)
          return false;
      left = n;
    }
    given += n;
    return true;
  }
};
struct nothing_sent_back {
  MGWS_FN nothing_sent_back(const run_parameters& /*run*/, std::uint32_t /*device*/) {}
  MGWS_FN static void put() {}
  [[nodiscard]] MGWS_FN static bool closed(auto&&...) { return true; }
};
/// \tparam Tasks  the run's task set
template <class P, class V, class Tasks>
using sent_back_of =
    std::conditional_t<k_returns<V> && Tasks::has_frames, sent_back<P, V>, nothing_sent_back>;

}  // namespace mgws
