/// \file
/// A runtime whose devices are of several coherence domains: each domain has a runtime of its own,
/// and a bridge joins them for a run (core/bridge.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <mgws/core/bridge.hpp>
#include <mgws/errors.hpp>
#include <mgws/options.hpp>
#include <mgws/placement.hpp>
#include <mgws/report.hpp>
#include <mgws/runtime/base.hpp>
#include <mgws/runtime/channels.hpp>
#include <mgws/runtime/kinds.hpp>

namespace mgws {

/// The devices of each coherence domain, as positions in options::devices. CPU workers are one, and
/// GPUs that share a transport are one, unless the options ask for more.
[[nodiscard]] inline std::vector<std::vector<std::uint32_t>> domains_of(const options& o) {
  std::vector<std::vector<std::uint32_t>> all;
  for (std::uint32_t d = 0; d != o.devices.size(); ++d) {
    const auto same = std::ranges::find_if(all, [&](const auto& domain) {
      return o.domains == domain_split::by_kind &&
             o.devices[domain.front()].kind == o.devices[d].kind;
    });
    if (same != all.end()) {
      same->push_back(d);
    } else {
      all.push_back({d});
    }
  }
  return all;
}

/// What options say for the devices of one domain.
[[nodiscard]] inline options options_of(const options& o,
                                        const std::vector<std::uint32_t>& devices) {
  options part = o;
  part.devices.clear();
  for (const std::uint32_t d : devices)
    part.devices.push_back(o.devices[d]);
  // What is said of transports is said of the GPUs.
  if (part.devices.front().kind == device_kind::cpu) {
    part.transport = transport_kind::automatic;
    part.initial_tasks = task_memory::automatic;
  }
  return part;
}

/// \tparam Head  a channel_head: the same bytes for the backend of every domain
template <class Tasks, class Accumulators, class Context, class Head>
class bridged_runtime final : public runtime_base<Tasks, Accumulators, Context> {
  using base = runtime_base<Tasks, Accumulators, Context>;
  using slot_type = slot<Tasks>;
  using report_type = report<Accumulators>;

 public:
  /// One domain.
  struct member {
    std::vector<std::uint32_t> devices;  ///< which of options::devices
    worker_kind kind;                    ///< of its workers
    std::unique_ptr<base> runs;
  };

  /// \param make  make(options, domain_setting): a runtime of one domain
  /// \throws bad_configuration, not_possible, device_error
  template <class Make>
  bridged_runtime(const options& o, Make&& make) : capacity_(o.bridge_slots) {
    const auto domains = domains_of(o);
    for (const auto& d : domains)
      if (d.back() - d.front() + 1 != d.size())
        throw bad_configuration(
            "devices of one coherence domain are to be named one after the other: CPU groups, then "
            "GPUs, or the other way round");
    counts_ = std::vector<std::atomic<std::uint64_t>>(domains.size());
    kinds_ = std::vector<worker_kind>(domains.size());
    for (std::uint32_t i = 0; i != domains.size(); ++i) {
      options part = options_of(o, domains[i]);
      if (o.on_progress) part.on_progress = progress_of(i, o.on_progress);
      domain_setting setting{.domains = static_cast<std::uint32_t>(domains.size())};
      for (std::uint32_t d = 0; d != o.devices.size(); ++d)
        if (std::ranges::find(domains[i], d) == domains[i].end())
          setting.beside.push_back(o.devices[d]);
      kinds_[i] = kind_of(part);
      members_.push_back({domains[i], kinds_[i], make(std::move(part), setting)});
    }
    check_affinity<Tasks>(kinds_);
    make_plan(o);
    make_channels();
  }
  bridged_runtime(const bridged_runtime&) = delete;
  bridged_runtime& operator=(const bridged_runtime&) = delete;
  ~bridged_runtime() override {
    members_.clear();  // whoever is still at work may use the channels
    memory_->deallocate(bytes_);
  }

