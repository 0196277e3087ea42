#include "runs/live.hpp"

#include <algorithm>
#include <chrono>
#include <latch>
#include <span>
#include <thread>

#include <mgws/runtime.hpp>

#include "runs/runtime_runs.hpp"

namespace mgws::bench::live {

namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point t) {
  return std::chrono::duration<double>(clock::now() - t).count();
}

class of_this_port final : public live_runs {
  using tasks = task_set<mark, echo>;

 public:
  of_this_port(const options& o, const variant& v)
      : runtime_(o), v_(v), lends_(is_of_group(o) && o.processes.rank != 0) {}

  report<results> run_each(std::span<const context> contexts) override {
    last_ = {};
    last_.submits = !lends_;
    if (lends_) return runtime_.run_each(contexts);
    auto live = runtime_.start_each(contexts);
    const atomic_ref<std::uint32_t, scope::system_t> answer(contexts.front().answer[0]);
    for (std::uint32_t trip = 1; trip <= v_.trips; ++trip) {
      const auto began = clock::now();
      live.submit(echo{trip});
      while (answer.load(order::acquire) != trip) {
      }
      last_.trips.push_back(seconds_since(began));
    }

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
  mgws::runtime<tasks, results, context, statistics, k_gpu_lanes<tasks>, k_for> runtime_;
  variant v_;
  bool lends_;
  measured last_;
};

}  // namespace

template <>
std::unique_ptr<live_runs> make_runs<this_port>(const options& o, const variant& v) {
  return std::make_unique<of_this_port>(o, v);
}

}  // namespace mgws::bench::live
