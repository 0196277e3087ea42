/// \file
/// The benchmark written once more, as plainly as its description allows and sharing nothing with
/// bench/uts/ but the parameters: SHA-1 over bytes by the standard's text, the number of children
/// by the reference's formulas, the traversal by recursion. Slow; for small trees.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../../bench/uts/parameters.hpp"

namespace naive {

using bytes = std::vector<std::uint8_t>;

inline void append(bytes& to, std::uint64_t value, int size) {
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
    to.push_back(static_cast<std::uint8_t>(value >> shift));
  }
}

/// SHA-1 of a message of any length (FIPS 180-4, sections 5.1.1 and 6.1.2).
inline bytes sha1(bytes message) {
  const std::uint64_t bits = 8 * message.size();
  message.push_back(0x80);
  while (message.size() % 64 != 56)
    message.push_back(0);
  append(message, bits, 8);
  const auto rotate = [](std::uint32_t x, int n) { return (x << n) | (x >> (32 - n)); };
  std::array<std::uint32_t, 5> h{0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
  for (std::size_t block = 0; block < message.size(); block += 64) {
    std::array<std::uint32_t, 80> w{};
    for (std::size_t i = 0; i < 64; ++i)
      w[i / 4] = (w[i / 4] << 8) | message[block + i];
    for (std::size_t i = 16; i < 80; ++i) {
      w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    }
    auto [a, b, c, d, e] = h;
    for (std::size_t i = 0; i < 80; ++i) {
      std::uint32_t f = b ^ c ^ d;
      std::uint32_t k = i < 40 ? 0x6ed9eba1u : 0xca62c1d6u;
      if (i < 20) {
        f = (b & c) | (~b & d);
        k = 0x5a827999u;
      } else if (i >= 40 && i < 60) {
        f = (b & c) | (b & d) | (c & d);
        k = 0x8f1bbcdcu;
      }
      const std::uint32_t next = rotate(a, 5) + f + e + k + w[i];
      e = d;
      d = c;
      c = rotate(b, 30);
      b = a;
      a = next;
    }
    h = {h[0] + a, h[1] + b, h[2] + c, h[3] + d, h[4] + e};
  }
  bytes digest;
  for (const std::uint32_t word : h)
    append(digest, word, 4);
  return digest;
}

inline bytes root(std::uint32_t seed) {
  bytes message(16, 0);
  append(message, seed, 4);
  return sha1(message);
}

inline bytes child(bytes parent, std::uint32_t index) {
  append(parent, index, 4);
  return sha1(parent);
}

inline std::uint32_t random_value(const bytes& node) {
  std::uint32_t value = 0;
  for (std::size_t i = 16; i < 20; ++i)
    value = (value << 8) | node[i];
  return value & 0x7fffffffu;
}

/// Children of a geometric node with this mean; one that the reference calls negative has none.
inline std::int64_t geometric(double b, std::uint32_t random) {
  const double u = random / 2147483648.0;
  const double p = 1.0 / (1.0 + b);
  const double n = std::floor(std::log(1.0 - u) / std::log(1.0 - p));
  return n > 0 ? (n < 100 ? static_cast<std::int64_t>(n) : 100) : 0;
}

inline double mean(const mgws::bench::uts::tree_parameters& p, std::int64_t depth) {
  if (depth == 0) return p.b;
  const double i = static_cast<double>(depth), d = static_cast<double>(p.d);
  if (p.a == 0) return p.b * (1.0 - i / d);
  if (p.a == 1) return p.b * std::pow(i, -std::log(p.b) / std::log(d));
  if (p.a == 2) {
    return depth > 5 * p.d ? 0.0 : std::pow(p.b, std::sin(2.0 * 3.141592653589793 * i / d));
  }
  return depth < p.d ? p.b : 0.0;
}

inline std::int64_t children(const mgws::bench::uts::tree_parameters& p, std::int64_t depth,
                             std::uint32_t random) {
  const std::int64_t binomial =
      random / 2147483648.0 < p.q ? (p.m < 100 ? p.m : std::int64_t{100}) : 0;
  switch (p.t) {
    case 0:
      return depth == 0 ? static_cast<std::int64_t>(std::floor(p.b)) : binomial;
    case 1:
      return geometric(mean(p, depth), random);
    case 2:
      return static_cast<double>(depth) < p.f * static_cast<double>(p.d)
                 ? geometric(mean(p, depth), random)
                 : binomial;
    default:
      return depth < p.d ? static_cast<std::int64_t>(std::floor(p.b < 100 ? p.b : 100)) : 0;
  }
}

struct found {
  std::uint64_t nodes = 0;
  std::int64_t depth = 0;
  std::uint64_t leaves = 0;
};

inline void visit(const mgws::bench::uts::tree_parameters& p, const bytes& node, std::int64_t depth,
                  found& result) {
  ++result.nodes;
  if (depth > result.depth) result.depth = depth;
  const std::int64_t count = children(p, depth, random_value(node));
  if (count == 0) ++result.leaves;
  for (std::int64_t i = 0; i < count; ++i) {
    visit(p, child(node, static_cast<std::uint32_t>(i)), depth + 1, result);
  }
}

}  // namespace naive
