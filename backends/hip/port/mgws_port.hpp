/// \file
/// The HIP port's spelling of the macros that core knows. A source file of a program with GPU
/// workers may also be compiled by the host's compiler alone, as long as it launches nothing.
#pragma once

#include <mgws/language.hpp>

#if defined(__HIP__)
#include <cstring>

#include <hip/hip_runtime.h>

// clang overloads ::memcpy for device code; what std has of it was taken before.
namespace std {
using ::memcpy;
}  // namespace std
#endif

/// Marks a function that runs on the port's workers and on the host.
#if defined(__HIPCC__) || defined(__CUDACC__)
#define MGWS_FN __host__ __device__
#else
#define MGWS_FN
#endif

/// Code for GPUs that calls what a user wrote: clang says by itself what is for the host alone.
#define MGWS_CALL(call) call

/// Adds to a number that only the calling worker writes. On the device the memory does it by
/// itself: a load and a store back of the same number would wait for each other each time.
#if defined(__HIP_DEVICE_COMPILE__) || defined(__CUDA_ARCH__)
#define MGWS_TALLY(number, n) \
  static_cast<void>(atomicAdd(reinterpret_cast<unsigned long long*>(&(number)), (n)))
#else
#define MGWS_TALLY(number, n) ((number) += (n))
#endif

/// The inline namespace that keeps this port's instantiations apart from those of other ports in
/// one program.
#define MGWS_PORT hip
