/// \file
/// Pieces of memory that a GPU's threads copy, in the order of its kernels: for few bytes each, a
/// launch for all of them takes the host as long as a copy of one. The vendor's kernel.hpp has the
/// entry that a launch names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <mgws_port.hpp>

namespace mgws::gpu {

/// The argument of a launch of any number of threads, by value. Pieces do not overlap, and each
/// begins where an allocation does.
struct moves {
  static constexpr std::uint32_t k_most = 8;

  struct piece {
    std::byte* to;
    const std::byte* from;
    std::uint64_t bytes;
  };

  piece pieces[k_most];
  std::uint32_t count = 0;

  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t all = 0;
    for (std::uint32_t i = 0; i != count; ++i)
      all += pieces[i].bytes;
    return all;
  }
};

/// Bytes that a thread copies at once.
struct alignas(16) moved_at_once {
  std::uint64_t words[2];
};

/// \param thread  of `threads`
MGWS_FN inline void move(const moves& m, std::uint32_t thread, std::uint32_t threads) {
  for (std::uint32_t i = 0; i != m.count; ++i) {
    const moves::piece& p = m.pieces[i];
    const std::uint64_t whole = p.bytes / sizeof(moved_at_once);
    auto* const to = reinterpret_cast<moved_at_once*>(p.to);
    const auto* const from = reinterpret_cast<const moved_at_once*>(p.from);
    for (std::uint64_t k = thread; k < whole; k += threads)
      to[k] = from[k];
    for (std::uint64_t k = whole * sizeof(moved_at_once) + thread; k < p.bytes; k += threads)
      p.to[k] = p.from[k];
  }
}

}  // namespace mgws::gpu
