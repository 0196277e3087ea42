/// \file
/// The hasher that uses the SHA instructions of x86 processors, and the question whether this
/// processor has them. On other processors `x86_sha1` is the portable hasher, so callers need no
/// conditional of their own: they ask has_sha_instructions() once and choose a template argument.
#pragma once

#include <cstdint>

#include "sha1.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace mgws::bench::uts {

#if defined(__x86_64__)

/// Whether x86_sha1 may be called here (cpuid leaf 7: SHA; leaf 1: SSSE3 and SSE4.1).
[[nodiscard]] inline bool has_sha_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return false;
  constexpr unsigned sse = (1u << 9) | (1u << 19);
  if ((c & sse) != sse) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & (1u << 29)) != 0;
}

/// SHA-1 by four rounds an instruction. A caller compiled without these instructions cannot inline
/// this function, which costs it one call a node; a caller compiled with them inlines it.
///
/// Vectors hold four words with the earliest in the highest lane, as the instructions want them.
struct x86_sha1 {
  template <class Parent>
  [[nodiscard, gnu::target("sha,sse4.1,ssse3")]] static state child(const Parent& parent,
                                                                    std::uint32_t index) {
    const __m128i first = _mm_shuffle_epi32(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(parent.first_words())), k_reverse);
    const __m128i second =
        _mm_set_epi32(static_cast<int>(parent.last_word()), static_cast<int>(index),
                      static_cast<int>(sha1::k_padding), 0);
    // Words 8 to 14 are zero in every block, so the schedule's half-steps that see only zeros are
    // left out below.
    const __m128i last = _mm_set_epi32(0, 0, 0, sha1::k_child_bits);

    constexpr state start = sha1::initial();
    const __m128i abcd_start =
        _mm_set_epi32(static_cast<int>(start.word[0]), static_cast<int>(start.word[1]),
                      static_cast<int>(start.word[2]), static_cast<int>(start.word[3]));
    const __m128i e_start = _mm_set_epi32(static_cast<int>(start.word[4]), 0, 0, 0);

    // `previous` is the state four rounds ago; sha1nexte makes E of it.
    __m128i previous = abcd_start;
    __m128i abcd = _mm_sha1rnds4_epu32(abcd_start, _mm_add_epi32(e_start, first), 0);
    four_rounds<0>(abcd, previous, second);
    four_rounds<0>(abcd, previous, _mm_setzero_si128());
    four_rounds<0>(abcd, previous, last);

    __m128i w0 = _mm_sha1msg2_epu32(_mm_sha1msg1_epu32(first, second), last);
    four_rounds<0>(abcd, previous, w0);
    __m128i w1 = _mm_sha1msg2_epu32(
        _mm_xor_si128(_mm_sha1msg1_epu32(second, _mm_setzero_si128()), last), w0);
    four_rounds<1>(abcd, previous, w1);
    __m128i w2 = _mm_sha1msg2_epu32(w0, w1);
    four_rounds<1>(abcd, previous, w2);
    __m128i w3 = next_words(last, w0, w1, w2);
    four_rounds<1>(abcd, previous, w3);

    w0 = next_words(w0, w1, w2, w3);
    four_rounds<1>(abcd, previous, w0);
    w1 = next_words(w1, w2, w3, w0);
    four_rounds<1>(abcd, previous, w1);
    w2 = next_words(w2, w3, w0, w1);
    four_rounds<2>(abcd, previous, w2);
    w3 = next_words(w3, w0, w1, w2);
    four_rounds<2>(abcd, previous, w3);

    w0 = next_words(w0, w1, w2, w3);
    four_rounds<2>(abcd, previous, w0);
    w1 = next_words(w1, w2, w3, w0);
    four_rounds<2>(abcd, previous, w1);
    w2 = next_words(w2, w3, w0, w1);
    four_rounds<2>(abcd, previous, w2);
    w3 = next_words(w3, w0, w1, w2);
    four_rounds<3>(abcd, previous, w3);

    w0 = next_words(w0, w1, w2, w3);
    four_rounds<3>(abcd, previous, w0);
    w1 = next_words(w1, w2, w3, w0);
    four_rounds<3>(abcd, previous, w1);
    w2 = next_words(w2, w3, w0, w1);
    four_rounds<3>(abcd, previous, w2);
    w3 = next_words(w3, w0, w1, w2);
    four_rounds<3>(abcd, previous, w3);

    state result;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(result.word),
                     _mm_shuffle_epi32(_mm_add_epi32(abcd, abcd_start), k_reverse));
    const __m128i e = _mm_sha1nexte_epu32(previous, e_start);
    result.word[4] = static_cast<std::uint32_t>(_mm_extract_epi32(e, 3));
    return result;
  }

 private:
  static constexpr int k_reverse = 0x1b;

  template <int Function>
  [[gnu::target("sha,sse4.1,ssse3"), gnu::always_inline]] static inline void four_rounds(
      __m128i& abcd, __m128i& previous, __m128i words) {
    const __m128i e = _mm_sha1nexte_epu32(previous, words);
    previous = abcd;
    abcd = _mm_sha1rnds4_epu32(abcd, e, Function);
  }

  /// The four schedule words that follow these sixteen.
  [[gnu::target("sha,sse4.1,ssse3"), gnu::always_inline]] static inline __m128i next_words(
      __m128i w0, __m128i w1, __m128i w2, __m128i w3) {
    return _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(w0, w1), w2), w3);
  }
};

#else

[[nodiscard]] inline bool has_sha_instructions() {
  return false;
}
using x86_sha1 = portable_sha1;

#endif

}  // namespace mgws::bench::uts
