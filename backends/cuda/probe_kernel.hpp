/// \file
/// The kernels of a probe: litmus runs, one block a participant, and measurements, one block.
#pragma once

#include <mgws/backends/cuda/backend.hpp>
#include <mgws/backends/gpu/probe.hpp>

namespace mgws::cuda_backend {

/// Launch with one warp a block, cooperatively: the participants must be resident together.
template <class B, class Scope>
__global__ void __launch_bounds__(B::team::k_lanes)
    run_litmus(const __grid_constant__ gpu::litmus_arguments arguments) {
  gpu::litmus_block<B, Scope>(arguments, blockIdx.x);
}

/// Launch with one block of one warp and k_copy_piece bytes of dynamic shared memory.
template <class B, class Scope>
__global__ void __launch_bounds__(B::team::k_lanes)
    run_measurement(const __grid_constant__ measurement m) {
  gpu::measure_block<B, Scope>(m);
}

}  // namespace mgws::cuda_backend
