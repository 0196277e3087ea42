/// \file
/// Threads that submit tasks to a live run, wait for them, look at what they did, and close it. The
/// same source for the tests of CPU and GPU workers.
#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <mgws/mgws.hpp>

namespace lives {

/// In the host's memory: how often each was written, which is to be once.
struct context {
  mgws::placed<std::uint32_t> cells;
};

/// Stands for `count` cells from `first` on: writes the first, and spawns two that stand for the
/// rest.
struct branch {
  std::uint32_t first;
  std::uint32_t count;
  MGWS_FN void operator()(auto& worker) const {
    worker.context().cells[first] += 1;
    const std::uint32_t half = (count - 1) / 2;
    if (half != 0) worker.spawn(branch{first + 1, half});
    if (count - 1 != half) worker.spawn(branch{first + 1 + half, count - 1 - half});
  }
};
struct row {
  std::uint32_t first;
  MGWS_FN void operator()(auto& worker, mgws::task_index i) const {
    worker.context().cells[first + static_cast<std::uint32_t>(i)] += 1;
  }
};

/// \param producers  threads that submit at once; each in several rounds after which everybody
///                   waits, and in one after which the run is closed
/// \tparam Runtime  a template <Tasks, Accumulators, Context>
/// \return what was wrong, or nothing
template <template <class, class, class> class Runtime>
std::string fault(const mgws::options& o, std::uint32_t producers, std::uint32_t rounds) {
  constexpr std::uint32_t k_each = 40;    // submissions of a thread in a round
  constexpr std::uint32_t k_longest = 9;  // cells of one
  const std::uint32_t of_round = producers * k_each * k_longest;
  const std::uint32_t n = (rounds + 1) * of_round;

  Runtime<mgws::task_set<branch, row>, mgws::accumulators<>, context> rt(o);
  const mgws::data_places places = rt.data_places();
  mgws::placed_array<std::uint32_t> cells(places, n, mgws::placement::host);
  cells.fill(0);
  std::vector<context> contexts;
  for (std::uint32_t d = 0; d != rt.devices(); ++d)
    contexts.push_back({cells.on(d)});
  rt.seed(branch{0, 1});
  auto live = rt.start_each(contexts);
  for (std::uint32_t round = 0; round <= rounds; ++round) {
    std::vector<std::thread> threads;
    for (std::uint32_t p = 0; p != producers; ++p)
      threads.emplace_back([&, p] {
        std::uint32_t at = round * of_round + p * k_each * k_longest;
        for (std::uint32_t i = 0; i != k_each; ++i, at += k_longest) {
          // The very first cell is the initial task's.
          if (i % 3 == 0) {
            live.submit_n(row{at + (at == 0)}, k_longest - (at == 0));
          } else {
            live.submit(branch{at, k_longest});
          }
        }
      });
    for (auto& t : threads)
      t.join();
    if (round == rounds) break;
    live.wait_idle();
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i != (round + 1) * of_round; ++i)
      sum += contexts[0].cells[i] == 1;
    if (sum != (round + 1) * of_round)
      return "after waiting " + std::to_string((round + 1) * of_round - sum) +
             " cells were not written once";
  }
  const auto r = live.close();
  if (r.status != mgws::status::completed) return "not completed";
  if (r.tasks != n) return std::to_string(r.tasks) + " tasks instead of " + std::to_string(n);
  for (std::uint32_t i = 0; i != n; ++i)
    if (contexts[0].cells[i] != 1) return "cell " + std::to_string(i) + " was not written once";
  return "";
}

}  // namespace lives
