// What core/backend.hpp cannot check: that the operations do what their names say, between workers
// that run side by side.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "catch.hpp"
#include "platform.hpp"
#include "repeats.hpp"

namespace order = mgws::order;
namespace scope = mgws::scope;

namespace {

constexpr std::uint32_t k_workers = 4;

template <class B, class T>
struct lined {
  alignas(B::line) typename B::template atomic<T> value{};
};

/// One worker alone: each operation's effect and result.
template <class B, class T, class Scope>
bool operations_work(Scope s) {
  typename B::template atomic<T> x{};
  const T most = std::numeric_limits<T>::max();
  bool right = B::load(x, order::relaxed, s) == 0;
  B::store(x, T{5}, order::relaxed, s);
  right = right && B::load(x, order::acquire, s) == 5;
  B::store(x, T{6}, order::release, s);
  right = right && B::exchange(x, most, order::relaxed, s) == 6;
  right = right && B::exchange(x, T{1}, order::acquire, s) == most;
  right = right && B::fetch_add(x, T{2}, order::relaxed, s) == 1;
  right = right && B::fetch_add(x, T{3}, order::acquire, s) == 3;
  right = right && B::fetch_add(x, T{4}, order::release, s) == 6;
  right = right && B::fetch_add(x, T{5}, order::acq_rel, s) == 10;
  // Taking away is adding the complement.
  right = right && B::fetch_add(x, static_cast<T>(~T{0}), order::relaxed, s) == 15;
  right = right && B::fetch_add(x, static_cast<T>(most - 13), order::relaxed, s) == 14;
  return right && B::load(x, order::relaxed, s) == 0;
}

/// Adds of several workers: none is lost, and no two see the same value.
template <class Platform, class T, class Scope>
bool adds_are_indivisible(Scope s) {
  using B = typename Platform::backend;
  const std::uint32_t adds = test::repeats(20'000);
  lined<B, T> counter;
  std::vector<std::vector<T>> seen(k_workers);
  Platform::on_workers(k_workers, [&](std::uint32_t i) {
    for (std::uint32_t n = 0; n != adds; ++n)
      seen[i].push_back(B::fetch_add(counter.value, T{1}, order::relaxed, s));
  });
  std::vector<bool> taken(std::size_t{adds} * k_workers);
  for (const auto& v : seen)
    for (const T t : v) {
      if (t >= taken.size() || taken[t]) return false;
      taken[t] = true;
    }
  return B::load(counter.value, order::relaxed, s) == taken.size();
}

/// Exchanges of several workers: every value that went in comes out once, or is there at the end.
template <class Platform, class T, class Scope>
bool exchanges_are_indivisible(Scope s) {
  using B = typename Platform::backend;
  const std::uint32_t rounds = test::repeats(20'000);
  lined<B, T> x;
  std::vector<std::vector<T>> out(k_workers);
  Platform::on_workers(k_workers, [&](std::uint32_t i) {
    for (std::uint32_t n = 0; n != rounds; ++n)
      out[i].push_back(
          B::exchange(x.value, static_cast<T>(n * k_workers + i + 1), order::acquire, s));
  });
  std::vector<std::uint32_t> times(std::size_t{rounds} * k_workers + 1);
  ++times[B::load(x.value, order::relaxed, s)];
  for (const auto& v : out)
    for (const T t : v)
      ++times[t];
  return std::ranges::all_of(times, [](auto n) { return n == 1; });
}

/// A value written in one piece is read in one piece.
template <class Platform, class T, class Scope>
bool accesses_are_whole(Scope s) {
  using B = typename Platform::backend;
  const std::uint32_t rounds = test::repeats(50'000);
  lined<B, T> x;
  lined<B, std::uint32_t> torn;
  Platform::on_workers(2, [&](std::uint32_t i) {
    for (std::uint32_t n = 0; n != rounds; ++n) {
      if (i == 0) {
        B::store(x.value, n % 2 == 0 ? static_cast<T>(~T{0}) : T{0}, order::relaxed, s);
      } else if (const T v = B::load(x.value, order::relaxed, s); v != 0 && v != T(~T{0})) {
        B::store(torn.value, 1, order::relaxed, s);
      }
    }
  });
  return B::load(torn.value, order::relaxed, s) == 0;
}

/// Release and acquire carry plain data from one worker to another, through a store, an exchange,
/// and a chain of adds (release sequence) as in the queue word.
template <class Platform, class Scope>
bool messages_arrive(Scope s) {
  using B = typename Platform::backend;
  const std::uint32_t rounds = test::repeats(2000);
  lined<B, std::uint64_t> flag;
  lined<B, std::uint64_t> answer;
  std::array<std::uint64_t, 8> data{};
  lined<B, std::uint32_t> wrong;
  Platform::on_workers(3, [&](std::uint32_t i) {
    typename B::backoff wait;
    for (std::uint64_t n = 1; n <= rounds; ++n) {
      wait = {};
      if (i == 0) {
        data.fill(n);
        B::store(flag.value, n << 32, order::release, s);
        while (B::load(answer.value, order::acquire, s) != 2 * n)
          wait.pause();
      } else {
        // Two readers: the second one reads what the first one's relaxed-to-the-owner add left.
        while (B::load(flag.value, order::relaxed, s) >> 32 != n)
          wait.pause();
        B::fetch_add(flag.value, std::uint64_t{1}, order::acquire, s);
        if (std::ranges::count(data, n) != 8) B::store(wrong.value, 1, order::relaxed, s);
        B::fetch_add(answer.value, std::uint64_t{1}, order::release, s);
      }
    }
  });
  return B::load(wrong.value, order::relaxed, s) == 0;
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("backend: atomic operations, one worker", "", contract::platforms) {
  using B = typename TestType::backend;
  CHECK(operations_work<B, std::uint32_t>(scope::device));
  CHECK(operations_work<B, std::uint64_t>(scope::device));
  CHECK(operations_work<B, std::uint32_t>(scope::system));
  CHECK(operations_work<B, std::uint64_t>(scope::system));
}

TEMPLATE_LIST_TEST_CASE("backend: atomic operations are indivisible", "", contract::platforms) {
  CHECK(adds_are_indivisible<TestType, std::uint32_t>(scope::device));
  CHECK(adds_are_indivisible<TestType, std::uint64_t>(scope::system));
  CHECK(exchanges_are_indivisible<TestType, std::uint32_t>(scope::device));
  CHECK(exchanges_are_indivisible<TestType, std::uint64_t>(scope::system));
  CHECK(accesses_are_whole<TestType, std::uint32_t>(scope::system));
  CHECK(accesses_are_whole<TestType, std::uint64_t>(scope::device));
  CHECK(accesses_are_whole<TestType, std::uint64_t>(scope::system));
}

TEMPLATE_LIST_TEST_CASE("backend: release and acquire carry data", "", contract::platforms) {
  CHECK(messages_arrive<TestType>(scope::device));
  CHECK(messages_arrive<TestType>(scope::system));
}

TEMPLATE_LIST_TEST_CASE("backend: copy_words copies as many 16-byte words as asked", "",
                        contract::platforms) {
  using B = typename TestType::backend;
  struct alignas(16) word {
    std::uint64_t a[2];
  };
  for (const std::size_t n : {0, 1, 2, 3, 31, 32, 33, 100}) {
    std::vector<word> from(101);
    std::vector<word> to(101, word{{7, 7}});
    for (std::size_t i = 0; i != from.size(); ++i)
      from[i] = {{i + 100, ~i}};
    TestType::on_workers(1, [&](std::uint32_t) { B::copy_words(to.data(), from.data(), n); });
    bool right = true;
    for (std::size_t i = 0; i != to.size(); ++i)
      right = right && (i < n ? to[i].a[0] == i + 100 && to[i].a[1] == ~i
                              : to[i].a[0] == 7 && to[i].a[1] == 7);
    CHECK(right);
  }
}

TEMPLATE_LIST_TEST_CASE("backend: reserve hands out disjoint ranges", "", contract::platforms) {
  using B = typename TestType::backend;
  std::vector<std::uint32_t> got;
  std::uint32_t count = 3;
  TestType::on_workers(1, [&](std::uint32_t) {
    for (const std::uint32_t n : {1u, 5u, 0u, 2u})
      got.push_back(B::reserve(count, n));
  });
  CHECK(got == std::vector<std::uint32_t>{3, 4, 9, 9});
  CHECK(count == 11);
  // Positions count on beyond what 32 bits hold.
  std::uint32_t last = ~0u;
  CHECK(B::reserve(last, 2) == ~0u);
  CHECK(last == 1);
}

TEMPLATE_LIST_TEST_CASE("backend: random streams are reproducible and differ", "",
                        contract::platforms) {
  using R = typename TestType::backend::random;
  const auto take = [](std::uint64_t seed, std::uint64_t stream) {
    R r(seed, stream);
    std::vector<std::uint32_t> all;
    for (int i = 0; i != 1000; ++i)
      all.push_back(r.next());
    return all;
  };
  const auto a = take(11, 3);
  CHECK(a == take(11, 3));
  CHECK(a != take(11, 4));
  CHECK(a != take(12, 3));
  CHECK(a != take(11 + (std::uint64_t{1} << 40), 3));
  // Every bit is set about half the time: 1000 draws, five standard deviations.
  for (int bit = 0; bit != 32; ++bit) {
    const auto ones = std::ranges::count_if(a, [&](auto v) { return (v >> bit & 1) != 0; });
    CHECK(ones > 420);
    CHECK(ones < 580);
  }
}

TEMPLATE_LIST_TEST_CASE("backend: back-off ends in exhaustion", "", contract::platforms) {
  typename TestType::backend::backoff wait;
  CHECK_FALSE(wait.exhausted());
  int pauses = 0;
  for (; !wait.exhausted() && pauses != 10'000; ++pauses)
    wait.pause();
  CHECK(wait.exhausted());
  wait.pause();
  CHECK(wait.exhausted());
  wait = {};
  CHECK_FALSE(wait.exhausted());
}

TEMPLATE_LIST_TEST_CASE("backend: the clock goes forward, in nanoseconds", "",
                        contract::platforms) {
  using B = typename TestType::backend;
  bool forward = true;
  std::uint64_t last = B::now();
  for (int i = 0; i != 10'000; ++i) {
    const auto t = B::now();
    forward = forward && t >= last;
    last = t;
  }
  CHECK(forward);
  const auto before = B::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(B::now() - before >= 20'000'000);
}

TEMPLATE_LIST_TEST_CASE("backend: a sleeper wakes when told", "", contract::platforms) {
  using B = typename TestType::backend;
  if constexpr (B::parking::sleeps) {
    const std::uint32_t rounds = test::repeats(2000);
    typename B::parking lot;
    lined<B, std::uint32_t> turn;
    TestType::on_workers(2, [&](std::uint32_t side) {
      for (std::uint32_t round = side; round < 2 * rounds; round += 2) {
        while (B::load(turn.value, order::acquire, scope::system) != round) {
          const auto ticket = lot.prepare();
          if (B::load(turn.value, order::acquire, scope::system) == round) {
            lot.cancel(ticket);
          } else {
            lot.wait(ticket);
          }
        }
        B::store(turn.value, round + 1, order::release, scope::system);
        lot.notify_all();
      }
    });
    CHECK(turn.value == 2 * rounds);
  }
}
