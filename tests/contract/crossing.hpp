/// \file
/// Joins and finishes of which parts run in another coherence domain: calls of the naive Fibonacci
/// function, each of which waits for two, and says so to a finish. The same source for the tests of
/// CPU workers, and of a CPU and a GPU in one run.
#pragma once

#include <cstdint>
#include <string>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws/mgws.hpp>

#include "contract/kinds.hpp"

namespace crossing {

struct value : mgws::sum<std::uint64_t> {};
struct calls : mgws::sum<std::uint64_t> {};
struct wrong : mgws::sum<std::uint64_t> {};
struct finished : mgws::sum<std::uint64_t> {};
using results = mgws::accumulators<value, calls, wrong, finished>;

using kinds::on_gpu;
using kinds::where;

/// A result of several words, none of which may be missing.
struct number {
  std::uint64_t n;
  std::uint64_t opposite;
  std::uint32_t half;
  [[nodiscard]] MGWS_FN static number of(std::uint64_t n) {
    return {n, ~n, static_cast<std::uint32_t>(n / 2)};
  }
  [[nodiscard]] MGWS_FN bool whole() const {
    return opposite == ~n && half == static_cast<std::uint32_t>(n / 2);
  }
};

/// Adds up two of them and bytes in between; on any kind of worker, or on a CPU's alone.
template <mgws::affinity A>
struct add {
  static constexpr bool continuation = true;
  static constexpr mgws::affinity affinity = A;
  mgws::place<number> to;
  number left;
  std::uint8_t ones[3];
  number right;
  MGWS_FN void operator()(auto& worker) const {
    if (A == mgws::affinity::cpu_only && on_gpu(worker)) worker.accumulate(wrong{}, 1);
    if (!left.whole() || !right.whole() || ones[0] != 1 || ones[1] != 7 || ones[2] != 1)
      worker.accumulate(wrong{}, 1);
    if (to) return worker.deliver(to, number::of(left.n + right.n));
    worker.accumulate(value{}, left.n + right.n);
  }
};
struct one {
  mgws::place<std::uint8_t> to;
  MGWS_FN void operator()(auto& worker) const {
    worker.deliver(to, std::uint8_t{1});
    worker.contribute(calls{}, 1);
  }
};
template <bool Kinds>
struct fibonacci {
  std::uint32_t n;
  mgws::place<number> to;
  MGWS_FN void operator()(auto& worker) const {
    worker.accumulate(calls{}, 1);
    worker.contribute(calls{}, 1);
    if (n < 2) {
      if (to) return worker.deliver(to, number::of(n));
      return worker.accumulate(value{}, n);
    }
    if constexpr (Kinds)
      if (n % 3 == 0) return split<add<mgws::affinity::cpu_only>>(worker);
    split<add<mgws::affinity::none>>(worker);
  }
  template <class Add>
  MGWS_FN void split(auto& worker) const {
    const auto sum = worker.join(Add{to, {}, {0, 7, 0}, {}}, 4);
    worker.spawn(fibonacci{n - 1, sum.to(&Add::left)});
    worker.spawn(one{sum.to(&Add::ones, 0)});
    worker.spawn(fibonacci{n - 2, sum.to(&Add::right)});
    worker.spawn(one{sum.to(&Add::ones, 2)});
  }
};

[[nodiscard]] inline std::uint64_t fib(std::uint32_t n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
[[nodiscard]] MGWS_FN constexpr std::uint64_t calls_of(std::uint32_t n) {
  std::uint64_t before = 1;  // of n - 1
  std::uint64_t last = 1;
  for (std::uint32_t i = 1; i < n; ++i) {
    const std::uint64_t next = 1 + before + last;
    before = last;
    last = next;
  }
  return last;
}

/// Comes after all calls, with how many there were, twice what is no leaf included.
template <bool Kinds>
struct counted {
  static constexpr bool after_finish = true;
  std::uint32_t n;
  std::uint32_t rounds;
  mgws::accumulators<calls> gathered{};
  MGWS_FN void operator()(auto& worker) const {
    const std::uint64_t all = calls_of(n);
    if (gathered.template get<calls>() != all + (all - 1)) worker.accumulate(wrong{}, 1);
    worker.accumulate(finished{}, 1);
    if (rounds > 1) begin(worker, n, rounds - 1);
  }
  MGWS_FN static void begin(auto& worker, std::uint32_t n, std::uint32_t rounds) {
    worker.finish(counted{n, rounds, {}}, fibonacci<Kinds>{n, {}});
  }
};
/// So many rounds of it, one after the other.
template <bool Kinds>
struct rounds {
  std::uint32_t n;
  std::uint32_t rounds_of_it;
  MGWS_FN void operator()(auto& worker) const { counted<Kinds>::begin(worker, n, rounds_of_it); }
};

/// Tasks of which some can only run on a CPU, or none.
template <bool Kinds>
using tasks =
    std::conditional_t<Kinds,
                       mgws::task_set<rounds<true>, fibonacci<true>, one, add<mgws::affinity::none>,
                                      add<mgws::affinity::cpu_only>, counted<true>>,
                       mgws::task_set<rounds<false>, fibonacci<false>, one,
                                      add<mgws::affinity::none>, counted<false>>>;

/// What was wrong in a run of so many rounds, or nothing.
[[nodiscard]] inline std::string fault(const results& r, std::uint32_t n, std::uint32_t rounds) {
  const auto text = [](const char* what, std::uint64_t is) { return what + std::to_string(is); };
  if (r.get<wrong>() != 0) return text("were given something else: ", r.get<wrong>());
  if (r.get<value>() != rounds * fib(n)) return text("value: ", r.get<value>());
  if (r.get<calls>() != rounds * calls_of(n)) return text("calls: ", r.get<calls>());
  if (r.get<finished>() != rounds) return text("finishes: ", r.get<finished>());
  return "";
}

}  // namespace crossing
