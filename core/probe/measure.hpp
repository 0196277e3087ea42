/// \file
/// What single operations, copies and dependent reads cost one worker, by its device's own clock.
///
/// Operations are timed one after the other, each with the result of the one before it in its
/// address, so that a time is a round trip and not a rate.
#pragma once

#include <cstddef>
#include <cstdint>

#include <mgws/core/order.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// What is measured.
enum class measured : std::uint32_t {
  load,
  load_acquire,
  fetch_add,
  fetch_add_acquire,  ///< as a thief claims
  fetch_add_acq_rel,
  exchange,
  exchange_acquire,  ///< as a queue is locked; no step of the protocol asks for more
  fence,             ///< acquire and release, with nothing outstanding
  store_fence,       ///< a store and the fence that waits for it
  copy,              ///< into local memory, by all lanes, as a steal copies
  chase,             ///< dependent plain reads of lines in random order
  chase_local        ///< the same in local memory
};

/// Distance of the entries of a chain, in bytes: no two share a line. An entry is the number of the
/// next one, counted in 8-byte words from the start.
inline constexpr std::size_t k_chain_stride = 128;
/// Largest piece of a copy, which is also the size of local memory that a measurement needs.
inline constexpr std::size_t k_copy_piece = std::size_t{1} << 14;

struct measurement {
  measured what = measured::load;
  std::uint32_t batches = 0;
  std::uint64_t count = 0;      ///< operations, copies or reads in a batch
  std::byte* memory = nullptr;  ///< operations: 8 zero bytes; copies: `span` bytes; else a chain
  std::uint64_t bytes = 0;      ///< of a copy, a multiple of 16; of a chain
  std::uint64_t span = 0;       ///< copies walk through so many bytes
  std::uint64_t* results = nullptr;  ///< out: nanoseconds of each batch
  std::uint64_t* sink = nullptr;     ///< takes values that nobody needs, so that they are computed
};

/// One worker's measurement. Called by all its lanes.
/// \tparam Team  the worker's lanes: lane(), k_lanes, sync(), lead(f), local_memory(), of
///               k_copy_piece bytes
template <class B, class Scope, class Team>
class measuring {
  using word = typename B::template atomic<std::uint64_t>;

 public:
  MGWS_FN static void run(const measurement& m) {
    if (m.what == measured::chase) touch(m);
    Team::lead([&] {
      if (m.what == measured::chase_local) copy_once(m.memory, m.bytes);
      for (std::uint32_t b = 0; b != m.batches; ++b)
        m.results[b] = batch(m, b);
      return std::uint32_t{0};
    });
  }

 private:
  MGWS_FN static std::uint64_t batch(const measurement& m, std::uint32_t number) {
    auto* const words = reinterpret_cast<word*>(m.memory);
    const Scope s{};
    switch (m.what) {
      case measured::load:
        return timed(m, [&](auto v) { return B::load(words[v], order::relaxed, s); });
      case measured::load_acquire:
        return timed(m, [&](auto v) { return B::load(words[v], order::acquire, s); });
      case measured::fetch_add:
        return timed(m, [&](auto v) { return B::fetch_add(words[v], v, order::relaxed, s); });
      case measured::fetch_add_acquire:
        return timed(m, [&](auto v) { return B::fetch_add(words[v], v, order::acquire, s); });
      case measured::fetch_add_acq_rel:
        return timed(m, [&](auto v) { return B::fetch_add(words[v], v, order::acq_rel, s); });
      case measured::exchange:
        return timed(m, [&](auto v) { return B::exchange(words[v], v, order::relaxed, s); });
      case measured::exchange_acquire:
        return timed(m, [&](auto v) { return B::exchange(words[v], v, order::acquire, s); });
      case measured::fence:
        return timed(m, [&](auto v) {
          B::fence(s);
          return v;
        });
      case measured::store_fence:
        return timed(m, [&](auto v) {
          B::store(words[v], v, order::relaxed, s);
          B::fence(s);
          return v;
        });
      case measured::copy:
        return copies(m, number);
      case measured::chase:
        return timed(m, chain(m.memory));
      case measured::chase_local:
        return timed(m, chain(Team::local_memory()));
    }
    return 0;
  }

  /// \param op  from a value to the next; of the operations all are 0, which a compiler cannot know
  template <class Op>
  MGWS_FN static std::uint64_t timed(const measurement& m, Op&& op) {
    const std::uint64_t began = B::now();
    std::uint64_t v = began >> 63;
    for (std::uint64_t i = 0; i != m.count; ++i)
      v = op(v);
    // The time at which v is there: no clock is read before a value on which the store before it
    // depends.
    B::store(*reinterpret_cast<word*>(m.sink), v, order::relaxed, scope::device);
    return B::now() - began;
  }
  /// From an entry to the next.
  MGWS_FN static auto chain(const void* memory) {
    return [next = static_cast<const std::uint64_t*>(memory)](auto at) { return next[at]; };
  }
  /// Reads all lines once, so that each lies in the nearest cache that holds so many.
  MGWS_FN static void touch(const measurement& m) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = Team::lane(); i < m.bytes / k_chain_stride; i += Team::k_lanes)
      sum += *reinterpret_cast<const std::uint64_t*>(m.memory + i * k_chain_stride);
    // No sum of entries is so large; it has to be computed all the same.
    if (sum == ~std::uint64_t{0}) *m.sink = sum;
    Team::sync();
  }

  MGWS_FN static std::uint64_t copies(const measurement& m, std::uint32_t number) {
    const auto* const flag = reinterpret_cast<const word*>(m.sink);
    std::uint64_t total = 0;
    for (std::uint64_t i = 0; i != m.count; ++i) {
      // What no earlier copy has brought into a cache near the worker, as far as the span lasts;
      // and as after a claim, which acquires.
      const std::uint64_t at = (number * m.count + i) * m.bytes % m.span;
      static_cast<void>(B::load(*flag, order::acquire, scope::device));
      const std::uint64_t began = B::now();
      copy_once(m.memory + at, m.bytes);
      total += B::now() - began;
    }
    return total;
  }
  MGWS_FN static void copy_once(const std::byte* from, std::uint64_t bytes) {
    for (std::uint64_t at = 0; at < bytes; at += k_copy_piece) {
      const std::uint64_t n = bytes - at < k_copy_piece ? bytes - at : k_copy_piece;
      B::copy_words(Team::local_memory(), from + at, n / 16);
    }
  }
};

}  // namespace mgws
