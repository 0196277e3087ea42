/// \file
/// Where an ablation program runs: what its first argument says.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include <mgws/options.hpp>

namespace mgws::bench {

/// \param argument  cpu:N or gpu:I: N CPU workers, or the I-th GPU \return nothing if it is neither
[[nodiscard]] inline std::optional<device_choice> device_of(const std::string& argument) {
  const bool gpu = argument.starts_with("gpu:");
  if (!gpu && !argument.starts_with("cpu:")) return {};
  const auto number = static_cast<std::uint32_t>(std::strtoul(argument.c_str() + 4, nullptr, 10));
  device_choice d;
  d.kind = gpu ? device_kind::gpu : device_kind::cpu;
  (gpu ? d.index : d.workers) = number;
  return d;
}

}  // namespace mgws::bench
