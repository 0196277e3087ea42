/// \file
/// mgws::runtime: runs a set of tasks on the CPU's workers through the host transport.
///
///     struct node {
///       int depth;
///       void operator()(auto& worker) const {
///         if (depth > 0) { worker.spawn(node{depth - 1}); worker.spawn(node{depth - 1}); }
///       }
///     };
///     mgws::runtime<mgws::task_set<node>> rt;
///     rt.seed(node{20});
///     const auto report = rt.run();
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/backends/cpu/memory.hpp>
#include <mgws/backends/cpu/pool.hpp>
#include <mgws/core/termination/counter.hpp>
#include <mgws/core/termination/hierarchical.hpp>
#include <mgws/core/termination/tree.hpp>
#include <mgws/core/worker.hpp>
#include <mgws/dump.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/report.hpp>
#include <mgws/transports/host/transport.hpp>

namespace mgws {

/// \tparam Tasks         a task_set
/// \tparam Accumulators  what tasks reduce their results into: accumulators<...>
/// \tparam Context       trivially copyable data that all tasks may read: worker.context()
/// \tparam Statistics    no_statistics, or worker_statistics
///
/// Not thread-safe, except cancel(). One run at a time; the threads are kept between runs and then
/// use no processor time. Memory is fixed by the options and the initial set.
template <class Tasks, class Accumulators = accumulators<>, class Context = no_context,
          class Statistics = no_statistics>
class runtime {
  static_assert(std::is_trivially_copyable_v<Context>,
                "mgws: a context must be trivially copyable: it is copied to every device");

  using B = cpu_backend::backend;
  using transport = host_transport<B, cpu_backend::area>;
  using view = typename transport::view;
  using slot_type = slot<Tasks>;

 public:
  using report_type = report<Accumulators>;

  /// \throws bad_configuration, not_possible
  explicit runtime(options o = {}) : options_(std::move(o)), state_(std::make_shared<state>()) {
    check(options_);
    auto groups = options_.groups;
    if (groups.empty())
      groups.push_back(options_.workers != 0
                           ? options_.workers
                           : static_cast<std::uint32_t>(cpu_backend::usable_processors().size()));
    layout(groups);
    try {
      allocate();
      pool_ = std::make_unique<cpu_backend::pool>(state_->run.workers, options_.pin);
    } catch (const std::bad_alloc&) {
      throw not_possible("the queues of " + std::to_string(state_->run.workers) +
                         " workers need more memory than this machine gives");
    } catch (const std::system_error& e) {
      throw not_possible("this machine refuses " + std::to_string(state_->run.workers) +
                         " worker threads: " + e.what());
    }
  }

  /// Adds a task to the initial set of the next run.
  template <class T>
  void seed(const T& t) {
    seed_instances(t, 0, 1);
  }
  /// Adds n instances of a bulk task to the initial set of the next run, as task(worker, i) for i
  /// in [0, n). \throws bad_configuration if n is larger than a slot can stand for
  template <class T>
  void seed_n(const T& t, task_index n) {
    if (n > slot_type::max_instances)
      throw bad_configuration("a slot of this task set stands for at most " +
                              std::to_string(slot_type::max_instances) + " instances, not " +
                              std::to_string(n));
    if (n != 0) seed_instances(t, 0, n);
  }
  /// Room for n more initial tasks, so that seeding does not copy.
  void reserve(std::size_t n) { seeds_.reserve(seeds_.size() + n); }
  /// Whether run() leaves the initial set for the next run instead of using it up.
  void keep_seeds(bool keep) { keep_seeds_ = keep; }
  void clear_seeds() { seeds_ = {}; }

  /// Runs the initial set and everything it spawns.
  /// \throws task_failed, out_of_space, no_progress, bad_configuration; what a task threw
  report_type run(const Context& context = {}) {
    if (pool_->running() != 0)
      throw not_possible("workers of an earlier run never came back: make a new runtime");
    const auto before = std::chrono::steady_clock::now();
    prepare(context);
    const auto launched = std::chrono::steady_clock::now();
    state_->began_ns = B::now();
    launch();
    watch();
    const std::uint64_t ended = state_->ended_ns.load(std::memory_order_relaxed);
    pool_->forget();
    return_seeds();
    rethrow();
    auto r = make_report();
    r.setup_seconds = std::chrono::duration<double>(launched - before).count();
    r.seconds = static_cast<double>(ended - state_->began_ns) * 1e-9;
    return r;
  }

