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
#include <unistd.h>

#include <mgws/backends/cpu/backend.hpp>

namespace mgws::cpu_backend {

/// The processors that a thread may run on; empty if the system does not say.
/// \param thread  as the system numbers them; 0: the calling one
[[nodiscard]] inline std::vector<int> processors_of(pid_t thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> all;
  if (sched_getaffinity(thread, sizeof set, &set) != 0) return all;
  for (int p = 0; p != CPU_SETSIZE; ++p)
    if (CPU_ISSET(p, &set)) all.push_back(p);
  return all;
}

/// The processors that this process may run on: those of its first thread, which taskset and batch
/// systems set and others inherit. Whoever asks may be bound to one of them.
[[nodiscard]] inline std::vector<int> usable_processors() {
  std::vector<int> all = processors_of(getpid());
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

/// A thread bound to one processor for as long as it takes to wake it. Takes no memory: it is used
/// where nobody could be told that there is none.
class short_binding {
 public:
  /// Binds a thread that sleeps, if it may run there. That the system may refuse makes nothing
  /// wrong.
  void begin(pthread_t thread, int processor) noexcept {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(processor, &here);
    at_ = pthread_setaffinity_np(thread, sizeof here, &here) == 0 ? processor : -1;
  }
  /// What the thread may run on, before begin(). \return false if the system does not say
  [[nodiscard]] bool look(pthread_t thread) noexcept {
    CPU_ZERO(&before_);
    return pthread_getaffinity_np(thread, sizeof before_, &before_) == 0;
  }
  [[nodiscard]] const cpu_set_t& before() const noexcept { return before_; }
  /// By the thread, when it is awake. If it is bound elsewhere by now, somebody else wants it
  /// there.
  void end() noexcept {
    if (at_ < 0) return;
    cpu_set_t now;
    CPU_ZERO(&now);
    const bool ours = pthread_getaffinity_np(pthread_self(), sizeof now, &now) == 0 &&
                      CPU_COUNT(&now) == 1 && CPU_ISSET(static_cast<unsigned>(at_), &now) != 0;
    if (ours) static_cast<void>(pthread_setaffinity_np(pthread_self(), sizeof before_, &before_));
    at_ = -1;
  }

 private:
  cpu_set_t before_{};
  int at_ = -1;  ///< -1: not bound
};

/// Where the sleeping threads of a pool wake up. Left to itself, the system often wakes several on
/// one processor, beside the thread that launches, and needs milliseconds to spread them. So each
/// is bound to a processor of its own for its wake-up, the one where it last ran if no other thread
/// waits there, and when it wakes it may again run wherever it might before. While it sleeps it has
/// the processors that it was given, so that they can be looked at and changed from outside
/// (taskset); it is woken on one of those.
///
/// Guarded by its pool's mutex.
class seats {
 public:
  explicit seats(std::uint32_t threads)
      : processors_(usable_processors()),
        each_(static_cast<std::uint32_t>((threads + processors_.size() - 1) / processors_.size())),
        taken_(processors_.size()) {}

  /// Before threads look for seats again.
  void clear() noexcept { std::fill(taken_.begin(), taken_.end(), 0u); }

  /// The processor for a thread that may run on these; -1 if there is none left for it.
  /// \param preferred  the processor that it would like; -1: none
  [[nodiscard]] int take(int preferred, const cpu_set_t& allowed) noexcept {
    const auto free = [&](std::size_t i) {
      return taken_[i] < each_ && CPU_ISSET(static_cast<unsigned>(processors_[i]), &allowed) != 0;
    };
    std::size_t at = processors_.size();
    for (std::size_t i = 0; i != processors_.size(); ++i)
      if (free(i) && (at == processors_.size() || processors_[i] == preferred)) at = i;
    if (at == processors_.size()) return -1;
    ++taken_[at];
    return processors_[at];
  }

 private:
  std::vector<int> processors_;
  std::uint32_t each_;  ///< threads a processor
  std::vector<std::uint32_t> taken_;
};

/// A fixed number of threads, which run wherever the process may, whoever makes the pool. One
/// launch at a time. Nothing that a thread does for the pool takes memory.
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
    const bool elsewhere = processors_of(0) != processors;
    threads_.reserve(threads);
    try {
      for (std::uint32_t i = 0; i != threads; ++i) {
        threads_.emplace_back([s = state_, i, pin] { serve(*s, i, !pin); });
        if (!pin) {
          // A thread begins with the processors of the one that makes it.
          if (elsewhere) static_cast<void>(bind(threads_.back().native_handle(), processors));
          continue;
        }
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
  /// their closure holds. In a process that was forked off there is none to join.
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
      find_seats();
      for (member& m : state_->members)
        m.busy = true;
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
  /// What is known of a thread.
  struct member {
    bool busy = false;    ///< with a body
    bool asleep = false;  ///< or about to be, and to be woken
    bool moves = false;   ///< is not bound for good
    int last = -1;        ///< the processor where it last ran; -1: none yet
    short_binding wake_up;
  };

  struct state {
    state(std::uint32_t workers, bool launcher_works)
        : first(launcher_works ? 1 : 0),
          stays_awake(workers <= usable_processors().size()),
          waiting(workers),
          members(workers - first) {}
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
    std::vector<member> members;
    bool closing = false;
  };

  /// A processor for each thread: first for those that run, then for those that are to be woken.
  void find_seats() noexcept {
    seats& all = state_->waiting;
    all.clear();
    short_binding of;
    if (state_->first != 0 && of.look(pthread_self()))
      static_cast<void>(all.take(sched_getcpu(), of.before()));
    for (const bool asleep : {false, true})
      for (std::uint32_t i = 0; i != size(); ++i) {
        member& m = state_->members[i];
        const pthread_t thread = threads_[i].native_handle();
        if (m.asleep != asleep || !m.wake_up.look(thread)) continue;
        const int seat = all.take(m.last, m.wake_up.before());
        if (asleep && m.moves && seat >= 0) m.wake_up.begin(thread, seat);
      }
  }

  void close() {
    if (getpid() != made_in_) {
      // Their mutex may be held by one of the threads, none of which is here to give it back.
      for (std::thread& t : threads_)
        t.detach();
      return;
    }
    {
      const std::scoped_lock lock(state_->mutex);
      state_->closing = true;
    }
    state_->wake.notify_all();
    for (std::uint32_t i = 0; i != threads_.size(); ++i) {
      bool lost = false;
      {
        const std::scoped_lock lock(state_->mutex);
        lost = state_->running != 0 && state_->members[i].busy;
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
    member& me = s.members[i];
    for (;;) {
      static_cast<void>(
          s.looks_for([&] { return s.launches.load(std::memory_order_relaxed) != served; }));
      std::shared_ptr<std::function<void(std::uint32_t)>> body;
      short_binding woken;
      {
        std::unique_lock lock(s.mutex);
        me.asleep = true;
        me.moves = moves;
        s.wake.wait(lock, [&] { return s.closing || s.launches != served; });
        me.asleep = false;
        woken = std::exchange(me.wake_up, {});
        if (s.launches == served) return;
        served = s.launches;
        body = s.body;
      }
      woken.end();
      (*body)(s.first + i);
      body.reset();
      const std::scoped_lock lock(s.mutex);
      me.busy = false;
      me.last = sched_getcpu();
      if (--s.running == 0) s.done.notify_all();
    }
  }

  const pid_t made_in_ = getpid();
  std::shared_ptr<state> state_;
  std::vector<std::thread> threads_;
};

}  // namespace mgws::cpu_backend
