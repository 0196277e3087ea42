/// \file
/// How often a test repeats what can go wrong by bad luck only. MGWS_TEST_REPEATS is the number of
/// runs of each combination of the repeated runs (default 10,000); other repeated tests keep their
/// proportion to it. Sanitizers make a run ten times as long and need fewer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace test {

inline constexpr std::uint32_t k_full = 10'000;

/// \param full  what is done where nothing else is asked for
inline std::uint32_t repeats(std::uint32_t full) {
  const char* text = std::getenv("MGWS_TEST_REPEATS");
  if (text == nullptr) return full;
  const auto asked = std::strtoull(text, nullptr, 10);
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, asked * full / k_full));
}

}  // namespace test
