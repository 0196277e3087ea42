/// \file
/// What a launch hands to the blocks of a probe, and what each of them does with it. The vendor's
/// probe_kernel.hpp has the entries that a launch names.
#pragma once

#include <cstdint>

#include <mgws/core/probe/litmus.hpp>
#include <mgws/core/probe/measure.hpp>
#include <mgws_port.hpp>

namespace mgws::gpu {

/// The argument of a litmus run's launch, by value: one block for each participant on the device.
/// Every pointer is one that this device may follow.
struct litmus_arguments {
  void* board = nullptr;          ///< litmus_board<B>, in the memory that is tried
  void* meeting = nullptr;        ///< litmus_meeting<B>, in mapped host memory
  litmus_books* books = nullptr;  ///< in mapped host memory
  std::uint32_t first_rank = 0;   ///< block i is participant first_rank + i
  litmus_bounds bounds{};
};

/// Called by every thread of a block; a participant is its first lane.
/// \tparam B  a backend whose workers are one warp
template <class B, class Scope>
MGWS_FN void litmus_block(const litmus_arguments& a, std::uint32_t block) {
  // A launch that chooses nothing brings the kernel onto the device, and has no board.
  if (B::team::lane() != 0 || a.bounds.chosen == 0) return;
  const std::uint32_t rank = a.first_rank + block;
  litmus_participant<B, Scope> p(*static_cast<litmus_board<B>*>(a.board),
                                 *static_cast<litmus_meeting<B>*>(a.meeting), rank, a.bounds);
  p.run(a.books->of[rank]);
}

/// Called by every thread of the one block of a measurement, which has k_copy_piece bytes of
/// dynamic shared memory.
template <class B, class Scope>
MGWS_FN void measure_block(const measurement& m) {
  using team = typename B::team;
  if (team::lane() == 0) team::intrinsics::prepare_copies();
  team::sync();
  measuring<B, Scope, team>::run(m);
}

}  // namespace mgws::gpu
