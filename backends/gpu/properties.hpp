/// \file
/// What the host asks of GPUs, in words that all vendors share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace mgws::gpu {

struct properties {
  std::string name;
  std::uint32_t multiprocessors = 0;
  std::uint32_t lanes_of_a_warp = 0;
  std::size_t shared_bytes = 0;  ///< the most that one block may use
  std::size_t memory_bytes = 0;
  bool cooperative = false;  ///< can start a kernel of which all blocks run at once
  bool host_memory_is_mapped = false;
  bool host_atomics = false;  ///< claims that its atomics on host memory are the processor's
};

struct peer_properties {
  bool access = false;
  bool atomics = false;
};

struct kernel_properties {
  std::uint32_t registers = 0;  ///< of a lane
  std::size_t static_shared_bytes = 0;
  std::size_t local_bytes = 0;  ///< of a lane, in device memory: spilled registers and arrays
  std::uint32_t most_threads = 0;
};

}  // namespace mgws::gpu
