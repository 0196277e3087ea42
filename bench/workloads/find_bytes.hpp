/// \file
/// Whether a text contains a word, byte for byte: by the CPU's library, and by the lanes of a GPU's
/// worker side by side.
#pragma once

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

/// Collective for the lanes of a task. Each lane reads aligned 4-byte words, its neighbours the
/// neighbouring ones, and compares the four positions that begin in each with the needle's first
/// bytes; where these agree it compares the rest.
struct find_by_lanes {
  /// Bytes behind a text that may be read, whatever they are.
  static constexpr std::size_t k_padding = 8;

  [[nodiscard]] MGWS_FN static bool has(auto& worker, const char* text, std::size_t text_bytes,
                                        const char* word, std::size_t word_bytes) {
    if (word_bytes > text_bytes) return false;
    const std::size_t last = text_bytes - word_bytes;  // the last position that it could have
    const std::size_t skew = reinterpret_cast<std::uintptr_t>(text) % 4;
    const auto* words = reinterpret_cast<const std::uint32_t*>(text - skew);
    const std::size_t count = (skew + last) / 4 + 1;
    const auto head = static_cast<std::uint32_t>(word_bytes < 4 ? word_bytes : 4);
    const std::uint32_t mask = head == 4 ? ~0u : (1u << 8 * head) - 1;
    std::uint32_t wanted = 0;
    for (std::uint32_t i = 0; i != head; ++i)
      wanted |= std::uint32_t{static_cast<unsigned char>(word[i])} << 8 * i;

    // Together, so that one lane's find ends the search of all.
    for (std::size_t first = 0; first < count; first += std::size_t{k_words} * worker.lanes()) {
      bool found = false;
      for (std::uint32_t k = 0; k != k_words; ++k) {
        const std::size_t i = first + std::size_t{k} * worker.lanes() + worker.lane();
        if (i >= count) break;
        const std::uint64_t window = std::uint64_t{words[i + 1]} << 32 | words[i];
        for (std::uint32_t p = 0; p != 4; ++p) {
          if (((static_cast<std::uint32_t>(window >> 8 * p) ^ wanted) & mask) != 0) continue;
          const std::size_t at = 4 * i + p - skew;  // before the text: larger than any position
          found = found || (at <= last && rest_agrees(text + at, word, head, word_bytes));
        }
      }
      if (worker.any(found)) return true;
    }
    return false;
  }

 private:
  /// Words a lane looks at between two questions to the others.
  static constexpr std::uint32_t k_words = 8;

  [[nodiscard]] MGWS_FN static bool rest_agrees(const char* text, const char* word,
                                                std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      if (text[i] != word[i]) return false;
    return true;
  }
};

}  // namespace mgws::bench
