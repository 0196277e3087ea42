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

#include <mgws/core/protocol.hpp>
#include <mgws/core/statistics.hpp>
#include <mgws/core/widths.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/base.hpp>
#include <mgws/runtime/crew.hpp>
#include <mgws/runtime/crew_state.hpp>
#include <mgws/runtime/dump.hpp>
#include <mgws/runtime/live_door.hpp>
#include <mgws/runtime/outcome.hpp>
#include <mgws/runtime/plan.hpp>
#include <mgws/runtime/watch.hpp>

namespace mgws {

/// A run but for the types of its tasks: compiled once for all runtimes of the same kind of
/// workers. \tparam State  a crew_state
template <class State>
class run_skeleton {
  using B = typename State::backend;
  using view = typename State::view;
  using clock = std::chrono::steady_clock;

 public:
  run_skeleton(const run_skeleton&) = delete;
  run_skeleton& operator=(const run_skeleton&) = delete;

 protected:
  /// \param c  may be under construction
  run_skeleton(options&& o, crew<State>& c) : options_(std::move(o)), crew_(c) {}
  ~run_skeleton() = default;

  /// Holds a flag; a run that finds it held is a second one beside the first, or within it.
  class one_at_a_time {
   public:
    explicit one_at_a_time(run_skeleton& of) : flag_(of.in_run_) {
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

  /// \throws bad_configuration, not_possible
  void check_possible(bool live) const {
    if (live) check_live();
    crew_.check_all_there();
  }

  /// A run, and its report without results. \pre check_possible()
  /// \return what ended it, if that is an error \throws device_error, no_progress if workers are
  /// lost
  [[nodiscard]] std::exception_ptr run_untyped(run_report& r, live_door_frame* door,
                                               const bridge_links* bridge) {
    State& s = crew_.state();
    const auto before = clock::now();
    auto launched = before;
    std::exception_ptr thrown;
    {
      struct at_the_end {
        run_skeleton& of;
        ~at_the_end() { of.end_run(); }
      } const whatever_comes{*this};
      prepare(door, bridge);
      const std::uint32_t recorded = s.types.statistics ? s.run.workers : 0;
      r.workers.reserve(s.run.workers);
      r.records.reserve(recorded);
      // Before the launch, which of CPU workers may be all of the run, and before others launch.
      if (door != nullptr)
        door->open(inboxes(), s.run.devices, bridge != nullptr ? bridge->kind : worker_kind::cpu);
      if (bridge != nullptr && bridge->prepared) bridge->prepared();
      launched = clock::now();
      try {
        crew_.launch();
        r.workers.resize(s.run.workers);
        r.records.resize(recorded);  // of thousands a megabyte to fill: while they work
        thrown = watch(door, bridge);
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
    stopped_ = r.status != status::completed;
    r.began_ns = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(launched.time_since_epoch()).count());
    r.setup_seconds = std::chrono::duration<double>(launched - before).count();
    r.seconds = crew_.seconds();
    fill(r);
    if (thrown) r.call_seconds = std::chrono::duration<double>(clock::now() - before).count();
    return thrown;
  }

  void cancel_run() {
    const std::scoped_lock lock(cancel_mutex_);
    if (running_) stop(stop_reason::cancelled);
  }
  [[nodiscard]] memory_use memory_of_run() const {
    memory_use m = crew_.memory();
    const State& s = crew_.state();
    m.public_queues = s.shared->queue_bytes();
    m.control += s.shared->control_bytes() + sizeof(State);
    for (const auto& own : s.own) {
      m.spill_areas += own.spill_bytes();
      m.control += own.control_bytes();
    }
    return m;
  }

  /// Beyond the constructor only the crew's to change.
  options& settled_options() { return options_; }

 private:
  // What depends on the types.
  /// Completes state().run, and brings contexts and initial slots to where the workers read them.
  virtual void deal(std::uint64_t seed) = 0;
  [[nodiscard]] virtual std::unique_ptr<inbox_end> make_inbox(std::uint32_t device,
                                                              std::uint32_t number) const = 0;
  /// \throws bad_join
  virtual void check_joins_of(const view& v) const = 0;
  /// The initial set was used up.
  virtual void seeds_used() noexcept = 0;
  /// Whoever is lost may go on reading the initial set.
  virtual void leave_seeds() = 0;

  void check_live() const {
    if (options_.direct != direct_mode::off)
      throw bad_configuration(
          "a live run hands its tasks to whoever is idle: it cannot be direct, which assigns them "
          "beforehand");
    if (crew_.state().plan.inboxes == 0)
      throw bad_configuration("a live run needs inboxes, and options::inboxes is 0");
  }

  /// The producers' ends of all inboxes.
  [[nodiscard]] live_door_frame::inboxes inboxes() const {
    const State& s = crew_.state();
    live_door_frame::inboxes all;
    for (std::uint32_t i = 0; i != s.plan.inboxes; ++i)
      for (std::uint32_t d = 0; d != s.run.devices; ++d)
        all.push_back(make_inbox(d, i));
    return all;
  }

  void prepare(const live_door_frame* door, const bridge_links* bridge) {
    State& s = crew_.state();
    s.run = s.plan.run;
    if (door != nullptr) {
      s.run.inboxes = s.plan.inboxes;
      s.run.inbox_capacity = s.plan.inbox_capacity;
    }
    if (bridge != nullptr) {
      s.run.domains = bridge->domains;
      s.run.domain = bridge->domain;
      s.run.kind = bridge->kind;
      s.run.other_kind = bridge->other_kind;
      s.run.all_workers = bridge->workers;
      s.run.all_lanes = bridge->lanes;
      s.run.first_worker = bridge->first_worker;
      s.run.first_lane = bridge->first_lane;
      s.run.first_device = bridge->first_device;
      s.run.bridge_capacity = bridge->capacity;
      s.run.bridge = bridge->channels.data();
    }
    // Only a single count tells the first worker whether all others are idle.
    if (door != nullptr || bridge != nullptr) s.run.termination = termination::counter;
    deal(draw_seed(options_));
    const std::scoped_lock lock(cancel_mutex_);
    s.shared->reset();
    if (std::exchange(stopped_, true)) s.shared->clear_frames();
    for (const auto& own : s.own)
      own.reset();
    crew_.brought_to_start();
    running_ = true;
    if (bridge != nullptr && *bridge->over) stop(stop_reason::cancelled);
  }

  void end_run() noexcept {
    {
      const std::scoped_lock lock(cancel_mutex_);
      running_ = false;
    }
    seeds_used();
  }

  /// Asks all workers to stop. A GPU that has failed cannot be told and need not be.
  void stop(stop_reason reason) const {
    for (std::uint32_t d = 0; d != crew_.state().plan.run.devices; ++d) {
      try {
        crew_.state().shared->stop(d, reason);
      } catch (const device_error&) {
      }
    }
  }

  /// Waits for the run's end, reports progress, and stops a run that makes none.
  /// \return why it was stopped, if it was \throws device_error, no_progress if workers are lost
  [[nodiscard]] std::exception_ptr watch(const live_door_frame* door, const bridge_links* bridge) {
    progress_watch watch(options_);
    while (!crew_.ended_within(watch.interval(), watch.wanted())) {
      bool stuck = false;
      try {
        stuck = look_stuck(watch, door, bridge);
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

  /// Nobody can make progress where all that came has ended, and more may come. What came over a
  /// bridge does not tell of what was submitted here: of that a worker is at work then.
  [[nodiscard]] bool look_stuck(progress_watch& watch, const live_door_frame* door,
                                const bridge_links* bridge) {
    const State& s = crew_.state();
    s.shared->look_at_signals();
    const view v = s.shared->live_view();
    std::uint64_t tasks = 0;
    std::uint64_t beats = 0;
    bool works = false;
    for (std::uint32_t w = 0; w != s.run.workers; ++w) {
      tasks += read(v.progress(w).executed);
      beats += read(v.progress(w).beats);
      works = works || read(v.progress(w).now) == static_cast<std::uint32_t>(phase::working);
    }
    const bool rests = (door != nullptr && door->all_ended()) ||
                       (bridge != nullptr && bridge->rests() && !(door != nullptr && works));
    return watch.stuck(tasks, beats, progress_watch::clock::now(), rests);
  }

  /// \return no_progress \throws it if workers are lost
  [[nodiscard, gnu::cold, gnu::noinline]] std::exception_ptr stop_without_progress(
      const progress_watch& watch) {
    const State& s = crew_.state();
    if constexpr (!view::mirrored) s.shared->look();
    // Workers that stop leave their queues as they are; what they do is what they did when found.
    std::string text =
        dump<protocol>(s.shared->live_view(), s.run, s.global_cells(), !view::mirrored);
    stop(stop_reason::no_progress);
    std::uint32_t lost = 0;
    std::string where;
    if (!crew_.ended_within(crew_.patience(), true)) {
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
    leave_seeds();
    throw no_progress(std::move(stuck));
  }

  /// What a task threw, what a worker reported, or what is wrong with the end of a run that nobody
  /// stopped. \throws device_error
  [[nodiscard]] std::exception_ptr what_went_wrong(const view& v) {
    try {
      crew_.rethrow();
      throw_failure(v.control(0), crew_.state().types.most_instances);
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
    const State& s = crew_.state();
    if (options_.direct == direct_mode::off && !crew_.known_settled()) {
      s.shared->look();
      check_settled(v, s.run, s.global_cells());
    }
    if (s.types.frame_bytes != 0) {
      s.shared->look();
      check_joins_of(v);
    }
  }

  void fill(run_report& r) const {
    const State& s = crew_.state();
    r.seed = s.run.seed;
    r.memory = memory_of_run();
    r.memory.initial_tasks = crew_.initial_bytes();
    r.slot_bytes = s.types.slot_bytes;
    r.statistics = s.types.statistics;
    const std::vector<std::uint64_t> tasks = crew_.executed();
    for (std::uint32_t d = 0; d != s.run.devices; ++d) {
      report_device(r, s.plan, d, crew_.describe(d), tasks, s.own[d].left(),
                    [&](std::uint64_t ns) { return crew_.on_host_clock(d, ns); });
    }
  }

  template <class T>
  [[nodiscard]] static auto read(const T& x) {
    return B::load(x, order::relaxed, scope::system);
  }

  options options_;
  crew<State>& crew_;
  std::mutex cancel_mutex_;  ///< cancel() may come while a run is set up or has just ended
  bool running_ = false;
  bool stopped_ = false;             ///< the last run did not end by itself
  std::atomic<bool> in_run_{false};  ///< from the call of run() to its return
};

/// \tparam Crew  a crew, with its `types` (crew_types) and prepare(contexts, seeds, dealt), which
///               brings contexts and initial slots to where the workers read them
template <class Crew>
class crew_runtime final
    : public runtime_base<typename Crew::types::tasks, typename Crew::types::accumulators,
                          typename Crew::types::context>,
      run_skeleton<typename Crew::state_type> {
  using state = typename Crew::state_type;
  using skeleton = run_skeleton<state>;
  using types = typename Crew::types;
  using report_type = report<typename types::accumulators>;
  using B = typename state::backend;
  using slot_type = typename types::slot_type;

 public:
  /// \pre check(o) passed \throws bad_configuration, not_possible, device_error
  explicit crew_runtime(options&& o, const domain_setting& domains = {})
      : skeleton(std::move(o), crew_), crew_(this->settled_options(), domains) {}

  void cancel() override { this->cancel_run(); }
  [[nodiscard]] memory_use memory() const override { return this->memory_of_run(); }
  [[nodiscard]] const run_parameters& plan() const override { return crew_.state().plan.run; }
  [[nodiscard]] std::uint32_t lanes() const override {
    if constexpr (team_backend<B>) return plan().workers * B::team::k_lanes;
    return plan().workers;
  }
  [[nodiscard]] units_of_widths units() const override {
    return widths<typename types::configuration>::of_each();
  }
  [[nodiscard]] mgws::data_places data_places() const override { return crew_.data_places(); }

  report_type run(std::span<const typename types::context> contexts,
                  const run_links<slot_type>& links) override {
    const typename skeleton::one_at_a_time alone(*this);
    this->check_possible(links.door != nullptr);
    this->failed.reset();
    contexts_ = contexts;
    report_type r;
    const std::exception_ptr thrown = this->run_untyped(r, links.door, links.bridge);
    const state& s = crew_.state();
    for (std::uint32_t d = 0; d != s.run.devices; ++d) {
      const auto kept = s.own[d].left();
      for (std::uint32_t w = 0; w != s.plan.devices[d].workers; ++w)
        r.results.merge(kept.template result<typename types::accumulators>(w));
    }
    if (!thrown) return r;
    this->failed = std::move(r);
    std::rethrow_exception(thrown);
  }

 private:
  void deal(std::uint64_t seed) override {
    state& s = crew_.state();
    const auto dealt = this->seeds->deal(s.run.workers, units());
    s.run.initial_count = dealt.size();
    s.run.slots_of_step = this->seeds->slots_of_step(units());
    s.run.seed = seed;
    crew_.prepare(contexts_, this->seeds, dealt);
  }
  [[nodiscard]] std::unique_ptr<inbox_end> make_inbox(std::uint32_t device,
                                                      std::uint32_t number) const override {
    const state& s = crew_.state();
    return std::make_unique<inbox_of<typename state::view, slot_type>>(
        s.shared->workers_view(nullptr), device, number, s.run.inbox_capacity, s.run.devices > 1);
  }
  void check_joins_of([[maybe_unused]] const typename state::view& v) const override {
    if constexpr (types::tasks::has_frames) {
      const state& s = crew_.state();
      check_joins<typename types::tasks>(
          v, s.run, [&](std::uint32_t w, std::byte* to) { s.shared->read_frames(w, to); });
    }
  }
  void seeds_used() noexcept override {
    if (!this->keep_seeds) this->seeds->clear();
  }
  void leave_seeds() override {
    this->seeds = std::make_shared<initial_set<typename types::tasks>>();
  }

  Crew crew_;
  std::span<const typename types::context> contexts_;  ///< of the current run
};

}  // namespace mgws
