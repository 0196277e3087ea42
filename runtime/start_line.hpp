/// \file
/// Where those meet who start the workers of one run's coherence domains.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include <mgws/backends/cpu/backend.hpp>

namespace mgws {

/// Keeps any worker from beginning long before the others, and a run's end from waiting for threads
/// that have only just woken: kernels are launched when all threads are awake, and these begin when
/// all kernels are launched. For one run. Any thread.
class start_line {
 public:
  /// \param threads  of CPU workers \param launches  of kernels, each by a thread of its own
  start_line(std::uint32_t threads, std::uint32_t launches)
      : expected_(threads + launches), launches_(launches) {}
  start_line(const start_line&) = delete;
  start_line& operator=(const start_line&) = delete;

  /// By a CPU worker's thread. Waits awake: the system takes as long to wake a thread as a short
  /// run lasts.
  void thread_is_awake() {
    come();
    for (std::uint32_t i = 1; !(come_ == expected_ && launched_ == launches_) && !given_up_; ++i)
      if (i % k_looks != 0) {
        cpu_backend::spin_then_yield::relax();
      } else {
        std::this_thread::yield();
      }
  }
  /// By who is ready to launch kernels. Does not wait awake: a thread that is to be woken may need
  /// the processor.
  void wait_to_launch() {
    come();
    std::unique_lock lock(mutex_);
    all_there_.wait(lock, [&] { return come_ == expected_ || given_up_; });
  }
  void has_launched() { ++launched_; }

  /// Lets everybody go who waits or will.
  void give_up() {
    given_up_ = true;
    tell();
  }

 private:
  static constexpr std::uint32_t k_looks = 64;

  void come() {
    if (++come_ == expected_) tell();
  }
  void tell() {
    const std::scoped_lock lock(mutex_);
    all_there_.notify_all();
  }

  const std::uint32_t expected_;
  const std::uint32_t launches_;
  std::atomic<std::uint32_t> come_{0};
  std::atomic<std::uint32_t> launched_{0};
  std::atomic<bool> given_up_{false};
  std::mutex mutex_;
  std::condition_variable all_there_;
};

}  // namespace mgws
