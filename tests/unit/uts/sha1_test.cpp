/// \file
/// The hashers against published vectors, values of another implementation, and each other.

#include "../../../bench/uts/sha1.hpp"

#include <cstdint>
#include <random>
#include <string_view>

#include "../../../bench/uts/sha1_x86.hpp"
#include "catch.hpp"
#include "naive.hpp"

namespace uts = mgws::bench::uts;

namespace {

uts::state decode(const naive::bytes& digest) {
  uts::state result{};
  for (std::size_t i = 0; i < 20; ++i) {
    result.word[i / 4] = (result.word[i / 4] << 8) | digest[i];
  }
  return result;
}

naive::bytes encode(const uts::state& value) {
  naive::bytes result;
  for (const std::uint32_t word : value.word)
    naive::append(result, word, 4);
  return result;
}

struct indexed {
  std::uint32_t index;
  uts::state value;
};

// Computed with Python's hashlib.
constexpr indexed k_roots[] = {
    {0, {{0x6768033eu, 0x21646824u, 0x7bd031a0u, 0xa2d9876du, 0x79818f8fu}}},
    {19, {{0xc6988ab7u, 0x0cc9559au, 0xe4d6cba2u, 0x54e29a84u, 0x5a85f86bu}}},
    {42, {{0xa11dabbcu, 0xec7aab30u, 0x9c890ab3u, 0xdbc256eau, 0xeb582782u}}},
    {2147483647, {{0x1565ced2u, 0x28f1e41du, 0xe0af4edfu, 0xedab19a6u, 0xd8df6f72u}}},
};
constexpr indexed k_children_of_root_19[] = {
    {0u, {{0x2fb31310u, 0x30280c16u, 0x17a81d6au, 0x49c1e29eu, 0xffb19645u}}},
    {1u, {{0x4a8304c7u, 0xc88f903au, 0xc06b01b0u, 0x7c7b2590u, 0xe9397b5bu}}},
    {99u, {{0xa1abdb6fu, 0x91f695c9u, 0x66cb1b10u, 0xf6d1e567u, 0x2932a8ffu}}},
    {1999u, {{0xca5e7f18u, 0xca9f6243u, 0xf5040f09u, 0x86f948f5u, 0xb76534acu}}},
    {2147483649u, {{0x06c52a0du, 0x9aea0167u, 0x9abeee5eu, 0xf3b6da6cu, 0xef25d672u}}},
    {4294967295u, {{0xcff194d2u, 0xcc3660e8u, 0x76f8f72eu, 0xb8e6550fu, 0x1a6c490eu}}},
};
constexpr uts::state k_after_1000_generations = {
    {0x11d52c28u, 0x61741c8bu, 0x031d156au, 0xdf48d276u, 0xed78e714u}};

template <class Hasher>
void check_hasher() {
  const uts::state root = uts::root_state(19);
  for (const auto& [index, value] : k_children_of_root_19) {
    REQUIRE(Hasher::child(root, index) == value);
  }
  uts::state line = root;
  for (std::uint32_t i = 0; i < 1000; ++i)
    line = Hasher::child(line, i % 7);
  REQUIRE(line == k_after_1000_generations);
}

}  // namespace

TEST_CASE("the tests' own SHA-1 agrees with the standard's examples", "[uts]") {
  const auto hash = [](std::string_view text) {
    return decode(naive::sha1(naive::bytes(text.begin(), text.end())));
  };
  REQUIRE(hash("abc") ==
          uts::state{{0xa9993e36u, 0x4706816au, 0xba3e2571u, 0x7850c26cu, 0x9cd0d89du}});
  REQUIRE(hash("") ==
          uts::state{{0xda39a3eeu, 0x5e6b4b0du, 0x3255bfefu, 0x95601890u, 0xafd80709u}});
  REQUIRE(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          uts::state{{0x84983e44u, 0x1c3bd26eu, 0xbaae4aa1u, 0xf95129e5u, 0xe54670f1u}});
}

TEST_CASE("roots have their known values", "[uts]") {
  for (const auto& [seed, value] : k_roots) {
    REQUIRE(uts::root_state(seed) == value);
  }
}

TEST_CASE("the portable hasher gives the known children", "[uts]") {
  check_hasher<uts::portable_sha1>();
  static_assert(uts::portable_sha1::child(k_roots[1].value, 1) == k_children_of_root_19[1].value);
}

TEST_CASE("the processor's SHA instructions give the known children", "[uts]") {
  if (!uts::has_sha_instructions()) {
    WARN("skipped: this processor has no SHA instructions");
    return;
  }
  check_hasher<uts::x86_sha1>();
}

TEST_CASE("all hashers agree on random nodes", "[uts]") {
  std::mt19937 random(1);
  const bool has_sha = uts::has_sha_instructions();
  int against_naive = 0;
  int against_each_other = 0;
  for (int i = 0; i < 100'000; ++i) {
    uts::state parent{};
    for (std::uint32_t& word : parent.word)
      word = static_cast<std::uint32_t>(random());
    const auto index = static_cast<std::uint32_t>(random()) >> (random() % 32);
    const uts::state child = uts::portable_sha1::child(parent, index);
    if (i < 5000) against_naive += child != decode(naive::child(encode(parent), index));
    if (has_sha) against_each_other += child != uts::x86_sha1::child(parent, index);
  }
  REQUIRE(against_naive == 0);
  REQUIRE(against_each_other == 0);
}
