/// \file
/// Comparing a GPU's clock with the host's, so that what all GPUs of a run record has one time
/// axis.
#pragma once

#include <chrono>
#include <cstdint>
#include <new>

#include <mgws/backends/gpu/clock.hpp>
#include <mgws/backends/gpu/device.hpp>

namespace mgws::gpu {

/// \tparam B  a backend of that GPU
template <class Port, class B>
class host_clock {
  using api = typename Port::api;
  using words = gpu::clock_words<B>;

 public:
  /// Asks the GPU for its time some ten times; the answer that came soonest says most. Takes some
  /// tens of microseconds, so that it is not done again before the clocks may have drifted apart
  /// by more than an answer can be wrong. \pre the GPU runs nothing \throws device_error,
  /// std::bad_alloc
  void compare(const gpu::device<api>& gpu) {
    if (compared_ns_ != 0 && host_now() - compared_ns_ < k_fresh_ns) return;
    if (words_.bytes() == 0) words_ = gpu::area<api>(sizeof(words));
    auto* const shared = new (words_.data()) words{};
    api::use(gpu.index());
    api::launch(Port::template clock_kernel<B>(), gpu::clock_exchange<B>{shared}, {},
                gpu.kernels());
    std::uint64_t narrowest = ~std::uint64_t{0};
    for (std::uint32_t round = 1; round <= words::rounds; ++round) {
      const std::uint64_t before = host_now();
      B::store(shared->asked, round, order::relaxed, scope::system);
      std::uint64_t there = 0;
      std::uint64_t after = before;
      while (there == 0 && after - before < k_patience_ns) {
        there = B::load(shared->answers[round - 1], order::relaxed, scope::system);
        after = host_now();
      }
      if (there == 0) break;
      if (after - before >= narrowest) continue;
      narrowest = after - before;
      offset_ = there - (before + narrowest / 2);
    }
    error_ns_ = narrowest / 2;
    gpu.settle();
    compared_ns_ = host_now();
  }

  /// What the host's clock showed when the GPU's showed this.
  [[nodiscard]] std::uint64_t on_host(std::uint64_t ns) const { return ns - offset_; }
  /// By how much that may be wrong at most; absurdly much if the GPU gave no answer.
  [[nodiscard]] double error_seconds() const { return static_cast<double>(error_ns_) * 1e-9; }

 private:
  [[nodiscard]] static std::uint64_t host_now() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
  }

  /// A GPU whose launch takes longer has other things to do.
  static constexpr std::uint64_t k_patience_ns = 1'000'000'000;
  /// Half a microsecond by clocks of which one is fifty millionths too fast.
  static constexpr std::uint64_t k_fresh_ns = 10'000'000;

  gpu::area<api> words_;
  std::uint64_t compared_ns_ = 0;  ///< when; 0: never
  std::uint64_t offset_ = 0;       ///< of the GPU's clock, modulo 2^64
  std::uint64_t error_ns_ = 0;
};

}  // namespace mgws::gpu
