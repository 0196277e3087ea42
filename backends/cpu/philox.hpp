/// \file
/// Philox4x32-10, the counter-based generator of Salmon et al., "Parallel random numbers: as easy
/// as 1, 2, 3" (SC 2011), section 4.3; the same function as cuRAND's and hipRAND's Philox.
#pragma once

#include <array>
#include <cstdint>

namespace mgws::cpu_backend {

/// One stream of 32-bit random numbers: a function of seed (the key) and stream (the upper half of
/// the counter) alone.
class philox {
 public:
  constexpr philox(std::uint64_t seed, std::uint64_t stream)
      : key_{low(seed), high(seed)}, stream_{low(stream), high(stream)} {}

  /// The next number; every fourth call computes a block of four.
  std::uint32_t next() {
    if (used_ == 4) {
      out_ = block({low(counter_), high(counter_), stream_[0], stream_[1]}, key_);
      ++counter_;
      used_ = 0;
    }
    return out_[used_++];
  }

  using block_type = std::array<std::uint32_t, 4>;
  using key_type = std::array<std::uint32_t, 2>;

  /// The ten rounds.
  static constexpr block_type block(block_type c, key_type k) {
    for (int round = 0; round != 10; ++round) {
      const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0];
      const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c[2];
      c = {high(p1) ^ c[1] ^ k[0], low(p1), high(p0) ^ c[3] ^ k[1], low(p0)};
      k[0] += 0x9E3779B9;
      k[1] += 0xBB67AE85;
    }
    return c;
  }

 private:
  static constexpr std::uint32_t low(std::uint64_t v) { return static_cast<std::uint32_t>(v); }
  static constexpr std::uint32_t high(std::uint64_t v) {
    return static_cast<std::uint32_t>(v >> 32);
  }

  key_type key_;
  key_type stream_;
  std::uint64_t counter_ = 0;
  block_type out_{};
  std::uint32_t used_ = 4;
};

}  // namespace mgws::cpu_backend
