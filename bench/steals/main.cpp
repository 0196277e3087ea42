// What a steal takes, by the number of slots: a queue by itself, of either kind in turn
// (core/queues.hpp), with one owner and one thief.
//
// Of a processor, from the own memory: owner and thief are one thread, so that what is stolen lies
// in its processor's cache. From a peer's: they are two, each bound to a processor of its own. Of
// GPUs, from the own memory: they are two blocks of one GPU. From a peer's: blocks of two.
//
// Prints JSON: for each case, the mean of each round's steals, without the shortest and the longest
// tenth, in nanoseconds, a look and one reading of the clock included; exit code 1 if a steal did
// not bring what it should.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/errors.hpp>

#include "harness/command_line.hpp"
#include "harness/guarded.hpp"
#include "harness/output.hpp"
#include "mgws_version.hpp"
#include "steals/gpu.hpp"
#include "steals/queue.hpp"

namespace {

namespace bench = mgws::bench;
using json = nlohmann::ordered_json;
using B = mgws::cpu_backend::backend;

constexpr std::uint32_t k_most_slots = 1024;

struct command_line {
  std::string on = "cpu";
  std::uint32_t rounds = 5;
  std::uint32_t steals = 501;
  std::string json = "-";
};

/// Binds the calling thread to the n-th of the processors that it may use. \return whether it did
bool bind_to(unsigned n) {
#if defined(__linux__)
  static const cpu_set_t all = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    return set;
  }();
  for (int cpu = 0; cpu != CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &all) || n-- != 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
  }
#endif
  return n == 0;
}

/// The mean without the shortest and the longest tenth: a clock may tick every ten nanoseconds
/// only, and a thread may be put aside.
double typical(std::vector<std::uint64_t>& times) {
  std::ranges::sort(times);
  const std::size_t skip = times.size() / 10;
  double sum = 0;
  for (std::size_t i = skip; i != times.size() - skip; ++i)
    sum += static_cast<double>(times[i]);
  return sum / static_cast<double>(times.size() - 2 * skip);
}

/// A queue with both sides, in the processor's memory.
template <class Q, std::size_t Bytes>
class steals {
  using types = bench::queue_of<B, Q, Bytes>;
  using slot = typename types::slot;

 public:
  steals()
      : storage_(3 * std::size_t{k_ring}),
        owner_(head_, ring(0), &storage_[k_ring], k_ring),
        thief_(head_, ring(0), &storage_[2 * std::size_t{k_ring}], k_ring) {}

  void publish(std::uint32_t slots) { owner_.publish(slots); }
  /// \return nanoseconds
  std::uint64_t steal(std::uint32_t slots, bool& right) {
    static thread_local std::uint32_t waits = 0;
    bench::wait_a_little(waits);
    bool so = true;
    const std::uint64_t t = thief_.steal(slots, so);
    right = right && so;
    return t;
  }
  void take_back(bool& right) { right = owner_.take_back() && right; }

 private:
  static constexpr std::uint32_t k_ring = 2 * k_most_slots;
  mgws::ring<slot> ring(std::size_t at) { return {&storage_[at], k_ring}; }

  std::vector<slot> storage_;
  typename types::head head_;
  bench::owner<B, Q, Bytes, mgws::scope::system_t> owner_;
  bench::thief<B, Q, Bytes, mgws::scope::system_t> thief_;
};

/// The owner on this thread and the thief on another one take turns.
class pair_of_threads {
 public:
  pair_of_threads()
      : thief_([this] {
          bound_ = bind_to(1);
          for (std::uint32_t turn = 1;; turn += 2) {
            await(turn);
            if (over_) return;
            step_(context_);
            turn_.store(turn + 1, std::memory_order_release);
          }
        }) {}
  pair_of_threads(const pair_of_threads&) = delete;
  pair_of_threads& operator=(const pair_of_threads&) = delete;
  ~pair_of_threads() {
    over_ = true;
    turn_.store(next_, std::memory_order_release);
    thief_.join();
  }
  /// Has the thief call f, and waits until it has.
  template <class F>
  void on_thief(F&& f) {
    context_ = &f;
    step_ = [](void* context) { (*static_cast<std::remove_reference_t<F>*>(context))(); };
    turn_.store(next_, std::memory_order_release);
    await(next_ + 1);
    next_ += 2;
  }
  [[nodiscard]] bool bound() const { return bound_; }

