/// \file
/// Copying by one thread of a GPU, where nothing better is at hand.
#pragma once

#include <cstdint>

#include <mgws_port.hpp>

namespace mgws::gpu {

/// Copies 16-byte words, eight of which are on their way at a time. \tparam Quad  16 bytes that one
/// access moves
template <class Quad>
MGWS_FN void copy_quads(void* to, const void* from, std::uint32_t words) {
  constexpr std::uint32_t at_once = 8;
  auto* t = static_cast<Quad*>(to);
  const auto* f = static_cast<const Quad*>(from);
  for (; words >= at_once; words -= at_once, t += at_once, f += at_once) {
    Quad w[at_once];
    for (std::uint32_t i = 0; i != at_once; ++i)
      w[i] = f[i];
    for (std::uint32_t i = 0; i != at_once; ++i)
      t[i] = w[i];
  }
  for (; words != 0; --words)
    *t++ = *f++;
}

}  // namespace mgws::gpu
