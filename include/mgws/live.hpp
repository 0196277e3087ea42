/// \file
/// Live runs: work that arrives while a run goes on.
///
///     auto live = rt.start();
///     live.submit(request{...});      // from any thread
///     live.wait_idle();               // until what was submitted has ended, with all it spawned
///     const auto report = live.close();
///
/// After Chen, Villa, Krishnamoorthy, Gao, "Dynamic load balancing on single- and multi-GPU
/// systems" (IPDPS 2010): the workers stay, and tasks reach them without a launch.
#pragma once

// clang-format off
#include <mgws/headers_begin.hpp>  // before all others
// clang-format on

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <pthread.h>

#include <mgws/core/affinity.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/errors.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/initial_set.hpp>
#include <mgws/runtime/live_door.hpp>

namespace mgws {

namespace detail {

/// Knows the process that it was made in, without asking the system each time.
class home_process {
 public:
  home_process() : forks_(forks()) {}

  /// Whether this is that process, and not a child that has a copy of it.
  [[nodiscard]] bool is_this() const { return forks_ == forks(); }
  /// \throws not_possible if this is another one
  void check() const {
    if (!is_this())
      throw not_possible(
          "this runtime belongs to another process: fork() brings neither its workers nor its GPUs "
          "along; make a new one in each process");
  }

 private:
  /// By which this process came from the first one that asked.
  static std::uint32_t forks() {
    static std::atomic<std::uint32_t> n{0};
    [[maybe_unused]] static const int counted =
        pthread_atfork(nullptr, nullptr, [] { n.fetch_add(1, std::memory_order_relaxed); });
    return n.load(std::memory_order_relaxed);
  }

  std::uint32_t forks_;
};

}  // namespace detail

/// A run that goes on until it is closed. Made by runtime::start(), and must not outlive its
/// runtime, whose other functions stay as they are: a second run is refused meanwhile, cancel()
/// ends this one. Workers without work look for what is submitted; those of a CPU sleep when
/// nothing comes, those of a GPU do not, and keep it busy.
///
/// submit(), submit_n(), try_submit(), try_submit_n() and wait_idle() may be called by any thread.
/// As many threads as options::inboxes says can submit at once, and wait for each other only where
/// rings are full: who meets another one in a ring goes on to the next, so that each soon has its
/// own, of each device, and takes a lock that nobody else wants. More threads share rings, and wait
/// while another one writes a slot. What a thread wrote before it submitted is seen by the task.
/// Over CPU workers and GPUs tasks go to GPUs, but those that would rather run on the CPU
/// (affinity.hpp); from there they cross as others. Where work crosses, one CPU worker of each
/// domain stays awake.
///
/// After fork() the child's copy can only be destroyed; its other functions throw not_possible.
template <class Tasks, class Accumulators>
class live_run {
  using slot_type = slot<Tasks>;

 public:
  using report_type = report<Accumulators>;

  /// For runtime: begins a run. \param run  run(door): a run's report; called by a thread of its
  /// own
  template <class Run>
  explicit live_run(Run run) : state_(std::make_unique<state>()) {
    state_->runs = std::thread([run = std::move(run), s = state_.get()] {
      try {
        s->result = run(s->door);
      } catch (...) {
        s->thrown = std::current_exception();
      }
      s->door.shut();
    });
    if (!state_->door.opened() && state_->thrown) {
      state_->runs.join();
      std::rethrow_exception(std::exchange(state_->thrown, nullptr));
    }
  }
  live_run(live_run&&) noexcept = default;
  live_run& operator=(live_run&&) = delete;
  /// Closes it, if that was not done, and waits for its end; what went wrong is not said then.
  ~live_run() {
    if (state_ == nullptr || !state_->runs.joinable()) return;
    if (!state_->home.is_this()) {
      static_cast<void>(state_.release());  // its thread is not here, and may have held its locks
      return;
    }
    state_->door.close();
    state_->runs.join();
  }

  /// Hands a task to the workers. Waits while the thread's own rings are full; if that takes long,
  /// others' will do.
  /// \throws not_possible if the run is over, or closed
  template <class T>
  void submit(const T& t) {
    door().put(slot_of(t, 1), detail::affinity_of<T>());
  }
  /// The same, but does not wait for room. \return whether it was handed over: false if all rings
  /// are full, others' too
  template <class T>
  [[nodiscard]] bool try_submit(const T& t) {
    return door().try_put(slot_of(t, 1), detail::affinity_of<T>());
  }
  /// Hands n instances of a bulk task to the workers, as task(worker, i) for i in [0, n).
  /// \throws bad_configuration if n is larger than a slot can stand for: 2^32 - 1 for a set of one
  /// type, at least 2^28 - 1; not_possible as submit()
  template <class T>
  void submit_n(const T& t, std::uint64_t n) {
    if (check_count<T>(n) != 0) door().put(slot_of(t, n), detail::affinity_of<T>());
  }
  /// The same, but does not wait for room. \return whether they were handed over
  template <class T>
  [[nodiscard]] bool try_submit_n(const T& t, std::uint64_t n) {
    return check_count<T>(n) == 0 || door().try_put(slot_of(t, n), detail::affinity_of<T>());
  }

  /// Waits until all that was submitted until now, by this thread or as far as this thread knows by
  /// others, has ended, with all that it spawned, and with the initial set. Then what those tasks
  /// wrote to memory that the host reaches is seen. It takes a moment in which nobody works on
  /// anything else: while others go on submitting it may take long.
  /// \throws not_possible if the run is over before
  void wait_idle() const {
    if (!door().wait_until_ended()) throw not_possible("the live run is over: close() says why");
  }

  /// Lets nothing else in, waits until all has ended, and ends the run. To be called once, by one
  /// thread. \throws what runtime::run() throws
  report_type close() {
    state_->home.check();
    if (!state_->runs.joinable()) throw not_possible("the live run was closed before");
    state_->door.close();
    state_->runs.join();
    if (state_->thrown) std::rethrow_exception(std::exchange(state_->thrown, nullptr));
    return std::move(*state_->result);
  }

 private:
  struct state {
    live_door<slot_type> door;
    std::optional<report_type> result;
    std::exception_ptr thrown;
    std::thread runs;
    detail::home_process home;
  };

  [[nodiscard]] live_door<slot_type>& door() const {
    state_->home.check();
    return state_->door;
  }

  template <class T>
  static std::uint64_t check_count(std::uint64_t n) {
    static_assert(bulk_task<T, detail::any_worker>,
                  "mgws: submit_n needs a bulk task, with operator()(worker, index) const");
    check_instances<slot_type>(n, "submit");
    return n;
  }
  template <class T>
  static slot_type slot_of(const T& t, std::uint64_t n) {
    static_assert(Tasks::template contains<T>,
                  "mgws: submit of a task type that is not in the task_set");
    slot_type s;
    s.write(t, 0, static_cast<std::uint32_t>(n));
    return s;
  }

  std::unique_ptr<state> state_;
};

}  // namespace mgws

#include <mgws/headers_end.hpp>
