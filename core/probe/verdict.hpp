/// \file
/// What the host concludes from two participants' books of a litmus run and from the board as they
/// left it.
#pragma once

#include <cstdint>

#include <mgws/core/order.hpp>
#include <mgws/core/probe/litmus.hpp>

namespace mgws {

/// The worst that applies, the worst first. Only `passed` lets devices share what was tried.
enum class litmus_verdict : std::uint8_t {
  wrong,      ///< updates lost or doubled, stale data, or two in one critical section
  absent,     ///< a participant never appeared, so nothing was tried
  never_met,  ///< no wrong value, but they never took turns: this shows nothing
  gave_up,    ///< no wrong value, but one waited for the other in vain
  no_access,  ///< one of them cannot reach the memory; nothing was started
  passed
};

/// A litmus run as the host sees it.
struct litmus_outcome {
  litmus_verdict verdict = mgws::litmus_verdict::absent;
  std::uint64_t operations = 0;  ///< of both participants
  /// Additions or tokens that were lost or doubled, stale words, broken critical sections.
  std::uint64_t wrong = 0;
  std::uint64_t met = 0;          ///< turns between the two
  std::uint64_t nanoseconds = 0;  ///< of the participant that took longer
};

namespace detail {

[[nodiscard]] constexpr std::uint64_t difference(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : b - a;
}

}  // namespace detail

/// \param records  of litmus `what`, one of each participant
/// \param board    after both have ended
template <class B>
[[nodiscard]] litmus_outcome judge(litmus what,
                                   const litmus_record (&records)[k_litmus_participants],
                                   const litmus_board<B>& board) {
  litmus_outcome o;
  std::uint64_t sum = 0;
  bool all_began = true;
  bool all_finished = true;
  for (const litmus_record& r : records) {
    o.operations += r.done;
    o.wrong += r.faults;
    o.met += r.met;
    o.nanoseconds = r.nanoseconds > o.nanoseconds ? r.nanoseconds : o.nanoseconds;
    sum += r.sum;
    all_began = all_began && (r.end == litmus_end::finished || r.end == litmus_end::gave_up);
    all_finished = all_finished && r.end == litmus_end::finished;
  }
  const std::uint64_t n = o.operations;
  const auto left = [](const auto& word) { return B::load(word, order::relaxed, scope::system); };
  switch (what) {
    case litmus::fetch_add:
      // Each value from 0 on is returned once, so their sum is known too.
      o.wrong += detail::difference(left(board.counter), n);
      if (o.wrong == 0 && sum != n * (n - 1) / 2) o.wrong = 1;
      break;
    case litmus::exchange:
      o.wrong += detail::difference(left(board.box), n + 1);
      if (o.wrong == 0 && sum != n * (n + 1) / 2) o.wrong = 1;
      break;
    case litmus::message:
      break;
    case litmus::lock:
      for (const std::uint64_t word : board.guarded)
        if (word != n) {
          o.wrong += detail::difference(word, n);
          break;
        }
      break;
  }
  if (!all_began) {
    o.verdict = litmus_verdict::absent;
  } else if (o.wrong != 0) {
    o.verdict = litmus_verdict::wrong;
  } else if (o.met == 0) {
    o.verdict = litmus_verdict::never_met;
  } else {
    o.verdict = all_finished ? litmus_verdict::passed : litmus_verdict::gave_up;
  }
  return o;
}

}  // namespace mgws
