/// \file
/// mgws::runtime: runs a set of tasks on the workers of one or several devices.
///
///     struct node {
///       int depth;
///       MGWS_FN void operator()(auto& worker) const {
///         if (depth > 0) { worker.spawn(node{depth - 1}); worker.spawn(node{depth - 1}); }
///       }
///     };
///     mgws::runtime<mgws::task_set<node>> rt;
///     rt.seed(node{20});
///     const auto report = rt.run();
///
/// What options::devices may name depends on the port that the include path chooses: CPU workers
/// always, GPUs where the compiler and the port are a GPU's.
#pragma once

// clang-format off
#include <mgws/headers_begin.hpp>  // before all others
// clang-format on

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mgws/core/homeward.hpp>
#include <mgws/errors.hpp>
#include <mgws/live.hpp>
#include <mgws/options.hpp>
#include <mgws/placement.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/arguments.hpp>
#include <mgws/runtime/base.hpp>
#include <mgws/runtime/make.hpp>
#include <mgws_devices.hpp>
#include <mgws_port.hpp>
#if defined(MGWS_PORT_OF_GPUS)
#include <mgws/runtime/make_gpus.hpp>
#endif

namespace mgws {

/// One program may hold the runtimes of several ports side by side.
inline namespace MGWS_PORT {

/// The GPUs that this program can use, by name, in the order of their numbers; if there are none,
/// \p why says the reason.
[[nodiscard]] inline std::vector<std::string> gpu_names(std::string& why) {
  return port_devices::names(why);
}

/// Opens the GPUs that the options name and joins them by their transport; throws what the
/// constructor of a runtime would if that is not possible here.
/// \throws bad_configuration, not_possible, no_progress, device_error
inline void join_gpus(const options& o) {
  check(o);
  detail::gpus_of<port_devices>::join(o);
}

/// \tparam Tasks         a task_set
/// \tparam Accumulators  what tasks reduce their results into: accumulators<...>
/// \tparam Context       trivially copyable data that all tasks may read: worker.context()
/// \tparam Statistics    no_statistics, or worker_statistics
/// \tparam Lanes         of a GPU's worker, at least; whole warps. With one warp, lanes wait for
///                       fewer others in a step, and each warp searches and shares for itself
///                       (docs/tuning.md, "Workers of several warps")
/// \tparam For           whose workers are compiled: where tasks are for one kind of device only,
///                       this saves the compiler's time for the other
///
/// Not thread-safe, except cancel(). One run at a time; what workers need is kept between runs and
/// then uses no processor time. Memory is fixed by the options and the initial set. A runtime works
/// in the process that made it: after fork() the child's copy can only be destroyed.
template <class Tasks, class Accumulators = accumulators<>, class Context = no_context,
          class Statistics = no_statistics, std::uint32_t Lanes = k_gpu_lanes<Tasks>,
          compiled_for For = compiled_for::any_device>
class runtime {
  using checked = decltype(detail::check_arguments<Tasks, Accumulators, Context, Statistics>());
  using arguments = detail::runtime_parts<Tasks, Accumulators, Context, Statistics>;
  using tasks =
      std::conditional_t<For == compiled_for::together, with_way_home<typename arguments::tasks>,
                         typename arguments::tasks>;
  using context = typename arguments::context;

 public:
  using report_type = report<typename arguments::accumulators>;

  /// \throws bad_configuration, not_possible, device_error
  explicit runtime(options o = {}) {
    if constexpr (arguments::right)
      devices_ = make_runtime<port_devices, Lanes, For, tasks, typename arguments::accumulators,
                              context, Statistics>(std::move(o));
  }

  /// Adds a task to the initial set of the next run.
  template <class T>
  void seed(const T& t) {
    devices_->seeds->add(t, 1);
  }
  /// Adds n instances of a bulk task to the initial set of the next run, as task(worker, i) for i
  /// in [0, n). \throws bad_configuration if n is larger than a slot can stand for: 2^32 - 1 for a
  /// set of one type, at least 2^28 - 1
  template <class T>
  void seed_n(const T& t, std::uint64_t n) {
    static_assert(bulk_task<T, detail::any_worker>,
                  "mgws: seed_n needs a bulk task, with operator()(worker, index) const");
    devices_->seeds->add(t, n);
  }
  /// Room for n more initial tasks, so that seeding does not copy.
  void reserve(std::size_t n) { devices_->seeds->reserve(n); }
  /// Whether run() leaves the initial set for the next run instead of using it up.
  void keep_seeds(bool keep) { devices_->keep_seeds = keep; }
  /// Empties the initial set.
  void clear_seeds() { devices_->seeds->clear(); }

  /// Runs the initial set and everything it spawns.
  /// \throws task_failed, out_of_space, no_progress, bad_configuration, device_error, not_possible;
  /// what a task threw; std::bad_alloc
  report_type run(const context& for_all = {}) { return run_each({&for_all, 1}); }

  /// The same with a context for each device, in the options' order: the workers of device d read
  /// contexts[d]. \throws also bad_configuration if there are not as many as devices
  report_type run_each(std::span<const context> contexts) { return run_with(contexts, {}); }

  /// The report of the last run, if that ended by an error: status::failed, and what tasks have
  /// accumulated until the workers stopped. Of a live run once it is closed. None after a run that
  /// returned a report, and if workers or a GPU were lost: who has not stopped tells nothing. A
  /// call of run() that is refused before a run begins leaves it.
  [[nodiscard]] const std::optional<report_type>& report_of_failed_run() const {
    return devices_->failed;
  }

  /// What start() returns.
  using live_type = live_run<tasks, typename arguments::accumulators>;
  /// Begins a run that goes on until it is closed, with the initial set, and returns once tasks can
  /// be submitted (live.hpp). \throws what run() throws before the workers are launched
  [[nodiscard]] live_type start(const context& for_all = {}) { return start_each({&for_all, 1}); }
  /// The same with a context for each device.
  [[nodiscard]] live_type start_each(std::span<const context> contexts) {
    return live_type([this, each = std::vector<context>(contexts.begin(), contexts.end())](
                         auto& door) { return run_with(each, {.door = &door}); });
  }

  /// Asks a run to stop at the next task boundary of every worker; run() then returns a report with
  /// status::cancelled. May be called from any thread; does nothing outside a run.
  void cancel() { devices_->cancel(); }

  /// What the runtime has taken, without the initial tasks.
  [[nodiscard]] memory_use memory() const { return devices_->memory(); }
  /// Workers of all devices, and of all processes that share the run.
  [[nodiscard]] std::uint32_t workers() const { return devices_->plan().workers; }
  /// Lanes of all workers, each of which has a number of its own for its tasks:
  /// worker.global_lane(). A CPU worker has one.
  [[nodiscard]] std::uint32_t lanes() const { return devices_->lanes(); }
  /// Of what queues hold: a task of the set's largest type.
  [[nodiscard]] static constexpr std::size_t slot_bytes() { return sizeof(slot<tasks>); }

  /// Devices of this process: those that the options name, or one.
  [[nodiscard]] std::uint32_t devices() const { return devices_->plan().devices; }

  /// The memories that tasks of this runtime reach: each device's, and the host's. What lies on
  /// several devices, or in the host's memory, is an mgws::placed_array in these places.
  [[nodiscard]] mgws::data_places data_places() const { return devices_->data_places(); }
  /// A memory that all devices reach, for mgws::array: the first device's, or the host's.
  [[nodiscard]] std::shared_ptr<memory_space> data_memory() const { return data_places().common(); }

 private:
  report_type run_with(std::span<const context> contexts, const run_links<slot<tasks>>& links) {
    made_in_.check();
    if (contexts.size() != 1 && contexts.size() != devices())
      detail::refuse<bad_configuration>(
          {"a run on ", devices(), devices() == 1 ? " device" : " devices",
           " needs a context for each or one for all, not ", contexts.size()});
    const auto called = std::chrono::steady_clock::now();
    report_type r = devices_->run(contexts, links);
    r.call_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - called).count();
    return r;
  }

  const detail::home_process made_in_;
  std::unique_ptr<runtime_base<tasks, typename arguments::accumulators, context>> devices_;
};

}  // namespace MGWS_PORT
}  // namespace mgws

#include <mgws/headers_end.hpp>
