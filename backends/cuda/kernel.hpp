/// \file
/// The kernel that a launch names: one block a worker, all of them resident at once.
#pragma once

#include <mgws/backends/cuda/backend.hpp>
#include <mgws/backends/gpu/clock.hpp>
#include <mgws/backends/gpu/kernel.hpp>
#include <mgws/backends/gpu/moves.hpp>
#include <mgws/backends/gpu/survey.hpp>

namespace mgws::cuda_backend {

/// Launch with `Config::backend::team::k_lanes` threads a block, gpu::shared_bytes()
/// bytes of dynamic shared memory, and one block for each worker of the device, cooperatively: they
/// must all be resident.
template <class Config>
__global__ void __launch_bounds__(Config::backend::team::k_lanes,
                                  gpu::k_resident_blocks<Config::backend::team::k_lanes>)
    run_worker(const __grid_constant__ gpu::kernel_arguments<Config> arguments) {
  gpu::run_block<Config>(arguments, blockIdx.x);
}

/// Launch with one thread.
template <class Backend>
__global__ void answer_clock(const gpu::clock_exchange<Backend> exchange) {
  gpu::answer_clock(exchange);
}

/// Launch with any number of threads. \tparam Backend  of whom, so that each program has its own
template <class Backend>
__global__ void move(const __grid_constant__ gpu::moves moves) {
  gpu::move(moves, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

/// Launch with any number of threads.
template <class View>
__global__ void survey(const __grid_constant__ gpu::survey_arguments<View> arguments) {
  gpu::survey(arguments, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

}  // namespace mgws::cuda_backend
