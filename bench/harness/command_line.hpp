/// \file
/// What the programs' command lines have in common.
#pragma once

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <unistd.h>

namespace mgws::bench {

/// Exit codes of all programs.
enum exit_code { k_right = 0, k_wrong = 1, k_bad_usage = 2, k_not_possible = 3 };

/// What the user called: a program with AMD GPUs is one of its own.
[[nodiscard]] inline const char* program_name() {
  return program_invocation_short_name;
}

/// Parses a whole number strictly: no sign, no leading zero, nothing behind it, no overflow.
[[nodiscard]] inline bool parse_whole_number(std::string_view text, std::uint64_t& value) {
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end && (text.size() == 1 || text.front() != '0');
}

/// Stricter than CLI11, some versions of which read -1 as 2^64 - 1, 010 as 8, and cut what is too
/// large.
[[nodiscard]] inline CLI::Validator whole_number(std::uint64_t least = 0,
                                                 std::uint64_t most = ~std::uint64_t{0}) {
  return CLI::Validator(
      [least, most](std::string& text) {
        std::uint64_t value = 0;
        if (parse_whole_number(text, value) && value >= least && value <= most)
          return std::string();
        return "'" + text + "' is not a whole number from " + std::to_string(least) + " to " +
               std::to_string(most);
      },
      "");
}

/// A line on the terminal's standard error that says how far something has come, for a person who
/// waits. Removed when it is over; nothing is written where no person looks.
class progress_line {
 public:
  progress_line() : shown_(::isatty(STDERR_FILENO) != 0) {}
  ~progress_line() { clear(); }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  [[nodiscard]] bool shown() const { return shown_; }

  /// Shows the text, at most five times a second and not in the first half second.
  void update(const std::string& text) {
    const auto now = clock::now();
    if (!shown_ || now < next_) return;
    next_ = now + std::chrono::milliseconds(200);
    drawn_ = true;
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
  }
  void clear() {
    if (drawn_) std::fputs("\r\033[K", stderr);
    drawn_ = false;
  }

 private:
  using clock = std::chrono::steady_clock;
  bool shown_;
  bool drawn_ = false;
  clock::time_point next_ = clock::now() + std::chrono::milliseconds(500);
};

}  // namespace mgws::bench
