/// \file
/// The lanes of a GPU worker: a block of one warp, or of several. Written over a struct of the
/// vendor's intrinsics (cuda/intrinsics.hpp shows what it holds); every function is collective for
/// the lanes of the worker unless it says otherwise.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <mgws/core/deal.hpp>
#include <mgws_port.hpp>

namespace mgws::gpu {

namespace detail {

/// A trivially copyable value as 32-bit words, for moving it between lanes.
template <class T>
struct in_words {
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr std::size_t count = (sizeof(T) + 3) / 4;
  std::uint32_t word[count] = {};

  MGWS_FN explicit in_words(const T& v) { std::memcpy(word, &v, sizeof v); }
  [[nodiscard]] MGWS_FN T value() const {
    T v;
    std::memcpy(&v, word, sizeof v);
    return v;
  }
};

template <class I, class T>
[[nodiscard]] MGWS_FN T shuffle(const T& v, std::uint32_t from) {
  in_words<T> w(v);
  for (auto& x : w.word)
    x = I::shuffle(x, from);
  return w.value();
}

/// The sum of v over this lane of a warp and those below.
template <class I>
[[nodiscard]] MGWS_FN std::uint32_t sum_to_here(std::uint32_t lane, std::uint32_t v) {
  for (std::uint32_t by = 1; by != I::warp_lanes; by *= 2) {
    const std::uint32_t below = I::shuffle_up(v, by);
    if (lane >= by) v += below;
  }
  return v;
}

/// All lanes' values of a warp combined; lane 0 has the result.
template <class I, class T, class Combine>
[[nodiscard]] MGWS_FN T combine_warp(std::uint32_t lane, T v, Combine&& combine) {
  for (std::uint32_t by = I::warp_lanes / 2; by != 0; by /= 2)
    v = combine(v, shuffle<I>(v, (lane + by) % I::warp_lanes));
  return v;
}

struct counter_tag {};
struct box_tag {};
struct sums_tag {};
struct starts_tag {};

}  // namespace detail

/// A worker that is a block of one warp. Barriers cost next to nothing.
template <class I>
class warp_group {
 public:
  static constexpr std::uint32_t k_lanes = I::warp_lanes;
  static constexpr std::uint32_t k_warp_lanes = I::warp_lanes;

  [[nodiscard]] MGWS_FN static std::uint32_t lane() { return I::thread(); }
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t lanes() { return k_lanes; }
  MGWS_FN static void sync() { I::sync_warp(); }
  MGWS_FN static void sync_warp() { I::sync_warp(); }

  /// The barrier is for memory: what lane 0 acquired, the others may read. Without a result nobody
  /// waits.
  template <class F>
  MGWS_FN auto once(F&& f) const {
    using R = decltype(f());
    if constexpr (std::is_void_v<R>) {
      if (lane() == 0) f();
    } else {
      R r{};
      if (lane() == 0) r = f();
      I::sync_warp();
      return detail::shuffle<I>(r, 0);
    }
  }

  [[nodiscard]] MGWS_FN static prefix prefix_sum(std::uint32_t v) {
    const std::uint32_t to_here = detail::sum_to_here<I>(lane(), v);
    return {to_here - v, I::shuffle(to_here, k_lanes - 1)};
  }
  [[nodiscard]] MGWS_FN static std::uint32_t count(bool p) {
    return static_cast<std::uint32_t>(std::popcount(I::ballot(p)));
  }
  [[nodiscard]] MGWS_FN static dealt deal(std::uint32_t start, bool valid, std::uint32_t unit) {
    using mask = typename I::mask;
    return mgws::deal(I::join(valid ? mask{1} << start : mask{0}), unit);
  }
  template <class T, class Combine>
  [[nodiscard]] MGWS_FN static T reduce(const T& v, Combine&& combine) {
    return detail::combine_warp<I>(lane(), v, combine);
  }
  [[nodiscard]] MGWS_FN static bool any(bool p) { return I::ballot(p) != 0; }
  [[nodiscard]] MGWS_FN static bool any_of_warp(bool p) { return I::ballot(p) != 0; }

  [[nodiscard]] MGWS_FN static std::uint32_t& counter() {
    return I::template shared<detail::counter_tag, std::uint32_t>();
  }
  [[nodiscard]] MGWS_FN static void* local_memory() { return I::dynamic_shared(); }
};

/// A worker that is a block of several warps.
template <class I, std::uint32_t Lanes>
class block_group {
  static_assert(Lanes % I::warp_lanes == 0 && Lanes > I::warp_lanes && Lanes <= 1024,
                "mgws: a block worker has between two warps and 1024 lanes, in whole warps");

