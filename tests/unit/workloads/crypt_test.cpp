#include <cstddef>
#include <cstdint>

#include "catch.hpp"
#include "crypt/idea.hpp"
#include "crypt/idea_lanes.hpp"
#include "loop/pattern.hpp"

namespace {

using namespace mgws::bench;

struct published {
  idea::block key_high;
  idea::block key_low;
  idea::block plain;
  idea::block encrypted;
};

/// Rounds in the code one after the other, as the kernels' and the tasks' of a GPU.
template <std::uint32_t Rounds>
idea::block by_lanes(idea::block b, const idea::subkeys& keys) {
  idea::block blocks[] = {b};
  idea::cipher<Rounds>(blocks, idea::for_lanes(keys));
  return blocks[0];
}

}  // namespace

TEST_CASE("IDEA: published test vectors") {
  const published all[] = {
      // Lai, "On the Design and Security of Block Ciphers", 1992.
      {0x0001000200030004, 0x0005000600070008, 0x0000000100020003, 0x11fbed2b01986de5},
      // Of those of the NESSIE project.
      {0x0000000000000000, 0x0000000000000001, 0x0000000000000000, 0xc57adbde27bc26cf},
      {0x8000000000000000, 0x0000000000000000, 0x0000000000000000, 0xb1f5f7f87901370f},
      {0x0101010101010101, 0x0101010101010101, 0x0101010101010101, 0xe3f8aff7a3795615},
      {0x0001020304050607, 0x08090a0b0c0d0e0f, 0x0011223344556677, 0xf526ab9a62c0d258},
      // Of those of Bouncy Castle.
      {0x0011223344556677, 0x8899aabbccddeeff, 0x0001020304050607, 0xed732271a7b39f47},
      {0x0011223344556677, 0x8899aabbccddeeff, 0xf8f9fafbfcfdfeff, 0x2bcfad1fc6d4287d},
  };
  for (const published& p : all) {
    const idea::subkeys encrypting = idea::to_encrypt(p.key_high, p.key_low);
    const idea::subkeys decrypting = idea::to_decrypt(encrypting);
    CHECK(idea::cipher<idea::by_halves>(p.plain, encrypting) == p.encrypted);
    CHECK(idea::cipher<idea::by_remainder>(p.plain, encrypting) == p.encrypted);
    CHECK(idea::cipher<idea::by_halves>(p.encrypted, decrypting) == p.plain);
    CHECK(by_lanes<2>(p.plain, encrypting) == p.encrypted);
    CHECK(by_lanes<8>(p.plain, encrypting) == p.encrypted);
    CHECK(by_lanes<2>(p.encrypted, decrypting) == p.plain);
  }
}

TEST_CASE("IDEA: products by halves are those by definition") {
  std::uint64_t different = 0;
  for (std::uint32_t a = 0; a != 0x10000; ++a)
    for (const std::uint32_t b : {0u, 1u, 2u, 3u, 0x7fffu, 0x8000u, 0x8001u, 0xfffeu, 0xffffu, a})
      different += idea::by_halves::multiply(a, b) != idea::by_remainder::multiply(a, b) ? 1 : 0;
  for (std::uint64_t i = 0; i != 1'000'000; ++i) {
    const auto bits = static_cast<std::uint32_t>(split_mix_64(i));
    const std::uint32_t a = bits >> 16;
    const std::uint32_t b = bits & 0xffff;
    different += idea::by_halves::multiply(a, b) != idea::by_remainder::multiply(a, b) ? 1 : 0;
  }
  CHECK(different == 0);
}

TEST_CASE("IDEA: products by lanes are those by definition, whatever is above a word") {
  std::uint64_t different = 0;
  for (const std::uint32_t key :
       {0u, 1u, 2u, 3u, 0x7fffu, 0x8000u, 0x8001u, 0xfffeu, 0xffffu, 0x1234u}) {
    const std::uint32_t whole = key == 0 ? 0x10000 : key;
    for (std::uint32_t x = 0; x != 0x10000; ++x) {
      const auto above = static_cast<std::uint32_t>(split_mix_64(x)) << 16;
      const std::uint32_t product = idea::lane_product(x | above, {whole, whole - 1});
      different += (product & 0xffff) != idea::by_remainder::multiply(x, key) ? 1 : 0;
    }
  }
  CHECK(different == 0);
}

TEST_CASE("IDEA: several blocks at once are as one after the other") {
  for (std::uint64_t i = 0; i != 1000; ++i) {
    const idea::subkeys keys = idea::to_encrypt(split_mix_64(2 * i), split_mix_64(2 * i + 1));
    const idea::block plain[4] = {split_mix_64(~i), 0, ~idea::block{0}, i};
    idea::block blocks[4] = {plain[0], plain[1], plain[2], plain[3]};
    idea::cipher<2>(blocks, idea::for_lanes(keys));
    for (std::size_t b = 0; b != 4; ++b)
      CHECK(blocks[b] == idea::cipher<idea::by_remainder>(plain[b], keys));
  }
}

TEST_CASE("IDEA: whatever is encrypted comes back") {
  for (std::uint64_t i = 0; i != 1000; ++i) {
    const idea::subkeys encrypting = idea::to_encrypt(split_mix_64(2 * i), split_mix_64(2 * i + 1));
    const idea::block plain = split_mix_64(~i);
    const idea::block encrypted = idea::cipher(plain, encrypting);
    CHECK(encrypted != plain);
    CHECK(idea::cipher(encrypted, idea::to_decrypt(encrypting)) == plain);
  }
}
