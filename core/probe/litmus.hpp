/// \file
/// Litmus runs: two participants do to shared memory what the queue protocol does to it, at the
/// same time, and keep books from which the host can tell whether anything went wrong
/// (verdict.hpp).
///
/// A participant is one lane of one worker, on any device: blocks of one GPU, blocks of two, a
/// block and a thread. Where the memory lies is the host's choice.
///
/// No participant waits for another one without a bound that the host sets. They meet in words of
/// their own, each written by one participant alone, so that meeting needs no read-modify-write:
/// whether those work is what the run is to find out.
#pragma once

#include <cstddef>
#include <cstdint>

#include <mgws/core/order.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// What is tried. Each stands for a step of the queue protocol.
enum class litmus : std::uint8_t {
  fetch_add,  ///< claims: everybody adds 1 to one word; no addition is lost, none is seen twice
  exchange,   ///< a token is taken and put back by exchange; never lost, never there twice
  message,    ///< plain data behind a release store, read behind an acquire load: never stale
  lock        ///< locked by exchange, unlocked by a release store: protects plain data
};
inline constexpr std::uint32_t k_litmuses = 4;
inline constexpr std::uint32_t k_litmus_participants = 2;
/// Keeps what different participants write apart; the same for all backends, which share a board.
inline constexpr std::size_t k_litmus_line = 128;

/// How a participant's part ended, the worst first.
enum class litmus_end : std::uint32_t {
  never_began,  ///< this participant never ran
  absent,       ///< it ran, and the other one never came
  gave_up,      ///< it waited for the other one in vain
  finished
};

/// A participant's books of one litmus run.
struct litmus_record {
  litmus_end end = litmus_end::never_began;
  std::uint64_t done = 0;         ///< additions, takes, messages, critical sections
  std::uint64_t sum = 0;          ///< of what fetch_add or exchange returned
  std::uint64_t met = 0;          ///< how often the other one had been there in between
  std::uint64_t faults = 0;       ///< what this participant saw itself that must not be
  std::uint64_t nanoseconds = 0;  ///< from the meeting to the end, on this participant's clock
};

/// How long everything may take.
struct litmus_bounds {
  std::uint32_t chosen = (1u << k_litmuses) - 1;  ///< bit i: the litmus run of that number
  std::uint64_t rounds = 0;                       ///< of each participant, at least
  /// A wait for the other participant ends after so many looks, and if the second is not 0, after
  /// so many nanoseconds. For a meeting, which the other one may be late for because it has been
  /// waiting in vain, it is 32 times as many looks, or four times as long.
  std::uint64_t looks = 0;
  std::uint64_t nanoseconds = 0;
};

/// Where participants meet, word r written by participant r alone, and everybody's books. In memory
/// that all of them, and the host, reach by loads and stores; all zero before a run.
template <class B>
struct litmus_meeting {
  struct seat {
    alignas(k_litmus_line) typename B::template atomic<std::uint32_t> at{};
  };
  seat seats[k_litmus_participants];
  litmus_record books[k_litmuses][k_litmus_participants];
};

/// What they do it to; in the memory that is tried. As constructed before each run.
template <class B>
struct litmus_board {
  static constexpr std::uint32_t words = 16;  ///< of 8 bytes: a message, or what a lock protects

  alignas(k_litmus_line) typename B::template atomic<std::uint64_t> counter{};
  /// The token, a number that grows with each take; 0 while somebody has it.
  alignas(k_litmus_line) typename B::template atomic<std::uint64_t> box{1};
  alignas(k_litmus_line) typename B::template atomic<std::uint64_t> lock{};
  alignas(k_litmus_line) std::uint64_t guarded[words] = {};

  /// Participant r's messages, and the number of the last one.
  struct post {
    alignas(k_litmus_line) std::uint64_t letter[words] = {};
    alignas(k_litmus_line) typename B::template atomic<std::uint64_t> sent{};
  };
  post posts[k_litmus_participants];
};

