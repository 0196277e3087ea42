/// \file
/// The HIP backend's device side on HIP's NVIDIA platform, which lacks the atomic operations and
/// the built-ins that AMD's compiler has: for verification only.
#pragma once

#include <cstdint>

#include <mgws/backends/cuda/intrinsics.hpp>
#include <mgws/backends/cuda/operations.hpp>
#include <mgws_port.hpp>

namespace mgws::hip_backend {

struct platform : cuda_backend::operations {
  /// Lanes of a warp may wait for each other. What is written for AMD's, which may not, works as
  /// well: MGWS_HIP_LOCKSTEP chooses it, to verify that.
#if defined(MGWS_HIP_LOCKSTEP)
  static constexpr bool lockstep = true;
#else
  static constexpr bool lockstep = false;
#endif
  static constexpr std::uint32_t wavefront = 32;

  [[nodiscard]] MGWS_FN static std::uint32_t thread() {
    return cuda_backend::intrinsics::thread();
  }
  MGWS_FN static void sync_wavefront() {
    cuda_backend::intrinsics::sync_warp();
  }
  MGWS_FN static void meet_block() {
    cuda_backend::intrinsics::meet_block();
  }
  MGWS_FN static void sleep(std::uint32_t ns) {
    cuda_backend::intrinsics::sleep(ns);
  }
  [[nodiscard]] MGWS_FN static std::uint64_t now() {
    return cuda_backend::intrinsics::now();
  }
};

}  // namespace mgws::hip_backend
