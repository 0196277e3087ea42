/// \file
/// Litmus runs with GPUs: what the probe and the start of a run over several GPUs have in common.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <type_traits>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/backends/gpu/device.hpp>
#include <mgws/backends/gpu/probe.hpp>
#include <mgws/core/order.hpp>
#include <mgws/core/probe/litmus.hpp>
#include <mgws/core/probe/verdict.hpp>
#include <mgws/errors.hpp>

namespace mgws {

/// Each litmus run's outcome, by its number; of those that were chosen.
using litmus_outcomes = std::array<litmus_outcome, k_litmuses>;

/// Whether a kernel of a probe did not end. Giving memory back would then wait for it, perhaps for
/// ever.
[[nodiscard]] inline std::atomic<bool>& kernel_lost() {
  static std::atomic<bool> lost{false};
  return lost;
}

namespace detail {

struct left_if_lost {
  template <class Area>
  void operator()(Area* area) const {
    if (!kernel_lost().load()) delete area;
  }
};

}  // namespace detail

/// Memory that kernels of a probe use, of whichever GPUs; left behind once one of them is lost.
template <class Api>
using probe_area = std::unique_ptr<gpu::area<Api>, detail::left_if_lost>;
template <class Api>
[[nodiscard]] probe_area<Api> make_probe_area(const gpu::device<Api>& owner, std::size_t bytes) {
  return probe_area<Api>(new gpu::area<Api>(owner, bytes, gpu::reach::shared));
}
/// In host memory.
template <class Api>
[[nodiscard]] probe_area<Api> make_probe_area(std::size_t bytes) {
  return probe_area<Api>(new gpu::area<Api>(bytes));
}

/// Waits until an event is done, a short time with all attention.
/// \throws no_progress if it is not by then; the kernel before it is lost, and so is its GPU for
/// this process (no_progress::lost_workers)
/// \throws device_error if the kernel failed
template <class Api>
void wait_for_kernel(typename Api::event e, std::chrono::steady_clock::time_point until) {
  const auto began = std::chrono::steady_clock::now();
  while (!Api::done(e)) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= until) {
      kernel_lost() = true;
      throw no_progress("a kernel of the probe did not end in time", "", 1);
    }
    if (now - began > std::chrono::milliseconds(5)) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    } else {
      std::this_thread::yield();
    }
  }
}

/// Runs two participants at the same time: blocks of one GPU, of two, or of one and a thread.
///
/// Not thread-safe. Not while other kernels of this process leave no room on these GPUs: the
/// participants would then be reported as absent.
/// \tparam Port  what the vendor's port supplies: `api`, `probe_backend`, litmus_kernel<Scope>()
template <class Port>
class gpu_litmus {
  using api = typename Port::api;
  using B = typename Port::probe_backend;
  using device = gpu::device<api>;
  using host = cpu_backend::backend;
  // One board serves both sides.
  static_assert(sizeof(litmus_board<B>) == sizeof(litmus_board<host>) &&
                sizeof(litmus_meeting<B>) == sizeof(litmus_meeting<host>));
  static_assert(std::is_trivially_copyable_v<litmus_board<B>>);

 public:
  using area = gpu::area<api>;

  /// \param timeout  for the end of the kernels of one run, which end by their bounds long before
  explicit gpu_litmus(std::chrono::duration<double> timeout)
      : timeout_(timeout),
        meeting_(make_probe_area<api>(sizeof(litmus_meeting<B>))),
        books_(make_probe_area<api>(sizeof(litmus_books))) {}

  /// Memory for a board: of a GPU or of the host.
  [[nodiscard]] static probe_area<api> board_on(const device& gpu) {
    return make_probe_area<api>(gpu, sizeof(litmus_board<B>));
  }
  [[nodiscard]] static probe_area<api> board_on_host() {
    return make_probe_area<api>(sizeof(litmus_board<B>));
  }

  /// Brings the kernel onto the GPU. Without it the first run's participants may miss each other:
  /// loading takes long, and may wait for whatever the GPU is running.
  template <class Scope>
  void prepare(const device& gpu) const {
    litmus_bounds nothing;
    nothing.chosen = 0;
    start<Scope>(gpu, {.meeting = meeting_->data(), .books = books(), .bounds = nothing}, 1);
    api::wait(gpu.kernels());
  }

