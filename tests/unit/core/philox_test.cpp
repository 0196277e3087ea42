// Known answers: Random123's kat_vectors, "philox4x32 10".
#include <cstdint>
#include <vector>

#include <mgws/backends/cpu/philox.hpp>

#include "catch.hpp"

using mgws::cpu_backend::philox;

TEST_CASE("philox: published known answers") {
  using block = philox::block_type;
  CHECK(philox::block({0, 0, 0, 0}, {0, 0}) ==
        block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr auto f = 0xffff'ffffu;
  CHECK(philox::block({f, f, f, f}, {f, f}) ==
        block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox::block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("philox: a stream is the blocks of its counter, seed as key, stream above the counter") {
  const std::uint64_t seed = 0x299f31d0'a4093822u;
  const std::uint64_t stream = 0x03707344'13198a2eu;
  philox random(seed, stream);
  bool right = true;
  for (std::uint32_t i = 0; i != 100; ++i)
    for (const auto expected :
         philox::block({i, 0, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}))
      right = right && random.next() == expected;
  REQUIRE(right);
}

TEST_CASE("philox: streams and seeds differ") {
  const auto first = [](std::uint64_t seed, std::uint64_t stream) {
    philox r(seed, stream);
    std::vector<std::uint32_t> all;
    for (int i = 0; i != 8; ++i)
      all.push_back(r.next());
    return all;
  };
  CHECK(first(1, 2) == first(1, 2));
  CHECK(first(1, 2) != first(2, 1));
  CHECK(first(1, 0) != first(1, 1));
  CHECK(first(0, 1) != first(1, 1));
  CHECK(first(std::uint64_t{1} << 32, 0) != first(0, 0));
  CHECK(first(0, std::uint64_t{1} << 32) != first(0, 0));
}
