/// \file
/// The memory model: what a load may return, and who has seen what. It is the fragment of C++20
/// that core uses (relaxed, acquire, release; no fences, no seq_cst), operational in the style of
/// the view machines for RC11: every location keeps the history of its stores, every fiber a view
/// of how far into each history it has seen, and a release store carries its fiber's view to
/// whoever acquires it. The order of stores to a location is the order in which they are executed;
/// a load never sees a store that has not been executed. So load buffering (RC11 forbids it) and
/// writes that overtake each other in one location's order are not explored.
///
/// Plain accesses (slots) have no history: each must be ordered with every conflicting access
/// before it by what its fiber has seen, or it is a data race, in whatever order they happened to
/// be executed (FastTrack, PLDI 2009).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace mgws::model_backend {

inline constexpr unsigned k_fibers = 6;
inline constexpr unsigned k_locations = 40;
inline constexpr unsigned k_history = 64;  ///< stores of one location that are kept
inline constexpr unsigned k_words = 80;    ///< 16-byte words watched for races

using stamp = std::uint16_t;

enum class memory_order : std::uint8_t { relaxed, acquire, release, acq_rel };

[[nodiscard]] constexpr bool acquires(memory_order o) {
  return o == memory_order::acquire || o == memory_order::acq_rel;
}
[[nodiscard]] constexpr bool releases(memory_order o) {
  return o == memory_order::release || o == memory_order::acq_rel;
}

/// What has been seen: of each location the newest store, of each fiber the plain accesses.
struct view {
  std::array<stamp, k_locations> store{};
  std::array<stamp, k_fibers> access{};

  void join(const view& other) {
    for (unsigned i = 0; i != k_locations; ++i)
      store[i] = std::max(store[i], other.store[i]);
    for (unsigned i = 0; i != k_fibers; ++i)
      access[i] = std::max(access[i], other.access[i]);
  }
};

/// One store in a location's history.
struct message {
  std::uint64_t value;
  view seen;            ///< what an acquiring reader learns
  std::uint8_t device;  ///< of the writer
  bool narrow;          ///< device scope: it is news to the writer's device only
};

struct location {
  stamp oldest = 0;  ///< stamp of history[0]
  std::uint8_t count = 0;
  std::uint8_t domain = 0;  ///< fibers of another coherence domain may only load and store
  std::uint8_t home = 0;    ///< the device in whose memory it is
  bool retired = false;
  std::array<message, k_history> history;

  [[nodiscard]] stamp newest() const { return static_cast<stamp>(oldest + count - 1); }
  [[nodiscard]] const message& at(stamp s) const { return history[s - oldest]; }
  [[nodiscard]] const message& latest() const { return history[count - 1u]; }

  /// Forgets the oldest store if there is no room.
  void append(const message& m) {
    if (count == k_history) forget(1);
    history[count++] = m;
  }
  void forget(unsigned n) {
    std::copy(history.begin() + n, history.begin() + count, history.begin());
    count = static_cast<std::uint8_t>(count - n);
    oldest = static_cast<stamp>(oldest + n);
  }
};

/// The last write of a 16-byte word, and each fiber's last read since.
struct watched_word {
  std::uint8_t writer = 0;
  stamp write = 0;
  std::array<stamp, k_fibers> read{};
};

/// Mixes 64-bit values into one (the multiply-fold of wyhash).
class hasher {
 public:
  void add(std::uint64_t v) { state_ = mixed(state_, v); }
  /// Eight chains side by side: one alone would wait for its multiplications.
  void add_bytes(const void* p, std::size_t n) {
    constexpr unsigned chains = 8;
    const auto* at = static_cast<const unsigned char*>(p);
    if (n >= 16 * chains) {
      std::array<std::uint64_t, chains> state;
      for (unsigned c = 0; c != chains; ++c)
        state[c] = state_ + c;
      for (; n >= 16 * chains; n -= 16 * chains, at += 16 * chains)
#pragma GCC unroll 8
        for (unsigned c = 0; c != chains; ++c)
          state[c] = folded(state[c], at + 16 * c, 16);
      for (const std::uint64_t s : state)
        add(s);
    }
    for (; n >= 16; n -= 16, at += 16)
      state_ = folded(state_, at, 16);
    add(n);
    state_ = folded(state_, at, n);
  }
  [[nodiscard]] std::uint64_t value() const {
    return state_;
  }

 private:
  static std::uint64_t mixed(std::uint64_t state, std::uint64_t v) {
    const auto product = static_cast<unsigned __int128>(state ^ v) * 0x9E3779B97F4A7C15ull;
    return (static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^
            0xD6E8FEB86659FD93ull) +
           v;
  }
  /// With n bytes, at most 16, by one multiplication, neither factor of which is likely to be 0:
  /// one has what came before, the other a number that no program has.
  static std::uint64_t folded(std::uint64_t state, const unsigned char* at, std::size_t n) {
    std::array<std::uint64_t, 2> v{};
    __builtin_memcpy(v.data(), at, n);
    const auto product =
        static_cast<unsigned __int128>(state ^ v[0]) * (v[1] ^ 0x9E3779B97F4A7C15ull);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  std::uint64_t state_ = 0xA0761D6478BD642Full;
};

}  // namespace mgws::model_backend
