/// \file
/// What the programs' command lines have in common.
#pragma once

#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

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

/// The shortest text that is read as the same number.
[[nodiscard]] inline std::string in_short(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
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

/// A number with or without a fraction, as strict.
[[nodiscard]] inline CLI::Validator number_between(double least, double most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        double value = 0;
        const char* const end = text.data() + text.size();
        const auto result = std::from_chars(text.data(), end, value);
        if (result.ec == std::errc() && result.ptr == end && value >= least && value <= most)
          return std::string();
        return "'" + text + "' is not a number from " + in_short(least) + " to " + in_short(most);
      },
      "");
}

/// A number that queues can have slots.
[[nodiscard]] inline CLI::Validator power_of_two(std::uint64_t least, std::uint64_t most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        std::uint64_t value = 0;
        if (parse_whole_number(text, value) && std::has_single_bit(value) && value >= least &&
            value <= most)
          return std::string();
        return "'" + text + "' is not a power of two from " + std::to_string(least) + " to " +
               std::to_string(most);
      },
      "");
}

/// The name of a file that is written. \param or_output  whether - stands for standard output
[[nodiscard]] inline CLI::Validator file_name(bool or_output = false) {
  return CLI::Validator(
      [or_output](std::string& text) {
        if (text.empty()) return std::string("the name of a file is needed, not ''");
        if (text == "-" && !or_output)
          return std::string("the name of a file is needed: './-' if it is '-'");
        return std::string();
      },
      "");
}

/// What is wrong with a command line, in one sentence. CLI11 names what it does not know in reverse
/// and with the words behind it.
[[nodiscard]] inline std::string complaint(const CLI::App& app, const CLI::ParseError& e) {
  if (dynamic_cast<const CLI::ExtrasError*>(&e) == nullptr) return e.what();
  const std::vector<std::string> unknown = app.remaining(true);
  std::string who = program_name();
  for (const CLI::App* command : app.get_subcommands())
    who += " " + command->get_name();
  const std::string help = ": '" + who + " --help' lists the options";
  for (const std::string& word : unknown)
    if (word.starts_with("-"))
      return (app.get_subcommands().empty() ? "there is"
                                            : app.get_subcommands().front()->get_name() + " has") +
             " no option " + word + help;
  return "'" + (unknown.empty() ? std::string() : unknown.front()) + "' is one word too many" +
         help;
}

/// The end of a program: its exit code, once what it has printed is written.
[[nodiscard]] inline int written(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  const int error = errno;
  std::fprintf(stderr, "%s: standard output cannot be written: %s\n", program_name(),
               std::strerror(error));
  return code == k_right ? int{k_not_possible} : code;
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
