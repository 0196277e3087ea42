/// \file
/// The CPU's part of a probe: threads as participants, and what operations cost a thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/core/probe/measure.hpp>
#include <mgws/core/probe/verdict.hpp>
#include <mgws/errors.hpp>
#include <mgws/probe/findings.hpp>

namespace mgws {

/// A thread's bounds: it may be kept from its processor for a while, so time counts, not looks.
[[nodiscard]] inline litmus_bounds bounds_of_thread(std::uint64_t rounds) {
  return {.rounds = rounds, .looks = std::uint64_t{1} << 40, .nanoseconds = 2'000'000'000};
}

/// Starts a participant; it reaches the board at system scope.
/// \tparam B  a backend whose workers are threads
/// \throws not_possible if the system refuses the thread
template <class B = cpu_backend::backend>
[[nodiscard]] std::jthread start_participant(const litmus_run& run, std::uint32_t rank) try {
  return std::jthread([=] { litmus_participant<B, scope::system_t>(run, rank).run(); });
} catch (const std::system_error& e) {
  throw not_possible(std::string("this machine refuses two threads: ") + e.what());
}

/// Two threads of the processor, in its own memory.
template <class B = cpu_backend::backend>
[[nodiscard]] litmus_outcomes litmus_of_threads(const litmus_bounds& bounds) {
  litmus_board<B> board;
  litmus_meeting<B> meeting{};
  const litmus_run run{&board, &meeting, bounds};
  {
    const std::jthread one = start_participant<B>(run, 0);
    const std::jthread two = start_participant<B>(run, 1);
  }
  return judge(meeting, board);
}

namespace detail {

struct alignas(k_litmus_line) line {
  std::byte bytes[k_litmus_line];
};

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
    static thread_local std::vector<line> own(k_copy_piece / sizeof(line));
    return own.data();
  }
};

}  // namespace detail

/// The CPU as what a prober works on, alone or beside GPUs. Devices are named by their positions,
/// in the order in which they were added; so is the memory of each. k_host_memory is what all GPUs
/// reach of the host's: the CPU's own is for its threads alone, so that nothing is page-locked.
class cpu_machine {
 public:
  explicit cpu_machine(std::chrono::duration<double> /*timeout*/) {}

  /// \throws not_possible if it is a GPU
  void add(const probed_device& d) {
    if (d.kind == device_kind::gpu)
      throw not_possible("a GPU cannot be used: this program was built for the CPU only");
    devices_.push_back(d);
    devices_.back().name = "CPU";
  }
  [[nodiscard]] const std::vector<probed_device>& devices() const { return devices_; }

  /// Lets a device's workers reach that memory. \return false: they cannot
  static bool reach(std::uint32_t d, memory_place m) { return m == k_host_memory || m == d; }
  /// What the drivers say about read-modify-writes of f's devices on its memory.
  static std::optional<bool> claim(const litmus_finding& /*f*/) { return {}; }
  /// Two workers at the same time: of f's devices on its memory, at its scope.
  static litmus_outcomes outcomes(const litmus_finding& /*f*/, const litmus_bounds& bounds) {
    // Nothing wrong, but one of them waited in vain: on a busy machine a thread may be kept from
    // its processor. Again, but not for ever.
    for (int attempt = 1;; ++attempt) {
      const litmus_outcomes found = litmus_of_threads(bounds_of_thread(bounds.rounds));
      if (attempt == k_attempts || std::ranges::none_of(found, [](const litmus_outcome& o) {
            return o.verdict == litmus_verdict::gave_up || o.verdict == litmus_verdict::absent;
          }))
        return found;
    }
  }
  /// One worker; the CPU's is the calling thread. \return nanoseconds of each batch
  static std::vector<std::uint64_t> measure(std::uint32_t /*device*/, bool /*system_scope*/,
                                            measurement m) {
    alignas(k_litmus_line) std::uint64_t sink = 0;
    std::vector<std::uint64_t> results(m.batches);
    m.results = results.data();
    m.sink = &sink;
    measuring<cpu_backend::backend, scope::system_t, detail::thread_lane>::run(m);
    return results;
  }
  /// Memory there, with the image's words in it, which are whole lines.
  static std::shared_ptr<std::byte> memory(memory_place /*m*/,
                                           const std::vector<std::uint64_t>& image) {
    const std::size_t bytes = image.size() * sizeof image.front();
    const auto lines = std::make_shared<std::vector<detail::line>>(bytes / sizeof(detail::line));
    std::memcpy(lines->data(), image.data(), bytes);
    return {lines, lines->front().bytes};
  }

 protected:
  std::vector<probed_device> devices_;

 private:
  static constexpr int k_attempts = 3;
};

}  // namespace mgws
