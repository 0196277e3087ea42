/// \file
/// A run from its call to its report, whoever works: prepare, launch, watch, stop, report.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mgws/core/holdings.hpp>
#include <mgws/core/protocol.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/base.hpp>
#include <mgws/runtime/crew_state.hpp>
#include <mgws/runtime/dump.hpp>
#include <mgws/runtime/live_door.hpp>
#include <mgws/runtime/outcome.hpp>
#include <mgws/runtime/plan.hpp>
#include <mgws/runtime/watch.hpp>

namespace mgws {

/// \tparam Crew  the workers of a runtime: threads (cpu.hpp) or persistent kernels (gpu.hpp).
///   state_type, state()        a crew_state
///   k_patience                 how long workers may take to stop when told
///   Crew(options&, domain_setting)  settles what the options leave open, makes a plan and
///   allocates check_all_there()          throws not_possible if an earlier run took workers away
///   prepare(contexts, seeds, dealt)  completes state().run, and brings contexts and initial slots
///                              to where the workers read them
///   launch()                   starts all workers
///   ended_within(time, limited)  waits for the workers' end, so long if that is limited
///   abandon()                  after a device_error and a request to stop: waits for who can end
///   lost(where)                how many have not ended when the patience has; on which devices
///   collect()                  after the end: makes host_view() show control, and state().own what
///                              workers left
///   rethrow()                  throws what a task threw
///   known_settled()            whether the crew has seen that the run is settled (settled.hpp)
///   executed(w)                tasks that a worker ran
///   seconds(), describe(d), on_host_clock(d, ns), initial_bytes(), data_places()  for the report
///   memory()                   local queues, and control memory that the skeleton does not know of
/// launch() and ended_within() throw device_error if a GPU fails.
template <class Crew>
class crew_runtime final
    : public runtime_base<typename Crew::state_type::tasks, typename Crew::state_type::accumulators,
                          typename Crew::state_type::context> {
  using state = typename Crew::state_type;
  using report_type = report<typename state::accumulators>;
  using B = typename state::backend;
  using view = typename state::view;
  using slot_type = typename state::slot_type;
  using clock = std::chrono::steady_clock;

 public:
  /// \pre check(o) passed \throws bad_configuration, not_possible, device_error
  explicit crew_runtime(options o, const domain_setting& domains = {})
      : options_(std::move(o)), crew_(options_, domains) {}

  void cancel() override {
    const std::scoped_lock lock(cancel_mutex_);
    if (running_) stop(stop_reason::cancelled);
  }
  [[nodiscard]] memory_use memory() const override {
    memory_use m = crew_.memory();
    const state& s = crew_.state();
    m.public_queues = s.shared->queue_bytes();
    m.control += s.shared->control_bytes() + sizeof(state);
    for (const auto& own : s.own) {
      m.spill_areas += own.spill_bytes();
      m.control += own.control_bytes();
    }
    return m;
  }
  [[nodiscard]] const run_parameters& plan() const override { return crew_.state().plan.run; }
  [[nodiscard]] std::uint32_t lanes() const override {
    if constexpr (team_backend<B>) return plan().workers * B::team::k_lanes;
    return plan().workers;
  }
  [[nodiscard]] std::uint32_t side_by_side() const override {
    return holdings<typename state::configuration>::units();
  }
  [[nodiscard]] mgws::data_places data_places() const override { return crew_.data_places(); }

  report_type run(std::span<const typename state::context> contexts,
                  const run_links<slot_type>& links) override {
    const one_at_a_time alone(in_run_);
    live_door<slot_type>* const door = links.door;
    if (door != nullptr) check_live();
    crew_.check_all_there();
    this->failed.reset();
    state& s = crew_.state();
    const auto before = clock::now();
    auto launched = before;
    report_type r;
    std::exception_ptr thrown;
    {
      struct at_the_end {
        crew_runtime& of;
        ~at_the_end() { of.end_run(); }
      } const whatever_comes{*this};
      prepare(contexts, links);
      r.workers.reserve(s.run.workers);
      launched = clock::now();
      // Before the launch, which of CPU workers may be all of the run.
      if (door != nullptr) door->open(inboxes(), s.run.devices);
      try {
        crew_.launch();
        r.workers.resize(s.run.workers);  // of thousands a megabyte to fill: while they work
        thrown = watch(links);
      } catch (const device_error&) {
        stop(stop_reason::failed);
        crew_.abandon();
        throw;
      }
    }
    crew_.collect();
    const view v = s.shared->host_view();
    if (!thrown) thrown = what_went_wrong(v);
    r.status = thrown ? status::failed : was_stopped(v) ? status::cancelled : status::completed;
    r.began_ns = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(launched.time_since_epoch()).count());
    r.setup_seconds = std::chrono::duration<double>(launched - before).count();
    r.seconds = crew_.seconds();
    fill(r);
    if (thrown) {
      r.call_seconds = std::chrono::duration<double>(clock::now() - before).count();
      this->failed = std::move(r);
      std::rethrow_exception(thrown);
    }
    return r;
  }

