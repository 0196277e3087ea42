/// \file
/// The CPU's part of a probe: threads as participants, and what operations cost a thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/core/order.hpp>
#include <mgws/core/probe/litmus.hpp>
#include <mgws/core/probe/measure.hpp>
#include <mgws/core/probe/verdict.hpp>
#include <mgws/errors.hpp>
#include <mgws/probe/cost.hpp>
#include <mgws/probe/findings.hpp>

namespace mgws {

/// A thread's bounds: it may be kept from its processor for a while, so time counts, not looks.
[[nodiscard]] inline litmus_bounds bounds_of_thread(std::uint64_t rounds) {
  litmus_bounds b;
  b.rounds = rounds;
  b.looks = std::uint64_t{1} << 40;
  b.nanoseconds = 2'000'000'000;
  return b;
}

/// Two threads of the processor, in its own memory.
/// \tparam B  a backend whose workers are threads
/// \throws not_possible if the system refuses the threads
template <class B = cpu_backend::backend>
[[nodiscard]] std::array<litmus_outcome, k_litmuses> litmus_of_threads(
    const litmus_bounds& bounds) {
  struct shared {
    litmus_board<B> board;
    litmus_meeting<B> meeting;
    litmus_books books;
  };
  const auto s = std::make_unique<shared>();
  try {
    const auto part = [&](std::uint32_t rank) {
      litmus_participant<B, scope::system_t>(s->board, s->meeting, rank, bounds)
          .run(s->books.of[rank]);
    };
    const std::jthread one(part, 0);
    const std::jthread two(part, 1);
  } catch (const std::system_error& e) {
    throw not_possible(std::string("this machine refuses two threads: ") + e.what());
  }
  std::array<litmus_outcome, k_litmuses> all{};
  for (std::uint32_t k = 0; k != k_litmuses; ++k) {
    if ((bounds.chosen >> k & 1) == 0) continue;
    const litmus_record records[] = {s->books.of[0][k], s->books.of[1][k]};
    all[k] = judge<B>(static_cast<litmus>(k), records, s->board);
  }
  return all;
}

namespace detail {

/// A thread as a worker of one lane, for measurements. Its local memory is a buffer of its own.
struct thread_lane {
  static constexpr std::uint32_t k_lanes = 1;
  static constexpr std::uint32_t lane() { return 0; }
  static void sync() {}
  template <class F>
  static auto lead(F&& f) {
    return f();
  }
  static void* local_memory() {
    struct alignas(k_litmus_line) buffer {
      std::byte bytes[k_copy_piece];
    };
    static thread_local const auto own = std::make_unique<buffer>();
    return own->bytes;
  }
};

}  // namespace detail

/// Runs a measurement on the calling thread.
[[nodiscard]] inline std::vector<std::uint64_t> measure_here(measurement m) {
  struct alignas(k_litmus_line) line {
    std::uint64_t word;
  };
  line sink{};
  std::vector<std::uint64_t> results(m.batches);
  m.results = results.data();
  m.sink = &sink.word;
  measuring<cpu_backend::backend, scope::system_t, detail::thread_lane>::run(m);
  return results;
}

/// What operations on its own memory cost a thread; the latency ladder up to `last_rung` bytes.
/// \param device  the CPU's position in r.devices
inline void measure_cpu(probe_report& r, std::uint32_t device, std::uint64_t last_rung) {
  const probe_effort e{.batches = 9, .operations = 1u << 15, .copies = 64, .reads = 1u << 15};
  struct alignas(k_litmus_line) line {
    std::byte bytes[k_litmus_line];
  };
  {
    std::vector<line> memory(k_copy_span / sizeof(line));
    measure_operations(r, device, k_host_memory, true, e, memory.front().bytes, measure_here);
    measure_copies(r, device, k_host_memory, e, memory.front().bytes, measure_here);
  }
  for (std::uint64_t bytes = k_first_rung; bytes <= last_rung; bytes *= 4) {
    std::vector<std::uint64_t> chain = make_chain(bytes);
    measure_rung(r, device, k_host_memory, false, bytes, e,
                 reinterpret_cast<std::byte*>(chain.data()), measure_here);
  }
}

}  // namespace mgws
