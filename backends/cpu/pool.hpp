/// \file
/// The CPU backend's host side: threads that wait for the next run, first a tenth of a millisecond
/// awake, then without using a processor.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>

#include <mgws/backends/cpu/backend.hpp>

namespace mgws::cpu_backend {

/// The processors that this process may run on.
[[nodiscard]] inline std::vector<int> usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> all;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int p = 0; p != CPU_SETSIZE; ++p)
      if (CPU_ISSET(p, &set)) all.push_back(p);
  }
  if (all.empty())
    for (unsigned p = 0; p != std::max(1u, std::thread::hardware_concurrency()); ++p)
      all.push_back(static_cast<int>(p));
  return all;
}

/// Binds a thread to these processors. \return the system's error, 0 if there was none
inline int bind(pthread_t thread, const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int p : processors)
    CPU_SET(p, &set);
  return pthread_setaffinity_np(thread, sizeof set, &set);
}

/// Where the waiting threads of a pool wake up. Left to itself, the system often wakes several on
/// one processor, beside the thread that launches, and needs milliseconds to spread them. So each
/// waits bound to a processor of its own, the one where it last ran if no other thread waits there,
/// and when it wakes it may again run wherever the process may.
///
/// Guarded by its pool's mutex, but for stay_at and leave.
class seats {
 public:
  explicit seats(std::uint32_t threads)
      : processors_(usable_processors()),
        each_(static_cast<std::uint32_t>((threads + processors_.size() - 1) / processors_.size())),
        taken_(processors_.size()) {}

  /// Before threads look for seats again.
  void clear() { std::fill(taken_.begin(), taken_.end(), 0u); }

  /// The processor for a thread that is about to wait.
  [[nodiscard]] int take(int preferred) {
    const auto free = [&](std::size_t i) { return taken_[i] < each_; };
    std::size_t at = processors_.size();
    for (std::size_t i = 0; i != processors_.size(); ++i)
      if (free(i) && (at == processors_.size() || processors_[i] == preferred)) at = i;
    if (at == processors_.size()) return preferred;  // a thread that began after the first launch
    ++taken_[at];
    return processors_[at];
  }

  /// Binds the calling thread. That the system may refuse makes nothing wrong.
  static void stay_at(int processor) { static_cast<void>(bind(pthread_self(), {processor})); }
  /// Frees the calling thread.
  void leave() const { static_cast<void>(bind(pthread_self(), processors_)); }

 private:
  std::vector<int> processors_;
  std::uint32_t each_;  ///< threads a processor
  std::vector<std::uint32_t> taken_;
};

