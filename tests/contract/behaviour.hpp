/// \file
/// What the tests of stopping, limits and scheduling share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "platform.hpp"

namespace contract {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

template <class Tasks, class Accumulators, class Context>
using runtime_of = mgws::runtime<Tasks, Accumulators, Context>;
/// Of several coherence domains.
template <class Tasks, class Accumulators, class Context>
using together = mgws::runtime<Tasks, Accumulators, Context, mgws::worker_statistics, 32,
                               mgws::compiled_for::together>;

/// A device for each group, of so many CPU workers.
inline mgws::options groups_of(const std::vector<std::uint32_t>& groups) {
  mgws::options o;
  for (const std::uint32_t n : groups)
    o.devices.push_back({.workers = n});
  return o;
}

/// The same, each a coherence domain. \param slots  of each ring between two
inline mgws::options domains(const std::vector<std::uint32_t>& groups, std::uint32_t slots = 1024) {
  mgws::options o = groups_of(groups);
  o.domains = mgws::domain_split::each;
  o.bridge_slots = slots;
  return o;
}

/// A few CPU workers on one device, two or three, each by every detector.
inline std::vector<mgws::options> small_machines() {
  std::vector<mgws::options> all;
  for (const auto& groups : {std::vector<std::uint32_t>{1}, {2}, {5}, {2, 1}, {1, 1, 1}})
    for (const auto detector :
         {mgws::termination::counter, mgws::termination::tree, mgws::termination::hierarchical}) {
      all.push_back(groups_of(groups));
      all.back().termination = detector;
    }
  return all;
}

inline double seconds_since(steady_clock::time_point t) {
  return std::chrono::duration<double>(steady_clock::now() - t).count();
}

/// Processor time of the whole process, all threads.
inline double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

struct count : mgws::sum<std::uint64_t> {};
using counts = mgws::accumulators<count>;

/// A tree of tasks: 2^(depth + 1) - 1 of them.
struct tree {
  std::uint32_t depth;
  void operator()(auto& worker) const {
    worker.accumulate(count{}, 1);
    if (depth == 0) return;
    worker.spawn(tree{depth - 1});
    worker.spawn(tree{depth - 1});
  }
};
constexpr std::uint64_t nodes(std::uint32_t depth) {
  return (std::uint64_t{2} << depth) - 1;
}

struct throws_up {
  void operator()(auto& /*worker*/) const { throw std::runtime_error("thrown by a task"); }
};
/// Without end.
struct again_and_again {
  void operator()(auto& worker) const {
    worker.accumulate(count{}, 1);
    worker.spawn(again_and_again{});
  }
};
/// Takes so many microseconds.
struct takes {
  std::uint32_t us;
  void operator()(auto& worker) const {
    const auto began = steady_clock::now();
    while (seconds_since(began) < us * 1e-6) {
    }
    worker.accumulate(count{}, 1);
  }
};

/// Calls f, which must throw E, and hands the exception to check.
template <class E, class F, class Check>
bool throws(F&& f, Check&& check) {
  try {
    f();
  } catch (const E& e) {
    check(e);
    return true;
  }
  return false;
}

/// One line, and it speaks of `what`.
inline bool is_one_sentence_about(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos && text.find('\n') == std::string::npos;
}

}  // namespace contract
