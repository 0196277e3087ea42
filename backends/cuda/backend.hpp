/// \file
/// The CUDA backend's device side.
#pragma once

#include <cstdint>

#include <curand_philox4x32_x.h>
#include <nv/target>
#include <vector_functions.h>

#include <mgws/backends/cuda/atomics.hpp>
#include <mgws/backends/cuda/intrinsics.hpp>
#include <mgws/backends/cuda/operations.hpp>
#include <mgws/backends/gpu/backend.hpp>
#include <mgws_port.hpp>

namespace mgws::cuda_backend {

/// cuRAND's Philox4x32-10: the cheapest of its generators to start, and the same function as the
/// CPU backend's. Used by one lane, when it looks for a target. Numbers and their order are those
/// of curand_init(seed, stream, 0, state) and curand(state), whose header brings the tables of all
/// of cuRAND's generators into each kernel's object.
class random {
 public:
  MGWS_FN random(std::uint64_t seed, std::uint64_t stream) {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                      (state_.ctr = make_uint4(0, 0, 0, 0);
                       state_.key = make_uint2(static_cast<std::uint32_t>(seed),
                                               static_cast<std::uint32_t>(seed >> 32));
                       Philox_State_Incr_hi(&state_, stream); state_.STATE = 0; next_block();),
                      ((void)seed; (void)stream;))
  }
  MGWS_FN std::uint32_t next() {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return from_block();), (return 0;))
  }

 private:
  __device__ void next_block() { state_.output = curand_Philox4x32_10(state_.ctr, state_.key); }
  __device__ std::uint32_t from_block() {
    const uint4& block = state_.output;
    const std::uint32_t at = state_.STATE++;
    const std::uint32_t number = at == 0   ? block.x
                                 : at == 1 ? block.y
                                 : at == 2 ? block.z
                                           : block.w;
    if (state_.STATE == 4) {
      Philox_State_Incr(&state_);
      next_block();
      state_.STATE = 0;
    }
    return number;
  }

  curandStatePhilox4_32_10_t state_;
};

struct vendor {
  using operations = cuda_backend::operations;
  using atomics = cuda_backend::atomics;
  using random = cuda_backend::random;
  /// Some 3,000 workers look at one word of the GPU's memory; each then does so about once in a
  /// millisecond.
  static constexpr std::uint64_t stop_interval_ns = 256;
  static constexpr bool host_looks = true;
};

/// Workers of one warp, and of several.
using backend = gpu::backend<vendor, gpu::warp_team<intrinsics>>;
template <std::uint32_t Lanes>
using block_backend = gpu::backend<vendor, gpu::block_team<intrinsics, Lanes>>;

static_assert(mgws::team_backend<backend> && mgws::team_backend<block_backend<128>>);

}  // namespace mgws::cuda_backend