  /// Asks a run to stop at the next task boundary of every worker; run() then returns a report with
  /// status::cancelled. May be called from any thread; does nothing outside a run.
  void cancel() {
    const std::scoped_lock lock(state_->cancel_mutex);
    auto none = static_cast<std::uint32_t>(stop_reason::none);
    const view v = state_->shared->workers_view(nullptr);
    v.control().stop.compare_exchange_strong(none,
                                             static_cast<std::uint32_t>(stop_reason::cancelled));
    v.parking().notify_all();
  }

  /// What the runtime has taken, without the initial tasks.
  [[nodiscard]] memory_use memory() const {
    const run_parameters& run = state_->run;
    return {.local_queues = std::size_t{run.workers} * run.local_capacity * sizeof(slot_type),
            .public_queues = state_->shared->queue_bytes(),
            .spill_areas = std::size_t{run.workers} * run.spill_capacity * sizeof(slot_type),
            .initial_tasks = 0,
            .control = state_->shared->control_bytes() + sizeof(state) +
                       run.workers * (sizeof(result) + damping_words() * sizeof(std::uint32_t) +
                                      run.devices * sizeof(std::uint64_t) +
                                      options_.trace_events * sizeof(trace_event))};
  }
  [[nodiscard]] std::uint32_t workers() const { return state_->run.workers; }
  [[nodiscard]] static constexpr std::size_t slot_bytes() { return sizeof(slot_type); }

 private:
  struct alignas(B::line) result {
    Accumulators values{};
    statistics_record statistics{};
  };

  /// What the threads of a run use: kept alive by each of them, because one that never returns from
  /// a task may outlive the runtime.
  struct state {
    run_parameters run{};
    std::vector<device_range> devices;
    std::unique_ptr<transport> shared;
    std::vector<slot_type> seeds;
    std::vector<slot_type> split;  ///< the initial set if bulk seeds had to be split
    Context context{};
    view workers_view{};
    cpu_backend::area local;
    cpu_backend::area spill;
    std::vector<std::uint32_t> damping;
    std::vector<result> results;
    std::vector<std::uint64_t> device_steals;
    std::vector<trace_event> traces;
    std::size_t initial_bytes = 0;
    std::uint64_t began_ns = 0;
    std::atomic<std::uint64_t> ended_ns{0};
    std::mutex cancel_mutex;  ///< cancel() may come while a run is set up
    std::mutex thrown_mutex;
    std::exception_ptr thrown;
  };

  template <class Detector>
  using worker_type =
      worker<configuration<protocol, view, Tasks, Accumulators, Context, Detector, Statistics>>;

  /// Calls f.template operator()<Detector>() for the detector that the options name.
  template <class F>
  auto with_detector(F&& f) const {
    switch (options_.termination) {
      case termination::tree:
        return f.template operator()<tree_detector<protocol, view>>();
      case termination::hierarchical:
        return f.template operator()<hierarchical_detector<protocol, view>>();
      case termination::counter:
        break;
    }
    return f.template operator()<counter_detector<protocol, view>>();
  }

  [[nodiscard]] std::uint32_t damping_words() const {
    return options_.overflow == overflow_policy::damping ? damping_map::words(state_->run.queues)
                                                         : 0;
  }
  [[nodiscard]] std::uint32_t global_cells() const {
    return with_detector([&]<class D>() { return D::global_cells(state_->run.devices); });
  }

