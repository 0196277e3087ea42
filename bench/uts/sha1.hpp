/// \file
/// SHA-1 (FIPS 180-4) of the two message lengths that the Unbalanced Tree Search benchmark needs:
/// 24 bytes (a node's 20 bytes and a child's index) and 20 bytes (the root: 16 zero bytes and the
/// seed). Both fit one 64-byte block, so a node costs one run of the compression function.
///
/// A node is kept as five words in the machine's own byte order, as the digest's big-endian bytes
/// decode to them. They enter the next block as they are: no byte is ever swapped.
///
/// A *hasher* is a type with `static state child(const state&, std::uint32_t)`. This header has the
/// portable one, for every backend; sha1_x86.hpp has one that uses the processor's instructions.
#pragma once

#include <cstdint>
#include <utility>

#include <mgws_port.hpp>

namespace mgws::bench::uts {

/// A tree node's 160 bits: the SHA-1 digest as five big-endian words, decoded.
struct state {
  std::uint32_t word[5];

  /// What a hasher asks its input for, which may hold the words in another way: the first four,
  /// and the last one.
  [[nodiscard]] MGWS_FN constexpr const std::uint32_t* first_words() const { return word; }
  [[nodiscard]] MGWS_FN constexpr std::uint32_t last_word() const { return word[4]; }

  [[nodiscard]] MGWS_FN friend constexpr bool operator==(const state& a, const state& b) {
    return a.word[0] == b.word[0] && a.word[1] == b.word[1] && a.word[2] == b.word[2] &&
           a.word[3] == b.word[3] && a.word[4] == b.word[4];
  }
};
static_assert(sizeof(state) == 20);

/// The node's random value: 31 bits, the digest's last word without its top bit. The probability
/// that the benchmark's papers write u is this value over 2^31.
[[nodiscard]] MGWS_FN constexpr std::uint32_t random_value(const state& node) {
  return node.word[4] & 0x7fffffffu;
}

namespace sha1 {

/// The standard's initial hash value.
[[nodiscard]] MGWS_FN constexpr state initial() {
  return {{0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u}};
}

/// The padding that follows every message, and the lengths in bits that end a block.
inline constexpr std::uint32_t k_padding = 0x80000000u;
inline constexpr std::uint32_t k_root_bits = 160;
inline constexpr std::uint32_t k_child_bits = 192;

template <int Count>
[[nodiscard]] MGWS_FN constexpr std::uint32_t rotate_left(std::uint32_t x) {
  return (x << Count) | (x >> (32 - Count));
}

/// The round's function of b, c and d, plus its constant. The majority is a sum of two values
/// without a common bit, so that the additions may be done in any order.
template <int Round>
[[nodiscard]] MGWS_FN constexpr std::uint32_t mix(std::uint32_t b, std::uint32_t c,
                                                  std::uint32_t d) {
  if constexpr (Round < 20) {
    return (d ^ (b & (c ^ d))) + 0x5a827999u;
  } else if constexpr (Round < 40) {
    return (b ^ c ^ d) + 0x6ed9eba1u;
  } else if constexpr (Round < 60) {
    return (b & c) + (d & (b ^ c)) + 0x8f1bbcdcu;
  } else {
    return (b ^ c ^ d) + 0xca62c1d6u;
  }
}

/// One round. The message schedule rolls through 16 words that are indexed by constants only, so
/// they stay in registers on a GPU too.
template <int Round>
[[gnu::always_inline]] MGWS_FN inline constexpr void round(std::uint32_t (&w)[16], std::uint32_t a,
                                                           std::uint32_t& b, std::uint32_t c,
                                                           std::uint32_t d, std::uint32_t& e) {
  if constexpr (Round >= 16) {
    w[Round % 16] = rotate_left<1>(w[(Round + 13) % 16] ^ w[(Round + 8) % 16] ^
                                   w[(Round + 2) % 16] ^ w[Round % 16]);
  }
  e += mix<Round>(b, c, d) + w[Round % 16] + rotate_left<5>(a);
  b = rotate_left<30>(b);
}

/// Five rounds: after them each variable is back in its own role, so nothing is moved.
template <int First>
[[gnu::always_inline]] MGWS_FN inline constexpr void five_rounds(std::uint32_t (&w)[16], state& s) {
  auto& [a, b, c, d, e] = s.word;
  round<First>(w, a, b, c, d, e);
  round<First + 1>(w, e, a, b, c, d);
  round<First + 2>(w, d, e, a, b, c);
  round<First + 3>(w, c, d, e, a, b);
  round<First + 4>(w, b, c, d, e, a);
}

template <int... Group>
[[gnu::always_inline]] MGWS_FN inline constexpr void all_rounds(
    std::uint32_t (&w)[16], state& s, std::integer_sequence<int, Group...>) {
  (five_rounds<5 * Group>(w, s), ...);
}

/// The digest of a message of one block.
[[nodiscard, gnu::always_inline]] MGWS_FN inline constexpr state digest(std::uint32_t (&w)[16]) {
  constexpr state start = initial();
  state s = start;
  all_rounds(w, s, std::make_integer_sequence<int, 16>{});
  for (int i = 0; i < 5; ++i) {
    s.word[i] += start.word[i];
  }
  return s;
}

}  // namespace sha1

/// The root of the tree with this seed.
[[nodiscard]] MGWS_FN constexpr state root_state(std::uint32_t seed) {
  std::uint32_t w[16] = {0, 0, 0, 0, seed, sha1::k_padding,  0, 0, 0, 0,
                         0, 0, 0, 0, 0,    sha1::k_root_bits};
  return sha1::digest(w);
}

/// SHA-1 in plain C++, the whole compression in registers and its constant words folded.
struct portable_sha1 {
  template <class Parent>
  [[nodiscard]] MGWS_FN static constexpr state child(const Parent& parent, std::uint32_t index) {
    const std::uint32_t* const p = parent.first_words();
    const std::uint32_t last = parent.last_word();
    std::uint32_t w[16] = {p[0], p[1], p[2], p[3], last, index, sha1::k_padding,   0, 0,
                           0,    0,    0,    0,    0,    0,     sha1::k_child_bits};
    return sha1::digest(w);
  }
};

}  // namespace mgws::bench::uts
