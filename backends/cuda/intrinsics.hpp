/// \file
/// What CUDA's threads can do that C++ has no word for. The groups of backends/gpu are written over
/// this struct, and so is the backend. Bodies exist in device code only: the host's copies are
/// there because core's functions are compiled for both sides, and are never called.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>
#include <nv/target>

#include <mgws/backends/cuda/copy.hpp>
#include <mgws_port.hpp>

namespace mgws::cuda_backend {

struct intrinsics {
  static constexpr std::uint32_t warp_lanes = 32;
  /// One bit a lane of a warp.
  using mask = std::uint32_t;

  /// The thread's number in its block.
  [[nodiscard]] MGWS_FN static std::uint32_t thread() {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return threadIdx.x;), (return 0;))
  }

  /// Barriers, which also order accesses to memory among the threads that meet.
  MGWS_FN static void sync_warp() { NV_IF_TARGET(NV_IS_DEVICE, (__syncwarp();)) }
  MGWS_FN static void sync_block() { NV_IF_TARGET(NV_IS_DEVICE, (__syncthreads();)) }

  /// Another lane's value. Orders nothing.
  [[nodiscard]] MGWS_FN static std::uint32_t shuffle(std::uint32_t v, std::uint32_t from) {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return __shfl_sync(~0u, v, static_cast<int>(from));),
                      (return v + 0 * from;))
  }
  /// The sum of v over this lane of the warp and those below it.
  [[nodiscard]] MGWS_FN static std::uint32_t sum_to_here(std::uint32_t v) {
    // The shuffle itself says whether there is a lane so far below.
    NV_IF_TARGET(
        NV_IS_DEVICE,
        (_Pragma("unroll") for (std::uint32_t by = 1; by != warp_lanes; by *= 2) asm volatile(
             "{ .reg .pred p; .reg .u32 t; shfl.sync.up.b32 t|p, %0, %1, 0, 0xffffffff;"
             " @p add.u32 %0, %0, t; }"
             : "+r"(v)
             : "r"(by));))
    return v;
  }
  /// The lanes for which p holds.
  [[nodiscard]] MGWS_FN static mask ballot(bool p) {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return __ballot_sync(~0u, p);), (return p ? 1 : 0;))
  }
  /// The lanes that are named by any lane for which p holds.
  [[nodiscard]] MGWS_FN static mask named(std::uint32_t lane, bool p) {
    const mask mine = p ? mask{1} << lane : mask{0};
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return __reduce_or_sync(~0u, mine);), (return mine;))
  }
  /// For how many lanes of the block p holds. A barrier of the block.
  [[nodiscard]] MGWS_FN static std::uint32_t count_of_block(bool p) {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return static_cast<std::uint32_t>(__syncthreads_count(p));),
                      (return p ? 1 : 0;))
  }

  /// Adds to a counter in shared memory. For an n that it knows, nvcc makes one atomic operation of
  /// those of all lanes that call it side by side.
  MGWS_FN static std::uint32_t add(std::uint32_t& counter, std::uint32_t n) {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return atomicAdd(&counter, n);),
                      (const std::uint32_t before = counter; counter += n; return before;))
  }
  MGWS_FN static void set_bits(std::uint32_t& word, std::uint32_t bits) {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (atomicOr(&word, bits);), (word |= bits;))
  }

  /// Copies 16-byte words, by one thread of the block at a time. They have arrived when it returns.
  MGWS_FN static void copy([[maybe_unused]] void* to, [[maybe_unused]] const void* from,
                           [[maybe_unused]] std::uint32_t words) {
    NV_IF_TARGET(NV_IS_DEVICE,
                 (cuda_backend::copy(shared<copy_arrivals, copy_arrivals>(), to, from, words);))
  }
  /// The same into shared memory, of words that nobody has written since the kernel began.
  MGWS_FN static void load_words([[maybe_unused]] void* to, [[maybe_unused]] const void* from,
                                 [[maybe_unused]] std::uint32_t words) {
    NV_IF_TARGET(NV_IS_DEVICE, (cuda_backend::load_words(shared<copy_arrivals, copy_arrivals>(), to,
                                                         from, words);))
  }
  /// Once, by one thread, before those. A barrier of the block comes after.
  MGWS_FN static void prepare_copies() {
    NV_IF_TARGET(NV_IS_DEVICE,
                 (cuda_backend::prepare_copies(shared<copy_arrivals, copy_arrivals>());))
  }

  /// Static shared memory: one object of type T for each Tag.
  template <class Tag, class T>
  [[nodiscard]] MGWS_FN static T& shared() {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (__shared__ T object; return object;),
                      (return *static_cast<T*>(nullptr);))
  }
  /// The shared memory whose size the launch gives.
  [[nodiscard]] MGWS_FN static std::byte* dynamic_shared() {
    NV_IF_ELSE_TARGET(
        NV_IS_DEVICE,
        (extern __shared__ uint4 mgws_shared[]; return reinterpret_cast<std::byte*>(mgws_shared);),
        (return nullptr;))
  }

  /// Which of those warps this one is that a scheduler of the multiprocessor holds: it has four,
  /// and they take the warps in turn.
  [[nodiscard]] MGWS_FN static std::uint32_t rank_on_scheduler() {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                      (std::uint32_t w; asm volatile("mov.u32 %0, %%warpid;"
                                                     : "=r"(w));
                       return w / 4;),
                      (return 0;))
  }

  MGWS_FN static void sleep(std::uint32_t ns) {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (__nanosleep(ns);), ((void)ns;))
  }
  /// Nanoseconds, the same clock on every multiprocessor of a device.
  [[nodiscard]] MGWS_FN static std::uint64_t now() {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                      (std::uint64_t t; asm volatile("mov.u64 %0, %%globaltimer;"
                                                     : "=l"(t));
                       return t;),
                      (return 0;))
  }
  /// Cycles of this multiprocessor.
  [[nodiscard]] MGWS_FN static std::uint32_t ticks() {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                      (std::uint32_t t; asm volatile("mov.u32 %0, %%clock;"
                                                     : "=r"(t));
                       return t;),
                      (return 0;))
  }
};

}  // namespace mgws::cuda_backend
