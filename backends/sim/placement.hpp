/// \file
/// Which multiprocessor and which of its schedulers a worker of a device runs on.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace mgws::sim {

/// Multiprocessors of an H200 in the order in which they get the first blocks of a launch of 4,224:
/// not one after the other, but by clusters, a small cluster more often than it has room for.
inline constexpr std::array<std::uint8_t, 148> k_first_blocks{
    // clang-format off
    128, 129, 130, 131, 124, 125, 126, 127, 0, 1, 16, 17, 32, 33, 48, 49,
    2, 3, 18, 19, 34, 35, 50, 51, 64, 65, 78, 79, 92, 93, 106, 107,
    128, 129, 130, 131, 124, 125, 126, 127, 4, 5, 20, 21, 36, 37, 52, 53,
    66, 67, 80, 81, 94, 95, 108, 109, 6, 7, 22, 23, 38, 39, 54, 55,
    68, 69, 82, 83, 96, 97, 110, 111, 8, 9, 24, 25, 40, 41, 56, 57,
    70, 71, 84, 85, 98, 99, 112, 113, 128, 129, 130, 131, 124, 125, 126, 127,
    10, 11, 26, 27, 42, 43, 58, 59, 72, 73, 86, 87, 100, 101, 114, 115,
    12, 13, 28, 29, 44, 45, 60, 61, 74, 75, 88, 89, 102, 103, 116, 117,
    120, 121, 14, 15, 30, 31, 46, 47, 62, 63, 76, 77, 90, 91, 104, 105,
    118, 119, 122, 123
    // clang-format on
};

struct seat {
  std::uint32_t scheduler;  ///< among all of the device
  std::uint32_t rank;       ///< of those on that scheduler, in the order in which they start
};

/// Where the blocks of a launch go, by their numbers: in the order that was seen on an H200, again
/// and again, past multiprocessors that are full; round robin for any other number of them. Within
/// a multiprocessor schedulers take turns.
[[nodiscard]] inline std::vector<seat> seats_of(std::uint32_t workers,
                                                std::uint32_t multiprocessors,
                                                std::uint32_t schedulers) {
  std::vector<seat> seats;
  std::vector<std::uint32_t> on(multiprocessors, 0);
  const std::uint32_t room = (workers + multiprocessors - 1) / multiprocessors;
  const bool known = multiprocessors == 132;
  for (std::uint32_t i = 0; seats.size() != workers; ++i) {
    const std::uint32_t m = known ? k_first_blocks[i % k_first_blocks.size()] : i % multiprocessors;
    if (on[m] == room) continue;
    seats.push_back({m * schedulers + on[m] % schedulers, on[m] / schedulers});
    ++on[m];
  }
  return seats;
}

}  // namespace mgws::sim
