/// \file
/// A small irregular workload of several task types, and what its result must be.
///
/// Every task instance has an identity from which it computes everything else, so a task that is
/// lost, runs twice, or is torn on its way shows in a sum.
#pragma once

#include <array>
#include <cstdint>
#include <thread>

#include <mgws/core/accumulators.hpp>
#include <mgws/core/affinity.hpp>
#include <mgws/core/task_set.hpp>
#include <mgws_port.hpp>

namespace contract {

/// The finalizer of splitmix64: spreads a number over 64 bits.
MGWS_FN constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

struct instances : mgws::sum<std::uint64_t> {};
struct fingerprint : mgws::sum<std::uint64_t> {};
struct torn : mgws::sum<std::uint64_t> {};
struct highest : mgws::maximum<std::uint64_t> {};
struct lowest : mgws::minimum<std::uint64_t> {};
using results = mgws::accumulators<instances, fingerprint, torn, highest, lowest>;

/// How long tasks take. A run of tiny tasks is over before a second worker has begun, and shows
/// nothing about sharing; so some tasks spin, and some give way to other workers where there are
/// more of them than processors.
struct pace {
  std::uint32_t spin = 0;       ///< most iterations of a task
  std::uint32_t gives_way = 0;  ///< one task in so many; 0: none
};

MGWS_FN inline void spend(const pace& p, std::uint64_t random) {
  if (p.spin != 0) {
    volatile std::uint32_t left = static_cast<std::uint32_t>(random % p.spin);
    while (left != 0)
      left = left - 1;
  }
#if !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
  if (p.gives_way != 0 && random / 256 % p.gives_way == 0) std::this_thread::yield();
#endif
}

/// One lane of a task speaks for all of them.
MGWS_FN void ran(auto& worker, std::uint64_t identity) {
  if (worker.lane() != 0) return;
  spend(worker.context(), mix(identity + 13));
  worker.accumulate(instances{}, 1);
  worker.accumulate(fingerprint{}, mix(identity));
  worker.accumulate(highest{}, identity);
  worker.accumulate(lowest{}, identity);
}

/// Where CPU workers and GPUs are in one run, these go from GPUs to CPUs however short the run is.
struct leaf {
  static constexpr auto width = mgws::shape::warp;
  static constexpr mgws::affinity affinity = mgws::affinity::prefers_cpu;
  std::uint64_t identity;
  MGWS_FN void operator()(auto& worker) const { ran(worker, identity); }
};

struct range {
  static constexpr auto width = mgws::shape::block;
  std::uint64_t identity;
  MGWS_FN void operator()(auto& worker, mgws::task_index i) const {
    ran(worker, mix(identity + i));
  }
};

/// Larger than the others, and filled so that a slot read in halves would show.
struct branch {
  std::uint64_t identity;
  std::uint32_t depth;
  std::uint32_t again;
  std::array<std::uint64_t, 5> ballast;

  MGWS_FN static branch make(std::uint64_t identity, std::uint32_t depth) {
    branch b{identity, depth, depth, {}};
    for (std::uint64_t i = 0; i != b.ballast.size(); ++i)
      b.ballast[i] = mix(identity ^ i);
    return b;
  }
  MGWS_FN void operator()(auto& worker) const;
};

/// A bulk task whose instances spawn.
struct fan {
  std::uint64_t identity;
  std::uint32_t depth;
  MGWS_FN void operator()(auto& worker, mgws::task_index i) const {
    const std::uint64_t own = mix(identity ^ i);
    ran(worker, own);
    if (depth != 0 && own % 3 == 0) worker.spawn(branch::make(own + 1, depth - 1));
    if (own % 4 == 0) worker.spawn(leaf{own + 2});
  }
};

MGWS_FN void branch::operator()(auto& worker) const {
  ran(worker, identity);
  bool whole = depth == again;
  for (std::uint64_t i = 0; i != ballast.size(); ++i)
    whole = whole && ballast[i] == mix(identity ^ i);
  if (!whole) worker.accumulate(torn{}, 1);
  const std::uint64_t r = mix(identity + 77);
  for (std::uint64_t i = 0; i != r % 4; ++i)
    worker.spawn(leaf{mix(identity + i)});
  worker.spawn_n(range{identity}, static_cast<mgws::task_index>(r / 4 % 7));
  if (depth == 0) return;
  worker.spawn(branch::make(mix(identity ^ 0x100), depth - 1));
  if (r / 32 % 2 == 0) worker.spawn(branch::make(mix(identity ^ 0x200), depth - 1));
  worker.spawn_n(fan{mix(identity ^ 0x300), depth - 1}, static_cast<mgws::task_index>(r / 64 % 6));
  worker.spawn(range{mix(identity ^ 0x400)});
}

using mixed = mgws::task_set<leaf, branch, fan, range>;

/// Runs everything at once, where it is spawned: what the result must be.
class sequential {
 public:
  template <class T>
  void spawn(const T& t) {
    spawn_n(t, 1);
  }
  template <class T>
  void spawn_n(const T& t, mgws::task_index n) {
    for (mgws::task_index i = 0; i != n; ++i) {
      if constexpr (mgws::bulk_task<T, sequential>) {
        t(*this, i);
      } else {
        t(*this);
      }
    }
  }
  template <class A>
  void accumulate(A, typename A::value_type v) {
    values.template add<A>(v);
  }

  [[nodiscard]] const pace& context() const { return at_once; }
  [[nodiscard]] static std::uint32_t lane() { return 0; }

  results values{};
  pace at_once{};
};

inline bool operator==(const results& a, const results& b) {
  return a.get<instances>() == b.get<instances>() && a.get<fingerprint>() == b.get<fingerprint>() &&
         a.get<torn>() == b.get<torn>() && a.get<highest>() == b.get<highest>() &&
         a.get<lowest>() == b.get<lowest>();
}

/// Seeds something (a runtime, or `sequential` through the adapter) with plain and bulk tasks.
template <class Plain, class Bulk>
void seed_mixed(std::uint64_t which, std::uint32_t depth, Plain&& plain, Bulk&& bulk) {
  plain(branch::make(mix(which), depth));
  plain(leaf{mix(which + 1)});
  plain(branch::make(mix(which + 2), depth));
  bulk(range{mix(which + 3)}, 37u);
  bulk(fan{mix(which + 4), depth}, 5u);
}

/// The result of a run of that initial set.
inline results expected(std::uint64_t which, std::uint32_t depth) {
  sequential s;
  seed_mixed(
      which, depth, [&](const auto& t) { s.spawn(t); },
      [&](const auto& t, std::uint32_t n) { s.spawn_n(t, n); });
  return s.values;
}

template <class Runtime>
void seed(Runtime& rt, std::uint64_t which, std::uint32_t depth) {
  seed_mixed(
      which, depth, [&](const auto& t) { rt.seed(t); },
      [&](const auto& t, std::uint32_t n) { rt.seed_n(t, n); });
}

}  // namespace contract
