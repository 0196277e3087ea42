/// \file
/// The queue word: the 64-bit metadata of a public queue, on which a thief discovers and claims
/// work with one fetch-and-add (SWS section 4, MGWS section 4.4).
///
///     63            40  39   38    37         19 18          0
///     | attempts (24) |lock|epoch|  initial (19) |  tail (19)  |
///
/// The attempts stand at the top so that their overflow would leave the word instead of reaching
/// the lock; the number of attempts is bounded all the same (hazard 1).
#pragma once

#include <cstdint>

#include <mgws/core/steal_sequence.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Field widths. The defaults are the real ones; a checker instantiates small ones to reach
/// wrap-around.
template <unsigned AttemptBits = 24, unsigned InitialBits = 19, unsigned TailBits = 19>
struct word_layout {
  static_assert(AttemptBits + 1 + 1 + InitialBits + TailBits <= 64,
                "mgws: the fields of the queue word do not fit into 64 bits");

  using word = std::uint64_t;

  /// Largest capacity of a public queue, in slots. One below the field's range, so that a full
  /// ring never looks empty (hazard 18).
  static constexpr std::uint32_t max_capacity =
      (1u << (InitialBits < TailBits ? InitialBits : TailBits)) - 1;
  /// Attempts that the word can count in one epoch.
  static constexpr std::uint64_t max_attempts = (std::uint64_t{1} << AttemptBits) - 1;

  static constexpr unsigned epoch_shift = InitialBits + TailBits;
  static constexpr unsigned lock_shift = epoch_shift + 1;
  static constexpr unsigned attempt_shift = lock_shift + 1;

  /// What a thief adds.
  static constexpr word one_attempt = word{1} << attempt_shift;
  /// What an owner exchanges in: no tasks, so that an attempt added under the lock claims nothing.
  static constexpr word locked = word{1} << lock_shift;

  struct fields {
    std::uint32_t attempts;  ///< steal attempts in this epoch; may exceed the number of steps
    bool lock;               ///< an owner is changing the queue; counts as empty
    std::uint32_t epoch;     ///< 0 or 1: which completion counter the thieves of this batch add to
    std::uint32_t initial;   ///< slots in the batch when the epoch began
    std::uint32_t tail;      ///< ring position of the oldest slot of the batch

    [[nodiscard]] MGWS_FN constexpr std::uint32_t claimed() const {
      return steal_sequence::claimed(initial, attempts);
    }
    [[nodiscard]] MGWS_FN constexpr std::uint32_t remaining() const {
      return steal_sequence::remaining(initial, attempts);
    }
    /// What the thief receives whose add returned this word.
    [[nodiscard]] MGWS_FN constexpr std::uint32_t block() const {
      return lock ? 0 : steal_sequence::block(initial, attempts);
    }
  };

  [[nodiscard]] MGWS_FN static constexpr word encode(const fields& f) {
    return word{f.attempts} << attempt_shift | word{f.lock} << lock_shift |
           word{f.epoch} << epoch_shift | word{f.initial} << TailBits | word{f.tail};
  }

  [[nodiscard]] MGWS_FN static constexpr fields decode(word w) {
    return {.attempts = static_cast<std::uint32_t>(w >> attempt_shift & max_attempts),
            .lock = (w >> lock_shift & 1) != 0,
            .epoch = static_cast<std::uint32_t>(w >> epoch_shift & 1),
            .initial = static_cast<std::uint32_t>(w >> TailBits & ((1u << InitialBits) - 1)),
            .tail = static_cast<std::uint32_t>(w & ((1u << TailBits) - 1))};
  }

  /// Slots that a thief who looks at this word may hope for; a locked queue counts as empty
  /// (hazard 2), and the exchanged word has no tasks anyway.
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t available(word w) {
    const fields f = decode(w);
    return f.lock ? 0 : f.remaining();
  }
};

}  // namespace mgws
