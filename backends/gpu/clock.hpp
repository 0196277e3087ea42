/// \file
/// Comparing a GPU's clock with the host's: the GPU's side. The vendor's kernel.hpp has the entry
/// that a launch names.
#pragma once

#include <cstdint>

#include <mgws/core/order.hpp>
#include <mgws_port.hpp>

namespace mgws::gpu {

/// The host asks for the time, round by round, through memory that both reach: it writes `asked`,
/// the GPU the answers. All zero at first.
template <class B>
struct clock_words {
  template <class T>
  using atomic = typename B::template atomic<T>;
  static constexpr std::uint32_t rounds = 16;

  alignas(B::line) atomic<std::uint64_t> asked{};  ///< the round, from 1
  alignas(B::line) atomic<std::uint64_t> answers[rounds]{};
};

/// The argument of a launch of one thread.
template <class B>
struct clock_exchange {
  clock_words<B>* words;
};

/// Relaxed throughout: each word is all that is told. Ends by itself if the host asks no more.
template <class B>
MGWS_FN void answer_clock(const clock_exchange<B>& a) {
  constexpr std::uint64_t patience_ns = 500'000'000;
  const std::uint64_t begin = B::now();
  for (std::uint32_t round = 1; round <= clock_words<B>::rounds; ++round) {
    while (B::load(a.words->asked, order::relaxed, scope::system) < round)
      if (B::now() - begin > patience_ns) return;
    B::store(a.words->answers[round - 1], B::now(), order::relaxed, scope::system);
  }
}

}  // namespace mgws::gpu
