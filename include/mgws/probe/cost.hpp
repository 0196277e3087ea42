/// \file
/// Which costs a probe measures, on any device: operations, copies, and the latency ladder (the
/// thesis' appendix A, as dependent reads over growing working sets instead of strided writes).
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

/// Median and least nanoseconds of one of `count` operations.
struct probe_cost {
  double median = 0;
  double least = 0;
};
[[nodiscard]] inline probe_cost probe_cost_of(std::vector<std::uint64_t> batches,
                                              std::uint64_t count) {
  std::ranges::sort(batches);
  const auto each = [&](std::uint64_t ns) {
    return static_cast<double>(ns) / static_cast<double>(count);
  };
  return {each(batches[batches.size() / 2]), each(batches.front())};
}

/// How much is measured; a device that is faster needs more for its clock.
struct probe_effort {
  std::uint32_t batches = 9;
  std::uint64_t operations = 512;
  std::uint64_t copies = 64;
  std::uint64_t reads = 4096;
};

/// \param run     run(measurement) -> nanoseconds of each batch; fills in what is not given
/// \param memory  8 zero bytes that the device reaches
template <class Run>
void measure_operations(probe_report& r, std::uint32_t device, memory_place place,
                        bool system_scope, const probe_effort& e, std::byte* memory, Run&& run) {
  for (const measured what :
       {measured::load, measured::load_acquire, measured::fetch_add, measured::fetch_add_acquire,
        measured::fetch_add_acq_rel, measured::exchange, measured::exchange_acquire,
        measured::store_fence, measured::fence}) {
    const probe_cost c = probe_cost_of(
        run(measurement{
            .what = what, .batches = e.batches, .count = e.operations, .memory = memory}),
        e.operations);
    r.latencies.push_back({.device = device,
                           .memory = place,
                           .system_scope = system_scope,
                           .what = what,
                           .median = c.median,
                           .least = c.least});
  }
}

/// \param memory  k_copy_span bytes
template <class Run>
void measure_copies(probe_report& r, std::uint32_t device, memory_place place,
                    const probe_effort& e, std::byte* memory, Run&& run) {
  for (std::uint64_t bytes = 64; bytes <= 1u << 16; bytes *= 4) {
    const probe_cost c = probe_cost_of(run(measurement{.what = measured::copy,
                                                       .batches = e.batches,
                                                       .count = e.copies,
                                                       .memory = memory,
                                                       .bytes = bytes,
                                                       .span = k_copy_span}),
                                       e.copies);
    r.copies.push_back(
        {.device = device, .memory = place, .bytes = bytes, .median = c.median, .least = c.least});
  }
}

/// \param memory  a chain of so many bytes
template <class Run>
void measure_rung(probe_report& r, std::uint32_t device, memory_place place, bool local,
                  std::uint64_t bytes, const probe_effort& e, std::byte* memory, Run&& run) {
  const probe_cost c =
      probe_cost_of(run(measurement{.what = local ? measured::chase_local : measured::chase,
                                    .batches = e.batches,
                                    .count = e.reads,
                                    .memory = memory,
                                    .bytes = bytes}),
                    e.reads);
  r.ladder.push_back({.device = device,
                      .memory = place,
                      .local = local,
                      .bytes = bytes,
                      .median = c.median,
                      .least = c.least});
}

}  // namespace mgws