/// A fixed number of threads. One launch at a time.
class pool {
 public:
  /// \param workers  as many threads, or one less
  /// \param pin  bind thread i to the i-th usable processor, wrapping around
  /// \param launcher_works  whether whoever launches is worker 0, for which there is then no
  /// thread;
  ///                        it is never bound
  /// \throws std::system_error if the system refuses a thread or a binding
  pool(std::uint32_t workers, bool pin, bool launcher_works)
      : state_(std::make_shared<state>(workers, launcher_works)) {
    const std::uint32_t threads = workers - state_->first;
    const auto processors = usable_processors();
    threads_.reserve(threads);
    try {
      for (std::uint32_t i = 0; i != threads; ++i) {
        threads_.emplace_back([s = state_, i, pin] { serve(*s, i, !pin); });
        if (!pin) continue;
        const int e = bind(threads_.back().native_handle(), {processors[i % processors.size()]});
        if (e != 0) throw std::system_error(e, std::generic_category(), "pthread_setaffinity_np");
      }
    } catch (...) {
      close();
      throw;
    }
  }
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  /// Joins all threads but those that never came back from a run: these are left behind, with what
  /// their closure holds.
  ~pool() { close(); }

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(threads_.size()); }

  /// Starts body(i) for every worker i; returns after body(0), if that is the launching thread's.
  /// The body must not throw; it is kept until the next launch or the end of the last thread that
  /// runs it.
  void launch(std::function<void(std::uint32_t)> body) {
    const auto kept = std::make_shared<std::function<void(std::uint32_t)>>(std::move(body));
    {
      const std::scoped_lock lock(state_->mutex);
      state_->body = kept;
      state_->running = size();
      state_->busy.assign(size(), true);
      state_->seat_launcher();
      state_->launches.fetch_add(1, std::memory_order_relaxed);
    }
    state_->wake.notify_all();
    for (std::uint32_t i = 0; i != state_->first; ++i)
      (*kept)(i);
  }

  /// Waits until all threads came back, or the time is up. \return whether all came back
  template <class Rep, class Period>
  bool wait_for(std::chrono::duration<Rep, Period> time) {
    std::unique_lock lock(state_->mutex);
    return state_->done.wait_for(lock, time, [&] { return state_->running == 0; });
  }
  void wait() {
    if (state_->first != 0)
      state_->looks_for([&] { return state_->running.load(std::memory_order_relaxed) == 0; });
    std::unique_lock lock(state_->mutex);
    state_->done.wait(lock, [&] { return state_->running == 0; });
  }

  /// Threads that have not come back.
  [[nodiscard]] std::uint32_t running() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->running;
  }

  /// Drops the body and what it holds. \pre running() == 0
  void forget() {
    const std::scoped_lock lock(state_->mutex);
    state_->body.reset();
  }

 private:
  struct state {
    state(std::uint32_t workers, bool launcher_works)
        : first(launcher_works ? 1 : 0),
          stays_awake(workers <= usable_processors().size()),
          waiting(workers) {
      seat_launcher();
    }
    /// Waits awake, but not long: the system takes as long to wake a thread as a short run lasts.
    /// Only where each worker can have a processor.
    /// \return whether what is looked for is there
    template <class There>
    bool looks_for(There&& there) const {
      if (!stays_awake) return false;
      constexpr std::uint32_t looks_a_glance_at_the_clock = 64;
      const auto until = std::chrono::steady_clock::now() + k_awake;
      do {
        for (std::uint32_t i = 0; i != looks_a_glance_at_the_clock; ++i) {
          if (there()) return true;
          spin_then_yield::relax();
        }
      } while (std::chrono::steady_clock::now() < until);
      return false;
    }
    /// By the launching thread, before the others look for seats.
    void seat_launcher() {
      waiting.clear();
      if (first != 0) static_cast<void>(waiting.take(sched_getcpu()));
    }

    static constexpr std::chrono::microseconds k_awake{100};

    const std::uint32_t first;  ///< worker that has a thread here
    const bool stays_awake;
    /// Written under the mutex, as everything here; looked at without it.
    std::atomic<std::uint64_t> launches{0};
    std::atomic<std::uint32_t> running{0};
    std::mutex mutex;
    seats waiting;
    std::condition_variable wake;
    std::condition_variable done;
    std::shared_ptr<std::function<void(std::uint32_t)>> body;
    std::vector<bool> busy;
    bool closing = false;
  };

  void close() {
    {
      const std::scoped_lock lock(state_->mutex);
      state_->closing = true;
    }
    state_->wake.notify_all();
    for (std::uint32_t i = 0; i != threads_.size(); ++i) {
      bool lost = false;
      {
        const std::scoped_lock lock(state_->mutex);
        lost = state_->running != 0 && state_->busy[i];
      }
      if (lost) {
        threads_[i].detach();
      } else {
        threads_[i].join();
      }
    }
  }

  /// \param moves  whether the thread is not bound for good
  static void serve(state& s, std::uint32_t i, bool moves) {
    std::uint64_t served = 0;
    int seat = [&] {
      const std::scoped_lock lock(s.mutex);
      return s.waiting.take(sched_getcpu());
    }();
    for (;;) {
      const bool awake =
          s.looks_for([&] { return s.launches.load(std::memory_order_relaxed) != served; });
      if (moves && !awake) seats::stay_at(seat);
      std::shared_ptr<std::function<void(std::uint32_t)>> body;
      {
        std::unique_lock lock(s.mutex);
        s.wake.wait(lock, [&] { return s.closing || s.launches != served; });
        if (s.launches == served) return;
        served = s.launches;
        body = s.body;
      }
      if (moves && !awake) s.waiting.leave();
      (*body)(s.first + i);
      body.reset();
      const std::scoped_lock lock(s.mutex);
      s.busy[i] = false;
      seat = s.waiting.take(sched_getcpu());
      if (--s.running == 0) s.done.notify_all();
    }
  }

  std::shared_ptr<state> state_;
  std::vector<std::thread> threads_;
};

}  // namespace mgws::cpu_backend
