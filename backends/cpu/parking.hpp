/// \file
/// Where idle CPU workers sleep: an event count (backend.hpp, parking_lot).
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace mgws::cpu_backend {

/// A sleeper and a waker cannot miss each other: both use a read-modify-write of `sleepers_`, one
/// comes first. If the sleeper's does, the waker sees it and notifies; if the waker's does, the
/// sleeper's acquires what the waker published, and its last look finds it.
class parking {
 public:
  static constexpr bool sleeps = true;
  using ticket = std::uint64_t;

  ticket prepare() {
    sleepers_.fetch_add(1, std::memory_order_acq_rel);
    const std::scoped_lock lock(mutex_);
    return events_;
  }
  void cancel(ticket /*t*/) { sleepers_.fetch_sub(1, std::memory_order_relaxed); }

  /// Returns after the next event, or after a while: were a wake-up ever lost, it would cost time
  /// and nothing else.
  void wait(ticket t) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, k_longest, [&] { return events_ != t; });
    }
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
  }

  void notify_one() {
    if (nobody()) return;
    raise();
    changed_.notify_one();
  }
  void notify_all() {
    if (nobody()) return;
    raise();
    changed_.notify_all();
  }

 private:
  static constexpr std::chrono::milliseconds k_longest{100};

  bool nobody() { return sleepers_.fetch_add(0, std::memory_order_acq_rel) == 0; }
  void raise() {
    const std::scoped_lock lock(mutex_);
    ++events_;
  }

  alignas(128) std::atomic<std::uint32_t> sleepers_{0};
  alignas(128) std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t events_ = 0;
};

}  // namespace mgws::cpu_backend
