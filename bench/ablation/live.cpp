// What a live run takes on a GPU for builds of core that differ in one rule of its inboxes
// (tools/ablate_gpu.py), or on CPU workers: one task there and back, requests that are split and
// put together, trees that arrive one by one, and tasks as fast as threads submit them.
//
// usage: mgws-ablation-live cpu:N|gpu:I [RUNS]
//
// Prints a line of JSON as mgws-ablation does.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include <mgws/mgws.hpp>

#include "ablation/device.hpp"
#include "workloads/spawn_tree.hpp"

namespace {

using word = mgws::atomic_ref<std::uint64_t, mgws::scope::system_t>;

/// Where the host reads.
struct context {
  mgws::placed<std::uint64_t> answer;
};

struct echo {
  std::uint64_t number;
  MGWS_FN void operator()(auto& worker) const {
    word(worker.context().answer[0]).store(number, mgws::order::release);
  }
};

/// The same by its first instruction, without release.
struct hello {
  std::uint64_t number;
  MGWS_FN void operator()(auto& worker) const {
    word(worker.context().answer[0]).store(number, mgws::order::relaxed);
  }
};

MGWS_FN std::uint32_t collatz_steps(std::uint64_t n) {
  std::uint32_t steps = 0;
  for (; n != 1; n = n % 2 == 0 ? n / 2 : 3 * n + 1)
    ++steps;
  return steps;
}
/// The longer of two halves' longest: for what they are halves of, or for the host.
struct longer {
  static constexpr bool continuation = true;
  mgws::place<std::uint32_t> to;
  std::uint32_t left, right;
  MGWS_FN void operator()(auto& worker) const {
    const std::uint32_t longest = left < right ? right : left;
    if (to) return worker.deliver(to, longest);
    word(worker.context().answer[0]).store(longest, mgws::order::release);
  }
};
/// How long the longest Collatz sequence is that begins in a range.
struct request {
  std::uint64_t first;
  std::uint32_t count;
  mgws::place<std::uint32_t> to;  ///< nowhere: it is all of it
  MGWS_FN void operator()(auto& worker) const {
    if (to && count <= 64) {
      std::uint32_t longest = 0;
      for (std::uint32_t i = 0; i != count; ++i) {
        const std::uint32_t steps = collatz_steps(first + i);
        longest = steps < longest ? longest : steps;
      }
      return worker.deliver(to, longest);
    }
    const auto both = worker.join(longer{to, 0, 0}, 2);
    const std::uint32_t half = count / 2;
    worker.spawn(request{first, half, both.to(&longer::left)});
    worker.spawn(request{first + half, count - half, both.to(&longer::right)});
  }
};
constexpr std::uint32_t k_range = 3000;
constexpr std::uint32_t k_longest = 216;  ///< of 1 to 3000, from 2919

struct count : mgws::sum<std::uint64_t> {};
struct mark {
  MGWS_FN void operator()(auto& worker) const { worker.accumulate(count{}, 1); }
};

class measurement {
 public:
  measurement(const mgws::options& o, int runs) : options_(o), runs_(runs) {}

  /// One submission after another, each of which is answered.
  template <class... Tasks, class Submit>
  void one_by_one(const char* problem, int times, std::uint64_t each, Submit&& submit) {
    mgws::runtime<mgws::task_set<Tasks...>, mgws::accumulators<>, context> rt(options_);
    mgws::placed_array<std::uint64_t> words(rt.data_places(), 1, mgws::placement::host);
    words.fill(0);
    const mgws::placed<std::uint64_t> reached = words.on(0);
    const word answer(reached[0]);
    auto live = rt.start({reached});
    run(problem, [&] {
      for (int i = 1; i <= times; ++i) {
        const auto expected = each != 0 ? each : static_cast<std::uint64_t>(i);
        answer.store(0, mgws::order::relaxed);
        submit(live, static_cast<std::uint64_t>(i));
        std::uint64_t at = 0;
        while (at == 0)
          at = answer.load(mgws::order::acquire);
        right_ = right_ && at == expected;
      }
    });
    live.close();
  }
  void trees(std::uint32_t times, std::uint32_t depth) {
    using namespace mgws::bench::spawn_tree;
    using task = branch<mgws::shape::lane>;
    mgws::runtime<mgws::task_set<task>, mgws::accumulators<visited>,
                  mgws::bench::spawn_tree::context>
        rt(options_);
    auto live = rt.start({.fanout = 2});
    run("trees", [&] {
      for (std::uint32_t i = 0; i != times; ++i)
        live.submit(task{depth});
      live.wait_idle();
    });
    const std::uint64_t nodes = (std::uint64_t{2} << depth) - 1;
    right_ = right_ && live.close().get<visited>() == nodes * times * (runs_ + 1u);
  }
  void stream(std::uint32_t threads, std::uint32_t tasks) {
    mgws::options o = options_;
    o.inboxes = threads;
    mgws::runtime<mgws::task_set<mark>, mgws::accumulators<count>> rt(o);
    auto live = rt.start();
    run(std::to_string(threads) + (threads == 1 ? " thread" : " threads"), [&] {
      std::vector<std::thread> all;
      for (std::uint32_t t = 0; t != threads; ++t)
        all.emplace_back([&] {
          for (std::uint32_t i = 0; i != tasks / threads; ++i)
            live.submit(mark{});
        });
      for (std::thread& t : all)
        t.join();
      live.wait_idle();
    });
    right_ = right_ && live.close().get<count>() == std::uint64_t{tasks} * (runs_ + 1u);
  }
  [[nodiscard]] bool right() const { return right_; }
  [[nodiscard]] const nlohmann::json& out() const { return out_; }

 private:
  template <class F>
  void run(const std::string& problem, F&& f) {
    auto times = nlohmann::json::array();
    for (int i = 0; i != runs_ + 1; ++i) {  // the first one is to warm up
      const auto began = std::chrono::steady_clock::now();
      f();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
      if (i != 0) times.push_back(took.count());
    }
    out_[problem] = times;
  }

  mgws::options options_;
  int runs_;
  nlohmann::json out_;
  bool right_ = true;
};

}  // namespace

int main(int argc, char** argv) {
  const auto where = mgws::bench::device_of(argc > 1 ? argv[1] : "");
  if (!where) {
    std::cerr << "usage: mgws-ablation-live cpu:N|gpu:I [RUNS]\n";
    return 2;
  }
  try {
    mgws::options o;
    o.devices = {*where};
    measurement m(o, argc > 2 ? std::atoi(argv[2]) : 5);
    m.one_by_one<echo>("a task there and back", 2000, 0,
                       [](auto& live, std::uint64_t i) { live.submit(echo{i}); });
    m.one_by_one<hello>("a task's first store", 2000, 0,
                        [](auto& live, std::uint64_t i) { live.submit(hello{i}); });
    m.one_by_one<request, longer>("requests", 200, k_longest, [](auto& live, std::uint64_t) {
      live.submit(request{1, k_range, {}});
    });
    m.trees(256, 10);
    m.stream(1, 1u << 20);
    m.stream(4, 1u << 20);
    std::cout << m.out() << '\n';
    return m.right() ? 0 : 1;
  } catch (const std::exception& e) {
    std::cerr << "mgws-ablation-live: " << e.what() << '\n';
    return 1;
  }
}
