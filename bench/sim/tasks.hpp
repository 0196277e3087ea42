/// \file
/// Tasks that say how long they take instead of taking it.
#pragma once

#include <cstdint>
#include <type_traits>

#include <mgws/backends/sim/machine.hpp>
#include <mgws/core/task_set.hpp>

namespace mgws::bench::sim {

template <class Task>
struct simulated;

/// A context for tasks that are simulated: their own, and how long those take that do not say so.
template <class Context>
struct timed {
  Context task;
  std::uint64_t iterations = 0;  ///< of an instance
};

/// What a simulated task sees of its worker: the same, and the simulator hears of what it spawns.
template <class Worker>
class listening {
 public:
  explicit listening(Worker& w) : w_(w) {}

  template <class T>
  void spawn(const T& t) {
    mgws::sim::machine::the().spawns(1);
    w_.spawn(simulated<T>{t});
  }
  template <class T>
  void spawn_n(const T& t, task_index n) {
    mgws::sim::machine::the().spawns(n);
    w_.spawn_n(simulated<T>{t}, n);
  }
  template <class A>
  void accumulate(A which, typename A::value_type v) {
    w_.accumulate(which, v);
  }
  [[nodiscard]] const auto& context() const { return w_.context().task; }
  [[nodiscard]] std::uint32_t id() const { return w_.id(); }
  [[nodiscard]] std::uint32_t lane() const { return w_.lane(); }
  [[nodiscard]] std::uint32_t lanes() const { return w_.lanes(); }

 private:
  Worker& w_;
};

/// A task of a program, in the simulator. How long an instance takes says its
/// `iterations(context, i)`, if it has one, else the context.
template <class Task>
struct simulated {
  static constexpr shape width = mgws::detail::width_of<Task>();
  static constexpr bool k_bulk = bulk_task<Task, mgws::detail::any_worker>;
  Task task;

  void operator()(auto& worker) const requires(!k_bulk) {
    begin(worker, 0);
    listening l(worker);
    task(l);
  }
  void operator()(auto& worker, task_index i) const requires(k_bulk) {
    begin(worker, i);
    listening l(worker);
    run_instance(task, l, i);
  }

 private:
  void begin(auto& worker, task_index i) const {
    const auto& context = worker.context();
    mgws::sim::machine::the().begins_task(worker.lane() == 0);
    if constexpr (requires { task.iterations(context.task, i); }) {
      mgws::sim::spend(task.iterations(context.task, i));
    } else {
      mgws::sim::spend(context.iterations);
    }
  }
};

}  // namespace mgws::bench::sim
