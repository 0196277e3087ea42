/// \file
/// Where idle CPU workers sleep: an event count (backend.hpp, parking_lot).
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mgws::cpu_backend {

/// A sleeper and a waker cannot miss each other: both use a read-modify-write of `sleepers_`, one
/// comes first. If the sleeper's does, the waker sees it and notifies; if the waker's does, the
/// sleeper's acquires what the waker published, and its last look finds it.
///
/// Sleepers wait for a word of the system's (futex) and hold no lock: those who are woken at once
/// need not wait for each other, as they would behind a condition variable's mutex.
class parking {
 public:
  static constexpr bool sleeps = true;
  using ticket = std::uint32_t;

  ticket prepare() {
    sleepers_.fetch_add(1, std::memory_order_acq_rel);
    return events_.load(std::memory_order_acquire);
  }
  void cancel(ticket /*t*/) { sleepers_.fetch_sub(1, std::memory_order_relaxed); }

  /// Returns after the next event, or after a while: were a wake-up ever lost, it would cost time
  /// and nothing else.
  void wait(ticket t) {
    constexpr timespec longest{.tv_sec = 0, .tv_nsec = 100'000'000};
    // Back at once if there was an event since. For no reason as well: its caller looks again.
    if (events_.load(std::memory_order_acquire) == t)
      static_cast<void>(call(FUTEX_WAIT_PRIVATE, t, &longest));
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
  }

  void notify_one() { notify(1); }
  void notify_all() { notify(INT_MAX); }

 private:
  void notify(int most) {
    if (sleepers_.fetch_add(0, std::memory_order_acq_rel) == 0) return;
    events_.fetch_add(1, std::memory_order_release);
    static_cast<void>(call(FUTEX_WAKE_PRIVATE, static_cast<std::uint32_t>(most), nullptr));
  }
  long call(int what, std::uint32_t value, const timespec* longest) {
    static_assert(sizeof events_ == sizeof value &&
                  std::atomic<std::uint32_t>::is_always_lock_free);
    return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&events_), what, value, longest,
                   nullptr, 0);
  }

  alignas(128) std::atomic<std::uint32_t> sleepers_{0};
  alignas(128) std::atomic<std::uint32_t> events_{0};
};

}  // namespace mgws::cpu_backend
