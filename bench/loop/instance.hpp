/// \file
/// What one instance of a loop does: a chain of integer operations that depend on each other, as
/// long as its costs say. The same for mgws and for every peer, and with a result that can be told
/// without running the chain.
#pragma once

#include <cstdint>

#include <mgws_port.hpp>

#include "loop/pattern.hpp"

namespace mgws::bench {

/// The instances of a loop: a pattern's, but for `heavy` single ones of another length, which lie
/// side by side.
struct loop_work {
  loop_costs costs;
  std::uint64_t heavy_from = 0;
  std::uint64_t heavy = 0;
  std::uint32_t heavy_cost = 0;

  /// Of instance i.
  [[nodiscard]] MGWS_FN constexpr std::uint32_t iterations(std::uint64_t i) const {
    if (i - heavy_from < heavy) return heavy_cost;
    return static_cast<std::uint32_t>(costs.iterations(i));
  }
};

/// Hides from a compiler what the value is: it could otherwise compute several steps of a chain at
/// once, or those of several chains by vector instructions.
MGWS_FN inline void hide(std::uint32_t& x) {
#if defined(__AMDGCN__)
  asm("" : "+v"(x));
#else
  asm("" : "+r"(x));
#endif
}

/// x -> multiplier * x + increment, modulo 2^32: one step of a chain, or many (Numerical Recipes).
struct linear_step {
  std::uint32_t multiplier = 1664525;
  std::uint32_t increment = 1013904223;

  [[nodiscard]] MGWS_FN constexpr std::uint32_t operator()(std::uint32_t x) const {
    return multiplier * x + increment;
  }
  /// This step and then the other one.
  [[nodiscard]] constexpr linear_step then(linear_step next) const {
    return {multiplier * next.multiplier, next(increment)};
  }
  /// k of these steps, by squaring.
  [[nodiscard]] constexpr linear_step times(std::uint64_t k) const {
    linear_step power = *this;
    linear_step all{1, 0};
    for (; k != 0; k >>= 1, power = power.then(power))
      if ((k & 1) != 0) all = all.then(power);
    return all;
  }
};

/// Where the chain of instance i begins.
[[nodiscard]] MGWS_FN constexpr std::uint32_t chain_begin(std::uint64_t i) {
  return static_cast<std::uint32_t>(i);
}

/// An instance that has begun.
struct chain_state {
  std::uint32_t left;  ///< iterations
  std::uint32_t value;
};
[[nodiscard]] MGWS_FN inline chain_state begin_chain(const loop_work& work, std::uint64_t i) {
  return {work.iterations(i), chain_begin(i)};
}

/// Runs so many iterations of it, or what is left.
MGWS_FN inline void run_piece(chain_state& chain, std::uint32_t most) {
  constexpr linear_step step;
  std::uint32_t x = chain.value;
  std::uint32_t k = chain.left < most ? chain.left : most;
  for (chain.left -= k; k != 0; --k) {
    x = step(x);
    hide(x);
  }
  chain.value = x;
}

/// Runs instance i; its result is the last value of its chain.
[[nodiscard]] MGWS_FN inline std::uint32_t run_chain(const loop_work& work, std::uint64_t i) {
  chain_state chain = begin_chain(work, i);
  run_piece(chain, chain.left);
  return chain.value;
}

/// What is known of a loop before it runs.
struct loop_answer {
  std::uint64_t sum = 0;  ///< of all instances' results
  std::uint64_t iterations = 0;
  std::uint32_t longest = 0;  ///< iterations of the longest instance
};

/// Without running a chain; a few nanoseconds an instance.
[[nodiscard]] inline loop_answer answer_of(const loop_work& work) {
  loop_answer a;
  std::uint32_t known = 0;
  linear_step chain{1, 0};  // of `known` iterations: neighbours are equally long
  for (std::uint64_t i = 0; i != work.costs.n; ++i) {
    const std::uint32_t k = work.iterations(i);
    if (k != known) chain = linear_step{}.times(known = k);
    a.sum += chain(chain_begin(i));
    a.iterations += k;
    if (k > a.longest) a.longest = k;
  }
  return a;
}

}  // namespace mgws::bench
