/// \file
/// The CPU backend's device side: a worker is a thread, with one lane. Both scopes are the
/// processor's coherent memory.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <type_traits>
#include <utility>

#include <mgws/backends/cpu/atomics.hpp>
#include <mgws/backends/cpu/parking.hpp>
#include <mgws/backends/cpu/philox.hpp>
#include <mgws/backends/cpu/std_order.hpp>
#include <mgws/core/affinity.hpp>
#include <mgws/core/backend.hpp>

namespace mgws::cpu_backend {

/// Spins for some tens of microseconds in all, then gives the processor away, then is exhausted.
class spin_then_yield {
 public:
  void pause() {
    if (step_ < k_spins) {
      for (std::uint32_t i = 0; i != 1u << (step_ < 8 ? step_ : 8); ++i)
        relax();
    } else {
      std::this_thread::yield();
    }
    ++step_;
  }
  [[nodiscard]] bool exhausted() const { return step_ >= k_spins + k_yields; }

  /// Tells the processor that this is a loop that waits: some tens of nanoseconds.
  static void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

 private:
  static constexpr std::uint32_t k_spins = 16;
  static constexpr std::uint32_t k_yields = 4;

  std::uint32_t step_ = 0;
};

struct backend {
  template <class T>
  using atomic = std::atomic<T>;
  using random = philox;
  using backoff = spin_then_yield;
  using parking = cpu_backend::parking;
  using atomics = cpu_backend::atomics;

  /// Two cache lines: processors fetch them in pairs.
  static constexpr std::size_t line = 128;
  /// Two or three lines from another processor's cache.
  static constexpr std::uint32_t hand_over_ns = 200;
  /// A look at the clock takes as long as ten of the shortest tasks, at the stop request nothing.
  static constexpr std::uint32_t longest_burst = 8192;
  static constexpr std::uint32_t looks_at_once = 1;
  static constexpr bool owners_listen = true;
  static constexpr bool host_memory_is_far = false;
  static constexpr worker_kind kind = worker_kind::cpu;
  /// The stop request is in the cache until somebody stops the run.
  static constexpr std::uint64_t stop_interval_ns = 0;

  template <class T, class Order, class Scope>
  static T load(const std::atomic<T>& x, Order o, Scope /*s*/) {
    return x.load(std_order(o));
  }
  template <class T, class Order, class Scope>
  static void store(std::atomic<T>& x, std::type_identity_t<T> v, Order o, Scope /*s*/) {
    x.store(v, std_order(o));
  }
  template <class T, class Order, class Scope>
  static T exchange(std::atomic<T>& x, std::type_identity_t<T> v, Order o, Scope /*s*/) {
    return x.exchange(v, std_order(o));
  }
  template <class T, class Order, class Scope>
  static T fetch_add(std::atomic<T>& x, std::type_identity_t<T> v, Order o, Scope /*s*/) {
    return x.fetch_add(v, std_order(o));
  }

  /// For measurements; core asks for no fence.
  template <class Scope>
  static void fence(Scope /*s*/) {
#if !defined(__SANITIZE_THREAD__)  // which knows no fences
    std::atomic_thread_fence(std::memory_order_acq_rel);
#endif
  }

  static void copy_words(void* to, const void* from, std::size_t n) {
    std::memcpy(to, from, n * 16);
  }
  /// Word by word: a compiler then stores what it has in registers. By larger pieces it would put
  /// the value together in memory first, and a load of what several stores have just written waits.
  /// 256 words are as many as Clang expands, and more than any registers.
  template <class T>
  static void write_plain(T& to, const T& value) {
    if constexpr (sizeof(T) % 8 != 0 || sizeof(T) / 8 > 256) {
      to = value;
    } else {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        const auto one = [&](std::size_t at) {
          std::uint64_t word;
          std::memcpy(&word, reinterpret_cast<const std::byte*>(&value) + at, 8);
          std::memcpy(reinterpret_cast<std::byte*>(&to) + at, &word, 8);
        };
        (one(8 * I), ...);
        // clang-format off
      }(std::make_index_sequence<sizeof(T) / 8>());
      // clang-format on
    }
  }
  template <class T>
  static T read_plain(const T& from) {
    return from;
  }
  /// Words of 8 bytes, each by a load of its own: a load of more than the last store has written
  /// waits for the cache. What has more words than compilers expand, as write_plain(), as a whole.
  template <std::size_t N>
  static std::array<std::uint64_t, N> read_words(const void* from) {
    std::array<std::uint64_t, N> words;
    if constexpr (N > 256) {
      std::memcpy(words.data(), from, sizeof words);
    } else {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        const auto one = [&](std::size_t at) {
          std::uint64_t word;
          std::memcpy(&word, static_cast<const std::byte*>(from) + 8 * at, 8);
          asm("" : "+r"(word));  // or a compiler makes one wide load of two
          words[at] = word;
        };
        (one(I), ...);
        // clang-format off
      }(std::make_index_sequence<N>());
      // clang-format on
    }
    return words;
  }
  static void load_words(void* to, const void* from, std::size_t n) {
    copy_words(to, from, n);
  }
  static std::uint32_t reserve(std::uint32_t& count, std::uint32_t n) {
    const std::uint32_t before = count;
    count += n;
    return before;
  }
  static std::uint64_t now() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
  }
};

static_assert(mgws::backend<backend>);

}  // namespace mgws::cpu_backend
