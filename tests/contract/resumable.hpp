/// \file
/// Resumable tasks of all kinds beside others: each does all of its pieces once and in order,
/// whoever runs them. The same source for the tests of CPU and GPU workers.
#pragma once

#include <cstdint>
#include <string>

#include <mgws/mgws.hpp>

#include "contract/workload.hpp"

namespace pieces {

using mgws::shape;
using mgws::task_index;

struct ended : mgws::sum<std::uint64_t> {};   ///< instances
struct run : mgws::sum<std::uint64_t> {};     ///< pieces, and tasks that have one
struct chains : mgws::sum<std::uint64_t> {};  ///< of what the pieces made of each other
struct moved : mgws::sum<std::uint64_t> {};   ///< pieces by another worker than the one before
using results = mgws::accumulators<ended, run, chains, moved>;

/// A chain of so many pieces, each of which needs the one before.
struct chain {
  std::uint32_t number;
  std::uint32_t length;
  std::uint32_t done;
  std::uint32_t value;
  std::uint32_t worker;  ///< that did the last one

  MGWS_FN static chain of(std::uint32_t number) {
    // Mostly short, some long.
    const std::uint64_t r = contract::mix(number);
    const std::uint32_t length =
        1 + static_cast<std::uint32_t>(r % 4 != 0 ? r / 4 % 3 : r / 4 % 60);
    return {number, length, 0, number, 0};
  }
  /// \return whether that was the last one
  MGWS_FN bool piece() {
    value = static_cast<std::uint32_t>(contract::mix(value + std::uint64_t{++done}));
    return done == length;
  }
  /// Whether the piece that was last done is the one that spawns.
  MGWS_FN bool spawns() const { return number % 3 == 0 && done == (length + 1) / 2; }
};

/// The worker's part of a piece.
MGWS_FN mgws::progress report(auto& worker, chain& c, bool last) {
  if (worker.lane() == 0) {
    worker.accumulate(run{}, 1);
    if (c.done != 1 && c.worker != worker.id()) worker.accumulate(moved{}, 1);
    c.worker = worker.id();
    if (last) {
      worker.accumulate(ended{}, 1);
      worker.accumulate(chains{}, c.value);
    }
  }
  return last ? mgws::done : mgws::again;
}

struct plain {
  MGWS_FN void operator()(auto& worker) const {
    worker.accumulate(run{}, 1);
    worker.accumulate(ended{}, 1);
  }
};

/// Instances of a bulk task, of which each has a chain.
struct bulk {
  std::uint32_t first;
  chain at;  ///< of an instance that has begun
  MGWS_FN mgws::progress operator()(auto& worker, task_index i) {
    if (at.done == 0) at = chain::of(first + static_cast<std::uint32_t>(i));
    const bool last = at.piece();
    return report(worker, at, last);
  }
};

/// A chain that spawns in its middle.
template <shape Width>
struct walker {
  static constexpr shape width = Width;
  chain at;
  MGWS_FN mgws::progress operator()(auto& worker) {
    const bool last = at.piece();
    if (worker.lane() == 0 && at.spawns()) {
      worker.spawn(plain{});
      worker.spawn_n(bulk{at.number, {}}, at.number % 5);
    }
    return report(worker, at, last);
  }
};

/// As many of all kinds as its number says.
struct root {
  std::uint32_t first;
  std::uint32_t n;
  MGWS_FN void operator()(auto& worker) const {
    for (std::uint32_t i = first; i != first + n; ++i) {
      worker.spawn(walker<shape::lane>{chain::of(i)});
      if (i % 4 == 0) worker.spawn(walker<shape::warp>{chain::of(i)});
      if (i % 8 == 0) worker.spawn(walker<shape::block>{chain::of(i)});
    }
    worker.spawn_n(bulk{first, {}}, n);
    worker.accumulate(run{}, 1);
    worker.accumulate(ended{}, 1);
  }
};
using tasks = mgws::task_set<root, plain, bulk, walker<shape::lane>, walker<shape::warp>,
                             walker<shape::block>>;

/// What comes of a chain, and of what it spawns.
inline void expect(results& r, std::uint32_t number, bool spawns) {
  chain c = chain::of(number);
  while (!c.piece()) {
  }
  r.add<ended>(1);
  r.add<run>(c.length);
  r.add<chains>(c.value);
  if (!spawns || number % 3 != 0) return;
  r.add<ended>(1);
  r.add<run>(1);
  for (std::uint32_t i = 0; i != number % 5; ++i)
    expect(r, number + i, false);
}
inline void expect(results& r, const root& all) {
  r.add<ended>(1);
  r.add<run>(1);
  for (std::uint32_t i = all.first; i != all.first + all.n; ++i) {
    expect(r, i, true);
    if (i % 4 == 0) expect(r, i, true);
    if (i % 8 == 0) expect(r, i, true);
    expect(r, i, false);
  }
}
inline std::string difference(const results& is, const results& should) {
  const auto differ = [](const char* what, std::uint64_t a, std::uint64_t b) {
    return a == b ? std::string()
                  : std::to_string(a) + " " + what + " instead of " + std::to_string(b) + "; ";
  };
  return differ("instances", is.get<ended>(), should.get<ended>()) +
         differ("pieces", is.get<run>(), should.get<run>()) +
         differ("as the sum of all chains", is.get<chains>(), should.get<chains>());
}

// ---- Below a finish, and with a continuation that is resumable itself ----

/// Comes after a finish: one piece for each that it waited for, to spawn as many again.
struct phase {
  static constexpr bool after_finish = true;
  std::uint32_t left;
  std::uint32_t n;
  MGWS_FN void operator()(auto& worker) const;
};
struct below {
  std::uint32_t pieces;
  MGWS_FN mgws::progress operator()(auto& worker) {
    worker.accumulate(run{}, 1);
    if (pieces == 3) worker.spawn(below{1});
    if (--pieces != 0) return mgws::again;
    worker.accumulate(ended{}, 1);
    return mgws::done;
  }
};
/// Waits for its parts, and adds them up one by one.
struct sum_up {
  static constexpr bool continuation = true;
  std::uint32_t part[4];
  std::uint32_t next;
  std::uint32_t total;
  MGWS_FN mgws::progress operator()(auto& worker) {
    worker.accumulate(run{}, 1);
    total += part[next++];
    if (next != 4) return mgws::again;
    worker.accumulate(ended{}, 1);
    worker.accumulate(chains{}, total);
    return mgws::done;
  }
};
struct part {
  mgws::place<std::uint32_t> to;
  std::uint32_t value;
  MGWS_FN void operator()(auto& worker) const {
    worker.accumulate(run{}, 1);
    worker.accumulate(ended{}, 1);
    worker.deliver(to, value);
  }
};
MGWS_FN void phase::operator()(auto& worker) const {
  worker.accumulate(run{}, 1);
  worker.accumulate(ended{}, 1);
  auto sum = worker.join(sum_up{}, 4);
  for (std::uint32_t i = 0; i != 4; ++i)
    worker.spawn(part{sum.to(&sum_up::part, i), left + i});
  if (left == 0) return;
  worker.finish(phase{left - 1, n}, below{1 + n % 7}, below{3}, below{n});
}
using waiting = mgws::task_set<phase, below, sum_up, part>;

inline void expect_below(results& r, std::uint32_t n) {
  r.add<run>(n + (n >= 3 ? 1 : 0));
  r.add<ended>(n >= 3 ? 2 : 1);
}
inline void expect(results& r, std::uint32_t phases, std::uint32_t n) {
  for (std::uint32_t left = phases + 1; left-- != 0;) {
    r.add<run>(1 + 4 + 4);
    r.add<ended>(1 + 4 + 1);
    r.add<chains>(4 * left + 6);
    if (left == 0) break;
    expect_below(r, 1 + n % 7);
    expect_below(r, 3);
    expect_below(r, n);
  }
}

/// \tparam Runtime  a template <Tasks, Accumulators, Context>
/// \return what was wrong, or nothing
template <template <class, class, class> class Runtime>
std::string fault(const mgws::options& o, std::uint32_t n, int runs) {
  Runtime<tasks, results, mgws::no_context> all(o);
  Runtime<waiting, results, mgws::no_context> waits(o);
  for (int i = 0; i != runs; ++i) {
    results should;
    for (std::uint32_t k = 0; k != 3; ++k) {
      const root r{100 * k, n};
      all.seed(r);
      expect(should, r);
    }
    all.seed_n(bulk{7, {}}, n);
    for (std::uint32_t k = 0; k != n; ++k)
      expect(should, 7 + k, false);
    const auto r = all.run();
    std::string wrong = difference(r.results, should);
    if (r.tasks != should.get<ended>())
      wrong += "the report has " + std::to_string(r.tasks) + " tasks";
    if (!wrong.empty()) return wrong;

    results of_waiting;
    expect(of_waiting, 5, n);
    waits.seed(phase{5, n});
    wrong = difference(waits.run().results, of_waiting);
    if (!wrong.empty()) return "with joins and finishes: " + wrong;
  }
  return "";
}

}  // namespace pieces
