/// \file
/// The HIP backend's device side on AMD's GPUs: atomics are the compiler's, at exactly the order
/// and scope of the call; what instructions they become is in docs/hip.md and checked
/// by tests/isa.
#pragma once

#include <cstdint>

#include <hip/hip_runtime.h>

#include <mgws/backends/gpu/copy.hpp>
#include <mgws/core/order.hpp>
#include <mgws_port.hpp>

namespace mgws::hip_backend {

namespace detail {

// An order or a scope that is none of these has no value: a compile error.
template <class Order>
inline constexpr int k_order = Order::no_such_order;
template <>
inline constexpr int k_order<order::relaxed_t> = __ATOMIC_RELAXED;
template <>
inline constexpr int k_order<order::acquire_t> = __ATOMIC_ACQUIRE;
template <>
inline constexpr int k_order<order::release_t> = __ATOMIC_RELEASE;
template <>
inline constexpr int k_order<order::acq_rel_t> = __ATOMIC_ACQ_REL;

template <class Scope>
inline constexpr int k_scope = Scope::no_such_scope;
template <>
inline constexpr int k_scope<scope::device_t> = __HIP_MEMORY_SCOPE_AGENT;
template <>
inline constexpr int k_scope<scope::system_t> = __HIP_MEMORY_SCOPE_SYSTEM;

}  // namespace detail

struct platform {
  /// Wavefronts for which this device code is compiled. A fat binary's kernels are compiled for
  /// every target, and run only where this is what they were written for.
#if defined(__HIP_DEVICE_COMPILE__)
#if defined(__AMDGCN_WAVEFRONT_SIZE__)
  static constexpr std::uint32_t wavefront = __AMDGCN_WAVEFRONT_SIZE__;
#elif defined(__GFX9__)
  static constexpr std::uint32_t wavefront = 64;
#else
  static constexpr std::uint32_t wavefront = 32;
#endif
#else
  static constexpr std::uint32_t wavefront = 0;
#endif

  [[nodiscard]] MGWS_FN static std::uint32_t thread() {
#if defined(__HIP_DEVICE_COMPILE__)
    return __builtin_amdgcn_workitem_id_x();
#else
    return 0;
#endif
  }
  /// Nothing to wait for in a wavefront; the compiler must not move accesses across.
  MGWS_FN static void sync_wavefront() {
#if defined(__HIP_DEVICE_COMPILE__)
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#endif
  }
  MGWS_FN static void copy(void* to, const void* from, std::uint32_t words) {
    gpu::copy_quads<uint4, 8>(to, from, words);
  }
  MGWS_FN static void load_words(void* to, const void* from, std::uint32_t words) {
    copy(to, from, words);
  }
  MGWS_FN static void prepare_copies() {}

  /// At least about so long. s_sleep counts in 64 cycles, about 32 ns.
  MGWS_FN static void sleep(std::uint32_t ns) {
#if defined(__HIP_DEVICE_COMPILE__)
    for (; ns >= 512; ns -= 512)
      __builtin_amdgcn_s_sleep(16);
    for (; ns >= 32; ns -= 32)
      __builtin_amdgcn_s_sleep(1);
#else
    static_cast<void>(ns);
#endif
  }

  /// The constant clock, which every compute unit reads alike. Its rate is the target's: 25 MHz on
  /// gfx906 to gfx90a (MI200 instruction set, 8.2.5), 27 MHz on gfx900, else 100 MHz.
  [[nodiscard]] MGWS_FN static std::uint64_t now() {
#if defined(__HIP_DEVICE_COMPILE__)
#if __has_builtin(__builtin_readsteadycounter)
    const std::uint64_t ticks = __builtin_readsteadycounter();
#else
    const std::uint64_t ticks = __builtin_amdgcn_s_memrealtime();
#endif
#if defined(__gfx900__)
    return ticks * 37;
#elif defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__)
    return ticks * 40;
#else
    return ticks * 10;
#endif
#else
    return 0;
#endif
  }
  /// Cycles of the compute unit (S_MEMTIME, S_GETREG of SHADER_CYCLES, or what the target has).
  [[nodiscard]] MGWS_FN static std::uint32_t ticks() {
#if defined(__HIP_DEVICE_COMPILE__)
    return static_cast<std::uint32_t>(__builtin_readcyclecounter());
#else
    return 0;
#endif
  }

  // ---- Atomic operations ----

  template <class T, class Order, class Scope>
  MGWS_FN static T load(const T& x, Order /*o*/, Scope /*s*/) {
    return __hip_atomic_load(&x, detail::k_order<Order>, detail::k_scope<Scope>);
  }
  template <class T, class Order, class Scope>
  MGWS_FN static void store(T& x, T v, Order /*o*/, Scope /*s*/) {
    __hip_atomic_store(&x, v, detail::k_order<Order>, detail::k_scope<Scope>);
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T exchange(T& x, T v, Order /*o*/, Scope /*s*/) {
    return __hip_atomic_exchange(&x, v, detail::k_order<Order>, detail::k_scope<Scope>);
  }
  template <class T, class Order, class Scope>
  MGWS_FN static T fetch_add(T& x, T v, Order /*o*/, Scope /*s*/) {
    return __hip_atomic_fetch_add(&x, v, detail::k_order<Order>, detail::k_scope<Scope>);
  }
  MGWS_FN static void fence(scope::device_t /*s*/) {
#if defined(__HIP_DEVICE_COMPILE__)
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent");
#endif
  }
  MGWS_FN static void fence(scope::system_t /*s*/) {
#if defined(__HIP_DEVICE_COMPILE__)
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "");
#endif
  }
};

}  // namespace mgws::hip_backend
