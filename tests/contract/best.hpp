/// \file
/// Tasks that find better and better values, most of them at once, and what must come of it. The
/// same source for the tests of CPU and GPU workers.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <mgws/mgws.hpp>

namespace bests {

struct wrong : mgws::sum<std::uint64_t> {};
struct improved : mgws::sum<std::uint64_t> {};
using results = mgws::accumulators<wrong, improved>;

/// Large enough to be seen half written.
struct solution {
  std::uint32_t of[12];
};

template <class T, template <class> class Which>
using best_of = mgws::best<T, Which, solution>;

template <class Best>
struct context {
  typename Best::view best;
  std::uint32_t* tickets;
  std::uint32_t n;
};

/// Later ones are better, or nearly so: many find a better one side by side.
template <class T, bool Largest>
MGWS_FN T value_of(std::uint32_t ticket) {
  const auto v = static_cast<T>(ticket ^ 37u);
  return Largest ? v : static_cast<T>(T{1 << 20} - v);
}

template <mgws::shape Width, class Best, class T, bool Largest>
struct seeker {
  static constexpr mgws::shape width = Width;
  MGWS_FN void operator()(auto& worker, mgws::task_index /*i*/) const {
    const context<Best>& c = worker.context();
    const std::uint32_t ticket = mgws::atomic_ref(*c.tickets).fetch_add(1);
    if (ticket >= c.n) return;
    const T mine = value_of<T, Largest>(ticket);
    const T before = c.best.value();
    const bool was = c.best.improve(mine, [&] {
      solution s{};
      for (std::uint32_t& word : s.of)
        word = ticket;
      return s;
    });
    const T after = c.best.value();
    if (was) worker.accumulate(improved{}, 1);
    if (c.best.better(mine, after) || c.best.better(before, after) ||
        (was && !c.best.better(mine, before)))
      worker.accumulate(wrong{}, 1);
  }
};
/// In a run of its own: whether every device has been told.
template <class Best, class T>
struct listener {
  T expected;
  MGWS_FN void operator()(auto& worker, mgws::task_index /*i*/) const {
    if (worker.context().best.value() != expected) worker.accumulate(wrong{}, 1);
  }
};

/// What is wrong with two runs in which n lanes find values; empty if nothing is.
/// \tparam Runtime  Runtime<tasks, accumulators, context>
template <mgws::shape Width, class T, template <class> class Which,
          template <class, class, class> class Runtime>
std::string fault_at(const mgws::options& o, std::uint32_t n) {
  constexpr bool largest = std::is_same_v<Which<T>, mgws::maximum<T>>;
  using best = best_of<T, Which>;
  using seekers = seeker<Width, best, T, largest>;
  Runtime<mgws::task_set<seekers, listener<best, T>>, results, context<best>> rt{o};
  best found(rt.data_places());
  mgws::array<std::uint32_t> tickets(rt, 1);
  if (found.witness()) return "a witness of nothing";
  std::vector<context<best>> contexts;
  for (std::uint32_t d = 0; d != rt.devices(); ++d)
    contexts.push_back({found.on(d), tickets.data(), n});
  T expected = value_of<T, largest>(0);
  for (std::uint32_t t = 0; t != n; ++t)
    expected = Which<T>::combine(expected, value_of<T, largest>(t));
  for (int run = 0; run != 2; ++run) {
    tickets.fill(0);
    found.reset();
    rt.seed_n(seekers{}, n);
    const auto r = rt.run_each(contexts);
    if (r.template get<wrong>() != 0) return "a value that got worse, or was not told";
    if (r.template get<improved>() == 0) return "nothing improved";
    if (found.value() != expected) return "not the best value";
    const auto w = found.witness();
    if (!w) return "no witness";
    for (const std::uint32_t word : w->of)
      if (word >= n || value_of<T, largest>(word) != expected) return "another value's witness";
    rt.seed_n(listener<best, T>{expected}, 64 * rt.workers());
    if (rt.run_each(contexts).template get<wrong>() != 0) return "a device that was not told";
  }
  // What is not better than the start does not count.
  tickets.fill(0);
  found.reset(expected);
  rt.seed_n(seekers{}, n);
  if (rt.run_each(contexts).template get<improved>() != 0 || found.value() != expected ||
      found.witness())
    return "what equals the start counted";
  return "";
}

}  // namespace bests
