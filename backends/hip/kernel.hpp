/// \file
/// The kernel that a launch names: one block a worker, all of them resident at once.
#pragma once

#include <hip/hip_runtime.h>

#include <mgws/backends/gpu/clock.hpp>
#include <mgws/backends/gpu/kernel.hpp>
#include <mgws/backends/gpu/moves.hpp>
#include <mgws/backends/gpu/survey.hpp>
#include <mgws/backends/hip/backend.hpp>
#include <mgws/backends/hip/platform.hpp>

// On AMD's GPUs local queues take up the shared memory of a compute unit long before registers
// bound the number of wavefronts. On NVIDIA's the bound is that of the CUDA backend.
#if defined(__HIP_PLATFORM_NVIDIA__)
#define MGWS_HIP_LAUNCH_BOUNDS(lanes) __launch_bounds__(lanes, gpu::k_resident_blocks<lanes>)
#define MGWS_HIP_ARGUMENT const __grid_constant__
#else
#define MGWS_HIP_LAUNCH_BOUNDS(lanes) __launch_bounds__(lanes)
#define MGWS_HIP_ARGUMENT const
#endif

namespace mgws::hip_backend {

namespace detail {

/// A kernel's only argument where the launch has put it: its address can be passed on without a
/// copy for every lane. (LLVM's guide for AMDGPU, "Kernel Argument Segment": explicit arguments
/// begin at its start.)
template <class Arguments>
__device__ const Arguments& in_place([[maybe_unused]] const Arguments& arguments) {
#if defined(__HIP_PLATFORM_NVIDIA__) || !defined(MGWS_HIP_DEVICE)
  return arguments;
#else
  return *(const Arguments*)__builtin_amdgcn_kernarg_segment_ptr();  // NOLINT: address spaces
#endif
}

}  // namespace detail

/// Launch with `Config::backend::team::k_lanes` threads a block, gpu::shared_bytes()
/// bytes of dynamic shared memory, and one block for each worker of the device, cooperatively: they
/// must all be resident. Which wavefront the worker's lanes make up must be the device's: the code
/// for others has no body.
template <class Config>
__global__ void MGWS_HIP_LAUNCH_BOUNDS(Config::backend::team::k_lanes)
    run_worker([[maybe_unused]] MGWS_HIP_ARGUMENT gpu::kernel_arguments<Config> arguments) {
#if defined(MGWS_HIP_DEVICE)
  if constexpr (Config::backend::team::k_warp_lanes == platform::wavefront)
    gpu::run_block<Config>(detail::in_place(arguments), blockIdx.x);
#endif
}

/// Launch with one thread.
template <class Backend>
__global__ void answer_clock([[maybe_unused]] const gpu::clock_exchange<Backend> exchange) {
#if defined(MGWS_HIP_DEVICE)
  gpu::answer_clock(exchange);
#endif
}

/// Launch with any number of threads. \tparam Backend  of whom, so that each program has its own
template <class Backend>
__global__ void move([[maybe_unused]] MGWS_HIP_ARGUMENT gpu::moves moves) {
#if defined(MGWS_HIP_DEVICE)
  gpu::move(detail::in_place(moves), blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
#endif
}

/// Launch with any number of threads.
template <class View>
__global__ void survey([[maybe_unused]] MGWS_HIP_ARGUMENT gpu::survey_arguments<View> arguments) {
#if defined(MGWS_HIP_DEVICE)
  gpu::survey(detail::in_place(arguments), blockIdx.x * blockDim.x + threadIdx.x,
              gridDim.x * blockDim.x);
#endif
}

}  // namespace mgws::hip_backend