  void layout(const std::vector<std::uint32_t>& groups) {
    run_parameters& run = state_->run;
    for (const std::uint32_t n : groups) {
      const std::uint32_t queues = (n + options_.owners - 1) / options_.owners;
      state_->devices.push_back({run.workers, n, run.queues, queues});
      run.workers += n;
      run.queues += queues;
    }
    run.owners = options_.owners;
    run.devices = static_cast<std::uint32_t>(groups.size());
    run.device = state_->devices.data();
    run.local_capacity = options_.local_queue;
    run.public_capacity = options_.public_queue;
    run.spill_capacity = options_.spill;
    run.max_batch = std::min(options_.public_queue, 2 * options_.local_queue);
    run.steal = options_.steal;
    run.own_device_threshold = static_cast<std::uint32_t>(
        std::min(options_.own_device_bias * 0x1p32,
                 static_cast<double>(std::numeric_limits<std::uint32_t>::max())));
    run.overflow = options_.overflow;
  }

  void allocate() {
    state& s = *state_;
    const run_parameters& run = s.run;
    transport_request request{.workers = run.workers,
                              .queues = run.queues,
                              .queue_bytes = run.public_capacity * sizeof(slot_type)};
    with_detector([&]<class D>() {
      request.global_cells = D::global_cells(run.devices);
      for (const auto& d : s.devices)
        request.device_cells.push_back(D::device_cells(d.workers));
    });
    s.shared = std::make_unique<transport>(request);
    s.local = cpu_backend::area(std::size_t{run.workers} * run.local_capacity * sizeof(slot_type));
    s.spill = cpu_backend::area(std::size_t{run.workers} * run.spill_capacity * sizeof(slot_type));
    s.damping.resize(std::size_t{run.workers} * damping_words());
    s.results.resize(run.workers);
    s.device_steals.resize(std::size_t{run.workers} * run.devices);
    s.traces.resize(std::size_t{run.workers} * options_.trace_events);
  }

  template <class T>
  void seed_instances(const T& t, task_index first, std::uint32_t count) {
    static_assert(Tasks::template contains<T>,
                  "mgws: seed of a task type that is not in the task_set");
    seeds_.emplace_back().write(t, first, count);
  }

  /// The initial set as it is dealt out: bulk seeds in pieces, so that every worker gets some.
  std::vector<slot_type>& split_seeds() {
    state& s = *state_;
    s.split.clear();
    std::uint64_t instances = 0;
    for (const auto& seed : s.seeds)
      instances += seed.read_header().count();
    if (instances == s.seeds.size()) return s.seeds;
    const std::uint64_t wanted = 16 * std::uint64_t{s.run.workers};
    for (const auto& seed : s.seeds) {
      const auto h = seed.read_header();
      const std::uint64_t pieces =
          std::clamp<std::uint64_t>(wanted * h.count() / instances, 1, h.count());
      for (std::uint64_t i = 0; i != pieces; ++i) {
        const std::uint64_t begin = h.count() * i / pieces;
        const std::uint64_t end = h.count() * (i + 1) / pieces;
        s.split.push_back(seed);
        s.split.back().write_header(
            slot_type::header::make(h.type(), static_cast<task_index>(h.first() + begin),
                                    static_cast<std::uint32_t>(end - begin)));
      }
    }
    return s.split;
  }

  void return_seeds() {
    seeds_ = keep_seeds_ ? std::move(state_->seeds) : std::vector<slot_type>{};
    state_->seeds.clear();
  }

