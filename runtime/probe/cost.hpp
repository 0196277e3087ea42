/// \file
/// Which costs a probe measures, on any device, and how often: operations, copies, and the latency
/// ladder (the thesis' appendix A, as dependent reads over growing working sets instead of strided
/// writes).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <mgws/core/probe/measure.hpp>
#include <mgws/probe/findings.hpp>

namespace mgws {

/// Bytes that copies walk through: more than any cache that is not shared by all workers.
inline constexpr std::size_t k_copy_span = std::size_t{1} << 20;
/// The ladder's rungs: each four times the one before it.
inline constexpr std::uint64_t k_first_rung = 1u << 14;
inline constexpr std::uint64_t k_last_rung = 1u << 28;
/// The chain in local memory.
inline constexpr std::uint64_t k_local_rung = 1u << 13;

/// A chain through `bytes` of memory in random order, in one circle, always the same. As
/// measure.hpp has it; what is between the entries is zero.
[[nodiscard]] inline std::vector<std::uint64_t> make_chain(std::uint64_t bytes) {
  const std::uint64_t n = bytes / k_chain_stride;
  std::vector<std::uint32_t> next(n);
  std::iota(next.begin(), next.end(), 0u);
  std::uint64_t state = 1;
  // Sattolo's shuffle: an entry changes places with one below it, so that one circle is left.
  for (std::uint64_t i = n - 1; i > 0; --i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::swap(next[i], next[(state >> 33) % i]);
  }
  constexpr std::uint64_t words = k_chain_stride / sizeof(std::uint64_t);
  std::vector<std::uint64_t> chain(bytes / sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i != n; ++i)
    chain[i * words] = next[i] * words;
  return chain;
}

/// Puts median and least times of one of `count` operations in.
/// \param batches  nanoseconds of each
inline void put_times(cost_finding& f, std::vector<std::uint64_t> batches, std::uint64_t count) {
  std::ranges::sort(batches);
  f.median = static_cast<double>(batches[batches.size() / 2]) / static_cast<double>(count);
  f.least = static_cast<double>(batches.front()) / static_cast<double>(count);
}

/// How much is measured; a device that is faster needs more for its clock.
struct probe_effort {
  std::uint32_t batches;
  std::uint64_t count;  ///< in each
};
[[nodiscard]] constexpr probe_effort effort_of(measured what, device_kind kind) {
  const bool gpu = kind == device_kind::gpu;
  if (what == measured::copy) return {9, 64};
  if (what == measured::chase || what == measured::chase_local)
    return gpu ? probe_effort{3, 4096} : probe_effort{9, 1u << 15};
  return {9, gpu ? 512u : 1u << 15};
}

}  // namespace mgws
