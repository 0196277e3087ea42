/// \file
/// What the host concludes from two participants' books of a litmus run and from the board as they
/// left it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

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

/// Each litmus run's outcome, by its number; of those that were chosen.
using litmus_outcomes = std::array<litmus_outcome, k_litmuses>;

/// \param records  of litmus `what`, one of each participant
/// \param board    after both have ended
template <class B>
[[nodiscard]] litmus_outcome judge(litmus what,
                                   const litmus_record (&records)[k_litmus_participants],
                                   const litmus_board<B>& board) {
  litmus_outcome o;
  std::uint64_t sum = 0;
  litmus_end end = litmus_end::finished;
  for (const litmus_record& r : records) {
    o.operations += r.done;
    o.wrong += r.faults;
    o.met += r.met;
    o.nanoseconds = std::max(o.nanoseconds, r.nanoseconds);
    sum += r.sum;
    end = std::min(end, r.end);
  }
  const std::uint64_t n = o.operations;
  const auto differs = [&](std::uint64_t is, std::uint64_t should) {
    o.wrong += is > should ? is - should : should - is;
  };
  // Each value from the first on is returned once, so their sum is known too.
  const auto counted = [&](const auto& word, std::uint64_t first) {
    differs(B::load(word, order::relaxed, scope::system), first + n);
    if (o.wrong == 0 && sum != n * first + n * (n - 1) / 2) o.wrong = 1;
  };
  switch (what) {
    case litmus::fetch_add:
      counted(board.counter, 0);
      break;
    case litmus::exchange:
      counted(board.box, 1);
      break;
    case litmus::message:
      break;
    case litmus::lock: {
      const auto* const other = std::ranges::find_if(board.guarded, [&](auto w) { return w != n; });
      if (other != std::end(board.guarded)) differs(*other, n);
      break;
    }
  }
  o.verdict = end < litmus_end::gave_up    ? litmus_verdict::absent
              : o.wrong != 0               ? litmus_verdict::wrong
              : o.met == 0                 ? litmus_verdict::never_met
              : end != litmus_end::gave_up ? litmus_verdict::passed
                                           : litmus_verdict::gave_up;
  return o;
}

/// All of a run; what was not chosen looks as if nobody had come.
/// \param meeting, board  as the participants left them
template <class B>
[[nodiscard]] litmus_outcomes judge(const litmus_meeting<B>& meeting,
                                    const litmus_board<B>& board) {
  litmus_outcomes all{};
  for (std::uint32_t k = 0; k != k_litmuses; ++k)
    all[k] = judge(static_cast<litmus>(k), meeting.books[k], board);
  return all;
}

}  // namespace mgws
