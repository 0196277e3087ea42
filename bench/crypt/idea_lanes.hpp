/// \file
/// IDEA as a GPU's lanes compute it: the same blocks as by idea.hpp, without a choice, with subkeys
/// that need not be taken apart, and several blocks at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include <mgws_port.hpp>

#include "crypt/idea.hpp"
#include "workloads/unrolled.hpp"

namespace mgws::bench::idea {

/// Subkeys as words that a lane can use as they are.
struct lane_keys {
  /// From 1 to 2^16.
  struct factor {
    std::uint32_t whole;
    std::uint32_t less_one;
  };
  /// What a round begins with, and what comes after the last one.
  struct edge {
    factor first;
    std::uint32_t second;
    std::uint32_t third;
    factor fourth;
  };
  struct round {
    edge begin;
    factor fifth;
    factor sixth;
  };
  round rounds[subkeys::rounds];
  edge last;
};

[[nodiscard]] constexpr lane_keys for_lanes(const subkeys& keys) {
  const auto factor = [](std::uint32_t word) {
    const std::uint32_t whole = word == 0 ? 0x10000 : word;
    return lane_keys::factor{whole, whole - 1};
  };
  const auto edge = [&](const std::uint16_t* words) {
    return lane_keys::edge{factor(words[0]), words[1], words[2], factor(words[3])};
  };
  lane_keys made{};
  const std::uint16_t* words = keys.words;
  for (lane_keys::round& r : made.rounds) {
    r = {edge(words), factor(words[4]), factor(words[5])};
    words += 6;
  }
  made.last = edge(words);
  return made;
}

/// by_halves::multiply() in the lower 16 bits; what the upper ones are means nothing, of x neither.
/// x stands for 1 to 2^16, so the product p is at most 2^32, and p - 1 fits a word. With its upper
/// half h, p - (2^16 + 1) h is more than -2^16 and at most 2^16, and not 0, because 2^16 + 1 is
/// prime. If it is negative, another 2^16 + 1 makes it right, which is 1 in the lower bits.
[[nodiscard]] MGWS_FN constexpr std::uint32_t lane_product(std::uint32_t x,
                                                           const lane_keys::factor& key) {
  const std::uint32_t x_less_one = (x - 1) & 0xffff;
  const std::uint32_t high = (x_less_one * key.whole + key.less_one) >> 16;
  const std::uint32_t rest = x_less_one * key.whole + key.whole - high * 0x10001;
  return rest + (rest >> 31);
}

/// Encrypts or decrypts N blocks, as the subkeys are for the one or the other: what is read of them
/// is read once for all. \tparam Rounds  in the code one after the other, with a loop around them
template <std::uint32_t Rounds, std::size_t N>
MGWS_FN constexpr void cipher(block (&blocks)[N], const lane_keys& keys) {
  // Of 16 bits, and above them whatever comes.
  std::uint32_t x[N][4];
  for (std::size_t i = 0; i != N; ++i) {
    x[i][0] = static_cast<std::uint32_t>(blocks[i] >> 48);
    x[i][1] = static_cast<std::uint32_t>(blocks[i] >> 32);
    x[i][2] = static_cast<std::uint32_t>(blocks[i]) >> 16;
    x[i][3] = static_cast<std::uint32_t>(blocks[i]);
  }
  static_assert(subkeys::rounds % Rounds == 0);
  for (std::uint32_t round = 0; round != subkeys::rounds; round += Rounds)
    unrolled<Rounds>([&](auto next) {
      const lane_keys::round& key = keys.rounds[round + next];
      for (auto& y : x) {
        const std::uint32_t first = lane_product(y[0], key.begin.first);
        const std::uint32_t second = y[1] + key.begin.second;
        const std::uint32_t third = y[2] + key.begin.third;
        const std::uint32_t fourth = lane_product(y[3], key.begin.fourth);
        const std::uint32_t s = lane_product(first ^ third, key.fifth);
        const std::uint32_t t = lane_product((second ^ fourth) + s, key.sixth);
        const std::uint32_t u = s + t;
        y[0] = first ^ t;
        y[1] = third ^ t;
        y[2] = second ^ u;
        y[3] = fourth ^ u;
      }
    });
  for (std::size_t i = 0; i != N; ++i) {
    const auto pair = [](std::uint32_t high, std::uint32_t low) {
      return high << 16 | (low & 0xffff);
    };
    // The last round's exchange of the words in the middle is undone.
    blocks[i] = block{pair(lane_product(x[i][0], keys.last.first), x[i][2] + keys.last.second)}
                    << 32 |
                pair(x[i][1] + keys.last.third, lane_product(x[i][3], keys.last.fourth));
  }
}

/// Two blocks that are one load or store.
struct alignas(2 * sizeof(block)) block_pair {
  block blocks[2];
};

}  // namespace mgws::bench::idea
