/// \file
/// The devices that a program of this port can use besides the CPU: AMD GPUs.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <mgws/backends/gpu/port.hpp>
#include <mgws/backends/hip/backend.hpp>
#include <mgws/backends/hip/kernel.hpp>
#include <mgws/backends/hip/library.hpp>
#include <mgws/backends/hip/probe_kernel.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws_port.hpp>

/// That there are GPUs: programs of other ports need not read what drives them.
#define MGWS_PORT_OF_GPUS

namespace mgws {
inline namespace MGWS_PORT {

/// What a probe of any of them needs.
struct probed_devices {
  using api = hip_backend::api;
  /// The probe's workers are 32 lanes each, on every device.
  using probe_backend = hip_backend::backend<32>;
  // Named, so that who only asks whether there is such a kernel does not have it compiled.
  using litmus_entry = void (*)(gpu::litmus_arguments);
  using measure_entry = void (*)(measurement);
  /// \tparam B  another one in tests, to see that what it breaks is found
  template <class Scope, class B = probe_backend>
  static constexpr litmus_entry litmus_kernel() {
    return &hip_backend::run_litmus<B, Scope>;
  }
  template <class Scope>
  static constexpr measure_entry measure_kernel() {
    return &hip_backend::run_measurement<probe_backend, Scope>;
  }
};

/// GPUs whose wavefronts have so many lanes.
template <std::uint32_t Wavefront>
struct wavefront_devices : probed_devices {
  /// No worker has fewer lanes.
  static constexpr std::uint32_t k_least_lanes = Wavefront;
  template <std::uint32_t Lanes>
  using backend = std::conditional_t<
      Lanes == Wavefront, hip_backend::backend<Wavefront>,
      hip_backend::block_backend<Wavefront, Lanes == Wavefront ? 2 * Wavefront : Lanes>>;
  template <class Config>
  static constexpr auto kernel() {
    return &hip_backend::run_worker<Config>;
  }
  template <class Backend>
  static constexpr auto clock_kernel() {
    return &hip_backend::answer_clock<Backend>;
  }
  template <class Backend>
  static constexpr auto move_kernel() {
    return &hip_backend::move<Backend>;
  }
  template <class View>
  static constexpr auto survey_kernel() {
    return &hip_backend::survey<View>;
  }
};

struct port_devices : probed_devices {
  template <std::uint32_t Lanes>
  using backend = typename wavefront_devices<32>::template backend<Lanes>;

  /// See gpu::api.
  static std::vector<std::string> names(std::string& why) { return api::names(why); }

  /// Calls f with the port of the GPUs that checked options name. \throws not_possible
  template <class F>
  static auto with_gpus(const options& o, F&& f) {
    const std::uint32_t lanes = wavefront_of(o);
#if !defined(__HIP_PLATFORM_NVIDIA__)
    if (lanes == 64) return f.template operator()<wavefront_devices<64>>();
#endif
    if (lanes != 32)
      throw not_possible("wavefronts of " + std::to_string(lanes) +
                         " lanes: this program has code for 32 and 64");
    return f.template operator()<wavefront_devices<32>>();
  }

 private:
  /// Lanes of a wavefront, of all GPUs of a run alike; 32 if there is none, which the runtime finds
  /// out again. \throws not_possible
  static std::uint32_t wavefront_of(const options& o) {
    std::string why;
    const int n = api::count(why);
    std::uint32_t lanes = 0;
    for (const device_choice& d : o.devices) {
      if (static_cast<std::int64_t>(d.index) >= n) continue;
      const std::uint32_t these = api::properties_of(static_cast<int>(d.index)).lanes_of_a_warp;
      if (lanes != 0 && lanes != these)
        throw not_possible("GPUs whose wavefronts differ cannot share a run: " +
                           std::to_string(lanes) + " and " + std::to_string(these) + " lanes");
      lanes = these;
    }
    return lanes == 0 ? 32 : lanes;
  }
};

static_assert(gpu::gpu_kernels<port_devices>);

}  // namespace MGWS_PORT
}  // namespace mgws