  report_type run(std::span<const Context> contexts, const run_links<slot_type>& links) override {
    {
      const std::scoped_lock lock(mutex_);
      if (running_)
        throw not_possible(
            "this runtime is in the middle of a run, and has one at a time: wait for its end, or "
            "make another runtime");
      running_ = true;
      over_ = false;
    }
    this->failed.reset();
    struct at_the_end {
      bridged_runtime& of;
      ~at_the_end() {
        const std::scoped_lock lock(of.mutex_);
        of.running_ = false;
        if (!of.keep_seeds) of.seeds->clear();
      }
    } const whatever_comes{*this};
    deal();
    std::vector<std::vector<kept_context>> each(members_.size());
    for (std::size_t i = 0; i != members_.size(); ++i)
      for (const std::uint32_t d : members_[i].devices)
        each[i].push_back({contexts[contexts.size() == 1 ? 0 : d]});
    if (links.door != nullptr) links.door->expect(members_.size());
    channels_.reset();
    std::ranges::fill(counts_, 0);
    {
      const std::scoped_lock lock(mutex_);
      start_ = std::make_shared<start_line>(threads_, launches_);
    }

    std::vector<std::optional<report_type>> reports(members_.size());
    std::vector<std::exception_ptr> thrown(members_.size());
    const auto run_one = [&](std::size_t i) {
      const bridge_links of{.domains = static_cast<std::uint32_t>(members_.size()),
                            .domain = static_cast<std::uint32_t>(i),
                            .kind = kinds_[i],
                            .other_kind = other_kinds(kinds_, i),
                            .workers = plan_.workers,
                            .lanes = lanes(),
                            .first_worker = ranges_[members_[i].devices.front()].first_worker,
                            .first_lane = lanes_before(i),
                            .first_device = members_[i].devices.front(),
                            .capacity = capacity_,
                            .channels = channels_.all(),
                            .over = &over_,
                            .start = start_,
                            .rests = [this, i] { return channels_.rests(i); }};
      try {
        reports[i] =
            members_[i].runs->run(std::span<const Context>(&each[i].front().value, each[i].size()),
                                  {.door = links.door, .bridge = &of});
      } catch (...) {
        thrown[i] = std::current_exception();
        // The others would wait for what it had.
        cancel();
      }
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i != members_.size(); ++i)
      if (i != here_) threads.emplace_back(run_one, i);
    run_one(here_);
    for (std::thread& t : threads)
      t.join();
    const auto error = std::ranges::find_if(thrown, [](const auto& e) { return e != nullptr; });
    if (error == thrown.end()) return together(reports);
    for (std::size_t i = 0; i != members_.size(); ++i)
      if (thrown[i]) reports[i] = std::exchange(members_[i].runs->failed, std::nullopt);
    if (std::ranges::all_of(reports, [](const auto& r) { return r.has_value(); }))
      this->failed = together(reports);
    std::rethrow_exception(*error);
  }

  void cancel() override {
    const std::scoped_lock lock(mutex_);
    if (!running_) return;
    over_ = true;
    for (const member& m : members_)
      m.runs->cancel();
    if (start_ != nullptr) start_->give_up();
  }
  [[nodiscard]] memory_use memory() const override {
    memory_use all{.control = bytes_size_};
    for (const member& m : members_)
      all += m.runs->memory();
    return all;
  }
  [[nodiscard]] const run_parameters& plan() const override { return plan_; }
  [[nodiscard]] std::uint32_t lanes() const override { return lanes_before(members_.size()); }
  [[nodiscard]] units_of_widths units() const override { return {}; }
  [[nodiscard]] mgws::data_places data_places() const override {
    mgws::data_places all{.devices = std::vector<std::shared_ptr<memory_space>>(plan_.devices),
                          .host = memory_,
                          .managed = memory_,
                          .reached = false,
                          .domains = std::vector<std::uint32_t>(plan_.devices)};
    for (std::uint32_t domain = 0; domain != members_.size(); ++domain) {
      const member& m = members_[domain];
      const mgws::data_places of = m.runs->data_places();
      if (!is_cpu(m) && all.managed != nullptr) all.managed = of.managed;
      for (std::size_t i = 0; i != m.devices.size(); ++i) {
        all.devices[m.devices[i]] = is_cpu(m) ? memory_ : of.devices[i];
        all.domains[m.devices[i]] = domain;
      }
    }
    return all;
  }

 private:
  /// In an array, which a vector of bool does not have.
  struct kept_context {
    Context value;
  };
  static_assert(sizeof(kept_context) == sizeof(Context));

  /// Of the domains before one.
  [[nodiscard]] std::uint32_t lanes_before(std::size_t domain) const {
    std::uint32_t n = 0;
    for (std::size_t i = 0; i != domain; ++i)
      n += members_[i].runs->lanes();
    return n;
  }
  [[nodiscard]] static bool is_cpu(const member& m) { return m.kind == worker_kind::cpu; }

  /// What a domain's runtime calls; the user's is told the sum.
  std::function<void(std::uint64_t)> progress_of(std::uint32_t i,
                                                 std::function<void(std::uint64_t)> user) {
    return [this, i, user = std::move(user)](std::uint64_t tasks) {
      counts_[i] = tasks;
      if (i != here_) return;
      std::uint64_t sum = 0;
      for (const auto& n : counts_)
        sum += n;
      user(sum);
    };
  }

  void make_plan(const options& o) {
    plan_ = members_.front().runs->plan();
    plan_.devices = static_cast<std::uint32_t>(o.devices.size());
    ranges_.resize(o.devices.size());
    for (const member& m : members_)
      for (std::size_t i = 0; i != m.devices.size(); ++i)
        ranges_[m.devices[i]] = m.runs->plan().device[i];
    plan_.workers = plan_.queues = 0;
    for (device_range& r : ranges_) {
      r.first_worker = std::exchange(plan_.workers, plan_.workers + r.workers);
      r.first_queue = std::exchange(plan_.queues, plan_.queues + r.queues);
    }
    plan_.device = ranges_.data();
    for (std::size_t i = 0; i != members_.size(); ++i) {
      if (is_cpu(members_[i])) here_ = i;
      const std::uint32_t threads = members_[i].runs->threads();
      threads_ += threads;
      launches_ += threads == 0 ? 1 : 0;
    }
  }

