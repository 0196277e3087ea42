/// \file
/// The CUDA backend's device side: a worker is a thread block of a persistent kernel, of one warp
/// or of several. Atomics are libcu++'s, at exactly the order and scope of the call: device scope
/// is PTX's .gpu, system scope .sys (tests/cuda checks the instructions).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cuda/atomic>
#include <curand_kernel.h>
#include <nv/target>

#include <mgws/backends/cuda/intrinsics.hpp>
#include <mgws/backends/gpu/groups.hpp>
#include <mgws/core/backend.hpp>
#include <mgws/core/order.hpp>
#include <mgws_port.hpp>

namespace mgws::cuda_backend {

/// cuRAND's Philox4x32-10: the cheapest of its generators to start, and the same function as the
/// CPU backend's. Used by one lane, when it looks for a target.
class random {
 public:
  MGWS_FN random(std::uint64_t seed, std::uint64_t stream) {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (curand_init(seed, stream, 0, &state_);),
                      ((void)seed; (void)stream;))
  }
  MGWS_FN std::uint32_t next() {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return curand(&state_);), (return 0;))
  }

 private:
  curandStatePhilox4_32_10_t state_;
};

/// Sleeps longer each time, from about as long as a shared-memory access takes.
class nanosleep {
 public:
  /// \param longest  in nanoseconds; 0: about as long as a steal takes
  MGWS_FN explicit nanosleep(std::uint32_t longest = 0)
      : longest_(longest != 0 ? longest : k_longest) {}
  MGWS_FN void pause() {
    intrinsics::sleep(ns_);
    if (ns_ < longest_) ns_ *= 2;
  }
  /// After a few microseconds in all.
  [[nodiscard]] MGWS_FN bool exhausted() const { return ns_ >= k_longest; }

 private:
  static constexpr std::uint32_t k_shortest = 32;
  static constexpr std::uint32_t k_longest = 1024;
  std::uint32_t ns_ = k_shortest;
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

/// \tparam Team  gpu::warp_team<intrinsics> or gpu::block_team<intrinsics, lanes>
template <class Team>
struct basic_backend {
  template <class T>
  using atomic = cuda_backend::atomic<T>;
  using team = Team;
  using group = gpu::leader<Team>;
  using random = cuda_backend::random;
  using backoff = nanosleep;
  using parking = no_parking;

  /// A line of the L2 cache, in which the atomic operations are done.
  static constexpr std::size_t line = 128;
  /// Some 3,000 workers look at one word of the GPU's memory; each then does so about once in a
  /// millisecond.
  static constexpr std::uint64_t stop_interval_ns = 256;

  template <class T, class Order, class Scope>
  MGWS_FN static T load(const atomic<T>& x, Order o, Scope s) {
    return at(const_cast<T&>(x.value), s).load(order_of(o));
  }
  template <class T, class Order, class Scope>
  MGWS_FN static void store(atomic<T>& x, std::type_identity_t<T> v, Order o, Scope s) {
    at(x.value, s).store(v, order_of(o));
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T exchange(atomic<T>& x, std::type_identity_t<T> v, Order o, Scope s) {
    return at(x.value, s).exchange(v, order_of(o));
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T fetch_add(atomic<T>& x, std::type_identity_t<T> v, Order o, Scope s) {
    return at(x.value, s).fetch_add(v, order_of(o));
  }

  MGWS_FN static void copy_words(group& /*g*/, void* to, const void* from, std::size_t n) {
    Team::copy_words(to, from, static_cast<std::uint32_t>(n));
  }
  MGWS_FN static std::uint32_t reserve(std::uint32_t& count, std::uint32_t n) {
    return intrinsics::add(count, n);
  }
  MGWS_FN static std::uint64_t now() { return intrinsics::now(); }

 private:
  template <class T>
  MGWS_FN static auto at(T& x, scope::device_t /*s*/) {
    return cuda::atomic_ref<T, cuda::thread_scope_device>(x);
  }
  template <class T>
  MGWS_FN static auto at(T& x, scope::system_t /*s*/) {
    return cuda::atomic_ref<T, cuda::thread_scope_system>(x);
  }
  MGWS_FN static constexpr cuda::memory_order order_of(order::relaxed_t) {
    return cuda::memory_order_relaxed;
  }
  MGWS_FN static constexpr cuda::memory_order order_of(order::acquire_t) {
    return cuda::memory_order_acquire;
  }
  MGWS_FN static constexpr cuda::memory_order order_of(order::release_t) {
    return cuda::memory_order_release;
  }
  MGWS_FN static constexpr cuda::memory_order order_of(order::acq_rel_t) {
    return cuda::memory_order_acq_rel;
  }
};

/// Workers of one warp, and of several.
using backend = basic_backend<gpu::warp_team<intrinsics>>;
template <std::uint32_t Lanes>
using block_backend = basic_backend<gpu::block_team<intrinsics, Lanes>>;

static_assert(mgws::team_backend<backend> && mgws::team_backend<block_backend<128>>);

}  // namespace mgws::cuda_backend
