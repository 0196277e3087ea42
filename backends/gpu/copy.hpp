/// \file
/// Copying by one thread of a GPU, where nothing better is at hand.
#pragma once

#include <cstdint>

#include <mgws_port.hpp>

namespace mgws::gpu {

/// Copies 16-byte words.
/// \tparam Quad    16 bytes that one access moves
/// \tparam AtOnce  words that are on their way at a time, in four registers each
template <class Quad, std::uint32_t AtOnce>
MGWS_FN void copy_quads(void* to, const void* from, std::uint32_t words) {
  auto* t = static_cast<Quad*>(to);
  const auto* f = static_cast<const Quad*>(from);
  for (; words >= AtOnce; words -= AtOnce, t += AtOnce, f += AtOnce) {
    Quad w[AtOnce];
    for (std::uint32_t i = 0; i != AtOnce; ++i)
      w[i] = f[i];
    for (std::uint32_t i = 0; i != AtOnce; ++i)
      t[i] = w[i];
  }
  for (; words != 0; --words)
    *t++ = *f++;
}

}  // namespace mgws::gpu