  /// \param one, two  the participants' GPUs, which may be the same
  /// \param memory    where the board is; both reach it
  /// \throws no_progress, device_error
  template <class Scope>
  [[nodiscard]] litmus_outcomes run(const device& one, const device& two, const area& memory,
                                    const litmus_bounds& bounds) const {
    begin(memory);
    gpu::litmus_arguments a = arguments(memory, bounds);
    if (one.index() == two.index()) {
      const event ended(one);
      start<Scope>(one, a, 2);
      ended.record();
      ended.wait(until());
    } else {
      const event one_ended(one);
      const event two_ended(two);
      start<Scope>(one, a, 1);
      one_ended.record();
      a.first_rank = 1;
      start<Scope>(two, a, 1);
      two_ended.record();
      const auto end = until();
      one_ended.wait(end);
      two_ended.wait(end);
    }
    return outcomes(memory, bounds.chosen);
  }

  /// A thread and a block, in host memory, at system scope.
  /// \param of_thread  the thread's bounds: its looks are hundreds of times as fast
  [[nodiscard]] litmus_outcomes run_with_thread(const device& gpu, const area& memory,
                                                const litmus_bounds& bounds,
                                                const litmus_bounds& of_thread) const {
    begin(memory);
    gpu::litmus_arguments a = arguments(memory, bounds);
    a.first_rank = 1;
    const event ended(gpu);
    {
      const std::jthread thread([&] {
        litmus_participant<host, scope::system_t> p(
            *reinterpret_cast<litmus_board<host>*>(memory.data()),
            *reinterpret_cast<litmus_meeting<host>*>(meeting_->data()), 0, of_thread);
        p.run(books()->of[0]);
      });
      start<scope::system_t>(gpu, a, 1);
      ended.record();
    }
    ended.wait(until());
    return outcomes(memory, bounds.chosen);
  }

 private:
  /// The end of a kernel on a GPU.
  class event {
   public:
    explicit event(const device& gpu) : gpu_(gpu) {
      api::use(gpu.index());
      event_ = api::make_event();
    }
    event(const event&) = delete;
    event& operator=(const event&) = delete;
    ~event() { api::destroy(event_); }
    void record() const {
      api::use(gpu_.index());
      api::record(event_, gpu_.kernels());
    }
    void wait(std::chrono::steady_clock::time_point until) const {
      wait_for_kernel<api>(event_, until);
    }

   private:
    const device& gpu_;
    typename api::event event_{};
  };

  [[nodiscard]] std::chrono::steady_clock::time_point until() const {
    return std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(timeout_);
  }
  [[nodiscard]] litmus_books* books() const {
    return reinterpret_cast<litmus_books*>(books_->data());
  }
  [[nodiscard]] gpu::litmus_arguments arguments(const area& memory,
                                                const litmus_bounds& bounds) const {
    return {.board = memory.data(),
            .meeting = meeting_->data(),
            .books = books(),
            .first_rank = 0,
            .bounds = bounds};
  }

  void begin(const area& memory) const {
    const litmus_board<B> fresh;
    memory.write(0, &fresh, sizeof fresh);
    std::memset(meeting_->data(), 0, meeting_->bytes());
    *books() = litmus_books{};
  }

  template <class Scope>
  static void start(const device& gpu, const gpu::litmus_arguments& a, std::uint32_t blocks) {
    api::use(gpu.index());
    api::launch(Port::template litmus_kernel<Scope>(), a, blocks, B::team::k_lanes, 0,
                gpu.kernels());
  }

  [[nodiscard]] litmus_outcomes outcomes(const area& memory, std::uint32_t chosen) const {
    litmus_board<B> left;
    memory.read(&left, 0, sizeof left);
    litmus_outcomes all{};
    for (std::uint32_t k = 0; k != k_litmuses; ++k) {
      if ((chosen >> k & 1) == 0) continue;
      const litmus_record records[] = {books()->of[0][k], books()->of[1][k]};
      all[k] = judge<B>(static_cast<litmus>(k), records, left);
    }
    return all;
  }

  std::chrono::duration<double> timeout_;
  probe_area<api> meeting_;
  probe_area<api> books_;
};

}  // namespace mgws
