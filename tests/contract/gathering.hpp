/// \file
/// Tasks of all kinds below finishes that contribute numbers to what comes after: none is lost,
/// none comes twice or late. The same source for the tests of CPU and GPU workers.
#pragma once

#include <cstdint>
#include <string>

#include <mgws/mgws.hpp>

namespace gathering {

using mgws::shape;
using mgws::task_index;

struct number : mgws::sum<std::uint64_t> {};
struct halves : mgws::sum<double> {};
struct balance : mgws::sum<std::int32_t> {};
struct largest : mgws::maximum<std::int32_t> {};
struct least : mgws::minimum<float> {};
using contributed = mgws::accumulators<number, halves, balance, largest, least>;

struct ran : mgws::sum<std::uint64_t> {};
struct wrong : mgws::sum<std::uint64_t> {};
using results = mgws::accumulators<ran, wrong>;

/// A heap's node, of which every lane contributes something: all together its number.
MGWS_FN void contribute(auto& worker, std::uint32_t node) {
  const std::uint32_t others = worker.lanes() - 1;
  if (worker.lane() == 0) {
    worker.contribute(number{}, std::uint64_t{1} - others);
    worker.contribute(halves{}, 0.5 * node - 0.25 * others);
    worker.accumulate(ran{}, 1);
  } else {
    worker.contribute(number{}, 1);
    worker.contribute(halves{}, 0.25);
  }
  if (worker.lane() == others) {
    worker.contribute(balance{}, node % 2 == 0 ? 3 : -2);
    worker.contribute(largest{}, static_cast<std::int32_t>(node));
    worker.template contribute<least>(-static_cast<float>(node));
  }
}

template <shape Width>
struct single;
struct several;
struct in_pieces;

MGWS_FN void spawn_children(auto& worker, std::uint32_t node, std::uint32_t end);

template <shape Width>
struct single {
  static constexpr shape width = Width;
  std::uint32_t node;
  std::uint32_t end;
  MGWS_FN void operator()(auto& worker) const {
    contribute(worker, node);
    if (worker.lane() == 0) spawn_children(worker, node, end);
  }
};
struct several {
  std::uint32_t first;
  std::uint32_t end;
  MGWS_FN void operator()(auto& worker, task_index i) const {
    spawn_children(worker, first + i, end);
    contribute(worker, first + i);
  }
};
struct in_pieces {
  std::uint32_t node;
  std::uint32_t end;
  std::uint32_t done;
  MGWS_FN mgws::progress operator()(auto& worker) {
    if (done == 0) contribute(worker, node);
    if (++done <= node % 4) return mgws::again;
    spawn_children(worker, node, end);
    return mgws::done;
  }
};
MGWS_FN void spawn_children(auto& worker, std::uint32_t node, std::uint32_t end) {
  const std::uint32_t child = 2 * node;
  if (child >= end) return;
  if (node % 3 == 0) {
    worker.spawn_n(several{child, end}, 2);
    return;
  }
  if (node % 2 == 0) {
    worker.spawn(single<shape::warp>{child, end});
    worker.spawn(single<shape::lane>{child + 1, end});
  } else {
    worker.spawn(single<shape::block>{child, end});
    worker.spawn(in_pieces{child + 1, end, 0});
  }
}

/// What is below a heap of nodes [1, end), end a power of two.
[[nodiscard]] MGWS_FN inline bool is_of_heap(const contributed& c, std::uint32_t end) {
  const std::uint32_t n = end - 1;
  return c.get<number>() == n && c.get<halves>() == 0.25 * n * end &&
         c.get<balance>() ==
             static_cast<std::int32_t>(3 * (n / 2)) - 2 * static_cast<std::int32_t>(end / 2) &&
         c.get<largest>() == static_cast<std::int32_t>(n) &&
         c.get<least>() == -static_cast<float>(n);
}
[[nodiscard]] MGWS_FN inline bool is_nothing(const contributed& c) {
  const contributed none;
  return c.get<number>() == 0 && c.get<halves>() == 0 && c.get<balance>() == 0 &&
         c.get<largest>() == none.get<largest>() && c.get<least>() == none.get<least>();
}

/// Comes after a heap of so many nodes; begins with half as many; says to the finish above how many
/// there were.
struct after_heap {
  static constexpr bool after_finish = true;
  std::uint32_t end;
  contributed gathered{};
  MGWS_FN void operator()(auto& worker) const {
    if (!is_of_heap(gathered, end)) worker.accumulate(wrong{}, 1);
    worker.contribute(number{}, gathered.get<number>());
    if (end > 2) worker.finish(after_heap{end / 2, gathered}, single<shape::lane>{1, end / 2});
  }
};
/// Comes after several heaps, side by side, with all that followed them; and once after nothing.
struct after_all {
  static constexpr bool after_finish = true;
  std::uint64_t expected;
  contributed gathered{};
  MGWS_FN void operator()(auto& worker) const {
    if (expected == 0 ? !is_nothing(gathered) : gathered.get<number>() != expected)
      worker.accumulate(wrong{}, 1);
    worker.accumulate(ran{}, 1);
  }
};
/// Is given nothing.
struct after_silence {
  static constexpr bool after_finish = true;
  MGWS_FN void operator()(auto& worker) const { worker.accumulate(ran{}, 1); }
};
struct plant {
  std::uint32_t end;
  MGWS_FN void operator()(auto& worker) const {
    worker.finish(after_heap{end}, single<shape::lane>{1, end});
  }
};
struct root {
  std::uint32_t end;
  MGWS_FN void operator()(auto& worker) const {
    // Of one heap and those half as large that follow it: 2 * end less their number and two.
    std::uint32_t heaps = 0;
    for (std::uint32_t e = end; e > 1; e /= 2)
      ++heaps;
    worker.finish(after_all{std::uint64_t{3} * (2 * end - 2 - heaps)}, plant{end}, plant{end},
                  plant{end});
    contributed old;
    old.add<number>(7);
    old.add<least>(-1.0f);
    worker.finish(after_all{0, old});
    worker.finish_n(after_all{0, old}, several{1, 1}, 0);
    worker.finish(after_silence{}, single<shape::lane>{1, end});
    // Below no finish.
    worker.contribute(number{}, 1'000'000);
    worker.spawn(single<shape::lane>{1, end});
  }
};
using tasks = mgws::task_set<root, plant, after_heap, after_all, after_silence, several, in_pieces,
                             single<shape::lane>, single<shape::warp>, single<shape::block>>;

/// \tparam Runtime  a template <Tasks, Accumulators, Context>
/// \param end  nodes of a heap and one, a power of two
/// \return what was wrong, or nothing
template <template <class, class, class> class Runtime>
std::string fault(const mgws::options& o, std::uint32_t end, int runs) {
  Runtime<tasks, results, mgws::no_context> rt(o);
  std::uint64_t expected = 2 * (end - 1) + 4;
  for (std::uint32_t e = end; e > 1; e /= 2)
    expected += std::uint64_t{3} * (e - 1);
  for (int i = 0; i != runs; ++i) {
    rt.seed(root{end});
    const results is = rt.run().results;
    if (is.get<ran>() != expected)
      return std::to_string(is.get<ran>()) + " tasks instead of " + std::to_string(expected);
    if (is.get<wrong>() != 0) return std::to_string(is.get<wrong>()) + " were given other numbers";
  }
  return "";
}

}  // namespace gathering
