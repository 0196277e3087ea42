/// \file
/// What the host asks of GPUs, in words that all vendors share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace mgws::gpu {

struct properties {
  std::string name;
  std::uint32_t multiprocessors = 0;
  std::uint32_t lanes_of_a_warp = 0;
  std::size_t shared_bytes = 0;  ///< the most that one block may use
  /// The most that all blocks of a multiprocessor may use together, where what they do not use is
  /// its cache; else 0.
  std::size_t shared_bytes_or_cache = 0;
  std::size_t shared_bytes_reserved = 0;  ///< of these, besides what a block asks for
  std::size_t memory_bytes = 0;
  bool cooperative = false;  ///< can start a kernel of which all blocks run at once
  bool host_memory_is_mapped = false;
  bool host_atomics = false;  ///< claims that its atomics on host memory are the processor's
  /// Has memory whose pages move to whoever touches them, the host or a GPU, also while kernels
  /// run.
  bool managed = false;
};

struct peer_properties {
  bool access = false;
  bool atomics = false;
};

/// The blocks of a launch.
struct grid {
  static constexpr int no_preference = -1;

  std::uint32_t blocks = 1;
  std::uint32_t threads = 1;     ///< of a block
  std::size_t shared_bytes = 0;  ///< of a block, besides what the kernel declares
  /// Of properties::shared_bytes_or_cache what is to be shared memory, in percent.
  int shared_percent = no_preference;
};

/// As much as so many blocks need on each multiprocessor, so that the rest is cache: what tasks
/// read of global memory, and the registers that they spill, goes by that. A driver takes the next
/// larger size that the device has (CUDA C++ programming guide, "Shared Memory" of each compute
/// capability).
///
/// \param bytes   of a block, with what its kernel declares
/// \param blocks  that a multiprocessor is to hold at once
[[nodiscard]] inline int shared_percent(const properties& gpu, std::size_t bytes,
                                        std::uint32_t blocks) {
  constexpr std::size_t unit = 256;  // in which a block gets it, or a part of that
  const std::size_t all = gpu.shared_bytes_or_cache;
  if (all == 0) return grid::no_preference;
  const std::size_t each = (bytes + gpu.shared_bytes_reserved + unit - 1) / unit * unit;
  const std::size_t needed = blocks * each;
  return static_cast<int>(std::min<std::size_t>((100 * needed + all - 1) / all, 100));
}

struct kernel_properties {
  std::uint32_t registers = 0;  ///< of a lane
  std::size_t static_shared_bytes = 0;
  std::size_t local_bytes = 0;  ///< of a lane, in device memory: spilled registers and arrays
  std::uint32_t most_threads = 0;
};

}  // namespace mgws::gpu
