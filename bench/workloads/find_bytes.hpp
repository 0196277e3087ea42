/// \file
/// Whether a text contains a word, byte for byte, on the CPU.
#pragma once

#include <cstddef>
#include <cstring>

namespace mgws::bench {

[[nodiscard]] inline bool has_bytes(const char* text, std::size_t text_bytes, const char* word,
                                    std::size_t word_bytes) {
  return memmem(text, text_bytes, word, word_bytes) != nullptr;
}

}  // namespace mgws::bench
