/// \file
/// The lanes of a GPU worker: a team, which is a block of one warp or of several, and its leader.
/// Written over a struct of the vendor's intrinsics (port.hpp, gpu_intrinsics; backend.hpp
/// demands it, the model checker has a part of it).
///
/// The queue protocol, the search for work and everything else that a worker does between tasks is
/// done by one lane, the leader, with state of its own in shared memory, while the others wait. It
/// moves slots by itself, too: to call the others to help costs more than their help is worth, and
/// where lanes share one program counter they could not come. Were every lane to hold that state,
/// thousands of workers would push each other's out of the caches.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <mgws/core/bits.hpp>
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

/// All lanes' values of a warp combined; lane 0 has the result.
template <class I, class T, class Combine>
[[nodiscard]] MGWS_FN T combine_warp(std::uint32_t lane, T v, Combine&& combine) {
  for (std::uint32_t by = I::warp_lanes / 2; by != 0; by /= 2)
    v = combine(v, shuffle<I>(v, (lane + by) % I::warp_lanes));
  return v;
}

template <class T>
struct raw {
  alignas(alignof(T) < 16 ? 16 : alignof(T)) std::byte bytes[sizeof(T)];
};

/// What the leader found out, for the others.
struct answer {
  alignas(16) std::uint32_t word[12];
};

struct answer_tag {};
struct counter_tag {};
struct sums_tag {};
struct dealt_tag {};
struct shown_tag {};
struct starts_tag {};

}  // namespace detail

/// What warps and blocks have in common: the leader's part. \tparam Team  with I, lane(), k_lanes
/// and sync()
template <class I, class Team>
class team_base {
 public:
  using intrinsics = I;

  /// Collective: the leader runs f, which may copy with copy_words; all receive its result.
  template <class F>
  MGWS_FN static auto lead(F&& f) {
    using R = decltype(f());
    static_assert(std::is_trivially_copyable_v<R> && sizeof(R) <= sizeof(detail::answer::word));
    auto& a = I::template shared<detail::answer_tag, detail::answer>();
    Team::sync();  // the leader may read what the others wrote, and they have read the last answer
    if (Team::lane() == 0) {
      const R r = f();
      std::memcpy(a.word, &r, sizeof r);
    }
    Team::sync();
    R r;
    std::memcpy(&r, a.word, sizeof r);
    return r;
  }

  /// The leader. Returns when all words are copied.
  [[gnu::noinline]] MGWS_FN static void copy_words(void* to, const void* from,
                                                   std::uint32_t words) {
    if (words != 0) I::copy(to, from, words);
  }

  /// The same into local_memory(), of words that nobody has written since the launch.
  [[gnu::noinline]] MGWS_FN static void load_words(void* to, const void* from,
                                                   std::uint32_t words) {
    if (words != 0) I::load_words(to, from, words);
  }

  /// Shared memory for one object of type T.
  template <class T>
  [[nodiscard]] MGWS_FN static T* object() {
    return reinterpret_cast<T*>(I::template shared<T, detail::raw<T>>().bytes);
  }
  [[nodiscard]] MGWS_FN static std::uint32_t& counter() {
    return I::template shared<detail::counter_tag, std::uint32_t>();
  }
  [[nodiscard]] MGWS_FN static void* local_memory() { return I::dynamic_shared(); }

  // ---- Of a warp's lanes ----

  MGWS_FN static void sync_warp() { I::sync_warp(); }
  [[nodiscard]] MGWS_FN static bool any_of_warp(bool p) { return I::ballot(p) != 0; }
  [[nodiscard]] MGWS_FN static std::uint32_t first_of_warp(bool p) {
    const auto lanes = I::ballot(p);
    return lanes == 0 ? I::warp_lanes : lowest_bit(lanes);
  }
  template <class T>
  [[nodiscard]] MGWS_FN static T broadcast_in_warp(const T& v, std::uint32_t from) {
    return detail::shuffle<I>(v, from);
  }
  template <class T, class Combine>
  [[nodiscard]] MGWS_FN static T reduce_warp(const T& v, Combine&& combine) {
    return detail::combine_warp<I>(warp_lane(), v, combine);
  }

 protected:
  [[nodiscard]] MGWS_FN static std::uint32_t warp_lane() { return I::thread() % I::warp_lanes; }
};

/// A worker that is a block of one warp. Barriers cost next to nothing.
template <class I>
class warp_team : public team_base<I, warp_team<I>> {
 public:
  static constexpr std::uint32_t k_lanes = I::warp_lanes;
  static constexpr std::uint32_t k_warp_lanes = I::warp_lanes;

  [[nodiscard]] MGWS_FN static std::uint32_t lane() { return I::thread(); }
  MGWS_FN static void sync() { I::sync_warp(); }

