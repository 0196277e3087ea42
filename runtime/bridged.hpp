/// \file
/// A runtime whose devices are of several coherence domains: each domain has a runtime of its own,
/// and a bridge joins them for a run (core/bridge.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
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
    for (std::uint32_t i = 0; i != domains.size(); ++i) {
      options part = options_of(o, domains[i]);
      if (o.on_progress) part.on_progress = progress_of(i, o.on_progress);
      domain_setting setting{.domains = static_cast<std::uint32_t>(domains.size())};
      for (std::uint32_t d = 0; d != o.devices.size(); ++d)
        if (std::ranges::find(domains[i], d) == domains[i].end())
          setting.beside.push_back(o.devices[d]);
      members_.push_back({domains[i], make(std::move(part), setting)});
    }
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
    if (links.door != nullptr)
      throw not_possible(
          "a live run uses the CPU or GPUs: what is submitted does not cross between coherence "
          "domains yet");
    {
      const std::scoped_lock lock(mutex_);
      if (running_)
        throw not_possible(
            "this runtime is in the middle of a run, and has one at a time: wait for its end, or "
            "make another runtime");
      running_ = true;
      over_ = false;
    }
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
    for (std::size_t c = 0; c != channels_.size(); ++c)
      std::construct_at(static_cast<Head*>(channels_[c].head));
    std::ranges::fill(counts_, 0);

    std::vector<std::optional<report_type>> reports(members_.size());
    std::vector<std::exception_ptr> thrown(members_.size());
    const auto run_one = [&](std::size_t i) {
      const bridge_links of{.domains = static_cast<std::uint32_t>(members_.size()),
                            .domain = static_cast<std::uint32_t>(i),
                            .workers = plan_.workers,
                            .first_worker = ranges_[members_[i].devices.front()].first_worker,
                            .first_device = members_[i].devices.front(),
                            .capacity = capacity_,
                            .channels = channels_,
                            .over = &over_,
                            .rests = [this, i] { return rests(i); }};
      try {
        reports[i] = members_[i].runs->run(
            std::span<const Context>(&each[i].front().value, each[i].size()), {.bridge = &of});
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
    for (const std::exception_ptr& e : thrown)
      if (e) std::rethrow_exception(e);
    return together(reports);
  }

  void cancel() override {
    const std::scoped_lock lock(mutex_);
    if (!running_) return;
    over_ = true;
    for (const member& m : members_)
      m.runs->cancel();
  }
  [[nodiscard]] memory_use memory() const override {
    memory_use all{.control = bytes_size_};
    for (const member& m : members_)
      all += m.runs->memory();
    return all;
  }
  [[nodiscard]] const run_parameters& plan() const override { return plan_; }
  [[nodiscard]] std::uint32_t side_by_side() const override { return 1; }
  [[nodiscard]] mgws::data_places data_places() const override {
    mgws::data_places all{.devices = std::vector<std::shared_ptr<memory_space>>(plan_.devices),
                          .host = memory_,
                          .reached = false};
    for (const member& m : members_) {
      const mgws::data_places of = m.runs->data_places();
      for (std::size_t i = 0; i != m.devices.size(); ++i)
        all.devices[m.devices[i]] = is_cpu(m) ? memory_ : of.devices[i];
    }
    return all;
  }

 private:
  /// In an array, which a vector of bool does not have.
  struct kept_context {
    Context value;
  };
  static_assert(sizeof(kept_context) == sizeof(Context));

  [[nodiscard]] bool is_cpu(const member& m) const { return kinds_[m.devices.front()]; }

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
    kinds_.resize(o.devices.size());
    for (const member& m : members_)
      for (std::size_t i = 0; i != m.devices.size(); ++i) {
        ranges_[m.devices[i]] = m.runs->plan().device[i];
        kinds_[m.devices[i]] = o.devices[m.devices[i]].kind == device_kind::cpu;
      }
    plan_.workers = plan_.queues = 0;
    for (device_range& r : ranges_) {
      r.first_worker = std::exchange(plan_.workers, plan_.workers + r.workers);
      r.first_queue = std::exchange(plan_.queues, plan_.queues + r.queues);
    }
    plan_.device = ranges_.data();
    for (std::size_t i = 0; i != members_.size(); ++i)
      if (is_cpu(members_[i])) here_ = i;
  }

  /// In memory that all reach: a GPU's runtime has such, if there is one.
  void make_channels() {
    memory_ = members_.front().runs->data_places().host;
    for (const member& m : members_)
      if (!is_cpu(m)) memory_ = m.runs->data_places().host;
    const std::size_t n = members_.size() * members_.size();
    const std::size_t ring = std::size_t{capacity_} * sizeof(slot_type);
    bytes_size_ = n * (sizeof(Head) + ring);
    bytes_ = static_cast<std::byte*>(memory_->allocate(bytes_size_));
    for (std::size_t c = 0; c != n; ++c)
      channels_.push_back({bytes_ + c * sizeof(Head), bytes_ + n * sizeof(Head) + c * ring});
  }

  /// The initial set in parts, one for each domain, by the instances that it runs side by side.
  void deal() {
    if (dealt_ == this->seeds && version_ == this->seeds->version()) return;
    double all = 0;
    for (const member& m : members_)
      all += weight(m);
    double sum = 0;
    std::uint64_t begin = 0;
    for (const member& m : members_) {
      sum += weight(m);
      const auto n = static_cast<double>(this->seeds->instances());
      const auto end = &m == &members_.back()
                           ? this->seeds->instances()
                           : static_cast<std::uint64_t>(std::llround(n * sum / all));
      m.runs->seeds =
          std::make_shared<initial_set<Tasks>>(this->seeds->part(begin, std::max(begin, end)));
      m.runs->keep_seeds = true;
      begin = std::max(begin, end);
    }
    dealt_ = this->seeds;
    version_ = this->seeds->version();
  }
  [[nodiscard]] static double weight(const member& m) {
    return static_cast<double>(m.runs->plan().workers) * m.runs->side_by_side();
  }

  /// Whether all that came to a domain has ended: it waits for others.
  [[nodiscard]] bool rests(std::size_t domain) const {
    for (std::size_t from = 0; from != members_.size(); ++from) {
      if (from == domain) continue;
      const auto& inbox =
          static_cast<const Head*>(channels_[from * members_.size() + domain].head)->inbox;
      if (!Head::all_ended(inbox)) return false;
    }
    return true;
  }

  /// One report of all domains', by device in the order of the options.
  [[nodiscard]] report_type together(std::vector<std::optional<report_type>>& reports) const {
    report_type all = *reports[here_];
    all.tasks = 0;
    all.devices.assign(plan_.devices, {});
    all.workers.assign(plan_.workers, {});
    all.steal_matrix.assign(plan_.devices, std::vector<steals_from>(plan_.devices));
    all.results = {};
    all.memory = {.control = bytes_size_};
    for (const auto& r : reports)
      all.began_ns = std::min(all.began_ns, r->began_ns);
    for (std::size_t i = 0; i != members_.size(); ++i) {
      const member& m = members_[i];
      report_type& r = *reports[i];
      if (r.status == status::cancelled) all.status = status::cancelled;
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
          worker_report& worker = all.workers[ranges_[at].first_worker + w];
          worker = std::move(r.workers[first + w]);
          worker.device = at;
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
  std::size_t here_ = 0;  ///< the domain whose run the caller's thread drives
  run_parameters plan_{};
  std::vector<device_range> ranges_;
  std::vector<bool> kinds_;  ///< by device, whether it is of CPU workers
  std::shared_ptr<memory_space> memory_;
  std::byte* bytes_ = nullptr;  ///< the channels' heads, then their slots
  std::size_t bytes_size_ = 0;
  std::vector<bridge_channel> channels_;
  std::shared_ptr<initial_set<Tasks>> dealt_;  ///< what the members have parts of
  std::uint64_t version_ = 0;                  ///< of it

  std::mutex mutex_;
  bool running_ = false;
  std::atomic<bool> over_{false};  ///< somebody has ended the run before its end
};

}  // namespace mgws
