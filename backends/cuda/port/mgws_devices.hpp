/// \file
/// The devices that a program of this port can use besides the CPU: NVIDIA GPUs. What the runtime
/// and the probe need of them, and nothing that knows a transport or a runtime.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <mgws/backends/cuda/backend.hpp>
#include <mgws/backends/cuda/kernel.hpp>
#include <mgws/backends/cuda/library.hpp>
#include <mgws/backends/cuda/probe_kernel.hpp>
#include <mgws/backends/gpu/port.hpp>
#include <mgws/options.hpp>
#include <mgws_port.hpp>

/// That there are GPUs: programs of other ports need not read what drives them.
#define MGWS_PORT_OF_GPUS

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
  template <class Backend>
  static constexpr auto move_kernel() {
    return &cuda_backend::move<Backend>;
  }
  template <class View>
  static constexpr auto survey_kernel() {
    return &cuda_backend::survey<View>;
  }

  /// The probe's workers are one warp each.
  using probe_backend = backend<32>;
  // Named, so that who only asks whether there is such a kernel does not have it compiled.
  using litmus_entry = void (*)(gpu::litmus_arguments);
  using measure_entry = void (*)(measurement);
  /// \tparam B  another one in tests, to see that what it breaks is found
  template <class Scope, class B = probe_backend>
  static constexpr litmus_entry litmus_kernel() {
    return &cuda_backend::run_litmus<B, Scope>;
  }
  template <class Scope>
  static constexpr measure_entry measure_kernel() {
    return &cuda_backend::run_measurement<probe_backend, Scope>;
  }

  /// See gpu::api.
  static std::vector<std::string> names(std::string& why) { return api::names(why); }

  /// No worker has fewer lanes.
  static constexpr std::uint32_t k_least_lanes = 32;
  /// Calls f with the port of the GPUs that checked options name.
  template <class F>
  static auto with_gpus(const options& /*o*/, F&& f) {
    return f.template operator()<port_devices>();
  }
};

static_assert(gpu::gpu_kernels<port_devices>);

}  // namespace MGWS_PORT
}  // namespace mgws
