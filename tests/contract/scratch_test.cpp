// Scratch memory: that tasks have as much as they asked for, and to themselves.
#include "scratch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "behaviour.hpp"
#include "catch.hpp"

namespace {

using contract::groups_of;

template <class Tasks, class Accumulators, class Context>
using runtime_of = mgws::runtime<Tasks, Accumulators, Context>;

struct without {
  void operator()(auto&) const {}
};
/// \tparam Words  of four bytes, of each task
template <std::size_t Words, mgws::shape Width = mgws::shape::lane>
struct wants {
  static constexpr auto width = Width;
  using scratch = std::array<std::uint32_t, Words>;
  void operator()(auto&) const {}
};
template <std::size_t Words>
constexpr std::uint32_t k_lanes_for = mgws::k_gpu_lanes<mgws::task_set<wants<Words>>>;

}  // namespace

TEST_CASE("scratch memory: what a task writes is there until it ends, whoever else runs") {
  for (const auto& groups : {std::vector<std::uint32_t>{1}, {2}, {5}, {2, 1}}) {
    INFO(groups.size() << " devices");
    REQUIRE(scratch::fault<runtime_of>(groups_of(groups), 300, 3) == "");
  }
}

TEST_CASE("scratch memory: of each width as much as the type that wants most, in whole 16 bytes") {
  using mgws::shape;
  STATIC_REQUIRE(scratch::tasks::scratch(shape::lane) == 112);
  STATIC_REQUIRE(scratch::tasks::scratch(shape::warp) == 1008);
  STATIC_REQUIRE(scratch::tasks::scratch(shape::block) == 4000);
  STATIC_REQUIRE(sizeof(mgws::scratch_area<scratch::tasks, 32, 1>) == 4000);
  STATIC_REQUIRE(sizeof(mgws::scratch_area<scratch::tasks, 128, 4>) == 128 * 112);
  STATIC_REQUIRE(sizeof(mgws::scratch_area<scratch::tasks, 1, 1>) == 4000);
  STATIC_REQUIRE(mgws::task_set<without>::scratch(shape::lane) == 0);
  STATIC_REQUIRE_FALSE(mgws::task_set<without>::has_scratch);
}

TEST_CASE("scratch memory: a GPU's worker is one warp where four want more than a kernel has") {
  STATIC_REQUIRE(mgws::k_gpu_lanes<mgws::task_set<without>> == 128);
  STATIC_REQUIRE(mgws::k_gpu_lanes<scratch::tasks> == 128);
  STATIC_REQUIRE(k_lanes_for<80> == 128);
  STATIC_REQUIRE(k_lanes_for<84> == 32);
  STATIC_REQUIRE(k_lanes_for<350> == 32);
  // What only tasks of all lanes want is as much for one warp.
  STATIC_REQUIRE(mgws::k_gpu_lanes<mgws::task_set<wants<11'000, mgws::shape::block>>> == 128);
}

TEST_CASE("scratch memory: lanes lie side by side, whatever the elements' size") {
  static mgws::scratch_area<scratch::tasks, 32, 1> area;
  for (std::uint32_t lane = 0; lane != 32; ++lane) {
    const auto words = area.of_lane<scratch::by_lane::scratch>(lane);
    const auto fours = area.of_lane<scratch::fours_by_lane::scratch>(lane);
    REQUIRE(words.size() == 27);
    REQUIRE(fours.size() == 5);
    for (std::uint32_t i = 0; i != words.size(); ++i)
      REQUIRE(reinterpret_cast<std::byte*>(&words[i]) == area.bytes + (i * 32 + lane) * 4);
    for (std::uint32_t i = 0; i != fours.size(); ++i)
      REQUIRE(reinterpret_cast<std::byte*>(&fours[i]) == area.bytes + (i * 32 + lane) * 16);
  }
}
