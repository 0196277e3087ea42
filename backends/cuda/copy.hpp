/// \file
/// Copies between shared and other memory that one thread starts and the multiprocessor's copy
/// engine makes (PTX ISA, "cp.async.bulk"; from compute capability 9.0 on). They take hardly longer
/// for a hundred tasks than for one.
///
/// The engine's accesses are of another proxy than a thread's (PTX ISA, "Proxies"): a fence goes
/// before them, for what this thread or, by barriers and acquires, others have accessed. One for
/// shared memory alone is enough, and takes much less time, where nobody has written the source
/// since the kernel began. Their completion is ordered as if the thread had made them, so that a
/// release covers them.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>
#include <nv/target>

#include <mgws_port.hpp>

namespace mgws::cuda_backend {

/// In shared memory: on which a thread waits for what it has started, and the wait's parity.
struct copy_arrivals {
  alignas(8) std::uint64_t barrier;
  std::uint32_t parity;
};

#if defined(__CUDACC__)

namespace detail {

/// Words up to which copies of a word each arrive sooner than one of all.
inline constexpr std::uint32_t k_few_words = 8;

inline __device__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

/// Not __isShared: where nvcc inlines that it may make code that it then rejects.
inline __device__ bool is_shared(const void* p) {
  std::uint32_t yes;
  asm("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(yes) : "l"(p));
  return yes != 0;
}

inline __device__ void copy_few_in(void* to, const void* from, std::uint32_t words) {
  const std::uint32_t t = shared_address(to);
  const auto* f = static_cast<const uint4*>(from);
#pragma unroll 1
  for (std::uint32_t i = 0; i != words; ++i)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(t + 16 * i), "l"(f + i)
                 : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/// After a fence.
inline __device__ void copy_in(copy_arrivals& a, void* to, const void* from, std::uint32_t bytes) {
  const std::uint32_t barrier = shared_address(&a.barrier);
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
  asm volatile(
      "{ .reg .pred p;\n"
      "wait: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@!p bra wait; }" ::"r"(barrier),
      "r"(a.parity)
      : "memory");
  a.parity ^= 1;
}

inline __device__ void copy_out(void* to, const void* from, std::uint32_t bytes) {
  asm volatile("fence.proxy.async;" ::: "memory");
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

#endif

}  // namespace detail

/// Once, by one thread, before the block's first copy. A barrier of the block comes after.
inline __device__ void prepare_copies([[maybe_unused]] copy_arrivals& a) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(detail::shared_address(&a.barrier))
               : "memory");
  a.parity = 0;
#endif
}

/// By one thread of the block at a time: copies 16-byte words. They have arrived when it returns.
inline __device__ void copy([[maybe_unused]] copy_arrivals& a, void* to, const void* from,
                            std::uint32_t words) {
#if __CUDA_ARCH__ >= 900
  const bool into = detail::is_shared(to);
  const bool out_of = detail::is_shared(from);
  if (into && !out_of) {
    if (words <= detail::k_few_words) return detail::copy_few_in(to, from, words);
    asm volatile("fence.proxy.async;" ::: "memory");
    return detail::copy_in(a, to, from, 16 * words);
  }
  if (out_of && !into) return detail::copy_out(to, from, 16 * words);
#endif
#pragma unroll 1
  // Few registers: what the leader's functions use, a step's tasks have to do without.
  for (const auto* f = static_cast<const uint4*>(from); words != 0; --words) {
    *static_cast<uint4*>(to) = *f++;
    to = static_cast<uint4*>(to) + 1;
  }
}

/// The same into shared memory, of words that nobody has written since the kernel began.
inline __device__ void load_words(copy_arrivals& a, void* to, const void* from,
                                  std::uint32_t words) {
#if __CUDA_ARCH__ >= 900
  if (words > detail::k_few_words && !detail::is_shared(from)) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    return detail::copy_in(a, to, from, 16 * words);
  }
#endif
  copy(a, to, from, words);
}

#endif

}  // namespace mgws::cuda_backend