  [[nodiscard]] MGWS_FN static prefix prefix_sum(std::uint32_t v) {
    const std::uint32_t to_here = I::sum_to_here(v);
    return {to_here - v, I::shuffle(to_here, k_lanes - 1)};
  }
  [[nodiscard]] MGWS_FN static std::uint32_t count(bool p) {
    return static_cast<std::uint32_t>(std::popcount(I::ballot(p)));
  }
  [[nodiscard]] MGWS_FN static shares deal(std::uint32_t offered, std::uint32_t whole,
                                           std::uint32_t units, std::uint32_t unit) {
    const prefix p = prefix_sum(offered);
    const std::uint32_t taken = dealt_of(offered, p.before, units);
    return {mgws::deal(I::named(p.before, taken != 0), unit), taken, p.total,
            count(taken != 0 && taken == whole)};
  }
  [[nodiscard]] MGWS_FN static std::uint32_t from_first(std::uint32_t v) {
    return I::shuffle(v, 0);
  }
  template <class T, class Combine>
  [[nodiscard]] MGWS_FN static T reduce(const T& v, Combine&& combine) {
    return detail::combine_warp<I>(lane(), v, combine);
  }
  [[nodiscard]] MGWS_FN static bool any(bool p) { return I::ballot(p) != 0; }
  template <class F>
  [[nodiscard]] MGWS_FN static bool sync_any(F&& holds) {
    sync();  // a vote orders no memory
    return any(holds());
  }
  template <class T>
  [[nodiscard]] MGWS_FN static T broadcast(const T& v, std::uint32_t from) {
    return detail::shuffle<I>(v, from);
  }
};

/// A worker that is a block of several warps.
template <class I, std::uint32_t Lanes>
class block_team : public team_base<I, block_team<I, Lanes>> {
  static_assert(Lanes % I::warp_lanes == 0 && Lanes > I::warp_lanes && Lanes <= 1024,
                "mgws: a block worker has between two warps and 1024 lanes, in whole warps");

 public:
  static constexpr std::uint32_t k_lanes = Lanes;
  static constexpr std::uint32_t k_warp_lanes = I::warp_lanes;
  static constexpr std::uint32_t k_warps = Lanes / I::warp_lanes;

  [[nodiscard]] MGWS_FN static std::uint32_t lane() { return I::thread(); }
  MGWS_FN static void sync() { I::sync_block(); }

  [[nodiscard]] MGWS_FN static prefix prefix_sum(std::uint32_t v) {
    auto& sum = I::template shared<detail::sums_tag, std::uint32_t[k_warps]>();
    const std::uint32_t to_here = I::sum_to_here(v);
    I::sync_block();
    if (warp_lane() == k_warp_lanes - 1) sum[warp()] = to_here;
    I::sync_block();
    return over_warps(sum, to_here - v);
  }
  [[nodiscard]] MGWS_FN static std::uint32_t count(bool p) { return I::count_of_block(p); }

  /// Two barriers: the warps' sums, and then where segments begin.
  [[nodiscard]] MGWS_FN static shares deal(std::uint32_t offered, std::uint32_t whole,
                                           std::uint32_t units, std::uint32_t unit) {
    using mask = std::uint32_t;
    constexpr std::uint32_t bits = 32;
    constexpr std::uint32_t words = (Lanes + bits - 1) / bits;
    auto& sum = I::template shared<detail::dealt_tag, std::uint32_t[k_warps]>();
    auto& starts = I::template shared<detail::starts_tag, mask[words]>();
    const std::uint32_t to_here = I::sum_to_here(offered);
    if (warp_lane() == k_warp_lanes - 1) sum[warp()] = to_here;
    if (lane() < words) starts[lane()] = 0;
    I::sync_block();
    const prefix p = over_warps(sum, to_here - offered);
    const std::uint32_t taken = dealt_of(offered, p.before, units);
    if (taken != 0) I::set_bits(starts[p.before / bits], mask{1} << p.before % bits);
    const std::uint32_t used_up = I::count_of_block(taken != 0 && taken == whole);
    return {mgws::deal(starts, unit), taken, p.total, used_up};
  }
  [[nodiscard]] MGWS_FN static std::uint32_t from_first(std::uint32_t v) {
    auto& sum = I::template shared<detail::sums_tag, std::uint32_t[k_warps]>();
    I::sync_block();
    if (lane() == 0) sum[0] = v;
    I::sync_block();
    return sum[0];
  }
  template <class T, class Combine>
  [[nodiscard]] MGWS_FN static T reduce(const T& v, Combine&& combine) {
    T all = detail::combine_warp<I>(warp_lane(), v, combine);
    auto& of_warp = I::template shared<detail::sums_tag, detail::raw<T>[k_warps]>();
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
  [[nodiscard]] MGWS_FN static bool any(bool p) { return count(p) != 0; }
  template <class F>
  [[nodiscard]] MGWS_FN static bool sync_any(F&& holds) {
    return any(holds());
  }
  template <class T>
  [[nodiscard]] MGWS_FN static T broadcast(const T& v, std::uint32_t from) {
    auto& shown = I::template shared<detail::shown_tag, detail::raw<T>>();
    I::sync_block();
    if (lane() == from) std::memcpy(&shown, &v, sizeof v);
    I::sync_block();
    T all = v;
    std::memcpy(&all, &shown, sizeof all);
    return all;
  }

 private:
  using team_base<I, block_team<I, Lanes>>::warp_lane;
  [[nodiscard]] MGWS_FN static std::uint32_t warp() { return I::thread() / k_warp_lanes; }
  /// \param sum  of each warp \param before  of the lanes below in this lane's
  [[nodiscard]] MGWS_FN static prefix over_warps(const std::uint32_t (&sum)[k_warps],
                                                 std::uint32_t before) {
    prefix p{before, 0};
    for (std::uint32_t w = 0; w != k_warps; ++w) {
      if (w < warp()) p.before += sum[w];
      p.total += sum[w];
    }
    return p;
  }
};

}  // namespace mgws::gpu
