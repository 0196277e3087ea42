/// \file
/// IDEA, the cipher of `crypt` (Lai, Massey, Murphy, "Markov ciphers and differential
/// cryptanalysis", EUROCRYPT 1991): blocks of 64 bits, a key of 128, additions modulo 2^16 and
/// multiplications modulo 2^16 + 1.
#pragma once

#include <cstddef>
#include <cstdint>

#include <mgws_port.hpp>

namespace mgws::bench::idea {

/// A block's four words of 16 bits, or a key's first or last four; the first one is the highest.
using block = std::uint64_t;

/// What the words of a block are combined with, six in each of eight rounds and four after them.
struct subkeys {
  static constexpr std::uint32_t rounds = 8;
  std::uint16_t words[6 * rounds + 4];
};

/// The product modulo 2^16 + 1 of words that stand for 1 to 2^16, which is 0: from the product's
/// halves, because 2^16 is -1.
struct by_halves {
  MGWS_FN static constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t product = a * b;
    const std::uint32_t low = product & 0xffff;
    const std::uint32_t high = product >> 16;
    return (product == 0 ? 1 - a - b : low - high + (low < high ? 1 : 0)) & 0xffff;
  }
};
/// The same as it is defined.
struct by_remainder {
  MGWS_FN static constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
    const auto factor = [](std::uint32_t word) {
      return std::uint64_t{word == 0 ? 0x10000 : word};
    };
    return static_cast<std::uint32_t>(factor(a) * factor(b) % 0x10001 & 0xffff);
  }
};

/// Encrypts or decrypts, as the subkeys are for the one or the other.
template <class Products = by_halves>
[[nodiscard]] MGWS_FN constexpr block cipher(block b, const subkeys& keys) {
  const auto word = [b](std::uint32_t i) {
    return static_cast<std::uint32_t>(b >> (48 - 16 * i) & 0xffff);
  };
  const auto times = [](std::uint32_t x, std::uint32_t y) { return Products::multiply(x, y); };
  const auto plus = [](std::uint32_t x, std::uint32_t y) { return (x + y) & 0xffff; };
  std::uint32_t x[4] = {word(0), word(1), word(2), word(3)};
  const std::uint16_t* key = keys.words;
  for (std::uint32_t round = 0; round != subkeys::rounds; ++round, key += 6) {
    x[0] = times(x[0], key[0]);
    x[1] = plus(x[1], key[1]);
    x[2] = plus(x[2], key[2]);
    x[3] = times(x[3], key[3]);
    const std::uint32_t s = times(x[0] ^ x[2], key[4]);
    const std::uint32_t t = times(plus(x[1] ^ x[3], s), key[5]);
    const std::uint32_t u = plus(s, t);
    const std::uint32_t second = x[1];
    x[0] ^= t;
    x[1] = x[2] ^ t;
    x[2] = second ^ u;
    x[3] ^= u;
  }
  // The last round's exchange of the words in the middle is undone.
  return block{times(x[0], key[0])} << 48 | block{plus(x[2], key[1])} << 32 |
         block{plus(x[1], key[2])} << 16 | block{times(x[3], key[3])};
}

/// To encrypt: the key's words, then those of the key turned left by 25 bits, and so on.
[[nodiscard]] constexpr subkeys to_encrypt(block high, block low) {
  subkeys made{};
  for (std::uint32_t i = 0; i != sizeof made.words / sizeof made.words[0]; ++i) {
    if (i != 0 && i % 8 == 0) {
      const block turned = high << 25 | low >> 39;
      low = low << 25 | high >> 39;
      high = turned;
    }
    made.words[i] = static_cast<std::uint16_t>((i % 8 < 4 ? high : low) >> (48 - 16 * (i % 4)));
  }
  return made;
}

/// To decrypt what these encrypt: rounds from the last to the first, each with the words that undo
/// it.
[[nodiscard]] constexpr subkeys to_decrypt(const subkeys& encrypting) {
  // By Fermat's theorem: 2^16 + 1 is prime.
  const auto inverse = [](std::uint32_t x) {
    std::uint32_t power = 1;
    for (int bit = 0; bit != 16; ++bit, x = by_remainder::multiply(x, x))
      power = by_remainder::multiply(power, x);
    return static_cast<std::uint16_t>(power);
  };
  const auto negative = [](std::uint32_t x) { return static_cast<std::uint16_t>(0 - x); };
  subkeys made{};
  for (std::uint32_t round = 0; round <= subkeys::rounds; ++round) {
    std::uint16_t* const to = made.words + std::size_t{6} * round;
    const std::uint16_t* const from = encrypting.words + std::size_t{6} * (subkeys::rounds - round);
    // Between two rounds the words in the middle have changed places.
    const bool between = round != 0 && round != subkeys::rounds;
    to[0] = inverse(from[0]);
    to[1] = negative(from[between ? 2 : 1]);
    to[2] = negative(from[between ? 1 : 2]);
    to[3] = inverse(from[3]);
    if (round == subkeys::rounds) break;
    to[4] = from[-2];
    to[5] = from[-1];
  }
  return made;
}

}  // namespace mgws::bench::idea