/// A litmus run as its participants are given it, by value. Their backends may differ: a board and
/// a meeting are laid out alike for all. Every pointer is one that each of them may follow.
struct litmus_run {
  void* board = nullptr;    ///< `litmus_board<B>`, in the memory that is tried
  void* meeting = nullptr;  ///< `litmus_meeting<B>`
  litmus_bounds bounds{};
};

/// One participant.
/// \tparam B      its backend
/// \tparam Scope  at which the board is reached
template <class B, class Scope>
class litmus_participant {
  using board = litmus_board<B>;
  using meeting = litmus_meeting<B>;

 public:
  /// \param rank  0 or 1
  MGWS_FN litmus_participant(const litmus_run& run, std::uint32_t rank)
      : board_(*static_cast<board*>(run.board)),
        meeting_(*static_cast<meeting*>(run.meeting)),
        run_(run),
        rank_(rank) {}

  /// Everything that the bounds choose, in the order of litmus. The other participant must be
  /// started too, at any time before this one has given up waiting for it.
  MGWS_FN void run() {
    for (step_ = 0; step_ != k_litmuses; ++step_) {
      if ((run_.bounds.chosen >> step_ & 1) == 0) continue;
      record_ = {};
      satisfied_ = false;
      say(here());
      const bool met = wait([&] { return other_said(here()); }, 32, 4);
      const std::uint64_t began = B::now();
      record_.end = !met ? litmus_end::absent : part() ? litmus_end::finished : litmus_end::gave_up;
      record_.nanoseconds = B::now() - began;
      meeting_.books[step_][rank_] = record_;
      say(met ? over() : k_gone);
      if (!met) return;
    }
  }

 private:
  // What a seat says; never less than before.
  static constexpr std::uint32_t k_gone = ~0u;
  [[nodiscard]] MGWS_FN std::uint32_t here() const { return 2 * step_ + 1; }
  [[nodiscard]] MGWS_FN std::uint32_t over() const { return 2 * step_ + 2; }
  /// Asking the other one's seat may cost as much as the operation under test.
  static constexpr std::uint64_t k_between_questions = 16;
  /// Fewer turns would show little.
  static constexpr std::uint64_t k_turns = 16;

  /// A wait with its bounds.
  class patience {
   public:
    MGWS_FN explicit patience(const litmus_bounds& b, std::uint64_t more_looks = 1,
                              std::uint64_t more_time = 1)
        : most_(b.looks * more_looks),
          longest_(b.nanoseconds * more_time),
          began_(longest_ != 0 ? B::now() : 0) {}
    /// After a look in vain. \return false: enough
    MGWS_FN bool again() {
      if (++looks_ >= most_) return false;
      // Threads may have to share a processor. A block never has to: it looks at once.
      if constexpr (B::parking::sleeps) {
        if (looks_ > k_free_looks) backoff_.pause();
      }
      return longest_ == 0 || looks_ % 64 != 0 || B::now() - began_ < longest_;
    }

   private:
    static constexpr std::uint64_t k_free_looks = 1024;
    std::uint64_t most_;
    std::uint64_t longest_;
    std::uint64_t began_;
    std::uint64_t looks_ = 0;
    [[no_unique_address]] typename B::backoff backoff_{};
  };

  MGWS_FN void say(std::uint32_t word) {
    B::store(meeting_.seats[rank_].at, word, order::release, scope::system);
  }
  [[nodiscard]] MGWS_FN bool other_said(std::uint32_t word) const {
    return B::load(meeting_.seats[1 - rank_].at, order::acquire, scope::system) >= word;
  }
  /// \return false: in vain
  template <class There>
  [[nodiscard]] MGWS_FN bool wait(There&& there, std::uint64_t more_looks = 1,
                                  std::uint64_t more_time = 1) const {
    patience p(run_.bounds, more_looks, more_time);
    while (!there())
      if (!p.again()) return false;
    return true;
  }
  /// Whether both have done their rounds and taken turns often enough. Until then both keep at it,
  /// else a fast one would be alone, and then the other.
  [[nodiscard]] MGWS_FN bool both_done() {
    if (record_.done < run_.bounds.rounds || record_.met < k_turns) return false;
    if (!satisfied_) say(over());
    satisfied_ = true;
    return record_.done % k_between_questions == 0 && other_said(over());
  }