  /// In memory that all reach: a GPU's runtime has such, if there is one.
  void make_channels() {
    memory_ = members_.front().runs->data_places().host;
    for (const member& m : members_)
      if (!is_cpu(m)) memory_ = m.runs->data_places().host;
    bytes_size_ = bridge_channels<Head>::bytes(members_.size(), capacity_, sizeof(slot_type));
    bytes_ = static_cast<std::byte*>(memory_->allocate(bytes_size_));
    channels_ = bridge_channels<Head>(bytes_, members_.size(), capacity_, sizeof(slot_type));
  }

  /// The initial set in parts, one for each domain, by the instances that it runs side by side.
  void deal() {
    if (dealt_ == this->seeds && version_ == this->seeds->version()) return;
    std::vector<double> weights;
    weights.reserve(members_.size());
    for (const member& m : members_)
      weights.push_back(m.runs->plan().workers * this->seeds->side_by_side(m.runs->units()));
    for (std::size_t i = 0; i != members_.size(); ++i) {
      members_[i].runs->seeds =
          std::make_shared<initial_set<Tasks>>(this->seeds->share(weights, kinds_, i));
      members_[i].runs->keep_seeds = true;
    }
    dealt_ = this->seeds;
    version_ = this->seeds->version();
  }

  /// One report of all domains', by device in the order of the options.
  [[nodiscard]] report_type together(std::vector<std::optional<report_type>>& reports) const {
    report_type all = *reports[here_];
    all.tasks = 0;
    all.devices.assign(plan_.devices, {});
    all.workers.assign(plan_.workers, {});
    all.records.resize(all.statistics ? plan_.workers : 0);
    all.steal_matrix.assign(plan_.devices, std::vector<steals_from>(plan_.devices));
    all.results = {};
    all.memory = {.control = bytes_size_};
    for (const auto& r : reports)
      all.began_ns = std::min(all.began_ns, r->began_ns);
    for (std::size_t i = 0; i != members_.size(); ++i) {
      const member& m = members_[i];
      report_type& r = *reports[i];
      all.status = std::max(all.status, r.status);
      all.tasks += r.tasks;
      const double later = static_cast<double>(r.began_ns - all.began_ns) * 1e-9;
      all.seconds = std::max(all.seconds, later + r.seconds);
      all.setup_seconds = std::max(all.setup_seconds, r.setup_seconds);
      all.memory += r.memory;
      all.results.merge(r.results);
      for (std::size_t d = 0; d != m.devices.size(); ++d) {
        const std::uint32_t at = m.devices[d];
        const std::uint32_t first = r.devices[d].first_worker;
        for (std::uint32_t w = 0; w != r.devices[d].workers; ++w) {
          const std::uint32_t worker = ranges_[at].first_worker + w;
          all.workers[worker] = {.device = at, .tasks = r.workers[first + w].tasks};
          if (all.statistics) all.records[worker] = std::move(r.records[first + w]);
        }
        all.devices[at] = std::move(r.devices[d]);
        all.devices[at].first_worker = ranges_[at].first_worker;
        if (auto& begun = all.devices[at].first_task_seconds) *begun += later;
        for (std::size_t from = 0; from != m.devices.size(); ++from)
          all.steal_matrix[at][m.devices[from]] = r.steal_matrix[d][from];
      }
    }
    return all;
  }

  std::uint32_t capacity_;                          ///< slots of a channel
  std::vector<std::atomic<std::uint64_t>> counts_;  ///< tasks that have run, by domain
  std::vector<member> members_;
  std::uint32_t threads_ = 0;   ///< that start CPU workers
  std::uint32_t launches_ = 0;  ///< of kernels
  std::size_t here_ = 0;        ///< the domain whose run the caller's thread drives
  run_parameters plan_{};
  std::vector<device_range> ranges_;
  std::vector<worker_kind> kinds_;  ///< of the domains' workers
  std::shared_ptr<memory_space> memory_;
  std::byte* bytes_ = nullptr;  ///< the channels'
  std::size_t bytes_size_ = 0;
  bridge_channels<Head> channels_;
  std::shared_ptr<initial_set<Tasks>> dealt_;  ///< what the members have parts of
  std::uint64_t version_ = 0;                  ///< of it

  std::mutex mutex_;
  bool running_ = false;
  std::atomic<bool> over_{false};      ///< somebody has ended the run before its end
  std::shared_ptr<start_line> start_;  ///< of the current run
};

}  // namespace mgws
