// Litmus runs of two threads: they pass on the processor, and each of them notices a backend that
// breaks what it is there to find.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <utility>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/core/probe/litmus.hpp>
#include <mgws/core/probe/verdict.hpp>
#include <mgws/probe/findings.hpp>
#include <mgws/runtime/probe/threads.hpp>

#include "catch.hpp"
#include "sanitizers.hpp"

namespace {

using host = mgws::cpu_backend::backend;
using mgws::k_litmuses;
using mgws::litmus;
using mgws::litmus_verdict;

/// Long enough for two threads that share one processor to take turns.
mgws::litmus_bounds bounds() {
  return mgws::bounds_of_thread(2000);
}

/// Only this run, and no longer than a broken one needs.
mgws::litmus_bounds bounds_of(litmus what) {
  mgws::litmus_bounds b = bounds();
  b.chosen = 1u << static_cast<std::uint32_t>(what);
  b.nanoseconds = 200'000'000;
  return b;
}

template <class B>
mgws::litmus_outcome run(litmus what) {
  return mgws::litmus_of_threads<B>(bounds_of(what))[static_cast<std::size_t>(what)];
}

/// As memory whose read-modify-writes are a read and then a write.
struct torn_fetch_add : host {
  template <class T, class Order, class Scope>
  static T fetch_add(std::atomic<T>& x, std::type_identity_t<T> v, Order /*o*/, Scope s) {
    const T was = load(x, mgws::order::acquire, s);
    std::this_thread::yield();
    store(x, was + v, mgws::order::release, s);
    return was;
  }
};
struct torn_exchange : host {
  template <class T, class Order, class Scope>
  static T exchange(std::atomic<T>& x, std::type_identity_t<T> v, Order /*o*/, Scope s) {
    const T was = load(x, mgws::order::acquire, s);
    std::this_thread::yield();
    store(x, v, mgws::order::release, s);
    return was;
  }
};
/// Everybody gets the lock.
struct open_lock : host {
  template <class T, class Order, class Scope>
  static T exchange(std::atomic<T>& x, std::type_identity_t<T> v, Order o, Scope s) {
    const T was = host::exchange(x, v, o, s);
    return was == 1 ? 0 : was;
  }
};
/// Each participant has a word of its own: nobody sees what the other does.
struct private_words : host {
  template <class T, class Order, class Scope>
  static T fetch_add(std::atomic<T>& /*x*/, std::type_identity_t<T> v, Order /*o*/, Scope /*s*/) {
    static thread_local T own{};
    return std::exchange(own, own + v);
  }
};
/// A message is announced before it is there.
struct early_release : host {
  using host::store;
  template <class Scope>
  static void store(std::atomic<std::uint64_t>& x, std::uint64_t v, mgws::order::release_t o,
                    Scope s) {
    host::store(x, v != 0 ? v + 1 : 0, o, s);
  }
};
/// Stores of whole words that the other never sees.
struct lost_store : host {
  using host::store;
  template <class Scope>
  static void store(std::atomic<std::uint64_t>& /*x*/, std::uint64_t /*v*/,
                    mgws::order::release_t /*o*/, Scope /*s*/) {}
};

}  // namespace

TEST_CASE("probe: two threads are coherent on the processor's memory") {
  const auto outcomes = mgws::litmus_of_threads(bounds());
  for (std::uint32_t k = 0; k != k_litmuses; ++k) {
    const mgws::litmus_outcome& o = outcomes[k];
    INFO(mgws::name_of(static_cast<litmus>(k)) << ": " << mgws::name_of(o.verdict));
    CHECK(o.verdict == litmus_verdict::passed);
    CHECK(o.operations >= 4000);
    CHECK(o.wrong == 0);
    CHECK(o.met >= 32);
    CHECK(o.nanoseconds > 0);
  }
}

TEST_CASE("probe: only what is chosen runs") {
  const auto outcomes = mgws::litmus_of_threads(bounds_of(litmus::exchange));
  for (std::uint32_t k = 0; k != k_litmuses; ++k)
    CHECK((outcomes[k].operations != 0) == (static_cast<litmus>(k) == litmus::exchange));
}

TEST_CASE("probe: lost updates are found") {
  const auto torn = run<torn_fetch_add>(litmus::fetch_add);
  CHECK(torn.verdict == litmus_verdict::wrong);
  CHECK(torn.wrong > 0);
  CHECK(run<private_words>(litmus::fetch_add).verdict == litmus_verdict::wrong);
}

TEST_CASE("probe: a token that is lost or doubled is found") {
  CHECK(run<torn_exchange>(litmus::exchange).verdict == litmus_verdict::wrong);
}

// What these break is plain data: ThreadSanitizer would find it before the litmus run does.
#if !defined(MGWS_TESTED_BY_THREAD)
TEST_CASE("probe: a lock that keeps nobody out is found") {
  CHECK(run<open_lock>(litmus::lock).verdict == litmus_verdict::wrong);
}

TEST_CASE("probe: stale messages are found") {
  CHECK(run<early_release>(litmus::message).verdict == litmus_verdict::wrong);
}
#endif

TEST_CASE("probe: nobody waits for ever") {
  const auto began = std::chrono::steady_clock::now();
  // What never arrives: messages, and the unlocking of a lock.
  CHECK(run<lost_store>(litmus::message).verdict == litmus_verdict::never_met);
  const auto lock = run<lost_store>(litmus::lock).verdict;
  CHECK((lock == litmus_verdict::gave_up || lock == litmus_verdict::never_met));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  CHECK(took.count() < 10);
}

TEST_CASE("probe: a participant that never appears is reported") {
  mgws::litmus_board<host> board;
  mgws::litmus_meeting<host> meeting{};
  mgws::litmus_run run{&board, &meeting, bounds()};
  run.bounds.nanoseconds = 10'000'000;
  mgws::litmus_participant<host, mgws::scope::system_t>(run, 0).run();
  CHECK(meeting.books[0][0].end == mgws::litmus_end::absent);
  CHECK(mgws::judge(litmus::fetch_add, meeting.books[0], board).verdict == litmus_verdict::absent);
  // By looks alone, as on a GPU; and one that comes too late finds nobody and does not wait.
  run.bounds.nanoseconds = 0;
  run.bounds.looks = 1000;
  mgws::litmus_participant<host, mgws::scope::system_t>(run, 1).run();
  CHECK(mgws::judge(litmus::fetch_add, meeting.books[0], board).verdict == litmus_verdict::absent);
}