  /// Turns at a number that each of them makes one larger.
  /// \param more  how many times as long as for one wait, behind the rounds
  /// \param turn  turn(found) -> false: it waited in vain; else `found` is the number before it
  template <class Turn>
  [[nodiscard]] MGWS_FN bool take_turns(std::uint64_t more, Turn&& turn) {
    patience whole(run_.bounds, more);
    std::uint64_t next = 0;
    while (!both_done()) {
      if (record_.done > run_.bounds.rounds && !whole.again()) return false;
      std::uint64_t found = 0;
      if (!turn(found)) return false;
      record_.met += record_.done != 0 && found != next ? 1 : 0;
      next = found + 1;
      record_.sum += found;
      ++record_.done;
    }
    return true;
  }

  [[nodiscard]] MGWS_FN bool part() {
    switch (static_cast<litmus>(step_)) {
      case litmus::fetch_add:
        return take_turns(1, [&](std::uint64_t& found) {
          found = B::fetch_add(board_.counter, 1, order::relaxed, Scope{});
          return true;
        });
      case litmus::exchange:
        return take_turns(8, [&](std::uint64_t& token) {
          const auto take = [&] {
            token = B::exchange(board_.box, 0, order::relaxed, Scope{});
            return token != 0;
          };
          if (!wait(take)) return false;
          // A box that is not empty now holds a second token.
          const auto there = B::exchange(board_.box, token + 1, order::relaxed, Scope{});
          record_.faults += there != 0 ? 1 : 0;
          return true;
        });
      case litmus::message:
        for (std::uint64_t round = 1; round <= run_.bounds.rounds; ++round) {
          if (rank_ == 0) send(round);
          if (!receive(round)) return false;
          if (rank_ == 1) send(round);
        }
        return true;
      case litmus::lock:
        return take_turns(8, [&](std::uint64_t& found) {
          linger();
          const auto lock = [&] {
            return B::exchange(board_.lock, 1, order::acquire, Scope{}) == 0;
          };
          if (!wait(lock)) return false;
          found = board_.guarded[0];
          for (const std::uint64_t& word : board_.guarded)
            record_.faults += word != found ? 1 : 0;
          linger();
          for (std::uint64_t& word : board_.guarded)
            word = found + 1;
          B::store(board_.lock, 0, order::release, Scope{});
          return true;
        });
    }
    return false;
  }

  // A letter is written over only after the answer to it, so plain accesses never meet.
  MGWS_FN void send(std::uint64_t round) {
    auto& post = board_.posts[rank_];
    for (std::uint32_t i = 0; i != board::words; ++i)
      post.letter[i] = round * board::words + i;
    B::store(post.sent, round, order::release, Scope{});
  }
  [[nodiscard]] MGWS_FN bool receive(std::uint64_t round) {
    const auto& post = board_.posts[1 - rank_];
    if (!wait([&] { return B::load(post.sent, order::acquire, Scope{}) >= round; })) return false;
    for (std::uint32_t i = 0; i != board::words; ++i)
      record_.faults += post.letter[i] != round * board::words + i ? 1 : 0;
    ++record_.met;
    ++record_.done;
    return true;
  }

  /// About as long inside as outside: where the lock kept nobody out, the two would meet inside.
  /// And whoever has just unlocked is the nearest to lock again: it would keep a slower one out.
  MGWS_FN void linger() const {
    std::uint32_t pauses = 5;
    // Threads that share a processor take turns where one gives it away: inside, too.
    if constexpr (B::parking::sleeps) {
      if (record_.done % 32 == 0) pauses = 20;
    }
    typename B::backoff pause;
    for (std::uint32_t i = 0; i != pauses; ++i)
      pause.pause();
  }

  board& board_;
  meeting& meeting_;
  litmus_run run_;
  std::uint32_t rank_;
  std::uint32_t step_ = 0;
  bool satisfied_ = false;  ///< with this step, as far as this participant goes
  litmus_record record_{};
};

}  // namespace mgws
