/// \file
/// The remote transport's memory: another GPU's than the one that computes, or why there is none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <mgws/backends/gpu/device.hpp>
#include <mgws/errors.hpp>

namespace mgws {

/// Opens the GPU in whose memory a computing GPU's workers meet, and lets them reach it.
/// \param index  which; without it the one behind the computing one, in their order
/// \throws bad_configuration, not_possible, device_error
template <class Api>
[[nodiscard]] std::shared_ptr<gpu::device<Api>> join_remote(const gpu::device<Api>& computing,
                                                            std::optional<std::uint32_t> index) {
  const std::string self = "GPU " + std::to_string(computing.index());
  std::string why;
  const auto all = static_cast<std::uint32_t>(Api::count(why));
  if (!index && all < 2)
    throw not_possible("the memory of another GPU than " + self +
                       ", which computes, was asked for, and this machine has no other");
  const auto here = static_cast<std::uint32_t>(computing.index());
  const std::uint32_t there = index.value_or((here + 1) % std::max(all, 1u));
  if (there == here)
    throw bad_configuration("the remote GPU must be another one than " + self + ", which computes");
  auto remote = std::make_shared<gpu::device<Api>>(there);
  Api::use(computing.index());
  const gpu::peer_properties can = Api::peers(computing.index(), remote->index());
  if (!can.access || !can.atomics)
    throw not_possible(self + " has no " + (can.access ? "fetch_add on" : "access to") +
                       " the memory of GPU " + std::to_string(there) +
                       ": name another remote GPU, or use the p2p transport");
  Api::enable_peer(remote->index());
  return remote;
}

}  // namespace mgws
