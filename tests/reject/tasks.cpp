// Mistakes in a user's program. Without a macro it is right.
#include <cstdint>
#include <string>

#include <mgws/mgws.hpp>

struct total : mgws::sum<std::uint64_t> {};
struct unknown_total : mgws::sum<std::uint64_t> {};

struct plain {
#ifdef NOT_TRIVIALLY_COPYABLE
  std::string text;
#endif
#ifdef AFFINITY_OF_ANOTHER_TYPE
  static constexpr auto affinity = mgws::device_kind::cpu;
#endif
#ifdef SIGNED_PRIORITY
  static constexpr int priority = 1;
#elif defined PRIORITY_TOO_LOW
  static constexpr std::uint32_t priority = 16;
#elif defined PRIORITIES_WITHOUT_ONE
  static constexpr std::uint32_t priorities = 2;
#elif defined PRIORITY_OUT_OF_UNKNOWN
  std::uint32_t priority() const {
    return 1;
  }
#else
  static constexpr std::uint32_t priorities = 2;
  std::uint32_t priority() const {
    return 1;
  }
#endif
  std::uint64_t value;
  void operator()(auto& worker) const {
    worker.accumulate(total{}, value);
  }
};

struct stranger {
  void operator()(auto&) const {}
};

struct callable {
#ifndef NO_CALL_OPERATOR
  void operator()(auto&) const {}
#endif
};

struct resumable {
#ifdef RESUMABLE_RANGE
  mgws::progress operator()(auto&, mgws::task_index, mgws::task_index) {
    return mgws::done;
  }
#else
  mgws::progress operator()(auto&) {
    return mgws::done;
  }
#endif
};

struct bulk {
  void operator()(auto& worker, mgws::task_index i) const {
#ifdef UNKNOWN_TASK
    worker.spawn(stranger{});
#endif
#ifdef BULK_OF_PLAIN
    worker.spawn_n(plain{}, i);
#endif
#ifdef NO_SCRATCH
    (void)worker.scratch(*this);
#endif
#ifdef BROADCAST_OF_A_STRING
    (void)worker.broadcast(std::string(), 0);
#endif
#ifdef REDUCED_STRINGS
    (void)worker.reduce(std::string(), [](const auto& a, const auto& b) { return a + b; });
#endif
#ifdef UNKNOWN_ACCUMULATOR
    worker.accumulate(unknown_total{}, i);
#endif
#ifdef UNKNOWN_TASK_IN_BULK
    worker.spawn_n(stranger{}, i);
#endif
    worker.spawn(plain{});
    worker.spawn(callable{});
    worker.spawn(resumable{});
    worker.accumulate(total{}, i);
  }
};

struct waiting {
#ifdef CONTINUATION_WITH_PRIORITY
  static constexpr std::uint32_t priority = 1;
#endif
#ifndef NO_CONTINUATION
  static constexpr bool continuation = true;
#endif
  std::uint64_t value;
  void operator()(auto&) const {}
};
struct unknown_waiting {
  static constexpr bool continuation = true;
  void operator()(auto&) const {}
};
struct joins {
  void operator()(auto& worker) const {
    const auto all = worker.join(waiting{0}, 1);
    worker.deliver(all.to(&waiting::value), 1);
#ifdef JOIN_OF_UNKNOWN_TASK
    static_cast<void>(worker.join(unknown_waiting{}, 1));
#endif
#ifdef PLACE_OF_ANOTHER_TYPE
    static_cast<void>(all.to(&plain::value));
#endif
#ifdef DELIVERY_OF_ANOTHER_TYPE
    worker.deliver(all.to(&waiting::value), std::string("text"));
#endif
  }
};

