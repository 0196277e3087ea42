/// \file
/// The devices that a program of this port can use besides the CPU: NVIDIA GPUs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <mgws/backends/cuda/backend.hpp>
#include <mgws/backends/cuda/kernel.hpp>
#include <mgws/backends/cuda/library.hpp>
#include <mgws/backends/cuda/probe_kernel.hpp>
#include <mgws/backends/gpu/port.hpp>
#include <mgws/options.hpp>
#include <mgws/runtime/base.hpp>
#include <mgws/runtime/gpu.hpp>
#include <mgws/runtime/gpu_join.hpp>
#include <mgws_port.hpp>

namespace mgws {
inline namespace MGWS_PORT {

struct port_devices {
  using api = cuda_backend::api;
  template <std::uint32_t Lanes>
  using backend = std::conditional_t<Lanes == 32, cuda_backend::backend,
                                     cuda_backend::block_backend<Lanes == 32 ? 64 : Lanes>>;
  template <class Config>
  static constexpr auto kernel() {
    return &cuda_backend::run_worker<Config>;
  }
  template <class Backend>
  static constexpr auto clock_kernel() {
    return &cuda_backend::answer_clock<Backend>;
  }

  /// The probe's workers are one warp each.
  using probe_backend = backend<32>;
  /// \tparam B  another one in tests, to see that what it breaks is found
  template <class Scope, class B = probe_backend>
  static constexpr auto litmus_kernel() {
    return &cuda_backend::run_litmus<B, Scope>;
  }
  template <class Scope>
  static constexpr auto measure_kernel() {
    return &cuda_backend::run_measurement<probe_backend, Scope>;
  }

  /// See gpu::api.
  static std::vector<std::string> names(std::string& why) { return api::names(why); }

  /// Opens the GPUs that checked options name and joins them by their transport; throws what make()
  /// would if that is not possible here.
  static void join(const options& o) { static_cast<void>(join_gpus<port_devices>(o)); }

  /// Called for options that name GPUs.
  template <class Tasks, class Accumulators, class Context, class Statistics,
            std::uint32_t Lanes = k_gpu_lanes<Tasks>>
  static std::unique_ptr<runtime_base<Tasks, Accumulators, Context>> make(const options& o) {
    return make_gpu_runtime<port_devices, Lanes, Tasks, Accumulators, Context, Statistics>(o);
  }
};

static_assert(gpu::gpu_kernels<port_devices>);

}  // namespace MGWS_PORT
}  // namespace mgws
