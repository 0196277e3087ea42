/// \file
/// The HIP backend's device side on HIP's NVIDIA platform, which lacks the atomic operations and
/// the built-ins that AMD's compiler has: for verification only.
#pragma once

#include <cstdint>

#include <mgws/backends/cuda/atomics.hpp>
#include <mgws/backends/cuda/intrinsics.hpp>
#include <mgws/backends/cuda/operations.hpp>
#include <mgws/backends/gpu/copy.hpp>
#include <mgws_port.hpp>

namespace mgws::hip_backend {

using atomics = cuda_backend::atomics;

struct platform : cuda_backend::operations {
  static constexpr std::uint32_t wavefront = 32;

  [[nodiscard]] MGWS_FN static std::uint32_t thread() { return cuda_backend::intrinsics::thread(); }
  MGWS_FN static void sync_wavefront() { cuda_backend::intrinsics::sync_warp(); }
  /// With MGWS_HIP_LOCKSTEP as on AMD's GPUs, to verify that.
  MGWS_FN static void copy(void* to, const void* from, std::uint32_t words) {
#if defined(MGWS_HIP_LOCKSTEP)
    gpu::copy_quads<uint4, 8>(to, from, words);
#else
    cuda_backend::intrinsics::copy(to, from, words);
#endif
  }
  MGWS_FN static void load_words(void* to, const void* from, std::uint32_t words) {
#if defined(MGWS_HIP_LOCKSTEP)
    copy(to, from, words);
#else
    cuda_backend::intrinsics::load_words(to, from, words);
#endif
  }
  MGWS_FN static void prepare_copies() {
    cuda_backend::intrinsics::prepare_copies();
  }
  MGWS_FN static void sleep(std::uint32_t ns) {
    cuda_backend::intrinsics::sleep(ns);
  }
  [[nodiscard]] MGWS_FN static std::uint64_t now() {
    return cuda_backend::intrinsics::now();
  }
  [[nodiscard]] MGWS_FN static std::uint32_t ticks() {
    return cuda_backend::intrinsics::ticks();
  }
};

}  // namespace mgws::hip_backend
