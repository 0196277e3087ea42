// What a GPU's threads copy for the host in one launch: every byte, by however many threads, and of
// what was asked for twice the last.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <mgws/backends/gpu/device.hpp>
#include <mgws/backends/gpu/moves.hpp>

#include "catch.hpp"
#include "unit/probe/fake_gpus.hpp"

namespace {

using device = mgws::gpu::device<fake::api>;
using area = mgws::gpu::area<fake::api>;

void carry_out(device& gpu, std::uint32_t threads) {
  for (const mgws::gpu::moves& m : gpu.take_moves())
    for (std::uint32_t t = 0; t != threads; ++t)
      mgws::gpu::move(m, t, threads);
}

}  // namespace

TEST_CASE("gpu: threads move every byte of what is put ahead and looked at behind") {
  device gpu(0);
  for (const std::uint32_t threads : {1u, 3u, 128u}) {
    std::vector<area> from;
    std::vector<area> to;
    // More pieces than a launch takes, and lengths that end anywhere.
    for (std::size_t bytes = 1; bytes != 40; ++bytes) {
      std::vector<std::byte> what(bytes);
      std::generate(what.begin(), what.end(), [n = bytes]() mutable { return std::byte(++n); });
      from.emplace_back(gpu, bytes);
      from.back().write(0, what.data(), bytes);
      to.emplace_back(gpu, bytes);
      to.back().assign(from.back());
    }
    carry_out(gpu, threads);
    for (std::size_t i = 0; i != to.size(); ++i)
      REQUIRE(std::equal(to[i].data(), to[i].data() + to[i].bytes(), from[i].data()));

    const area seen(to.back().bytes());
    to.back().read_behind(seen.data(), 17);
    carry_out(gpu, threads);
    CHECK(std::equal(seen.data(), seen.data() + 17, to.back().data()));
    CHECK(seen.data()[17] == std::byte{0});
  }
}

TEST_CASE("gpu: moves that nobody carried out are replaced by later ones to the same place") {
  device gpu(0);
  area to(gpu, 16);
  area first(gpu, 16);
  area second(gpu, 16);
  const std::vector<std::byte> ones(16, std::byte{1});
  const std::vector<std::byte> twos(16, std::byte{2});
  first.write(0, ones.data(), ones.size());
  second.write(0, twos.data(), twos.size());
  to.assign(first);
  to.assign(second);
  const auto moves = gpu.take_moves();
  REQUIRE(moves.size() == 1);
  REQUIRE(moves[0].count == 1);
  CHECK(moves[0].bytes() == 16);
  mgws::gpu::move(moves[0], 0, 1);
  CHECK(std::equal(twos.begin(), twos.end(), to.data()));
  CHECK(gpu.take_moves().empty());
}
