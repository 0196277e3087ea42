/// \file
/// The GPUs of a port, for make.hpp: what a program reads only where its port has any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include <mgws/core/order.hpp>
#include <mgws/options.hpp>
#include <mgws/runtime/base.hpp>
#include <mgws/runtime/gpu.hpp>
#include <mgws/runtime/make.hpp>
#include <mgws/runtime/plan.hpp>
#include <mgws/runtime/skeleton.hpp>

namespace mgws::detail {

template <port_of_gpus Port>
struct gpus_of<Port> {
  static void join(const options& o) { try_to_join<Port>(o); }

  template <std::uint32_t Lanes, bool Bridged, class Tasks, class Accumulators, class Context,
            class Statistics>
  static std::unique_ptr<runtime_base<Tasks, Accumulators, Context>> make(
      options&& o, const domain_setting& domains) {
    return Port::with_gpus(
        o, [&]<class These>() -> std::unique_ptr<runtime_base<Tasks, Accumulators, Context>> {
          constexpr std::uint32_t lanes = std::max(Lanes, These::k_least_lanes);
#if defined(MGWS_COMPILED_APART)
          static_assert(lanes == 32 || lanes == 128,
                        "mgws: the library has a GPU's workers of 32 lanes and of 128: for others "
                        "compile with -DMGWS_HEADER_ONLY");
#endif
          const auto make = [&]<class Scope>(Scope /*s*/) {
            return std::make_unique<crew_runtime<
                gpu_crew<These, lanes, Scope, Tasks, Accumulators, Context, Statistics, Bridged>>>(
                std::move(o), domains);
          };
          if (o.devices.size() > 1) return make(scope::system);
          return make(scope::device);
        });
  }
};

}  // namespace mgws::detail
