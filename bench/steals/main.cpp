// What a steal takes, by the number of slots: a queue by itself, of either kind in turn
// (core/queues.hpp), with one owner and one thief. From the own memory: owner and thief are one
// thread, so that what is stolen lies in its processor's cache. From a peer's: they are two, each
// bound to a processor of its own.
//
// usage: mgws-steals [ROUNDS [STEALS]]
//
// Prints a line of JSON: for each case, the mean of each round's steals, without the shortest and
// the longest tenth, in nanoseconds, a look and one reading of the clock included; exit code 1 if a
// steal did not bring what it should.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

#include <nlohmann/json.hpp>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/core/queues.hpp>
#include <mgws/core/task_set.hpp>

namespace {

using nlohmann::json;
using B = mgws::cpu_backend::backend;
using P = mgws::protocol;
constexpr auto k_scope = mgws::scope::system;
constexpr auto nothing = [] {};

constexpr std::uint32_t k_most_slots = 1024;

template <std::size_t Bytes>
struct task {
  std::uint64_t number;
  std::byte others[Bytes - 8];
  void operator()(auto& /*worker*/) const {}
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

/// Another time each time, so that nothing keeps step with the clock's ticks.
void wait_a_little() {
  static thread_local std::uint32_t times = 0;
  times = (times + 7) % 32;
  volatile std::uint32_t left = times;
  while (left != 0)
    left = left - 1;
}

/// A queue of one kind, with its owner's side and a thief's.
template <class Q, std::size_t Bytes>
class steals {
  using tasks = mgws::task_set<task<Bytes>>;

 public:
  using slot = mgws::slot<tasks>;

  steals()
      : storage_(3 * std::size_t{k_ring}),
        owner_(head_, ring(0), 1, k_ring, k_scope),
        local_(&storage_[k_ring], k_ring),
        stolen_(&storage_[2 * std::size_t{k_ring}], k_ring) {}

  /// Twice as many slots as are to be stolen.
  void publish(std::uint32_t slots) {
    for (std::uint32_t i = 0; i != 2 * slots; ++i)
      local_.push().write(task<Bytes>{i, {}}, 0, 1);
    local_.took_oldest(owner_.release(local_.slots(), local_.tail(), local_.size()).slots);
  }
  /// \return nanoseconds
  std::uint64_t steal(std::uint32_t slots, bool& right) {
    std::uint32_t n = 0;
    wait_a_little();
    const std::uint64_t begin = B::now();
    (void)mgws::steal<P, B, slot>(head_, ring(0), stolen_, k_scope, true, nothing, nothing, n);
    const std::uint64_t end = B::now();
    right = right && n == slots && number(stolen_.oldest()) == 0 &&
            number(stolen_.newest()) == slots - 1;
    stolen_.took_oldest(stolen_.size());
    return end - begin;
  }
  void take_back(bool& right) {
    right = right && owner_.acquire(local_, ~0u, ~0u, nothing).slots != 0 && owner_.looks_empty();
    local_.took_oldest(local_.size());
  }

 private:
  static constexpr std::uint32_t k_ring = 2 * k_most_slots;
  static std::uint64_t number(const slot& s) { return s.template read<task<Bytes>>().get().number; }
  mgws::ring<slot> ring(std::size_t at) { return {&storage_[at], k_ring}; }

  std::vector<slot> storage_;
  typename Q::template head<B> head_;
  typename Q::template queue<P, B, slot, mgws::scope::system_t> owner_;
  mgws::local_queue<B, slot> local_;
  mgws::local_queue<B, slot> stolen_;
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
  for (std::uint32_t i = 0; i != repeats + repeats / 8; ++i) {
    queue->publish(slots);
    on_thief([&] {
      const std::uint64_t t = queue->steal(slots, right);
      if (i >= repeats / 8) times.push_back(t);  // the first ones are to warm up
    });
    queue->take_back(right);
  }
  return typical(times);
}

template <std::size_t Bytes>
void measure(json& rows, std::uint32_t rounds, std::uint32_t repeats, bool& right,
             pair_of_threads* pair) {
  for (std::uint32_t slots = 1; slots <= k_most_slots; slots *= 2)
    for (const bool own : {true, false}) {
      if (!own && pair == nullptr) continue;
      json row{{"task_bytes", Bytes},
               {"slot_bytes", sizeof(typename steals<mgws::queues::sws, Bytes>::slot)},
               {"slots", slots},
               {"from", own ? "own" : "peer"}};
      const auto on_thief = [&](auto&& f) { own ? f() : pair->on_thief(f); };
      for (std::uint32_t i = 0; i != rounds; ++i) {
        row["sws"].push_back(round_of<mgws::queues::sws, Bytes>(slots, repeats, right, on_thief));
        row["sdc"].push_back(round_of<mgws::queues::sdc, Bytes>(slots, repeats, right, on_thief));
      }
      rows.push_back(row);
    }
}

double clock_reading(std::uint32_t repeats) {
  std::vector<std::uint64_t> times;
  for (std::uint32_t i = 0; i != repeats; ++i) {
    wait_a_little();
    const std::uint64_t begin = B::now();
    times.push_back(B::now() - begin);
  }
  return typical(times);
}

std::uint32_t number_of(int argc, char** argv, int which, std::uint32_t usual) {
  const int n = argc > which ? std::atoi(argv[which]) : static_cast<int>(usual);
  return static_cast<std::uint32_t>(std::clamp(n, 1, 1'000'000));
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t rounds = number_of(argc, argv, 1, 5);
  const std::uint32_t repeats = number_of(argc, argv, 2, 501);
  bool right = true;
  std::unique_ptr<pair_of_threads> pair;
  if (std::thread::hardware_concurrency() > 1) pair = std::make_unique<pair_of_threads>();
  bool bound = bind_to(0);
  if (pair != nullptr) {
    pair->on_thief([] {});
    bound = bound && pair->bound();
  }
  json out{{"rounds", rounds},
           {"steals", repeats},
           {"bound", bound},
           {"clock_ns", clock_reading(repeats)},
           {"rows", json::array()}};
  measure<24>(out["rows"], rounds, repeats, right, pair.get());
  measure<192>(out["rows"], rounds, repeats, right, pair.get());
  out["right"] = right;
  std::cout << out << '\n';
  return right ? 0 : 1;
}
