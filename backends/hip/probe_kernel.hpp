/// \file
/// The kernels of a probe: litmus runs, one block a participant, and measurements, one block.
#pragma once

#include <hip/hip_runtime.h>

#include <mgws/backends/gpu/probe.hpp>
#include <mgws/backends/hip/backend.hpp>

namespace mgws::hip_backend {

/// Launch with one warp of B's a block, cooperatively: the participants must be resident together.
/// It may be half a wavefront.
template <class B, class Scope>
__global__ void __launch_bounds__(B::team::k_lanes)
    run_litmus([[maybe_unused]] const gpu::litmus_arguments arguments) {
#if defined(MGWS_HIP_DEVICE)
  gpu::litmus_block<B, Scope>(arguments, blockIdx.x);
#endif
}

/// Launch with one block of one warp and k_copy_piece bytes of dynamic shared memory.
template <class B, class Scope>
__global__ void __launch_bounds__(B::team::k_lanes)
    run_measurement([[maybe_unused]] const measurement m) {
#if defined(MGWS_HIP_DEVICE)
  gpu::measure_block<B, Scope>(m);
#endif
}

}  // namespace mgws::hip_backend