 private:
  /// Holds a flag; a run that finds it held is a second one beside the first, or within it.
  class one_at_a_time {
   public:
    explicit one_at_a_time(std::atomic<bool>& flag) : flag_(flag) {
      if (flag_.exchange(true))
        throw not_possible(
            "this runtime is in the middle of a run, and has one at a time: wait for its end, or "
            "make another runtime");
    }
    one_at_a_time(const one_at_a_time&) = delete;
    one_at_a_time& operator=(const one_at_a_time&) = delete;
    ~one_at_a_time() { flag_ = false; }

   private:
    std::atomic<bool>& flag_;
  };

  void check_live() const {
    if (options_.direct != direct_mode::off)
      throw bad_configuration(
          "a live run hands its tasks to whoever is idle: it cannot be direct, which assigns them "
          "beforehand");
    if (crew_.state().plan.inboxes == 0)
      throw bad_configuration("a live run needs inboxes, and options::inboxes is 0");
  }

  /// The producers' ends of all inboxes.
  [[nodiscard]] std::vector<std::unique_ptr<inbox<slot_type>>> inboxes() const {
    const state& s = crew_.state();
    std::vector<std::unique_ptr<inbox<slot_type>>> all;
    for (std::uint32_t i = 0; i != s.plan.inboxes; ++i)
      for (std::uint32_t d = 0; d != s.run.devices; ++d)
        all.push_back(std::make_unique<inbox_of<view, slot_type>>(
            s.shared->workers_view(nullptr), d, i, s.run.inbox_capacity, s.run.devices > 1));
    return all;
  }

  void prepare(std::span<const typename state::context> contexts,
               const run_links<slot_type>& links) {
    state& s = crew_.state();
    s.run = s.plan.run;
    if (links.door != nullptr) {
      s.run.inboxes = s.plan.inboxes;
      s.run.inbox_capacity = s.plan.inbox_capacity;
    }
    if (links.bridge != nullptr) {
      s.run.domains = links.bridge->domains;
      s.run.domain = links.bridge->domain;
      s.run.all_workers = links.bridge->workers;
      s.run.all_lanes = links.bridge->lanes;
      s.run.first_worker = links.bridge->first_worker;
      s.run.first_lane = links.bridge->first_lane;
      s.run.first_device = links.bridge->first_device;
      s.run.bridge_capacity = links.bridge->capacity;
      s.run.bridge = links.bridge->channels.data();
    }
    // Only a single count tells the first worker whether all others are idle.
    if (links.door != nullptr || links.bridge != nullptr) s.run.termination = termination::counter;
    const auto dealt = this->seeds->deal(s.run.workers, side_by_side());
    s.run.initial_count = dealt.size();
    s.run.slots_of_step = this->seeds->slots_of_step(side_by_side());
    s.run.seed = draw_seed(options_);
    crew_.prepare(contexts, this->seeds, dealt);
    const std::scoped_lock lock(cancel_mutex_);
    s.shared->reset();
    for (const auto& own : s.own)
      own.reset();
    running_ = true;
    if (links.bridge != nullptr && *links.bridge->over) stop(stop_reason::cancelled);
  }

  void end_run() noexcept {
    {
      const std::scoped_lock lock(cancel_mutex_);
      running_ = false;
    }
    if (!this->keep_seeds) this->seeds->clear();
  }

  /// Asks all workers to stop. A GPU that has failed cannot be told and need not be.
  void stop(stop_reason reason) const {
    for (std::uint32_t d = 0; d != plan().devices; ++d) {
      try {
        crew_.state().shared->stop(d, reason);
      } catch (const device_error&) {
      }
    }
  }

  /// Waits for the run's end, reports progress, and stops a run that makes none.
  /// \return why it was stopped, if it was \throws device_error, no_progress if workers are lost
  [[nodiscard]] std::exception_ptr watch(const run_links<slot_type>& links) {
    progress_watch watch(options_);
    while (!crew_.ended_within(watch.interval(), watch.wanted())) {
      bool stuck = false;
      try {
        stuck = look_stuck(watch, (links.door != nullptr && links.door->all_ended()) ||
                                      (links.bridge != nullptr && links.bridge->rests()));
      } catch (const device_error&) {
        throw;
      } catch (...) {
        // The workers use what the caller may free as soon as run() is left.
        stop(stop_reason::failed);
        static_cast<void>(crew_.ended_within(watch.interval(), false));
        return std::current_exception();
      }
      if (stuck) return stop_without_progress(watch);
    }
    return nullptr;
  }

