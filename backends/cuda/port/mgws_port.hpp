/// \file
/// The CUDA port's spelling of the macros that core knows. A source file of a program with GPU
/// workers may also be compiled by the host's compiler alone, as long as it launches nothing.
#pragma once

#include <mgws/language.hpp>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error mgws needs compute capability 8.0: compile with -arch=sm_80 or newer, or with -arch=native
#endif

/// Marks a function that runs on the port's workers and on the host.
#if defined(__CUDACC__)
#define MGWS_FN __host__ __device__
#else
#define MGWS_FN
#endif

/// Code for GPUs that calls what a user wrote: there nvcc says what is for the host alone.
#if defined(__NVCC__)
#define MGWS_CALL(call)                                                                           \
  _Pragma("nv_diagnostic push") _Pragma("nv_diag_default 20011") _Pragma("nv_diag_default 20014") \
      call _Pragma("nv_diagnostic pop")
#else
#define MGWS_CALL(call) call
#endif

/// Adds to a number that only the calling worker writes. On the device the memory does it by
/// itself: a load and a store back of the same number would wait for each other each time.
#if defined(__CUDA_ARCH__)
#define MGWS_TALLY(number, n) \
  static_cast<void>(atomicAdd(reinterpret_cast<unsigned long long*>(&(number)), (n)))
#else
#define MGWS_TALLY(number, n) ((number) += (n))
#endif

/// The inline namespace that keeps this port's instantiations apart from those of other ports in
/// one program.
#define MGWS_PORT cuda
