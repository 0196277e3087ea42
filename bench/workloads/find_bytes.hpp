/// \file
/// Whether a text contains a word, byte for byte: by the CPU's library, and by the lanes of a GPU's
/// worker side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <mgws_port.hpp>

namespace mgws::bench {

struct find_by_library {
  [[nodiscard]] static bool has(auto& /*worker*/, const char* text, std::size_t text_bytes,
                                const char* word, std::size_t word_bytes) {
    return memmem(text, text_bytes, word, word_bytes) != nullptr;
  }
};

/// Collective for the lanes of a task. Each lane reads aligned 16-byte units, its neighbours the
/// neighbouring ones, and compares the 16 positions that begin in each with the needle's first
/// bytes; where any of these agrees it compares the rest.
struct find_by_lanes {
  /// Bytes behind a text that may be read, whatever they are. In front of it, up to 15 are.
  static constexpr std::size_t k_padding = 32;

  [[nodiscard]] MGWS_FN static bool has(auto& worker, const char* text, std::size_t text_bytes,
                                        const char* word, std::size_t word_bytes) {
    if (word_bytes > text_bytes) return false;
    const std::size_t last = text_bytes - word_bytes;  // the last position that it could have
    const std::size_t skew = reinterpret_cast<std::uintptr_t>(text) % sizeof(unit);
    const auto* units = reinterpret_cast<const unit*>(text - skew);
    const std::size_t count = (skew + last) / sizeof(unit) + 1;
    const auto head = static_cast<std::uint32_t>(word_bytes < 4 ? word_bytes : 4);
    const std::uint32_t mask = head == 4 ? ~0u : (1u << 8 * head) - 1;
    std::uint32_t wanted = 0;
    for (std::uint32_t i = 0; i != head; ++i)
      wanted |= std::uint32_t{static_cast<unsigned char>(word[i])} << 8 * i;

    // Together, so that one lane's find ends the search of all.
    for (std::size_t first = 0; first < count; first += std::size_t{k_units} * worker.lanes()) {
      // All loads before the first comparison: the memory is far away.
      unit read[k_units];
      std::uint32_t behind[k_units];
      for (std::uint32_t k = 0; k != k_units; ++k) {
        const std::size_t i = first + std::size_t{k} * worker.lanes() + worker.lane();
        if (i >= count) continue;
        read[k] = units[i];
        behind[k] = units[i + 1].word[0];
      }
      bool found = false;
      for (std::uint32_t k = 0; k != k_units; ++k) {
        const std::size_t i = first + std::size_t{k} * worker.lanes() + worker.lane();
        if (i >= count) continue;
        // All positions without a branch between them, then one for all.
        std::uint32_t least = ~0u;
        for (std::uint32_t p = 0; p != sizeof(unit); ++p)
          least = std::min(least, (head_at(read[k], behind[k], p) ^ wanted) & mask);
        if (least != 0) continue;
        for (std::uint32_t p = 0; p != sizeof(unit); ++p) {
          if (((head_at(read[k], behind[k], p) ^ wanted) & mask) != 0) continue;
          // Before the text: larger than any position.
          const std::size_t at = sizeof(unit) * i + p - skew;
          found = found || (at <= last && rest_agrees(text + at, word, head, word_bytes));
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

  /// The four bytes that begin at byte p of a unit, of which some may be the next one's.
  [[nodiscard]] MGWS_FN static std::uint32_t head_at(const unit& u, std::uint32_t behind,
                                                     std::uint32_t p) {
    const std::uint32_t w = p / 4;
    const std::uint64_t window = std::uint64_t{w == 3 ? behind : u.word[w + 1]} << 32 | u.word[w];
    return static_cast<std::uint32_t>(window >> 8 * (p % 4));
  }

  [[nodiscard]] MGWS_FN static bool rest_agrees(const char* text, const char* word,
                                                std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      if (text[i] != word[i]) return false;
    return true;
  }
};

}  // namespace mgws::bench