struct last {
#ifndef NO_AFTER_FINISH
  static constexpr bool after_finish = true;
#endif
  void operator()(auto&) const {}
};
struct gathered_total : mgws::sum<std::uint64_t> {};
#ifdef GATHERS_ITS_OWN_WAY
struct product {
  using value_type = std::uint64_t;
  static constexpr value_type identity() { return 1; }
  static constexpr value_type combine(value_type a, value_type b) { return a * b; }
};
#endif
struct short_total : mgws::sum<std::uint16_t> {};
struct last_with_total {
  static constexpr bool after_finish = true;
#if defined(GATHERS_A_NUMBER)
  std::uint64_t gathered = 0;
#elif defined(GATHERS_ITS_OWN_WAY)
  mgws::accumulators<product> gathered;
#elif defined(GATHERS_BYTES)
  mgws::accumulators<short_total> gathered;
#elif !defined(NOTHING_GATHERED)
  mgws::accumulators<gathered_total> gathered;
#endif
  void operator()(auto&) const {}
};
struct last_with_others {
  static constexpr bool after_finish = true;
#ifdef GATHERS_DIFFERENTLY
  mgws::accumulators<gathered_total, total> gathered;
#endif
  void operator()(auto&) const {}
};
struct contributes {
  void operator()(auto& worker) const {
#ifdef CONTRIBUTES_ANOTHER
    worker.contribute(total{}, 1);
#elif !defined(GATHERS_A_NUMBER) && !defined(GATHERS_ITS_OWN_WAY) && !defined(GATHERS_BYTES)
    worker.contribute(gathered_total{}, 1);
#endif
  }
};
struct unknown_last {
  static constexpr bool after_finish = true;
  void operator()(auto&) const {}
};
struct finishes {
  void operator()(auto& worker) const {
    worker.finish(last{}, plain{1}, bulk{});
    worker.finish_n(last{}, bulk{}, 3);
#ifdef FINISH_WITH_UNKNOWN_TASK
    worker.finish(unknown_last{}, plain{1});
#endif
#ifdef FINISH_OF_UNKNOWN_TASK
    worker.finish(last{}, stranger{});
#endif
#ifdef FINISH_N_OF_PLAIN
    worker.finish_n(last{}, plain{1}, 3);
#endif
  }
};

struct overaligned {
#ifdef OVERALIGNED
  alignas(32) std::uint64_t value;
#endif
  void operator()(auto&) const {}
};

struct with_width {
#ifdef WRONG_WIDTH
  static constexpr int width = 32;
#else
  static constexpr mgws::shape width = mgws::shape::warp;
#endif
  void operator()(auto&) const {}
};

struct context {
#ifdef CONTEXT_NOT_TRIVIALLY_COPYABLE
  std::string text;
#endif
};

using set = mgws::task_set<plain, bulk, callable, resumable, overaligned, with_width, waiting,
                           joins, last, finishes, last_with_total, last_with_others, contributes>;
static_assert(set::width<with_width> == mgws::shape::warp);
static_assert(sizeof(mgws::slot<set>) >= 16);

#ifdef VALUE_TOO_WIDE_TO_CROSS
struct whole {
  static constexpr bool continuation = true;
  std::array<std::byte, 72> value;
  void operator()(auto&) const {}
};
struct makes_whole {
  mgws::place<std::array<std::byte, 72>> to;
  void operator()(auto& worker) const { worker.deliver(to, {}); }
};
void run_over_domains() {
  mgws::runtime<mgws::task_set<whole, makes_whole>, mgws::accumulators<>, mgws::no_context,
                mgws::no_statistics, 32, mgws::compiled_for::together>
      rt;
  rt.run();
}
#endif

int main() {
  mgws::runtime<set, mgws::accumulators<total>, context> rt;
  rt.seed_n(bulk{}, 3);
  const mgws::best<std::uint32_t, mgws::maximum, std::uint64_t>::view best{};
#ifdef BEST_OF_ANOTHER_KIND
  const mgws::best<std::uint32_t, mgws::sum>::view total_is_no_best{};
#endif
#ifdef BEST_OF_A_TEXT
  const mgws::best<std::string, mgws::maximum>::view longest{};
#endif
#ifdef NO_WITNESS
  best.improve(1);
#endif
#ifdef WITNESS_OF_ANOTHER_KIND
  best.improve(1, std::string("text"));
#endif
  best.improve(1, [] { return std::uint64_t{2}; });
#ifdef SEED_N_OF_PLAIN
  rt.seed_n(plain{}, 3);
#endif
#ifdef SEED_OF_UNKNOWN_TASK
  rt.seed(stranger{});
#endif
  const auto r = rt.run();
#ifdef RESULT_OF_UNKNOWN_ACCUMULATOR
  return static_cast<int>(r.get<unknown_total>());
#else
  return static_cast<int>(r.get<total>());
#endif
}
