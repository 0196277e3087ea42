/// \file
/// The HIP backend's device side.
#pragma once

#include <cstdint>

#include <hip/hip_runtime.h>
#include <hiprand/hiprand_kernel.h>

#include <mgws/backends/gpu/backend.hpp>
#include <mgws/backends/hip/atomics.hpp>
#include <mgws/backends/hip/intrinsics.hpp>
#include <mgws/backends/hip/platform.hpp>
#include <mgws_port.hpp>

namespace mgws::hip_backend {

/// hipRAND's Philox4x32-10. Used by one lane, when it looks for a target.
class random {
 public:
  MGWS_FN random(std::uint64_t seed, std::uint64_t stream) {
#if defined(MGWS_HIP_DEVICE)
    hiprand_init(seed, stream, 0, &state_);
#else
    static_cast<void>(seed);
    static_cast<void>(stream);
#endif
  }
  MGWS_FN std::uint32_t next() {
#if defined(MGWS_HIP_DEVICE)
    return hiprand(&state_);
#else
    return 0;
#endif
  }

 private:
  hiprandStatePhilox4_32_10_t state_;
};

struct vendor {
  using operations = platform;
  using atomics = hip_backend::atomics;
  using random = hip_backend::random;
  /// ROCm does some copies by kernels of its own, which wait for one that has the whole device.
  static constexpr bool host_looks = false;
  /// So the word lies in host memory: all workers together look at it so seldom that the bus does
  /// not notice.
  static constexpr std::uint64_t stop_interval_ns = 4096;
};

/// Workers of one wavefront of so many lanes, and of several.
template <std::uint32_t Wavefront>
using backend = gpu::backend<vendor, gpu::warp_team<intrinsics<Wavefront>>>;
template <std::uint32_t Wavefront, std::uint32_t Lanes>
using block_backend = gpu::backend<vendor, gpu::block_team<intrinsics<Wavefront>, Lanes>>;

static_assert(mgws::team_backend<backend<32>> && mgws::team_backend<backend<64>>);
static_assert(mgws::team_backend<block_backend<64, 128>>);

}  // namespace mgws::hip_backend
