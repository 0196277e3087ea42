/// \file
/// The simulator's backend: mgws::backend in virtual time. Every operation that a worker asks for
/// is done by the machine when the worker's clock says, and moves that clock by what it costs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <mgws/backends/cpu/philox.hpp>
#include <mgws/backends/gpu/groups.hpp>
#include <mgws/backends/sim/machine.hpp>
#include <mgws/backends/sim/team.hpp>
#include <mgws/core/backend.hpp>

namespace mgws::sim {

/// A word that several workers use: its value, where it lies, and until when it is busy with those
/// who came before.
template <class T>
class atomic {
 public:
  constexpr atomic(T v = {}) : value(v) {}  // NOLINT: as std::atomic
  T value;
  mutable word_tag tag{};
  mutable time_type busy = 0;
};

/// Pauses that grow.
class backoff {
 public:
  /// \param longest  in nanoseconds; 0: as the cost table says
  explicit backoff(std::uint32_t longest = 0)
      : ns_(machine::the().costs().shortest_pause),
        longest_(longest != 0 ? longest : machine::the().costs().longest_pause) {}
  void pause() {
    const auto& costs = machine::the().costs();
    machine::the().pause(from_ns(ns_), ns_ >= longest_);
    slept_ += ns_;
    if (ns_ < costs.patience) {
      ns_ *= 2;
    } else if (ns_ < longest_) {
      ns_ = std::max(costs.patience, slept_ * costs.pause_part);
    }
  }
  [[nodiscard]] bool exhausted() const { return ns_ >= machine::the().costs().patience; }

 private:
  double ns_;
  double slept_ = 0;
  double longest_;
};

/// Simulated workers never sleep: to wait costs nothing.
struct no_parking {
  static constexpr bool sleeps = false;
  using ticket = std::uint32_t;
  static ticket prepare() { return 0; }
  static void cancel(ticket /*t*/) {}
  static void wait(ticket /*t*/) {}
  static void notify_one() {}
  static void notify_all() {}
};

/// What workers of one lane and of several have in common.
struct operations {
  template <class T>
  using atomic = sim::atomic<T>;
  using random = cpu_backend::philox;
  using backoff = sim::backoff;
  using parking = no_parking;

  static constexpr std::size_t line = 64;
  static constexpr bool host_looks = true;

  template <class T>
  static void write_plain(T& to, const T& value) {
    to = value;
  }
  template <class T>
  static T read_plain(const T& from) {
    return from;
  }

  template <class T, class Order, class Scope>
  static T load(const atomic<T>& x, Order o, Scope s) {
    machine::the().read(x.tag, x.busy, acquires(o, s));
    return x.value;
  }
  template <class T, class Order, class Scope>
  static void store(atomic<T>& x, std::type_identity_t<T> v, Order o, Scope s) {
    machine::the().write(x.tag, releases(o, s));
    const T before = std::exchange(x.value, v);
    machine::the().changed(x.tag, before, v, true);
  }
  template <class T, class Order, class Scope>
  static T exchange(atomic<T>& x, std::type_identity_t<T> v, Order o, Scope s) {
    machine::the().modify(x.tag, x.busy, releases(o, s), acquires(o, s));
    if (x.tag.kind == word_kind::queue) machine::the().locks();
    const T before = std::exchange(x.value, v);
    machine::the().changed(x.tag, before, v, false);
    return before;
  }
  template <class T, class Order, class Scope>
  static T fetch_add(atomic<T>& x, std::type_identity_t<T> v, Order o, Scope s) {
    machine::the().modify(x.tag, x.busy, releases(o, s), acquires(o, s));
    const T before = x.value;
    x.value = static_cast<T>(before + v);
    machine::the().changed(x.tag, before, x.value, false);
    return before;
  }

  static std::uint32_t reserve(std::uint32_t& count, std::uint32_t n) {
    const std::uint32_t before = count;
    count += n;
    return before;
  }
  static std::uint64_t now() {
    machine::the().pass(from_ns(machine::the().costs().now));
    return static_cast<std::uint64_t>(machine::self().clock / 1000);
  }

 private:
  template <class Order, class Scope>
  static double acquires(Order /*o*/, Scope /*s*/) {
    constexpr bool any = std::is_same_v<std::remove_cv_t<Order>, order::acquire_t> ||
                         std::is_same_v<std::remove_cv_t<Order>, order::acq_rel_t>;
    const costs& c = machine::the().costs();
    if constexpr (!any) return 0;
    return std::is_same_v<std::remove_cv_t<Scope>, scope::device_t> ? c.acquire_device
                                                                    : c.acquire_system;
  }
  template <class Order, class Scope>
  static double releases(Order /*o*/, Scope /*s*/) {
    constexpr bool any = std::is_same_v<std::remove_cv_t<Order>, order::release_t> ||
                         std::is_same_v<std::remove_cv_t<Order>, order::acq_rel_t>;
    const costs& c = machine::the().costs();
    if constexpr (!any) return 0;
    return std::is_same_v<std::remove_cv_t<Scope>, scope::device_t> ? c.release_device
                                                                    : c.release_system;
  }
};

/// Workers of so many lanes.
template <std::uint32_t Lanes>
struct backend : operations {
  using team = sim::team<Lanes>;
  /// Of a nanosecond each, and for nothing: what a step takes includes it.
  static std::uint32_t ticks() { return static_cast<std::uint32_t>(machine::self().clock / 1000); }
  static constexpr std::uint64_t stop_interval_ns = 256;
  static constexpr std::uint32_t hand_over_ns = 4000;
  static constexpr std::uint32_t longest_burst = 64;
  static constexpr std::uint32_t looks_at_once = 4;
  static constexpr bool owners_listen = false;
  static constexpr bool host_memory_is_far = true;
  static void copy_words(void* to, const void* from, std::size_t n) {
    machine::the().copies(to, from, n * 16);
  }
  static void load_words(void* to, const void* from, std::size_t n) { copy_words(to, from, n); }
};
template <>
struct backend<1> : operations {
  static constexpr std::uint64_t stop_interval_ns = 0;
  static constexpr std::uint32_t hand_over_ns = 200;
  static constexpr std::uint32_t longest_burst = 8192;
  static constexpr std::uint32_t looks_at_once = 1;
  static constexpr bool owners_listen = true;
  static constexpr bool host_memory_is_far = false;
  static void copy_words(void* to, const void* from, std::size_t n) {
    machine::the().copies(to, from, n * 16);
  }
  static void load_words(void* to, const void* from, std::size_t n) { copy_words(to, from, n); }
};

static_assert(mgws::team_backend<backend<32>> && mgws::team_backend<backend<4>>);
static_assert(mgws::backend<backend<1>> && !mgws::team_backend<backend<1>>);

}  // namespace mgws::sim