  void prepare(const Context& context) {
    state& s = *state_;
    s.seeds = std::move(seeds_);
    seeds_ = {};
    const auto& initial = split_seeds();
    s.run.initial_count = initial.size();
    s.initial_bytes = (s.seeds.capacity() + s.split.capacity()) * sizeof(slot_type);
    s.run.initial_batch = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
        initial.size() / (16 * std::uint64_t{s.run.workers}), 1, s.run.local_capacity / 2));
    s.run.seed = options_.seed;
    while (s.run.seed == 0)
      s.run.seed = std::uint64_t{std::random_device{}()} << 32 | std::random_device{}();
    s.context = context;
    {
      const std::scoped_lock lock(s.cancel_mutex);
      s.shared->reset();
      s.workers_view = s.shared->workers_view(initial.data());
    }
    std::ranges::fill(s.damping, 0u);
    std::ranges::fill(s.device_steals, std::uint64_t{0});
    for (std::uint32_t w = 0; w != s.run.workers; ++w) {
      s.results[w] = {};
      s.results[w].statistics.device_steals = &s.device_steals[std::size_t{w} * s.run.devices];
      s.results[w].statistics.trace = {
          .events = s.traces.data() + std::size_t{w} * options_.trace_events,
          .capacity = options_.trace_events};
    }
    s.thrown = nullptr;
    s.ended_ns = 0;
  }

  void launch() {
    with_detector([&]<class D>() {
      pool_->launch([s = state_, direct = options_.direct, damping = damping_words()](
                        std::uint32_t id) { run_worker<D>(*s, direct, damping, id); });
    });
  }

  template <class D>
  static void run_worker(state& s, direct_mode direct, std::uint32_t damping, std::uint32_t id) {
    std::uint32_t device = 0;
    while (id >= s.devices[device].first_worker + s.devices[device].workers)
      ++device;
    auto* local = reinterpret_cast<slot_type*>(s.local.data());
    auto* spill = reinterpret_cast<slot_type*>(s.spill.data());
    const worker_memory<slot_type, Accumulators> memory{
        .local = local + std::size_t{id} * s.run.local_capacity,
        .spill = spill + std::size_t{id} * s.run.spill_capacity,
        .damping = damping != 0 ? s.damping.data() + std::size_t{id} * damping : nullptr,
        .result = &s.results[id].values,
        .statistics = &s.results[id].statistics};
    try {
      using worker_t = worker_type<D>;
      typename B::group lanes;
      using mode = typename worker_t::mode;
      worker_t w(lanes, s.workers_view, s.run, s.context, device, id, memory,
                 direct == direct_mode::off ? mode::balanced : mode::direct);
      if (direct == direct_mode::off) {
        w.run();
      } else {
        const std::uint64_t n = s.run.initial_count;
        w.run_direct(n * id / s.run.workers, n * (id + 1) / s.run.workers,
                     direct == direct_mode::one);
      }
    } catch (...) {
      {
        const std::scoped_lock lock(s.thrown_mutex);
        if (!s.thrown) s.thrown = std::current_exception();
      }
      s.workers_view.control().stop.store(static_cast<std::uint32_t>(stop_reason::failed));
      s.workers_view.parking().notify_all();
    }
    // The last worker's clock is the largest.
    const std::uint64_t now = B::now();
    for (auto seen = s.ended_ns.load();
         seen < now && !s.ended_ns.compare_exchange_weak(seen, now);) {
    }
  }

  [[nodiscard]] std::uint64_t executed(std::uint32_t worker) const {
    return state_->workers_view.progress(worker).executed.load(std::memory_order_relaxed);
  }

  /// Waits for the run's end, reports progress, and stops a run that makes none.
  void watch() {
    const bool limited = options_.timeout.count() > 0;
    if (!limited && !options_.on_progress) return pool_->wait();

    using clock = std::chrono::steady_clock;
    std::chrono::duration<double> interval{0.2};
    if (limited) interval = std::min(interval, options_.timeout / 8);
    std::uint64_t last_seen = ~std::uint64_t{0};
    auto last_change = clock::now();
    while (!pool_->wait_for(interval)) {
      std::uint64_t tasks = 0;
      std::uint64_t beats = 0;
      for (std::uint32_t w = 0; w != state_->run.workers; ++w) {
        tasks += executed(w);
        beats += state_->workers_view.progress(w).beats.load(std::memory_order_relaxed);
      }
      if (options_.on_progress) {
        try {
          options_.on_progress(tasks);
        } catch (...) {
          // The workers use what the caller may free as soon as run() is left.
          stop(stop_reason::failed);
          pool_->wait();
          pool_->forget();
          return_seeds();
          throw;
        }
      }
      if (!limited) continue;
      const auto now = clock::now();
      if (tasks + beats != last_seen) {
        last_seen = tasks + beats;
        last_change = now;
      } else if (now - last_change >= options_.timeout) {
        stop_without_progress();
      }
    }
  }

  void stop(stop_reason reason) {
    state_->workers_view.control().stop.store(static_cast<std::uint32_t>(reason));
    state_->workers_view.parking().notify_all();
  }

  [[noreturn]] void stop_without_progress() {
    const std::string text = dump<protocol>(state_->workers_view, state_->run, global_cells());
    stop(stop_reason::no_progress);
    pool_->wait_for(std::chrono::seconds(1));
    const std::uint32_t lost = pool_->running();
    std::string what = "no task ended for " + std::to_string(options_.timeout.count()) + " s";
    if (lost != 0) {
      what += ", and " + std::to_string(lost) + " worker(s) did not stop when told";
    } else {
      pool_->forget();
      return_seeds();
    }
    throw no_progress(what, text, lost);
  }

  void rethrow() {
    if (state_->thrown) std::rethrow_exception(std::exchange(state_->thrown, nullptr));
    const auto& control = state_->workers_view.control();
    if (control.failures.load() == 0) return;
    switch (static_cast<failure>(control.kind.load())) {
      case failure::out_of_space:
        throw out_of_space(control.worker.load(), control.detail.load());
      case failure::too_many_instances:
        throw bad_configuration("spawn_n of " + std::to_string(control.detail.load()) +
                                " instances: a slot of this task set stands for at most " +
                                std::to_string(slot_type::max_instances));
      case failure::task:
      case failure::none:
        break;
    }
    throw task_failed(control.worker.load(), control.detail.load());
  }

  /// A run that ended by itself has taken every initial slot and left every queue empty, with every
  /// claim completed. It costs a look at each queue to be sure.
  void check_quiescent() const {
    if (options_.direct != direct_mode::off) return;
    const auto& v = state_->workers_view;
    bool right = v.initial_next().value.load() >= state_->run.initial_count;
    for (std::uint32_t q = 0; q != state_->run.queues; ++q) {
      const auto f = protocol::layout::decode(v.head(q).word.load());
      right = right && !f.lock && f.remaining() == 0;
      for (std::uint32_t e = 0; e != 2; ++e)
        right = right && v.head(q).completed[e].load() ==
                             v.head(q).claimed[e].load() + (f.epoch == e ? f.claimed() : 0);
    }
    if (!right)
      throw internal_error("the run ended with work left:\n" +
                           dump<protocol>(v, state_->run, global_cells()));
  }

  report_type make_report() {
    const state& s = *state_;
    report_type r;
    r.status = s.workers_view.control().stop.load() == 0 ? status::completed : status::cancelled;
    if (r.status == status::completed) check_quiescent();
    r.seed = s.run.seed;
    r.memory = memory();
    r.memory.initial_tasks = s.initial_bytes;
    r.statistics = Statistics::enabled;
    r.began_ns = s.began_ns;
    r.steal_matrix.assign(s.run.devices, std::vector<std::uint64_t>(s.run.devices));
    for (std::uint32_t d = 0; d != s.run.devices; ++d) {
      const device_range& range = s.devices[d];
      device_report device{.name = s.run.devices == 1 ? "cpu" : "cpu group " + std::to_string(d),
                           .kind = "cpu",
                           .first_worker = range.first_worker,
                           .workers = range.workers};
      for (std::uint32_t w = range.first_worker; w != range.first_worker + range.workers; ++w) {
        const result& of = s.results[w];
        worker_report worker{.device = d, .tasks = executed(w), .counts = of.statistics.counts};
        worker.trace.assign(of.statistics.trace.events,
                            of.statistics.trace.events + of.statistics.trace.used);
        worker.trace_dropped = of.statistics.trace.dropped;
        device.tasks += worker.tasks;
        for (std::uint32_t from = 0; from != s.run.devices; ++from)
          r.steal_matrix[d][from] += s.device_steals[std::size_t{w} * s.run.devices + from];
        r.results.merge(of.values);
        r.workers.push_back(std::move(worker));
      }
      r.tasks += device.tasks;
      r.devices.push_back(std::move(device));
    }
    return r;
  }

  options options_;
  std::shared_ptr<state> state_;
  std::vector<slot_type> seeds_;
  bool keep_seeds_ = false;
  std::unique_ptr<cpu_backend::pool> pool_;
};

}  // namespace mgws
