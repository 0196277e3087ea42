#include "runs/live.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <span>
#include <thread>
#include <vector>

#include <mgws/runtime.hpp>

#include "runs/runtime_runs.hpp"

namespace mgws::bench::live {

namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point t) {
  return std::chrono::duration<double>(clock::now() - t).count();
}

class of_this_port final : public live_runs {
  using tasks = task_set<mark, echo, arrival, comparison>;

 public:
  of_this_port(const options& o, const variant& v)
      : runtime_(o), v_(v), lends_(is_of_group(o) && o.processes.rank != 0) {}

  report<results> run_each(std::span<const context> contexts) override {
    last_ = {};
    last_.submits = !lends_;
    if (lends_) return runtime_.run_each(contexts);
    auto live = runtime_.start_each(contexts);
    const word answer(contexts.front().answer());
    for (std::uint32_t trip = 1; trip <= v_.trips; ++trip) {
      const auto began = clock::now();
      live.submit(echo{trip});
      while (answer.load(order::acquire) != trip) {
      }
      last_.trips.push_back(seconds_since(began));
    }
    if (v_.arrivals != 0) measure_arrivals(live, contexts.front());

    // Each a part, all at once.
    std::latch ready(v_.producers + 1);
    std::vector<std::thread> producers;
    for (std::uint32_t p = 0; p != v_.producers; ++p)
      producers.emplace_back([&, p] {
        const auto part = [&](std::uint32_t of) { return v_.tasks * of / v_.producers; };
        ready.arrive_and_wait();
        for (std::uint64_t i = part(p); i < part(p + 1); i += v_.instances)
          live.submit_n(mark{}, std::min<std::uint64_t>(v_.instances, part(p + 1) - i));
      });
    ready.arrive_and_wait();
    const auto began = clock::now();
    for (std::thread& t : producers)
      t.join();
    last_.submitted = seconds_since(began);
    live.wait_idle();
    last_.done = seconds_since(began);
    return live.close();
  }
  [[nodiscard]] std::uint32_t devices() const override { return runtime_.devices(); }
  [[nodiscard]] mgws::data_places data_places() const override { return runtime_.data_places(); }
  [[nodiscard]] const measured& last() const override { return last_; }

 private:
  static constexpr std::uint32_t k_arrivals_a_comparison = 250;

  /// How far the host's clock is ahead of a worker's, in nanoseconds.
  struct ahead {
    std::int64_t least;
    std::int64_t most;
  };
  static std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now().time_since_epoch())
        .count();
  }

  /// The word shows a time until the one after next is read, at the latest: the next has been
  /// stored where all see it by then, as an exchange has ended before what follows it begins (a
  /// store may wait in the processor).
  ahead compare(auto& live, const context& c) {
    const std::atomic_ref<std::uint64_t> shown(c.host_clock());
    const auto show = [&] {
      times_.push_back(now());
      shown.exchange(static_cast<std::uint64_t>(times_.back()));
    };
    const word done(c.compared());
    times_.reserve(1u << 16);  // more than are read meanwhile: to make room would be a pause
    times_.clear();
    show();
    live.submit(comparison{++last_.comparisons});
    for (bool over = false; !over;) {
      over = done.load(order::acquire) == last_.comparisons;
      show();
    }
    ahead all{INT64_MIN, INT64_MAX};
    for (std::uint32_t i = 0; i != context::k_looks; ++i) {
      const auto at = [&](std::uint32_t which) {
        return static_cast<std::int64_t>(c.look(i, which));
      };
      const auto next = std::ranges::upper_bound(times_, at(1));
      const std::int64_t until = times_.end() - next > 1 ? next[1] : times_.back();
      all.least = std::max(all.least, at(1) - at(2));
      all.most = std::min(all.most, until - at(0));
    }
    return all;
  }

  /// Clocks drift: they are compared before and after some arrivals. What the host sees of these
  /// bounds the difference as well: a task is submitted before it begins, and answers after that.
  void measure_arrivals(auto& live, const context& c) {
    const word answer(c.answer());
    ahead before = compare(live, c);
    for (std::uint32_t done = 0; done != v_.arrivals;) {
      struct arrived {
        std::int64_t submitted, seen, began;
      };
      std::vector<arrived> some(std::min(v_.arrivals - done, k_arrivals_a_comparison));
      for (arrived& a : some) {
        const std::uint64_t last = answer.load(order::relaxed);
        a.submitted = now();
        live.submit(arrival{++done});
        std::uint64_t at = last;
        while (at == last)
          at = answer.load(order::acquire);
        a.seen = now();
        a.began = static_cast<std::int64_t>(at);
      }
      const ahead after = compare(live, c);
      ahead all{std::min(before.least, after.least), std::max(before.most, after.most)};
      for (const arrived& a : some) {
        all.least = std::max(all.least, a.submitted - a.began);
        all.most = std::min(all.most, a.seen - a.began);
      }
      for (const arrived& a : some) {
        last_.arrival_trips.push_back(1e-9 * static_cast<double>(a.seen - a.submitted));
        last_.arrived_at_least.push_back(1e-9 *
                                         static_cast<double>(a.began + all.least - a.submitted));
        last_.arrived_at_most.push_back(1e-9 *
                                        static_cast<double>(a.began + all.most - a.submitted));
      }
      before = after;
    }
  }

  mgws::runtime<tasks, results, context, statistics, k_gpu_lanes<tasks>, k_for> runtime_;
  variant v_;
  bool lends_;
  measured last_;
  std::vector<std::int64_t> times_;  ///< that the host's clock showed, in a comparison
};

}  // namespace

template <>
std::unique_ptr<live_runs> make_runs<this_port>(const options& o, const variant& v) {
  return std::make_unique<of_this_port>(o, v);
}

}  // namespace mgws::bench::live
