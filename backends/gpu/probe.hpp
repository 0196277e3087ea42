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
struct litmus_arguments {
  litmus_run run{};              ///< its meeting is in mapped host memory
  std::uint32_t first_rank = 0;  ///< block i is participant first_rank + i
};

/// Called by every thread of a block; a participant is its first lane.
/// \tparam B  a backend whose workers are one warp
template <class B, class Scope>
MGWS_FN void litmus_block(const litmus_arguments& a, std::uint32_t block) {
  // A launch that chooses nothing brings the kernel onto the device, and has no board.
  if (B::team::lane() != 0 || a.run.bounds.chosen == 0) return;
  litmus_participant<B, Scope>(a.run, a.first_rank + block).run();
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
