/// \file
/// A warp's search for a word in a text: 16 bytes a lane and load, all positions that begin in them
/// compared with the word's first four bytes, and the rest of the word only where these agree.
#pragma once

#include <cstdint>
#include <string_view>

namespace mgws::bench::peers::gpu {

/// Bytes behind the text that are read, whatever they are. In front of an article, up to 15 are.
constexpr std::uint64_t k_text_padding = 32;
/// Loads of a lane in flight at once.
constexpr unsigned k_lane_units = 4;
/// 16-byte units that a warp looks at together.
constexpr unsigned k_tile_units = 32 * k_lane_units;

struct needle {
  std::uint32_t head;        ///< the first bytes, at most 4
  std::uint32_t head_bytes;  ///< how many
  std::uint64_t bytes;
  const char* word;

  static needle of(std::string_view word, const char* copy) {
    needle n{0, static_cast<std::uint32_t>(word.size() < 4 ? word.size() : 4), word.size(), copy};
    for (std::uint32_t i = 0; i != n.head_bytes; ++i)
      n.head |= std::uint32_t{static_cast<unsigned char>(word[i])} << 8 * i;
    return n;
  }
};

/// The positions [first, last] of a text as whole aligned units: those in front of the first and
/// behind the last are no matches.
struct positions {
  const char* text;  ///< where the first unit begins
  std::uint64_t units;
  std::uint32_t skip;   ///< positions of the first unit that do not count
  std::uint64_t last;   ///< counted from there
  std::uint64_t begin;  ///< of the first unit in the whole text

  /// \param whole  aligned to 16 bytes
  __host__ __device__ static positions from(const char* whole, std::uint64_t first,
                                            std::uint64_t last) {
    const std::uint64_t begin = first & ~std::uint64_t{15};
    return {whole + begin, (last - begin) / 16 + 1, static_cast<std::uint32_t>(first - begin),
            last - begin, begin};
  }
};

/// Whether one of the 16 positions that begin in a unit has the word's first bytes.
/// \tparam Short  whether the word has fewer than four
/// \param behind  the four bytes behind the unit
template <bool Short>
[[nodiscard]] __host__ __device__ inline bool has_head(const std::uint32_t (&unit)[4],
                                                       std::uint32_t behind, const needle& n) {
  const std::uint32_t mask = Short ? (1u << 8 * n.head_bytes) - 1 : ~0u;
  bool any = false;
  for (unsigned w = 0; w != 4; ++w) {
    const std::uint32_t low = unit[w];
    const std::uint32_t high = w == 3 ? behind : unit[(w + 1) % 4];
    for (unsigned shift = 0; shift != 32; shift += 8) {
      const auto at = static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> shift);
      any |= ((Short ? at & mask : at) == n.head);
    }
  }
  return any;
}

/// Calls f(position in the whole text) for each match that begins in a unit.
template <class F>
__host__ __device__ void for_each_match_in_unit(const positions& p, std::uint64_t unit,
                                                const needle& n, F&& f) {
  for (unsigned i = 0; i != 16; ++i) {
    const std::uint64_t at = 16 * unit + i;
    if (at < p.skip || at > p.last) continue;
    std::uint64_t same = 0;
    while (same != n.bytes && p.text[at + same] == n.word[same])
      ++same;
    if (same == n.bytes) f(p.begin + at);
  }
}

#if defined(__CUDACC__)

/// Of the units `first` + 32 k + lane a bit k for each that has the word's first bytes somewhere.
/// Called by all lanes of a warp.
template <bool Short>
[[nodiscard]] __device__ inline unsigned heads_in_tile(const positions& p, std::uint64_t first,
                                                       const needle& n) {
  const unsigned lane = threadIdx.x % 32;
  const auto* const units = reinterpret_cast<const uint4*>(p.text) + first;
  const std::uint64_t rest = p.units - first;  // units[rest] is padding at worst
  uint4 read[k_lane_units];
#pragma unroll
  for (unsigned k = 0; k != k_lane_units; ++k) {
    const unsigned i = 32 * k + lane;
    read[k] = i <= rest ? __ldcs(units + i) : uint4{};
  }
  // Behind the last unit of the tile, for its lane only.
  std::uint32_t behind_tile = 0;
  if (lane == 31 && k_tile_units <= rest)
    behind_tile = reinterpret_cast<const std::uint32_t*>(units + k_tile_units)[0];
  unsigned heads = 0;
#pragma unroll
  for (unsigned k = 0; k != k_lane_units; ++k) {
    // The neighbour's unit is behind this lane's; behind the last lane's is the first one's next.
    const std::uint32_t given =
        lane == 0 && k + 1 != k_lane_units ? read[(k + 1) % k_lane_units].x : read[k].x;
    std::uint32_t behind = __shfl_sync(~0u, given, (lane + 1) % 32);
    if (k + 1 == k_lane_units && lane == 31) behind = behind_tile;
    const std::uint32_t unit[4] = {read[k].x, read[k].y, read[k].z, read[k].w};
    if (has_head<Short>(unit, behind, n)) heads |= 1u << k;
  }
  return heads;
}

/// Calls f(position in the whole text) for each match that begins in the units of `heads`.
template <class F>
__device__ void for_each_match(const positions& p, std::uint64_t first, unsigned heads,
                               const needle& n, F&& f) {
  for (; heads != 0; heads &= heads - 1) {
    const std::uint64_t unit = first + 32 * (__ffs(static_cast<int>(heads)) - 1) + threadIdx.x % 32;
    if (unit < p.units) for_each_match_in_unit(p, unit, n, f);
  }
}

#endif

}  // namespace mgws::bench::peers::gpu
