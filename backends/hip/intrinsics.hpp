/// \file
/// What HIP's threads can do that C++ has no word for. The groups of backends/gpu are written over
/// this struct, and so is the backend. Bodies exist in device code only: the host's copies are
/// there because core's functions are compiled for both sides, and are never called.
///
/// What differs between AMD's GPUs, and between them and HIP's NVIDIA platform, is in platform.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <hip/hip_runtime.h>

#include <mgws/backends/hip/platform.hpp>
#include <mgws_port.hpp>

namespace mgws::hip_backend {

namespace detail {

struct named_tag {};

}  // namespace detail

/// \tparam Lanes  of a wavefront: 32 or 64
template <std::uint32_t Lanes>
struct intrinsics {
  static constexpr std::uint32_t warp_lanes = Lanes;
  /// One bit a lane of a wavefront.
  using mask = std::conditional_t<Lanes == 64, std::uint64_t, std::uint32_t>;

  /// The thread's number in its block.
  [[nodiscard]] MGWS_FN static std::uint32_t thread() { return platform::thread(); }

  /// Barriers, which also order accesses to memory among the threads that meet.
  MGWS_FN static void sync_warp() { platform::sync_wavefront(); }
  MGWS_FN static void sync_block() {
#if defined(MGWS_HIP_DEVICE)
    __syncthreads();
#endif
  }

  /// Another lane's value. Orders nothing.
  [[nodiscard]] MGWS_FN static std::uint32_t shuffle(std::uint32_t v, std::uint32_t from) {
#if defined(MGWS_HIP_DEVICE)
    return __shfl(v, static_cast<int>(from), static_cast<int>(Lanes));
#else
    return v + 0 * from;
#endif
  }
  /// The sum of v over this lane of the wavefront and those below it.
  [[nodiscard]] MGWS_FN static std::uint32_t sum_to_here(std::uint32_t v) {
#if defined(MGWS_HIP_DEVICE)
    const std::uint32_t lane = thread() % Lanes;
#pragma unroll
    for (std::uint32_t by = 1; by < Lanes; by *= 2) {
      const std::uint32_t below = __shfl_up(v, by, static_cast<int>(Lanes));
      if (lane >= by) v += below;
    }
#endif
    return v;
  }
  /// The lanes for which p holds.
  [[nodiscard]] MGWS_FN static mask ballot(bool p) {
#if defined(MGWS_HIP_DEVICE)
    return static_cast<mask>(__ballot(p));
#else
    return p ? 1 : 0;
#endif
  }
  /// The lanes that are named by any lane for which p holds. For blocks of one wavefront; no two
  /// lanes name the same.
  [[nodiscard]] MGWS_FN static mask named(std::uint32_t lane, bool p) {
    auto& flags = shared<detail::named_tag, std::uint32_t[Lanes]>();
    flags[thread()] = 0;
    sync_warp();
    if (p) flags[lane] = 1;
    sync_warp();
    return ballot(flags[thread()] != 0);
  }
  /// For how many lanes of the block p holds. A barrier of the block.
  [[nodiscard]] MGWS_FN static std::uint32_t count_of_block(bool p) {
#if defined(MGWS_HIP_DEVICE)
    return static_cast<std::uint32_t>(__syncthreads_count(p));
#else
    return p ? 1 : 0;
#endif
  }

  /// Adds to a counter in shared memory.
  MGWS_FN static std::uint32_t add(std::uint32_t& counter, std::uint32_t n) {
#if defined(MGWS_HIP_DEVICE)
    return atomicAdd(&counter, n);
#else
    const std::uint32_t before = counter;
    counter += n;
    return before;
#endif
  }
  MGWS_FN static void set_bits(std::uint32_t& word, std::uint32_t bits) {
#if defined(MGWS_HIP_DEVICE)
    atomicOr(&word, bits);
#else
    word |= bits;
#endif
  }

  /// Copies 16-byte words, by one thread of the block at a time. They have arrived when it returns.
  MGWS_FN static void copy(void* to, const void* from, std::uint32_t words) {
    platform::copy(to, from, words);
  }
  /// The same into shared memory, of words that nobody has written since the kernel began.
  MGWS_FN static void load_words(void* to, const void* from, std::uint32_t words) {
    platform::load_words(to, from, words);
  }
  /// Once, by one thread, before those. A barrier of the block comes after.
  MGWS_FN static void prepare_copies() {
    platform::prepare_copies();
  }

  /// Static shared memory: one object of type T for each Tag.
  template <class Tag, class T>
  [[nodiscard]] MGWS_FN static T& shared() {
#if defined(MGWS_HIP_DEVICE)
    __shared__ T object;
    return object;
#else
    alignas(T) static std::byte never[sizeof(T)];
    return reinterpret_cast<T&>(never);
#endif
  }
  /// The shared memory whose size the launch gives.
  [[nodiscard]] MGWS_FN static std::byte* dynamic_shared() {
#if defined(MGWS_HIP_DEVICE)
    extern __shared__ uint4 mgws_shared[];
    return reinterpret_cast<std::byte*>(mgws_shared);
#else
    return nullptr;
#endif
  }

  /// Which wavefronts share a scheduler is not told.
  [[nodiscard]] MGWS_FN static std::uint32_t rank_on_scheduler() {
    return 0;
  }

  MGWS_FN static void sleep(std::uint32_t ns) {
    platform::sleep(ns);
  }
  /// Nanoseconds, the same clock on every multiprocessor of a device.
  [[nodiscard]] MGWS_FN static std::uint64_t now() {
    return platform::now();
  }
  /// Cycles of this compute unit.
  [[nodiscard]] MGWS_FN static std::uint32_t ticks() {
    return platform::ticks();
  }
};

}  // namespace mgws::hip_backend
