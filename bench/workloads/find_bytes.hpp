/// \file
/// Whether a text contains a word, byte for byte: by the CPU's library, and by the lanes of a GPU's
/// worker side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include <mgws_port.hpp>

namespace mgws::bench {

/// What is searched for.
struct needle {
  const char* word;
  std::size_t bytes;
  std::uint32_t head;  ///< its first bytes, at most 4, the first one lowest
  std::uint32_t mask;  ///< the bits of these

  /// \param word  not empty \param copy  where the tasks read it
  [[nodiscard]] static needle of(std::string_view word, const char* copy) {
    needle n{copy, word.size(), 0, 0};
    for (std::size_t i = 0; i != std::min<std::size_t>(word.size(), 4); ++i) {
      n.head |= std::uint32_t{static_cast<unsigned char>(word[i])} << 8 * i;
      n.mask |= std::uint32_t{0xff} << 8 * i;
    }
    return n;
  }
};

struct find_by_library {
  [[nodiscard]] static bool has(auto& /*worker*/, const char* text, std::size_t bytes,
                                const needle& n) {
    return memmem(text, bytes, n.word, n.bytes) != nullptr;
  }
};

/// Collective for the lanes of a task. Each lane reads aligned 16-byte units, its neighbours the
/// neighbouring ones, and compares the 16 positions that begin in each with the needle's first
/// bytes; where any of these agrees it compares the rest.
struct find_by_lanes {
  /// Bytes behind a text that may be read, whatever they are. In front of it, up to 15 are.
  static constexpr std::size_t k_padding = 32;

  [[nodiscard]] MGWS_FN static bool has(auto& worker, const char* text, std::size_t bytes,
                                        const needle& n) {
    if (n.bytes > bytes) return false;
    const std::size_t last = bytes - n.bytes;  // the last position that it could have
    const std::size_t skew = reinterpret_cast<std::uintptr_t>(text) % sizeof(unit);
    const auto* units = reinterpret_cast<const unit*>(text - skew);
    const std::size_t count = (skew + last) / sizeof(unit) + 1;

    // Together, so that one lane's find ends the search of all.
    for (std::size_t first = worker.lane(); first < count + worker.lane();
         first += std::size_t{k_units} * worker.lanes()) {
      // All loads before the first comparison: the memory is far away.
      unit read[k_units];
      std::uint32_t behind[k_units];
      each_unit([&](std::uint32_t k) {
        const std::size_t i = first + std::size_t{k} * worker.lanes();
        read[k] = i < count ? units[i] : unit{};
        behind[k] = i < count ? units[i + 1].word[0] : 0;
      });
      // All positions without a branch between them, then one for all.
      std::uint32_t heads = 0;  // a bit for each unit in which the needle's first bytes are
      each_unit([&](std::uint32_t k) {
        if (has_head(read[k], behind[k], n)) heads |= 1u << k;
      });
      bool found = false;
      for (std::uint32_t k = 0; heads >> k != 0; ++k) {
        if ((heads >> k & 1) == 0) continue;
        const std::size_t i = first + std::size_t{k} * worker.lanes();
        for (std::uint32_t p = 0; p != sizeof(unit); ++p) {
          // Before the text: larger than any position.
          const std::size_t at = sizeof(unit) * i + p - skew;
          found = found || (at <= last && agrees(text + at, n));
        }
      }
      if (worker.any(found)) return true;
    }
    return false;
  }

 private:
  struct alignas(16) unit {
    std::uint32_t word[4];
  };
  /// Units a lane looks at between two questions to the others.
  static constexpr std::uint32_t k_units = 4;

  /// Without a loop: what they index stays in registers.
  MGWS_FN static void each_unit(auto&& f) {
    [&]<std::uint32_t... k>(std::integer_sequence<std::uint32_t, k...>) {
      (f(k), ...);
    }
    (std::make_integer_sequence<std::uint32_t, k_units>());
  }

  /// Whether one of the positions that begin in a unit has the needle's first bytes.
  /// \param behind  the four bytes behind the unit
  [[nodiscard]] MGWS_FN static bool has_head(const unit& u, std::uint32_t behind, const needle& n) {
    bool any = false;
    for (std::uint32_t p = 0; p != sizeof(unit); ++p) {
      const std::uint32_t w = p / 4;
      const std::uint64_t window = std::uint64_t{w == 3 ? behind : u.word[w + 1]} << 32 | u.word[w];
      any |= ((static_cast<std::uint32_t>(window >> 8 * (p % 4)) ^ n.head) & n.mask) == 0;
    }
    return any;
  }

  [[nodiscard]] MGWS_FN static bool agrees(const char* text, const needle& n) {
    for (std::size_t i = 0; i != n.bytes; ++i)
      if (text[i] != n.word[i]) return false;
    return true;
  }
};

}  // namespace mgws::bench
