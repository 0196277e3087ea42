/// \file
/// What run() and the constructors of mgws throw. Every message is one sentence that says what is
/// wrong and, where that is known, what to change.
#pragma once

// clang-format off
#include <mgws/language.hpp>  // before all others
// clang-format on

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace mgws {

namespace detail {

/// A piece of a sentence: a text, or a whole number.
class piece {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a sentence is written as a list of texts and numbers
  piece(const char* text) : text_(text) {}
  piece(const std::string& text) : text_(text) {}
  piece(std::string_view text) : text_(text) {}
  template <std::unsigned_integral N>
  piece(N number) : number_(number) {}
  template <std::signed_integral N>
  piece(N number) : number_(static_cast<std::uint64_t>(number)), minus_(number < 0) {}
  // NOLINTEND(google-explicit-constructor)

  void append_to(std::string& to) const {
    if (text_.data() != nullptr) {
      to += text_;
      return;
    }
    if (minus_) to += '-';
    to += std::to_string(minus_ ? 0 - number_ : number_);
  }

 private:
  std::string_view text_;
  std::uint64_t number_ = 0;
  bool minus_ = false;
};

/// What messages are put together by: cold, because a compiler would spend more on messages than on
/// what they are about.
[[gnu::cold]] MGWS_SEPARABLE std::string sentence(std::initializer_list<piece> pieces);

/// Throws an error with such a message, out of line.
template <class Error>
[[noreturn, gnu::cold, gnu::noinline]] void refuse(std::initializer_list<piece> pieces) {
  throw Error(sentence(pieces));
}

}  // namespace detail

/// Base of all errors of mgws. What a run had found before one ended it:
/// runtime::report_of_failed_run().
class error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Options that do not fit: found before anything is started.
class bad_configuration : public error {
  using error::error;
};

/// The options are good but this machine cannot carry them out.
class not_possible : public error {
  using error::error;
};

/// A task called worker.fail(code).
class task_failed : public error {
 public:
  task_failed(std::uint32_t worker, std::uint64_t code)
      : error(detail::sentence({"a task on worker ", worker, " failed with code ", code})),
        code_(code) {}
  /// What the task gave to worker.fail(): the first code reported.
  [[nodiscard]] std::uint64_t code() const { return code_; }

 private:
  std::uint64_t code_;
};

/// Most slots of a spill area.
inline constexpr std::uint32_t k_most_spill = 1u << 30;

/// A spawn found no room: local queue, public queue and spill area of its worker were full.
class out_of_space : public error {
 public:
  out_of_space(std::uint32_t worker, std::uint64_t needed)
      : error(detail::sentence({"worker ", worker,
                                " ran out of space for tasks: its spill area needs ", needed,
                                " slots or more (", hint(needed), ")"})),
        needed_(needed) {}
  /// A spill area of fewer slots cannot be enough.
  [[nodiscard]] std::uint64_t needed() const { return needed_; }

 private:
  /// What the option takes is a power of two. Only the task is counted that found no room, and not
  /// those that were to come: with a size that has room for it and no more many runs would fail one
  /// after the other.
  static std::string hint(std::uint64_t needed) {
    if (needed > k_most_spill)
      return detail::sentence({"more than the ", k_most_spill,
                               " that it can have: spawn many instances as one slot, by spawn_n"});
    const std::uint64_t least = std::bit_ceil(needed);
    if (least == k_most_spill) return detail::sentence({"option spill: try ", least});
    return detail::sentence({"option spill: try ", std::min(4 * least, std::uint64_t{k_most_spill}),
                             ", at least ", least});
  }

  std::uint64_t needed_;
};

/// Most frames of a worker.
inline constexpr std::uint32_t k_most_frames = 1u << 20;

/// A join or a finish found no free frame: those of its worker's device were waiting, or with lanes
/// that have work. How many more it would have taken nobody knows: what was to be made later had
/// not been made.
class out_of_frames : public error {
 public:
  /// \param frames  that each worker has
  out_of_frames(std::uint32_t worker, std::uint64_t frames)
      : error(detail::sentence({"worker ", worker,
                                " made a join or a finish, and of the frames of its device, ",
                                frames, " a worker, none was free (", hint(frames), ")"})) {}

 private:
  /// What the option takes is a power of two.
  static std::string hint(std::uint64_t frames) {
    if (frames >= k_most_frames) return "as many as it can have: let fewer joins wait at once";
    return detail::sentence({"option frames: try ", 2 * frames, ", or a larger power of two"});
  }
};

/// Deliveries and places do not agree: a place was delivered twice, or a join did not get all its
/// parts; and, with it, a finish of which that is a part.
class bad_join : public error {
  using error::error;
};

/// No task ended and no heartbeat came for the timeout.
class no_progress : public error {
 public:
  no_progress(const std::string& what, std::string dump, std::uint32_t lost)
      : error(what), dump_(std::move(dump)), lost_(lost) {}
  /// The state of all queues and workers when the timeout was noticed; several lines.
  [[nodiscard]] const std::string& dump() const { return dump_; }
  /// Workers that did not stop when told; the runtime cannot run again. CPU workers' threads, and
  /// the memory of the run, are lost until the process ends. A GPU's kernel, once it does not stop,
  /// ends with the process only, and until then nothing else on that GPU may be called by it: leave
  /// by std::_Exit, which takes nothing apart.
  [[nodiscard]] std::uint32_t lost_workers() const { return lost_; }

 private:
  std::string dump_;
  std::uint32_t lost_;
};

/// A call of a GPU's library failed, or a kernel did (an illegal address, a failed assertion, an
/// uncorrectable memory error). After a kernel's failure the device's context is lost: nothing on
/// that GPU works any more until the process ends.
class device_error : public error {
 public:
  device_error(int device, const std::string& call, const std::string& reason,
               const std::string& file, std::uint32_t line)
      : error(detail::sentence({"GPU ", device, ": ", call, ": ", reason, " (",
                                file.substr(file.rfind('/') + 1), ":", line, ")"})),
        device_(device),
        call_(call),
        reason_(reason) {}
  /// The GPU's number, as the vendor's library counts them.
  [[nodiscard]] int device() const { return device_; }
  /// The call that failed.
  [[nodiscard]] const std::string& call() const { return call_; }
  /// The library's own words.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  int device_;
  std::string call_;
  std::string reason_;
};

/// Another process of the group (options::processes) has ended in the middle of a run, or its part
/// of the run has failed. After one that has ended, a runtime cannot run again: the others are to
/// make a new one each.
class process_failed : public error {
 public:
  /// \param why  in its own words; empty: it is gone
  process_failed(const std::string& group, std::uint32_t rank, const std::string& why)
      : error(detail::sentence(
            {"the process with rank ", rank, " of group '", group,
             why.empty() ? "' is gone, and with it the tasks that it held" : "' failed: ", why})),
        rank_(rank) {}
  /// Which of the processes that is.
  [[nodiscard]] std::uint32_t rank() const { return rank_; }

 private:
  std::uint32_t rank_;
};

/// A run ended in a state that a right run cannot end in. Please report it.
class internal_error : public error {
  using error::error;
};

}  // namespace mgws

#if !defined(MGWS_COMPILED_APART)
#include <mgws/impl/errors.hpp>
#endif
