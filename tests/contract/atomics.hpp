/// \file
/// Tasks whose lanes all do everything that an mgws::atomic_ref can do to the same few words, and
/// what must come of it. The same source for the tests of CPU and GPU workers.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <mgws/mgws.hpp>

namespace atomics {

/// Lanes that ran; of each type, what was taken out by exchanges, and by how much all together
/// raised the largest and lowered the smallest value, as they were told; what was wrong, as a
/// number of those below.
struct lanes_ran : mgws::sum<std::uint64_t> {};
template <class T>
struct taken : mgws::sum<std::uint64_t> {};
template <class T>
struct moved_apart : mgws::sum<std::uint64_t> {};
struct wrong : mgws::maximum<std::uint32_t> {};
using results =
    mgws::accumulators<lanes_ran, wrong, taken<std::int32_t>, taken<std::uint32_t>,
                       taken<std::int64_t>, taken<std::uint64_t>, taken<float>, taken<double>,
                       moved_apart<std::int32_t>, moved_apart<std::uint32_t>,
                       moved_apart<std::int64_t>, moved_apart<std::uint64_t>, moved_apart<float>,
                       moved_apart<double>>;

enum fault : std::uint32_t {
  ticket_twice = 1,
  not_smaller,
  not_larger,
  compared_wrongly,
  untold,
  message_before_data,
};

/// Words of one type, each changed by one operation.
template <class T>
struct words {
  T added, subtracted, smallest, largest, exchanged, compared, constant;
  T all_bits, any_bits, odd_bits;  ///< integers
};
struct alignas(8) pair {
  float value;
  std::uint32_t of;
};
struct memory {
  std::uint32_t tickets;
  words<std::int32_t> i32;
  words<std::uint32_t> u32;
  words<std::int64_t> i64;
  words<std::uint64_t> u64;
  words<float> f32;
  words<double> f64;
  std::uint32_t* moved;
  pair best;
};

/// Tickets there may be.
inline constexpr std::uint32_t k_most = 1u << 16;
/// A number that each ticket has for its own, exact in a float; below 0 where there are such
/// numbers. Larger ones come later, or nearly so: who raises a maximum then meets others that do.
template <class T>
MGWS_FN T number_of(std::uint32_t ticket) {
  const auto v = static_cast<std::int64_t>(ticket ^ 21u);
  return static_cast<T>(std::unsigned_integral<T> ? v + 5 : v - k_most / 2);
}
/// The same with smaller ones later.
template <class T>
MGWS_FN T mirrored_of(std::uint32_t ticket) {
  return number_of<T>(k_most - 1 - ticket);
}
/// What differs between a and b, modulo 2^64.
template <class T>
MGWS_FN std::uint64_t distance(T a, T b) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(a)) -
         static_cast<std::uint64_t>(static_cast<std::int64_t>(b));
}

struct context {
  memory* all;
  std::uint32_t* marked32;  ///< a bit a ticket
  std::uint64_t* marked64;
  std::uint32_t* data;  ///< plain, one a ticket
  std::uint32_t* told;  ///< whether that is there
};

template <mgws::shape Width, class Scope>
struct everything {
  static constexpr mgws::shape width = Width;

  template <class T>
  MGWS_FN static mgws::atomic_ref<T, Scope> refer(T& x) {
    return mgws::atomic_ref<T, Scope>(x);
  }

  MGWS_FN void operator()(auto& worker, mgws::task_index /*i*/) const {
    const context& c = worker.context();
    memory& m = *c.all;
    const std::uint32_t ticket = refer(m.tickets).fetch_add(1);
    worker.accumulate(lanes_ran{}, 1);

    const std::uint32_t bit32 = 1u << ticket % 32;
    const std::uint64_t bit64 = std::uint64_t{1} << ticket % 64;
    if ((refer(c.marked32[ticket / 32]).fetch_or(bit32) & bit32) != 0 ||
        (refer(c.marked64[ticket / 64]).fetch_or(bit64) & bit64) != 0)
      worker.accumulate(wrong{}, ticket_twice);

    c.data[ticket] = 3 * ticket + 1;
    refer(c.told[ticket]).store(1, mgws::order::release);
    const std::uint32_t other = ticket == 0 ? 0 : ticket - 1;
    if (refer(c.told[other]).load(mgws::order::acquire) == 1 && c.data[other] != 3 * other + 1)
      worker.accumulate(wrong{}, message_before_data);

    change(worker, m.i32, ticket);
    change(worker, m.u32, ticket);
    change(worker, m.i64, ticket);
    change(worker, m.u64, ticket);
    change(worker, m.f32, ticket);
    change(worker, m.f64, ticket);

    const auto pointer = refer(m.moved);
    std::uint32_t* at = pointer.load();
    while (!pointer.compare_exchange_weak(at, at + 1, mgws::order::acq_rel)) {
    }
    const pair mine{number_of<float>(ticket), ticket};
    const auto best = refer(m.best);
    pair seen = best.load();
    while (seen.value < mine.value && !best.compare_exchange_strong(seen, mine)) {
    }
  }

