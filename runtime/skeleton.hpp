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
#include <mgws/runtime/live_door.hpp>
#include <mgws/runtime/outcome.hpp>
#include <mgws/runtime/plan.hpp>

namespace mgws {

class progress_watch;

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
  run_skeleton(options&& o, crew<State>& c);
  ~run_skeleton();

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
  void check_possible(bool live) const;

  /// A run, and its report without results. \pre check_possible()
  /// \return what ended it, if that is an error \throws device_error, no_progress if workers are
  /// lost
  [[nodiscard]] std::exception_ptr run_untyped(run_report& r, live_door_frame* door,
                                               const bridge_links* bridge);

  void cancel_run();
  [[nodiscard]] memory_use memory_of_run() const;

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

  void check_live() const;

  /// The producers' ends of all inboxes.
  [[nodiscard]] live_door_frame::inboxes inboxes() const;

  void prepare(const live_door_frame* door, const bridge_links* bridge);

  void end_run() noexcept;

  /// Asks all workers to stop. A GPU that has failed cannot be told and need not be.
  void stop(stop_reason reason) const;

  /// Waits for the run's end, reports progress, and stops a run that makes none.
  /// \return why it was stopped, if it was \throws device_error, no_progress if workers are lost
  [[nodiscard]] std::exception_ptr watch(const live_door_frame* door, const bridge_links* bridge);

  /// Nobody can make progress where all that came has ended, and more may come. What came over a
  /// bridge does not tell of what was submitted here: of that a worker is at work then.
  [[nodiscard]] bool look_stuck(progress_watch& watch, const live_door_frame* door,
                                const bridge_links* bridge);

  /// \return no_progress \throws it if workers are lost
  [[nodiscard, gnu::cold, gnu::noinline]] std::exception_ptr stop_without_progress(
      const progress_watch& watch);

  /// What a task threw, what a worker reported, or what is wrong with the end of a run that nobody
  /// stopped. \throws device_error
  [[nodiscard]] std::exception_ptr what_went_wrong(const view& v);
  [[nodiscard]] static bool was_stopped(const view& v) { return read(v.control(0).stop) != 0; }
  void check_end(const view& v) const;

  void fill(run_report& r) const;

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
  [[nodiscard]] std::uint32_t threads() const override { return crew_.threads(); }
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
    const auto dealt = this->seeds->deal(s.run, units());
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

#if !defined(MGWS_COMPILED_APART)
#include <mgws/runtime/impl/skeleton.hpp>
#endif
