/// \file
/// Telling the caller how far a run has come, and noticing that it goes no further.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include <mgws/options.hpp>

namespace mgws {

/// Its clock is its own looks: none of them counts for more than the interval between two, so that
/// what passed while nobody could work (SIGSTOP, a debugger, a suspended machine) is no time
/// without progress.
class progress_watch {
 public:
  using clock = std::chrono::steady_clock;

  explicit progress_watch(const options& o, clock::time_point now = clock::now())
      : options_(o), last_look_(now) {}

  /// Whether anybody wants to know.
  [[nodiscard]] bool wanted() const { return limited() || options_.on_progress; }
  /// How long to wait between two looks.
  [[nodiscard]] std::chrono::duration<double> interval() const {
    const std::chrono::duration<double> five_a_second{0.2};
    return limited() ? std::min(five_a_second, options_.timeout / 8) : five_a_second;
  }

  /// \param tasks  run so far; \param beats  signs of life of tasks that run long
  /// \param rests  there is nothing to do, for the time being
  /// \return whether nothing has changed for the timeout. What on_progress throws is passed on.
  [[nodiscard]] bool stuck(std::uint64_t tasks, std::uint64_t beats,
                           clock::time_point now = clock::now(), bool rests = false) {
    if (options_.on_progress) options_.on_progress(tasks);
    if (!limited()) return false;
    const std::chrono::duration<double> since = now - std::exchange(last_look_, now);
    if (rests || tasks + beats != last_seen_) {
      last_seen_ = tasks + beats;
      unchanged_ = std::chrono::duration<double>(0);
      return false;
    }
    unchanged_ += std::min(since, interval());
    return unchanged_ >= options_.timeout;
  }

  /// What is said of a run that is stuck, of whose workers so many did not stop when told.
  /// \param where  on which devices those are, if that is known
  [[nodiscard, gnu::cold, gnu::noinline]] std::string complaint(
      std::uint32_t lost, const std::string& where = {}) const {
    std::string what = "no task ended for " + std::to_string(options_.timeout.count()) + " s";
    if (lost != 0)
      what += ", and " + std::to_string(lost) + " worker(s)" + where + " did not stop when told";
    return what;
  }

 private:
  [[nodiscard]] bool limited() const { return options_.timeout.count() > 0; }

  const options& options_;
  std::uint64_t last_seen_ = ~std::uint64_t{0};
  clock::time_point last_look_;
  std::chrono::duration<double> unchanged_{0};
};

}  // namespace mgws
