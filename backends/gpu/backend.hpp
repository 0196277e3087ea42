/// \file
/// What the GPU backends have in common on the device side: a worker is a thread block of a
/// persistent kernel, of one warp or of several. The vendor's backend.hpp supplies the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <mgws/backends/gpu/groups.hpp>
#include <mgws/backends/gpu/port.hpp>
#include <mgws/core/affinity.hpp>
#include <mgws/core/backend.hpp>
#include <mgws/core/order.hpp>
#include <mgws_port.hpp>

namespace mgws::gpu {

/// Sleeps longer each time: twice as long up to about as long as a steal takes, then a part of what
/// it has slept so far. A worker without work takes turns with those that have some on one
/// multiprocessor, so that in the end it looks seldom; but at first it looks often, because work
/// spreads at the pace of these looks.
template <class I>
class nanosleep {
 public:
  /// \param longest  in nanoseconds; 0: about as long as anything may be private
  MGWS_FN explicit nanosleep(std::uint32_t longest = 0)
      : longest_(longest != 0 ? longest : k_longest) {}
  MGWS_FN void pause() {
    I::sleep(ns_);
    slept_ += ns_;
    if (ns_ < k_patience) {
      ns_ *= 2;
    } else if (ns_ < longest_) {
      ns_ = slept_ / k_part < k_patience ? k_patience : slept_ / k_part;
    }
  }
  /// After a few microseconds in all.
  [[nodiscard]] MGWS_FN bool exhausted() const { return ns_ >= k_patience; }

 private:
  static constexpr std::uint32_t k_shortest = 32;
  static constexpr std::uint32_t k_patience = 1024;
  static constexpr std::uint32_t k_part = 16;
  static constexpr std::uint32_t k_longest = 16384;
  std::uint32_t ns_ = k_shortest;
  std::uint32_t slept_ = 0;
  std::uint32_t longest_;
};

/// Blocks do not sleep; a launch ends when all of them have.
struct no_parking {
  static constexpr bool sleeps = false;
  using ticket = std::uint32_t;
  MGWS_FN static ticket prepare() { return 0; }
  MGWS_FN static void cancel(ticket /*t*/) {}
  MGWS_FN static void wait(ticket /*t*/) {}
  MGWS_FN static void notify_one() {}
  MGWS_FN static void notify_all() {}
};

/// A word that others read and write, by the backend's operations only. Laid out as its value, in
/// host and device memory alike.
template <class T>
struct alignas(sizeof(T)) atomic {
  T value{};
};

/// \tparam Team  gpu::warp_team<I> or gpu::block_team<I, lanes>
template <gpu_vendor Vendor, class Team>
  requires gpu_intrinsics<typename Team::intrinsics>
struct backend {
  template <class T>
  using atomic = gpu::atomic<T>;
  using team = Team;
  using random = typename Vendor::random;
  using intrinsics = typename Team::intrinsics;
  using backoff = nanosleep<intrinsics>;
  using parking = no_parking;
  using atomics = typename Vendor::atomics;

  /// A line of the L2 cache, in which the atomic operations are done.
  static constexpr std::size_t line = 128;
  /// An addition and a copy, in its own memory, and what the leader does around them.
  static constexpr std::uint32_t hand_over_ns = 4000;
  /// Clock and stop request are the leader's, which the other lanes wait for.
  static constexpr std::uint32_t longest_burst = 64;
  static constexpr std::uint32_t looks_at_once = 4;
  static constexpr bool owners_listen = false;
  static constexpr bool host_memory_is_far = true;
  static constexpr worker_kind kind = worker_kind::gpu;
  static constexpr std::uint64_t stop_interval_ns = Vendor::stop_interval_ns;
  static constexpr bool host_looks = Vendor::host_looks;

  template <class T, class Order, class Scope>
  MGWS_FN static T load(const atomic<T>& x, Order o, Scope s) {
    return operations::load(x.value, o, s);
  }
  template <class T, class Order, class Scope>
  MGWS_FN static void store(atomic<T>& x, std::type_identity_t<T> v, Order o, Scope s) {
    operations::store(x.value, v, o, s);
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T exchange(atomic<T>& x, std::type_identity_t<T> v, Order o, Scope s) {
    return operations::exchange(x.value, v, o, s);
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T fetch_add(atomic<T>& x, std::type_identity_t<T> v, Order o, Scope s) {
    return operations::fetch_add(x.value, v, o, s);
  }

  /// Acquire and release. For measurements; core asks for no fence.
  template <class Scope>
  MGWS_FN static void fence(Scope s) {
    operations::fence(s);
  }

  MGWS_FN static void copy_words(void* to, const void* from, std::size_t n) {
    Team::copy_words(to, from, static_cast<std::uint32_t>(n));
  }
  MGWS_FN static void load_words(void* to, const void* from, std::size_t n) {
    Team::load_words(to, from, static_cast<std::uint32_t>(n));
  }
  template <class T>
  MGWS_FN static void write_plain(T& to, const T& value) {
    to = value;
  }
  template <class T>
  MGWS_FN static T read_plain(const T& from) {
    return from;
  }
  MGWS_FN static std::uint32_t reserve(std::uint32_t& count, std::uint32_t n) {
    return intrinsics::add(count, n);
  }
  MGWS_FN static std::uint64_t now() { return intrinsics::now(); }
  MGWS_FN static std::uint32_t ticks() { return intrinsics::ticks(); }

 private:
  using operations = typename Vendor::operations;
};

}  // namespace mgws::gpu