  /// \param rests  all that came has ended, and more may come: nobody can make progress
  [[nodiscard]] bool look_stuck(progress_watch& watch, bool rests) {
    const state& s = crew_.state();
    s.shared->look_at_signals();
    const view v = s.shared->live_view();
    std::uint64_t tasks = 0;
    std::uint64_t beats = 0;
    for (std::uint32_t w = 0; w != s.run.workers; ++w) {
      tasks += read(v.progress(w).executed);
      beats += read(v.progress(w).beats);
    }
    return watch.stuck(tasks, beats, progress_watch::clock::now(), rests);
  }

  /// \return no_progress \throws it if workers are lost
  [[nodiscard]] std::exception_ptr stop_without_progress(const progress_watch& watch) {
    const state& s = crew_.state();
    if constexpr (!view::mirrored) s.shared->look();
    // Workers that stop leave their queues as they are; what they do is what they did when found.
    std::string text =
        dump<protocol>(s.shared->live_view(), s.run, s.global_cells(), !view::mirrored);
    stop(stop_reason::no_progress);
    std::uint32_t lost = 0;
    std::string where;
    if (!crew_.ended_within(Crew::k_patience, true)) {
      s.shared->look_at_signals();
      lost = crew_.lost(where);
    }
    if constexpr (view::mirrored) {
      if (lost != 0) {
        text += "queues cannot be read while a kernel runs\n";
      } else {
        s.shared->look();
        text += "then, after the workers had stopped:\n" +
                dump<protocol>(s.shared->host_view(), s.run, s.global_cells());
      }
    }
    no_progress stuck(watch.complaint(lost, where), text, lost);
    if (lost == 0) return std::make_exception_ptr(std::move(stuck));
    // Whoever is lost may go on reading the old ones.
    this->seeds = std::make_shared<initial_set<typename state::tasks>>();
    throw no_progress(std::move(stuck));
  }

  /// What a task threw, what a worker reported, or what is wrong with the end of a run that nobody
  /// stopped. \throws device_error
  [[nodiscard]] std::exception_ptr what_went_wrong(const view& v) {
    try {
      crew_.rethrow();
      throw_failure<slot_type>(v.control(0));
      if (!was_stopped(v)) check_end(v);
    } catch (const device_error&) {
      throw;
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }
  [[nodiscard]] static bool was_stopped(const view& v) { return read(v.control(0).stop) != 0; }
  void check_end(const view& v) const {
    const state& s = crew_.state();
    if (options_.direct == direct_mode::off && !crew_.known_settled()) {
      s.shared->look();
      check_settled(v, s.run, s.global_cells());
    }
    if constexpr (state::tasks::has_frames) {
      s.shared->look();
      check_joins<typename state::tasks>(
          v, s.run, [&](std::uint32_t w, std::byte* to) { s.shared->read_frames(w, to); });
    }
  }

  void fill(report_type& r) const {
    const state& s = crew_.state();
    r.seed = s.run.seed;
    r.memory = memory();
    r.memory.initial_tasks = crew_.initial_bytes();
    r.slot_bytes = sizeof(slot_type);
    r.statistics = state::statistics::enabled;
    std::vector<std::uint64_t> tasks;
    tasks.reserve(s.run.workers);
    for (std::uint32_t w = 0; w != s.run.workers; ++w)
      tasks.push_back(crew_.executed(w));
    for (std::uint32_t d = 0; d != s.run.devices; ++d) {
      const auto kept = s.own[d].left();
      for (std::uint32_t w = 0; w != s.plan.devices[d].workers; ++w)
        r.results.merge(kept.result(w));
      report_device(r, s.plan, d, crew_.describe(d), tasks, kept,
                    [&](std::uint64_t ns) { return crew_.on_host_clock(d, ns); });
    }
  }

  template <class T>
  [[nodiscard]] static auto read(const T& x) {
    return B::load(x, order::relaxed, scope::system);
  }

  options options_;
  Crew crew_;
  std::mutex cancel_mutex_;  ///< cancel() may come while a run is set up or has just ended
  bool running_ = false;
  std::atomic<bool> in_run_{false};  ///< from the call of run() to its return
};

}  // namespace mgws