  template <class T>
  MGWS_FN void change(auto& worker, words<T>& all, std::uint32_t ticket) const {
    using mgws::order::acq_rel;
    const T mine = number_of<T>(ticket);
    refer(all.added).fetch_add(T{1});
    refer(all.subtracted).fetch_sub(T{1}, mgws::order::release);
    const T low = mirrored_of<T>(ticket);
    const T smallest = refer(all.smallest).fetch_min(low);
    if (low < smallest) worker.accumulate(moved_apart<T>{}, distance(smallest, low));
    if (refer(all.smallest).load() > low) worker.accumulate(wrong{}, not_smaller);
    const T largest = refer(all.largest).fetch_max(mine, acq_rel);
    if (mine > largest) worker.accumulate(moved_apart<T>{}, distance(mine, largest));
    if (refer(all.largest).load() < mine) worker.accumulate(wrong{}, not_larger);
    const T before = refer(all.exchanged).exchange(mine, mgws::order::acquire);
    worker.accumulate(taken<T>{}, static_cast<std::uint64_t>(static_cast<std::int64_t>(before)));
    T seen = refer(all.compared).load(mgws::order::acquire);
    while (!refer(all.compared).compare_exchange_weak(seen, static_cast<T>(seen + 1), acq_rel)) {
    }
    T expected{41};
    if (refer(all.constant).compare_exchange_strong(expected, mine))
      worker.accumulate(wrong{}, compared_wrongly);
    if (expected != T{42}) worker.accumulate(wrong{}, untold);
    if constexpr (std::integral<T>) {
      const auto bit = static_cast<T>(T{1} << ticket % (8 * sizeof(T) - 1));
      refer(all.all_bits).fetch_and(static_cast<T>(~bit));
      refer(all.any_bits).fetch_or(bit, acq_rel);
      refer(all.odd_bits).fetch_xor(bit);
    }
  }
};

/// What is wrong with the words of one type after n tickets; empty if nothing is.
template <class T>
std::string fault_in(const words<T>& all, const words<T>& before, const results& found,
                     std::uint32_t n) {
  T smallest = mirrored_of<T>(0);
  T largest = number_of<T>(0);
  std::uint64_t put = 0;  // modulo 2^64, as what was taken
  using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  bits any = 0;
  bits odd = 0;
  for (std::uint32_t t = 0; t != n; ++t) {
    const T v = number_of<T>(t);
    smallest = mirrored_of<T>(t) < smallest ? mirrored_of<T>(t) : smallest;
    largest = largest < v ? v : largest;
    put += static_cast<std::uint64_t>(static_cast<std::int64_t>(v));
    any |= bits{1} << t % (8 * sizeof(T) - 1);
    odd ^= bits{1} << t % (8 * sizeof(T) - 1);
  }
  if (all.added != static_cast<T>(n)) return "fetch_add";
  if (all.subtracted != T{0}) return "fetch_sub";
  if (all.smallest != smallest) return "fetch_min";
  if (all.largest != largest) return "fetch_max";
  if (found.get<moved_apart<T>>() !=
      distance(largest, before.largest) + distance(before.smallest, smallest))
    return "fetch_min or fetch_max, in what it says was there before";
  if (found.get<taken<T>>() +
          static_cast<std::uint64_t>(static_cast<std::int64_t>(all.exchanged)) !=
      put)
    return "exchange";
  if (all.compared != static_cast<T>(n)) return "compare_exchange";
  if (all.constant != T{42}) return "a compare_exchange that must fail";
  if constexpr (std::integral<T>) {
    if (static_cast<bits>(all.any_bits) != any) return "fetch_or";
    if (static_cast<bits>(all.all_bits) != static_cast<bits>(~any)) return "fetch_and";
    if (static_cast<bits>(all.odd_bits) != odd) return "fetch_xor";
  }
  return "";
}
template <class T>
words<T> fresh(std::uint32_t lanes) {
  words<T> w{};
  w.subtracted = static_cast<T>(lanes);
  w.smallest = static_cast<T>(2 * k_most);
  w.largest = static_cast<T>(std::unsigned_integral<T> ? 0 : -static_cast<std::int64_t>(k_most));
  w.constant = T{42};
  if constexpr (std::integral<T>) w.all_bits = static_cast<T>(~T{0});
  return w;
}