 public:
  static constexpr std::uint32_t k_lanes = Lanes;
  static constexpr std::uint32_t k_warp_lanes = I::warp_lanes;
  static constexpr std::uint32_t k_warps = Lanes / I::warp_lanes;

  [[nodiscard]] MGWS_FN static std::uint32_t lane() { return I::thread(); }
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t lanes() { return k_lanes; }
  MGWS_FN static void sync() { I::sync_block(); }
  MGWS_FN static void sync_warp() { I::sync_warp(); }

  /// The first barrier keeps the box until every lane has read what the call before left in it.
  template <class F>
  MGWS_FN auto once(F&& f) const {
    using R = decltype(f());
    if constexpr (std::is_void_v<R>) {
      if (lane() == 0) f();
    } else {
      static_assert(std::is_trivially_copyable_v<R> && sizeof(R) <= sizeof(box));
      auto& b = I::template shared<detail::box_tag, box>();
      I::sync_block();
      if (lane() == 0) {
        const R r = f();
        std::memcpy(&b, &r, sizeof r);
      }
      I::sync_block();
      R r;
      std::memcpy(&r, &b, sizeof r);
      return r;
    }
  }

  [[nodiscard]] MGWS_FN static prefix prefix_sum(std::uint32_t v) {
    auto& sum = I::template shared<detail::sums_tag, std::uint32_t[k_warps]>();
    const std::uint32_t to_here = detail::sum_to_here<I>(warp_lane(), v);
    I::sync_block();
    if (warp_lane() == k_warp_lanes - 1) sum[warp()] = to_here;
    I::sync_block();
    prefix p{to_here - v, 0};
    for (std::uint32_t w = 0; w != k_warps; ++w) {
      if (w < warp()) p.before += sum[w];
      p.total += sum[w];
    }
    return p;
  }
  [[nodiscard]] MGWS_FN static std::uint32_t count(bool p) { return prefix_sum(p ? 1 : 0).total; }

  [[nodiscard]] MGWS_FN static dealt deal(std::uint32_t start, bool valid, std::uint32_t unit) {
    using mask = std::uint32_t;
    constexpr std::uint32_t bits = 32;
    constexpr std::uint32_t words = Lanes / bits;
    auto& starts = I::template shared<detail::starts_tag, mask[words]>();
    I::sync_block();
    if (lane() < words) starts[lane()] = 0;
    I::sync_block();
    if (valid) I::set_bits(starts[start / bits], mask{1} << start % bits);
    I::sync_block();
    return mgws::deal(starts, unit);
  }
  template <class T, class Combine>
  [[nodiscard]] MGWS_FN T reduce(const T& v, Combine&& combine) const {
    T all = detail::combine_warp<I>(warp_lane(), v, combine);
    auto& of_warp = I::template shared<detail::sums_tag, raw<T>[k_warps]>();
    if (warp_lane() == 0) std::memcpy(&of_warp[warp()], &all, sizeof all);
    I::sync_block();
    for (std::uint32_t w = 1; w != k_warps; ++w) {
      T other = v;
      std::memcpy(&other, &of_warp[w], sizeof other);
      if (lane() == 0) all = combine(all, other);
    }
    I::sync_block();
    return all;
  }
  [[nodiscard]] MGWS_FN static bool any(bool p) { return I::any_of_block(p); }
  [[nodiscard]] MGWS_FN static bool any_of_warp(bool p) { return I::ballot(p) != 0; }

  [[nodiscard]] MGWS_FN static std::uint32_t& counter() {
    return I::template shared<detail::counter_tag, std::uint32_t>();
  }
  [[nodiscard]] MGWS_FN static void* local_memory() { return I::dynamic_shared(); }

 private:
  struct box {
    alignas(16) std::uint32_t word[8];
  };
  template <class T>
  struct raw {
    alignas(T) std::byte bytes[sizeof(T)];
  };
  [[nodiscard]] MGWS_FN static std::uint32_t warp() { return I::thread() / k_warp_lanes; }
  [[nodiscard]] MGWS_FN static std::uint32_t warp_lane() { return I::thread() % k_warp_lanes; }
};

}  // namespace mgws::gpu
