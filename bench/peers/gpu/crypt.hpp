/// \file
/// mgws-peer-gpu crypt: what the kernels' side offers.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "crypt/idea.hpp"
#include "peers/gpu/kernels.hpp"

namespace mgws::bench::peers::gpu {

struct crypt_form {
  std::uint32_t bytes = 16;   ///< that a thread has at once: 8, 16 or 32
  bool resident = true;       ///< as many threads as are resident; otherwise as many as have a part
  bool shared = false;        ///< subkeys in shared memory; otherwise in constant memory
  std::uint32_t threads = 0;  ///< of a block
};
/// What a launch may ask for. More threads would leave a lane too few registers.
inline constexpr std::uint32_t k_most_crypt_threads = 512;

/// After each run: what the passes have made.
using look_at_texts = std::function<void(const std::vector<idea::block>& encrypted,
                                         const std::vector<idea::block>& decrypted)>;

/// Encrypts a text, and decrypts that. \return seconds of both passes
std::vector<double> run_crypt(const std::vector<idea::block>& plain,
                              const idea::subkeys& encrypting, const idea::subkeys& decrypting,
                              const crypt_form& form, repetitions times, const look_at_texts& seen);

}  // namespace mgws::bench::peers::gpu
