/// \file
/// For tasks of a run over CPU workers and GPUs: on which kind of them they are.
#pragma once

#include <cstdint>

#include <mgws/options.hpp>
#include <mgws_port.hpp>

namespace kinds {

/// Which devices are of GPU workers, as bits: a context.
struct where {
  std::uint32_t gpus;

  [[nodiscard]] static where in(const mgws::options& o) {
    where w{};
    for (std::uint32_t d = 0; d != o.devices.size(); ++d)
      if (o.devices[d].kind == mgws::device_kind::gpu) w.gpus |= 1u << d;
    return w;
  }
};
MGWS_FN bool on_gpu(const auto& worker) {
  return (worker.context().gpus >> worker.device() & 1) != 0;
}

}  // namespace kinds
