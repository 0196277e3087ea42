/// \file
/// A runtime whose run is shared by several processes, each of them a coherence domain: a bridge
/// joins them (core/bridge.hpp), whose channels lie in memory that they share.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <unistd.h>

#include <mgws/core/task_set.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/base.hpp>
#include <mgws/runtime/channels.hpp>
#include <mgws/runtime/kinds.hpp>
#include <mgws/runtime/process_area.hpp>

namespace mgws {

/// What a process tells the others of its group. It alone writes it; runs are counted from 1.
template <class Accumulators>
struct process_record {
  // Before the first run.
  std::uint64_t process;
  std::uint32_t workers;
  std::uint32_t lanes;
  units_of_widths units;
  worker_kind kind;

  /// The last run that it waits for the others in, and how large its initial set is.
  alignas(128) std::atomic<std::uint64_t> entered;
  std::array<std::uint64_t, 2> instances;  ///< of every other run: others may still read the last
  /// The last run for which the channels are ready. Rank 0's.
  std::atomic<std::uint64_t> ready;
  /// The last run that all are to stop.
  std::atomic<std::uint64_t> stopped;

  /// The last run that its workers have left, and what came of that.
  alignas(128) std::atomic<std::uint64_t> left;
  mgws::status status;
  bool failed;
  std::array<char, 512> why;  ///< with a zero at its end
  std::uint64_t tasks;
  std::uint64_t began_ns;
  double seconds;
  Accumulators results;
};

/// A hash (FNV-1a) of what processes must agree on to exchange tasks.
class program_hash {
 public:
  template <class T>
  void add_type() {
    add(sizeof(T));
    add(alignof(T));
#if defined __cpp_rtti
    for (const char c : std::string_view(typeid(T).name()))
      add(static_cast<unsigned char>(c));
#endif
  }
  void add(std::uint64_t value) {
    hash_ = (hash_ ^ value) * 0x100000001b3;
  }
  [[nodiscard]] std::uint64_t value() const {
    return hash_;
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

/// \tparam Head  a channel_head: the same bytes for the backend of every process
template <class Tasks, class Accumulators, class Context, class Head>
class joined_runtime final : public runtime_base<Tasks, Accumulators, Context> {
  using base = runtime_base<Tasks, Accumulators, Context>;
  using slot_type = slot<Tasks>;
  using report_type = report<Accumulators>;
  using record_type = process_record<Accumulators>;
  static_assert(std::is_trivially_copyable_v<Accumulators>);

 public:
  /// Returns when all processes of the group have made theirs.
  /// \param make  make(options, domain_setting): a runtime of this process' devices
  /// \throws bad_configuration, not_possible, device_error
  template <class Make>
  joined_runtime(const options& o, Make&& make)
      : group_(o.processes),
        capacity_(o.bridge_slots),
        member_(make(o, domain_setting{.domains = o.processes.ranks})),
        host_(member_->data_places().host),
        area_(std::make_shared<process_area>(
            group_,
            process_area::layout{.program = program(),
                                 .record_bytes = sizeof(record_type),
                                 .payload_bytes = bridge_channels<Head>::bytes(
                                     group_.ranks, capacity_, sizeof(slot_type))},
            [&](std::byte* record) {
              auto& r = *new (record) record_type{};
              r.process = static_cast<std::uint64_t>(getpid());
              r.workers = member_->plan().workers;
              r.lanes = member_->lanes();
              r.units = member_->units();
              r.kind = kind_of(o);
            })),
        channels_(area_->payload(), group_.ranks, capacity_, sizeof(slot_type)),
        plan_(member_->plan()) {
    host_->adopt(area_->data(), area_->bytes());
    plan_.workers = 0;
    kinds_ = std::vector<worker_kind>(group_.ranks);
    for (std::uint32_t r = 0; r != group_.ranks; ++r) {
      if (r == group_.rank) first_worker_ = plan_.workers;
      if (r == group_.rank) first_lane_ = lanes_;
      plan_.workers += record(r).workers;
      lanes_ += record(r).lanes;
      kinds_[r] = record(r).kind;
    }
    check_affinity<Tasks>(kinds_);
  }
  joined_runtime(const joined_runtime&) = delete;
  joined_runtime& operator=(const joined_runtime&) = delete;
  ~joined_runtime() override {
    member_.reset();  // whoever is still at work may use the channels
    host_->let_go(area_->data());
  }

  report_type run(std::span<const Context> contexts, const run_links<slot_type>& links) override {
    begin();
    this->failed.reset();
    struct at_the_end {
      joined_runtime& of;
      ~at_the_end() {
        const std::scoped_lock lock(of.mutex_);
        of.running_ = false;
        if (!of.keep_seeds) of.seeds->clear();
      }
    } const whatever_comes{*this};
    meet();
    std::optional<report_type> mine;
    try {
      const watcher watching(*this);
      mine = run_part(contexts, links.door);
    } catch (const no_progress& e) {
      // Who never came back may use the channels as long as this process lives.
      if (e.lost_workers() != 0) static_cast<void>(new std::shared_ptr<process_area>(area_));
      leave_failed(e.what());
      throw;
    } catch (const std::exception& e) {
      leave_failed(e.what());
      throw;
    } catch (...) {
      leave_failed("a task threw what is no std::exception");
      throw;
    }
    leave(*mine);
    try {
      wait_for_all([&](const record_type& r) { return r.left.load() >= run_; });
      return together(*mine);
    } catch (const process_failed&) {
      mine->status = status::failed;
      this->failed = std::move(mine);
      throw;
    }
  }

  void cancel() override {
    const std::scoped_lock lock(mutex_);
    if (running_) stop();
  }
  [[nodiscard]] memory_use memory() const override {
    memory_use m = member_->memory();
    m.control += area_->bytes();
    return m;
  }
  [[nodiscard]] const run_parameters& plan() const override { return plan_; }
  [[nodiscard]] std::uint32_t lanes() const override { return lanes_; }
  [[nodiscard]] units_of_widths units() const override { return member_->units(); }
  [[nodiscard]] mgws::data_places data_places() const override {
    mgws::data_places all = member_->data_places();
    all.shared_run = true;
    return all;
  }

 private:
  static constexpr std::chrono::milliseconds k_look{5};    ///< at what others want stopped
  static constexpr std::chrono::milliseconds k_check{50};  ///< whether they live

  [[nodiscard]] record_type& record(std::uint32_t rank) const {
    return *std::launder(reinterpret_cast<record_type*>(area_->record(rank)));
  }
  [[nodiscard]] record_type& mine() const { return record(group_.rank); }

  [[nodiscard]] std::uint64_t program() const {
    program_hash h;
    [&]<class... Ts>(const task_set<Ts...>*) {
      (h.add_type<Ts>(), ...);
      (h.add(static_cast<std::uint64_t>(detail::affinity_of<Ts>())), ...);
    }(static_cast<const Tasks*>(nullptr));
    h.add_type<slot_type>();
    h.add_type<Accumulators>();
    h.add(sizeof(Head));
    h.add(capacity_);
    h.add(group_.own_seeds ? 1 : 0);
    return h.value();
  }

  // ---- A run, in the order of what happens ----

  void begin() {
    const std::scoped_lock lock(mutex_);
    if (running_)
      throw not_possible(
          "this runtime is in the middle of a run, and has one at a time: wait for its end, or "
          "make another runtime");
    if (gone_)
      detail::refuse<not_possible>({"the process with rank ", *gone_, " of group '", group_.name,
                                    "' is gone: make a new runtime in each of the others"});
    running_ = true;
    over_ = false;
    ++run_;
  }

  /// Waits until all are in this run, and makes the channels ready.
  void meet() {
    mine().instances[run_ % 2] = this->seeds->instances();
    mine().entered.store(run_);
    wait_for_all([&](const record_type& r) { return r.entered.load() >= run_; });
    if (!group_.own_seeds)
      for (std::uint32_t r = 0; r != group_.ranks; ++r)
        if (instances_of(r) != instances_of(0)) refuse_seeds(r);
    if (group_.rank == 0) {
      channels_.reset();
      mine().ready.store(run_);
    } else {
      wait_for(0, 1, [&](const record_type& r) { return r.ready.load() >= run_; });
    }
  }

  [[nodiscard]] std::uint64_t instances_of(std::uint32_t rank) const {
    return record(rank).instances[run_ % 2];
  }

  /// Of the parts of the initial set.
  [[nodiscard]] std::vector<double> weights() const {
    std::vector<double> all;
    for (std::uint32_t r = 0; r != group_.ranks; ++r)
      all.push_back(record(r).workers * this->seeds->side_by_side(record(r).units));
    return all;
  }

  report_type run_part(std::span<const Context> contexts, live_door<slot_type>* door) {
    if (dealt_ != this->seeds || version_ != this->seeds->version()) {
      member_->seeds = group_.own_seeds ? this->seeds
                                        : std::make_shared<initial_set<Tasks>>(
                                              this->seeds->share(weights(), kinds_, group_.rank));
      member_->keep_seeds = true;
      dealt_ = this->seeds;
      version_ = this->seeds->version();
    }
    const bridge_links bridge{.domains = group_.ranks,
                              .domain = group_.rank,
                              .kind = kinds_[group_.rank],
                              .other_kind = other_kinds(kinds_, group_.rank),
                              .workers = plan_.workers,
                              .lanes = lanes_,
                              .first_worker = first_worker_,
                              .first_lane = first_lane_,
                              .first_device = 0,
                              .capacity = capacity_,
                              .channels = channels_.all(),
                              .over = &over_,
                              .start = {},
                              .rests = [this] { return channels_.rests(group_.rank); }};
    return member_->run(contexts, {.door = door, .bridge = &bridge});
  }

  void leave(const report_type& r) {
    record_type& m = mine();
    m.status = r.status;
    m.failed = false;
    m.tasks = r.tasks;
    m.began_ns = r.began_ns;
    m.seconds = r.seconds;
    m.results = r.results;
    m.left.store(run_);
  }
  /// The others would wait for what this process had.
  void leave_failed(std::string_view why) {
    this->failed = std::exchange(member_->failed, std::nullopt);
    record_type& m = mine();
    m.failed = true;
    m.why.fill('\0');
    why.copy(m.why.data(), m.why.size() - 1);
    m.stopped.store(run_);
    m.left.store(run_);
  }

  report_type together(report_type r) const {
    r.tasks = 0;
    r.results = {};
    const std::uint64_t ended_ns = [&] {
      std::uint64_t last = 0;
      for (std::uint32_t p = 0; p != group_.ranks; ++p)
        last = std::max(last,
                        record(p).began_ns + static_cast<std::uint64_t>(record(p).seconds * 1e9));
      return last;
    }();
    std::uint64_t began_ns = r.began_ns;
    for (std::uint32_t p = 0; p != group_.ranks; ++p) {
      const record_type& of = record(p);
      if (of.failed) throw process_failed(group_.name, p, of.why.data());
      if (of.status == status::cancelled) r.status = status::cancelled;
      r.tasks += of.tasks;
      r.results.merge(of.results);
      began_ns = std::min(began_ns, of.began_ns);
      r.processes.push_back(
          {.process = of.process, .workers = of.workers, .tasks = of.tasks, .seconds = of.seconds});
    }
    r.seconds = static_cast<double>(ended_ns - began_ns) * 1e-9;
    r.memory = memory();
    return r;
  }

  // ---- The others ----

  /// Waits for what is to hold of some of the others.
  /// \throws process_failed if one of them is gone before it does
  template <class Holds>
  void wait_for(std::uint32_t first, std::uint32_t end, Holds&& holds) {
    std::chrono::microseconds time{10};
    auto looked = std::chrono::steady_clock::now();
    for (std::uint32_t r = first; r != end;) {
      if (r == group_.rank || holds(record(r))) {
        ++r;
        continue;
      }
      std::this_thread::sleep_for(time);
      time = std::min<std::chrono::microseconds>(2 * time, std::chrono::milliseconds(1));
      if (std::chrono::steady_clock::now() - looked < k_check) continue;
      for (std::uint32_t other = r; other != end && !gone_; ++other)
        if (is_gone(other) && !holds(record(other))) gone_ = other;
      if (gone_) throw process_failed(group_.name, *gone_, {});
      looked = std::chrono::steady_clock::now();
    }
  }
  template <class Holds>
  void wait_for_all(Holds&& holds) {
    wait_for(0, group_.ranks, holds);
  }

  [[nodiscard]] bool is_gone(std::uint32_t rank) const {
    return rank != group_.rank && !area_->alive(rank);
  }

  /// Asks all to stop.
  void stop() {
    mine().stopped.store(run_);
    over_ = true;
    member_->cancel();
  }

  /// While workers run, a thread that looks whether others want to stop, and whether they live.
  class watcher {
   public:
    explicit watcher(joined_runtime& of) : of_(of), thread_([this] { watch(); }) {}
    watcher(const watcher&) = delete;
    watcher& operator=(const watcher&) = delete;
    ~watcher() {
      {
        const std::scoped_lock lock(mutex_);
        over_ = true;
      }
      ended_.notify_one();
      thread_.join();
    }

   private:
    void watch() {
      auto looked = std::chrono::steady_clock::now();
      std::unique_lock lock(mutex_);
      while (!ended_.wait_for(lock, k_look, [&] { return over_; })) {
        bool stops = false;
        for (std::uint32_t r = 0; r != of_.group_.ranks; ++r)
          stops = stops || of_.record(r).stopped.load() == of_.run_;
        if (std::chrono::steady_clock::now() - looked >= k_check) {
          for (std::uint32_t r = 0; r != of_.group_.ranks && !of_.gone_; ++r)
            if (of_.is_gone(r)) of_.gone_ = r;
          looked = std::chrono::steady_clock::now();
        }
        if (stops || of_.gone_) of_.stop();
      }
    }

    joined_runtime& of_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool over_ = false;
    std::thread thread_;
  };

  [[noreturn]] void refuse_seeds(std::uint32_t rank) const {
    detail::refuse<bad_configuration>(
        {"the processes of group '", group_.name, "' have initial sets that differ: ",
         instances_of(0), " instances in rank 0, ", instances_of(rank), " in rank ", rank,
         "; they are to be the same in all, unless own_seeds says that each has its own"});
  }

  process_group group_;
  std::uint32_t capacity_;  ///< slots of a channel
  std::unique_ptr<base> member_;
  std::shared_ptr<memory_space> host_;  ///< what its workers reach of the host's
  std::shared_ptr<process_area> area_;
  bridge_channels<Head> channels_;
  run_parameters plan_;      ///< of this process, but for the number of workers
  std::uint32_t lanes_ = 0;  ///< of all
  std::uint32_t first_worker_ = 0;
  std::uint32_t first_lane_ = 0;
  std::vector<worker_kind> kinds_;             ///< of the processes' workers
  std::shared_ptr<initial_set<Tasks>> dealt_;  ///< what the member has a part of
  std::uint64_t version_ = 0;                  ///< of it
  std::uint64_t run_ = 0;                      ///< the last one
  std::optional<std::uint32_t> gone_;          ///< a process

  std::mutex mutex_;
  bool running_ = false;
  std::atomic<bool> over_{false};  ///< somebody has ended the run before its end
};

}  // namespace mgws
