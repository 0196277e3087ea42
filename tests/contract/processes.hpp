/// \file
/// Processes that share a run, as children of a test.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "behaviour.hpp"
#include "catch.hpp"

/// GCC's, where coverage is counted (tools/coverage): a child ends without a program's last steps.
extern "C" void __gcov_dump() __attribute__((weak));  // NOLINT(bugprone-reserved-identifier)

namespace contract {

/// Of a test's group: no two tests have the same.
inline std::string fresh_name() {
  static int number = 0;
  return "test-" + std::to_string(getpid()) + "-" + std::to_string(number++);
}
inline mgws::options of_group(const std::string& name, std::uint32_t rank, std::uint32_t ranks,
                              std::uint32_t workers = 1) {
  mgws::options o;
  o.workers = workers;
  o.processes = {.name = name, .rank = rank, .ranks = ranks};
  return o;
}

/// A child for each rank. What does not hold in one is said, and counts as wrong.
class children {
 public:
  using body = std::function<bool(std::uint32_t rank)>;
  children(std::uint32_t ranks, const body& holds) {
    for (std::uint32_t r = 0; r != ranks; ++r)
      start(r, holds);
  }
  children(const children&) = delete;
  children& operator=(const children&) = delete;
  ~children() { wrong(); }

  void start(std::uint32_t rank, const body& holds) {
    std::fflush(nullptr);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      int code = 1;
      try {
        code = holds(rank) ? 0 : 2;
        if (code != 0) std::fprintf(stderr, "rank %u: not what was to hold\n", rank);
      } catch (const std::exception& e) {
        std::fprintf(stderr, "rank %u: %s\n", rank, e.what());
      }
      std::fflush(nullptr);
      if (__gcov_dump != nullptr) __gcov_dump();
      std::_Exit(code);
    }
    all_.push_back(child);
  }
  void signal(std::uint32_t rank, int number) const { kill(all_[rank], number); }

  /// Waits for all. \return those that did not end as they should; one that was killed is right
  std::uint32_t wrong() {
    std::uint32_t n = 0;
    for (const pid_t child : all_) {
      int status = 0;
      while (waitpid(child, &status, 0) < 0) {
      }
      const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
      n += killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0) ? 0 : 1;
    }
    all_.clear();
    return n;
  }

 private:
  std::vector<pid_t> all_;
};

/// Whether f throws E, in one sentence about something.
template <class E, class F>
bool throws_about(F&& f, const std::string& about) {
  try {
    f();
  } catch (const E& e) {
    if (is_one_sentence_about(e.what(), about)) return true;
    std::fprintf(stderr, "%s\n", e.what());
  }
  return false;
}

}  // namespace contract