/// What is wrong with a run of n instances at one width and scope; empty if nothing is. How many
/// lanes an instance has is learnt from a first run.
/// \tparam Runtime  Runtime<tasks, accumulators, context>
template <mgws::shape Width, class Scope, template <class, class, class> class Runtime>
std::string fault_at(const mgws::options& o, std::uint32_t n) {
  using tasks = mgws::task_set<everything<Width, Scope>>;
  Runtime<tasks, results, context> rt{o};
  rt.keep_seeds(true);
  mgws::array<memory> all(rt, 1);
  mgws::array<std::uint32_t> marked32(rt, k_most / 32);
  mgws::array<std::uint64_t> marked64(rt, k_most / 64);
  mgws::array<std::uint32_t> data(rt, k_most);
  mgws::array<std::uint32_t> told(rt, k_most);
  mgws::array<std::uint32_t> line(rt, k_most);
  std::uint32_t lanes = 0;
  for (const std::uint32_t instances : {1u, n}) {
    rt.clear_seeds();
    rt.seed_n(everything<Width, Scope>{}, instances);
    marked32.fill(0);
    marked64.fill(0);
    told.fill(0);
    const std::uint32_t expected = lanes * n;  // 0: not known yet
    memory m{.tickets = 0,
             .i32 = fresh<std::int32_t>(expected),
             .u32 = fresh<std::uint32_t>(expected),
             .i64 = fresh<std::int64_t>(expected),
             .u64 = fresh<std::uint64_t>(expected),
             .f32 = fresh<float>(expected),
             .f64 = fresh<double>(expected),
             .moved = line.data(),
             .best = {-1e9f, 0}};
    all.upload({&m, 1});
    const auto r = rt.run({all.data(), marked32.data(), marked64.data(), data.data(), told.data()});
    all.download({&m, 1});
    if (r.tasks != instances) return "not all instances ran";
    if (lanes == 0) {
      lanes = m.tickets;
      if (n > k_most / lanes) return "more lanes than the test has words for";
      continue;
    }
    if (m.tickets != expected || r.template get<lanes_ran>() != expected) return "tickets";
    if (const std::uint32_t w = r.template get<wrong>(); w != 0)
      return "a task saw fault " + std::to_string(w);
    if (m.moved != line.data() + expected) return "a pointer's compare_exchange";
    float best = -1e9f;
    for (std::uint32_t t = 0; t != expected; ++t)
      best = number_of<float>(t) > best ? number_of<float>(t) : best;
    if (m.best.value != best || number_of<float>(m.best.of) != best)
      return "a structure's compare_exchange";
    std::string what;
    const auto look = [&](const char* type, const auto& of, const auto& before) {
      const std::string found = fault_in(of, before, r.results, expected);
      if (what.empty() && !found.empty()) what = found + " of a " + type;
    };
    look("std::int32_t", m.i32, fresh<std::int32_t>(expected));
    look("std::uint32_t", m.u32, fresh<std::uint32_t>(expected));
    look("std::int64_t", m.i64, fresh<std::int64_t>(expected));
    look("std::uint64_t", m.u64, fresh<std::uint64_t>(expected));
    look("float", m.f32, fresh<float>(expected));
    look("double", m.f64, fresh<double>(expected));
    if (!what.empty()) return what;
  }
  return "";
}

}  // namespace atomics
