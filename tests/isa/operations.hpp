/// \file
/// One kernel for each operation, order, scope and width that core asks a backend for (backend.hpp,
/// atomic_operations), for B, which the including file defines. The checks read what becomes of
/// them.
#pragma once

#include <cstdint>
#include <type_traits>

#include <mgws/core/order.hpp>
#include <mgws/core/protocol.hpp>

using W = B::atomic<std::uint32_t>;
using X = B::atomic<std::uint64_t>;

// With this the acquire loads are relaxed ones: the check must notice.
#if defined(PLANTED_FAULT)
#define ACQUIRE_LOAD relaxed
#else
#define ACQUIRE_LOAD acquire
#endif

// Each thread has a word of its own, or a compiler might make one operation of all of a warp's.
// What is released is a store before; without one there would be nothing to wait for.
template <class Order>
inline constexpr bool k_releases =
    std::is_same_v<Order, mgws::order::release_t> || std::is_same_v<Order, mgws::order::acq_rel_t>;

template <class Order, class T>
__device__ void release_before(T* data) {
  if constexpr (k_releases<Order>) data[B::intrinsics::thread()] = 1;
}

#define LOAD(name, order_is, scope_is, type, bits)                                          \
  extern "C" __global__ void load_##name##_##scope_is##_##bits(const type* x,               \
                                                               decltype(type::value)* to) { \
    const auto i = B::intrinsics::thread();                                                 \
    to[i] = B::load(x[i], mgws::order::order_is, mgws::scope::scope_is);                    \
  }
#define STORE(name, scope_is, type, bits)                                                      \
  extern "C" __global__ void store_##name##_##scope_is##_##bits(type* x,                       \
                                                                decltype(type::value)* data) { \
    release_before<mgws::order::name##_t>(data);                                               \
    B::store(x[B::intrinsics::thread()], 1, mgws::order::name, mgws::scope::scope_is);         \
  }
#define MODIFY(op, name, scope_is, type, bits)                                                     \
  extern "C" __global__ void op##_##name##_##scope_is##_##bits(type* x, decltype(type::value)* to, \
                                                               decltype(type::value)* data) {      \
    const auto i = B::intrinsics::thread();                                                        \
    release_before<mgws::order::name##_t>(data);                                                   \
    to[i] = B::op(x[i], 1, mgws::order::name, mgws::scope::scope_is);                              \
  }

#define EACH_WIDTH(make, ...) make(__VA_ARGS__, W, 32) make(__VA_ARGS__, X, 64)
#define EACH_SCOPE(make, ...) \
  EACH_WIDTH(make, __VA_ARGS__, device) EACH_WIDTH(make, __VA_ARGS__, system)

EACH_SCOPE(LOAD, relaxed, relaxed)
EACH_SCOPE(LOAD, acquire, ACQUIRE_LOAD)
EACH_SCOPE(STORE, relaxed)
EACH_SCOPE(STORE, release)
EACH_SCOPE(MODIFY, exchange, relaxed)
EACH_SCOPE(MODIFY, exchange, acquire)
EACH_SCOPE(MODIFY, fetch_add, relaxed)
EACH_SCOPE(MODIFY, fetch_add, acquire)
EACH_SCOPE(MODIFY, fetch_add, release)
EACH_SCOPE(MODIFY, fetch_add, acq_rel)

// Slots move by 16-byte accesses.
extern "C" __global__ void copy(char* to, const char* from) {
  B::intrinsics::copy(to, from, 64);
}
