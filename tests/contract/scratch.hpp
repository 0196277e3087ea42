/// \file
/// Scratch memory of tasks of all widths that run side by side: each finds what it has written, and
/// nobody else's. The same source for the tests of CPU and GPU workers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <mgws/mgws.hpp>

#include "contract/workload.hpp"

namespace scratch {

using mgws::shape;
using mgws::task_index;

struct checked : mgws::sum<std::uint64_t> {};  ///< elements
struct wrong : mgws::sum<std::uint64_t> {};
using results = mgws::accumulators<checked, wrong>;

struct alignas(16) four {
  std::uint32_t word[4];
};

MGWS_FN inline std::uint32_t value_of(std::uint32_t number, std::uint32_t i) {
  return static_cast<std::uint32_t>(contract::mix(std::uint64_t{number} << 32 | i));
}
/// What an element should be, in words and in fours.
MGWS_FN inline bool is(const std::uint32_t& e, std::uint32_t v) {
  return e == v;
}
MGWS_FN inline bool is(const four& e, std::uint32_t v) {
  return e.word[0] == v && e.word[1] == v + 1 && e.word[2] == ~v && e.word[3] == v / 3;
}
MGWS_FN inline void set(std::uint32_t& e, std::uint32_t v) {
  e = v;
}
MGWS_FN inline void set(four& e, std::uint32_t v) {
  e = {{v, v + 1, ~v, v / 3}};
}

/// All lanes of a task write, each its part, and all lanes read everything.
template <class Task>
MGWS_FN void write_and_read(auto& worker, const Task& task, std::uint32_t number) {
  constexpr std::uint32_t size = std::tuple_size_v<typename Task::scratch>;
  const auto mine = worker.scratch(task);
  if (mine.size() != size) worker.accumulate(wrong{}, 1);
  worker.sync();  // who has read what lay there before
  for (std::uint32_t i = worker.lane(); i < mine.size(); i += worker.lanes())
    set(mine[i], value_of(number, i));
  worker.sync();
  std::uint64_t bad = 0;
  std::uint32_t i = 0;
  for (auto at = mine.begin(); at != mine.end(); ++at, ++i)
    bad += is(*at, value_of(number, i)) ? 0 : 1;
  for (auto at = mine.end(); at != mine.begin();) {
    --i;
    bad += is(*--at, value_of(number, i)) && &mine.begin()[i] == &mine[i] ? 0 : 1;
  }
  bad += static_cast<std::uint32_t>(mine.end() - mine.begin()) == mine.size() ? 0 : 1;
  worker.accumulate(wrong{}, bad);
  if (worker.lane() == 0) worker.accumulate(checked{}, size);
}

template <shape Width, class Element, std::size_t Elements>
struct writer {
  static constexpr shape width = Width;
  using scratch = std::array<Element, Elements>;
  std::uint32_t number;
  MGWS_FN void operator()(auto& worker) const {
    write_and_read(worker, *this, number);
    write_and_read(worker, *this, ~number);
  }
};
using by_lane = writer<shape::lane, std::uint32_t, 27>;  // no whole number of 16 bytes
using fours_by_lane = writer<shape::lane, four, 5>;
using by_warp = writer<shape::warp, std::uint32_t, 250>;
using by_block = writer<shape::block, four, 250>;

/// Instances, each piece by piece.
struct by_pieces {
  using scratch = std::array<four, 3>;
  std::uint32_t first;
  std::uint32_t done;
  MGWS_FN mgws::progress operator()(auto& worker, task_index i) {
    write_and_read(worker, *this, first + static_cast<std::uint32_t>(i) + done);
    return ++done == 1 + i % 5 ? mgws::done : mgws::again;
  }
};
struct root {
  std::uint32_t first;
  std::uint32_t n;
  MGWS_FN void operator()(auto& worker) const {
    for (std::uint32_t i = first; i != first + n; ++i) {
      worker.spawn(by_lane{i});
      worker.spawn(fours_by_lane{i});
      if (i % 4 == 0) worker.spawn(by_warp{i});
      if (i % 8 == 0) worker.spawn(by_block{i});
    }
    worker.spawn_n(by_pieces{first, 0}, n);
  }
};
using tasks = mgws::task_set<root, by_lane, fours_by_lane, by_warp, by_block, by_pieces>;

template <template <class, class, class> class Runtime>
std::string fault(const mgws::options& o, std::uint32_t n, int runs) {
  std::uint64_t elements = 0;
  for (std::uint32_t i = 0; i != n; ++i) {
    elements += 2 * (27 + 5 + (i % 4 == 0 ? 250 : 0) + (i % 8 == 0 ? 250 : 0)) + 3 * (1 + i % 5);
  }
  Runtime<tasks, results, mgws::no_context> rt(o);
  for (int run = 0; run != runs; ++run) {
    rt.seed(root{0, n});
    const auto r = rt.run();
    if (r.template get<wrong>() != 0)
      return std::to_string(r.template get<wrong>()) + " elements are not what was written";
    if (r.template get<checked>() != elements)
      return std::to_string(r.template get<checked>()) + " elements instead of " +
             std::to_string(elements);
    // What the report says of a GPU's workers: at least what all lanes want.
    for (const auto& d : r.devices) {
      const auto& f = d.footprint;
      if (f.scratch_bytes < 112u * f.lanes || f.scratch_bytes > f.shared_bytes)
        return std::to_string(f.scratch_bytes) + " bytes of scratch memory, of " +
               std::to_string(f.shared_bytes);
      if (f.resident_without_scratch < f.resident)
        return "more workers with scratch memory than without";
    }
  }
  return "";
}

}  // namespace scratch