 private:
  void await(std::uint32_t turn) const {
    for (std::uint32_t looks = 0; turn_.load(std::memory_order_acquire) != turn; ++looks)
      if (looks > 10'000) std::this_thread::yield();
  }

  alignas(128) std::atomic<std::uint32_t> turn_{0};
  std::uint32_t next_ = 1;
  void (*step_)(void*) = nullptr;
  void* context_ = nullptr;
  bool over_ = false;
  bool bound_ = false;
  std::thread thief_;
};

/// \param on_thief  on_thief(f): calls f where the thief is
template <class Q, std::size_t Bytes, class OnThief>
double round_of(std::uint32_t slots, std::uint32_t repeats, bool& right, OnThief&& on_thief) {
  static const auto queue = std::make_unique<steals<Q, Bytes>>();
  std::vector<std::uint64_t> times;
  for (std::uint32_t i = 0; i != repeats + bench::warm_ups(repeats); ++i) {
    queue->publish(slots);
    on_thief([&] {
      const std::uint64_t t = queue->steal(slots, right);
      if (i >= bench::warm_ups(repeats)) times.push_back(t);
    });
    queue->take_back(right);
  }
  return typical(times);
}

template <std::size_t Bytes>
json row_of(std::uint32_t slots, bool own) {
  return {{"task_bytes", Bytes},
          {"slot_bytes", sizeof(typename bench::queue_of<B, mgws::queues::sws, Bytes>::slot)},
          {"slots", slots},
          {"from", own ? "own" : "peer"}};
}

/// Calls f(slots, own) for each case.
template <class F>
void for_each_case(bool peers, F&& f) {
  for (std::uint32_t slots = 1; slots <= k_most_slots; slots *= 2)
    for (const bool own : {true, false})
      if (own || peers) f(slots, own);
}

template <std::size_t Bytes>
void measure(json& rows, const command_line& asked, bool& right, pair_of_threads* pair) {
  for_each_case(pair != nullptr, [&](std::uint32_t slots, bool own) {
    json row = row_of<Bytes>(slots, own);
    const auto on_thief = [&](auto&& f) { own ? f() : pair->on_thief(f); };
    for (std::uint32_t i = 0; i != asked.rounds; ++i) {
      row["sws"].push_back(
          round_of<mgws::queues::sws, Bytes>(slots, asked.steals, right, on_thief));
      row["sdc"].push_back(
          round_of<mgws::queues::sdc, Bytes>(slots, asked.steals, right, on_thief));
    }
    rows.push_back(row);
  });
}

double clock_reading(std::uint32_t repeats) {
  std::vector<std::uint64_t> times;
  std::uint32_t waits = 0;
  for (std::uint32_t i = 0; i != repeats; ++i) {
    bench::wait_a_little(waits);
    const std::uint64_t begin = B::now();
    times.push_back(B::now() - begin);
  }
  return typical(times);
}

json of_processor(const command_line& asked, bool& right) {
  std::unique_ptr<pair_of_threads> pair;
  if (std::thread::hardware_concurrency() > 1) pair = std::make_unique<pair_of_threads>();
  bool bound = bind_to(0);
  if (pair != nullptr) {
    pair->on_thief([] {});
    bound = bound && pair->bound();
  }
  json out{{"bound", bound}, {"clock_ns", clock_reading(asked.steals)}, {"rows", json::array()}};
  measure<24>(out["rows"], asked, right, pair.get());
  measure<192>(out["rows"], asked, right, pair.get());
  return out;
}

#if MGWS_BENCH_GPUS
template <std::size_t Bytes>
void measure(json& rows, const command_line& asked, bool& right, bench::gpu_steals& gpus) {
  for_each_case(gpus.names().size() > 1, [&](std::uint32_t slots, bool own) {
    json row = row_of<Bytes>(slots, own);
    const auto round = [&](bench::queue_kind queue, const char* name) {
      std::vector<std::uint64_t> times = gpus.times({.queue = queue,
                                                     .task_bytes = Bytes,
                                                     .slots = slots,
                                                     .steals = asked.steals,
                                                     .from_peer = !own},
                                                    right);
      if (!times.empty()) row[name].push_back(typical(times));
    };
    for (std::uint32_t i = 0; i != asked.rounds && right; ++i) {
      round(bench::queue_kind::sws, "sws");
      round(bench::queue_kind::sdc, "sdc");
    }
    if (row.contains("sws")) rows.push_back(row);
  });
}

json of_gpus(const command_line& asked, bool& right) {
  bench::gpu_steals gpus;
  std::vector<std::uint64_t> readings = gpus.clock_readings(asked.steals);
  json out{{"gpus", gpus.names()}, {"clock_ns", typical(readings)}, {"rows", json::array()}};
  measure<24>(out["rows"], asked, right, gpus);
  measure<192>(out["rows"], asked, right, gpus);
  return out;
}
#else
json of_gpus(const command_line& /*asked*/, bool& /*right*/) {
  throw mgws::not_possible("this program was built without GPUs");
}
#endif

int measured(const command_line& asked, const std::string& command) {
  bool right = true;
  json out{{"command", command},
           {"version", MGWS_VERSION},
           {"commit", MGWS_COMMIT},
           {"rounds", asked.rounds},
           {"steals", asked.steals}};
  out.update(asked.on == "gpu" ? of_gpus(asked, right) : of_processor(asked, right));
  out["right"] = right;
  bench::write_json(asked.json, out);
  return right ? bench::k_right : bench::k_wrong;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures what a steal takes by the number of slots, of both queues in turn."};
  command_line asked;
  app.add_option("--on", asked.on, "who owns and who steals")
      ->check(CLI::IsMember({"cpu", "gpu"}))
      ->capture_default_str();
  app.add_option("--rounds", asked.rounds, "of each case")
      ->check(CLI::Range(1, 1'000))
      ->capture_default_str();
  app.add_option("--steals", asked.steals, "of each round that count")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_option("--json", asked.json, "where to; - for standard output")
      ->type_name("FILE")
      ->check(bench::file_name(true))
      ->capture_default_str();
  app.footer(
      "Exit code: 0 measured, 1 a steal did not bring what it should, 2 bad usage, 3 not possible "
      "here.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return bench::written(app.exit(e));
    std::fprintf(stderr, "%s: %s\n", bench::program_name(), bench::complaint(app, e).c_str());
    return bench::k_bad_usage;
  }
  return bench::guarded([&] { return measured(asked, bench::quoted(argc, argv)); });
}
