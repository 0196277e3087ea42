/// \file
/// GPUs, and the CPU beside them, as what a prober, or the start of a run, works on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

#include <mgws/backends/gpu/device.hpp>
#include <mgws/backends/gpu/probe.hpp>
#include <mgws/errors.hpp>
#include <mgws/probe/findings.hpp>
#include <mgws/runtime/probe/threads.hpp>

namespace mgws {

/// Whether a kernel of a probe did not end. Giving memory back would then wait for it, perhaps for
/// ever.
inline std::atomic<bool> kernel_lost{false};

/// Adds GPUs to the CPU.
///
/// Not thread-safe. Not while other kernels of this process leave no room on these GPUs: the
/// participants would then be reported as absent.
/// \tparam Port  what the vendor's port supplies: `api`, `probe_backend`, litmus_kernel<Scope>(),
///               measure_kernel<Scope>()
template <class Port>
class gpu_machine : public cpu_machine {
  using api = typename Port::api;
  using B = typename Port::probe_backend;
  /// Of whichever GPUs; left behind once a kernel is lost.
  using area = std::shared_ptr<gpu::area<api>>;
  /// The end of a kernel.
  using event = std::shared_ptr<typename api::event>;
  using device = gpu::device<api>;
  using host = cpu_backend::backend;
  // One board serves both sides.
  static_assert(sizeof(litmus_board<B>) == sizeof(litmus_board<host>) &&
                sizeof(litmus_meeting<B>) == sizeof(litmus_meeting<host>));
  static_assert(std::is_trivially_copyable_v<litmus_board<B>>);

 public:
  /// \param timeout  for the end of the kernels of one run, which end by their bounds long before
  explicit gpu_machine(std::chrono::duration<double> timeout)
      : cpu_machine(timeout), timeout_(timeout) {}

  /// Opens a GPU, and puts its name in.
  /// \throws not_possible, device_error
  void add(const probed_device& d) {
    gpus_.push_back(d.kind == device_kind::gpu ? std::make_shared<device>(d.index) : nullptr);
    if (!gpus_.back()) return cpu_machine::add(d);
    const gpu::properties& gpu = gpus_.back()->properties();
    if (!gpu.host_memory_is_mapped) throw not_possible(gpu.name + " cannot reach host memory");
    devices_.push_back(d);
    devices_.back().name = gpu.name;
  }
  /// By position; null: the CPU.
  [[nodiscard]] const std::vector<std::shared_ptr<device>>& gpus() const { return gpus_; }

  bool reach(std::uint32_t d, memory_place m) const {
    if (!is_gpu(d)) return cpu_machine::reach(d, m);
    if (m == k_host_memory || same(d, m)) return true;
    if (!is_gpu(m) || !peers(d, m).access) return false;
    api::use(gpus_[d]->index());
    api::enable_peer(gpus_[m]->index());
    return true;
  }

  /// Nothing about the workers of one device on its own memory or the host's.
  [[nodiscard]] std::optional<bool> claim(const litmus_finding& f) const {
    const bool in_host = f.memory == k_host_memory;
    if (same(f.a, f.b) && (in_host || same(f.a, f.memory))) return {};
    const auto of = [&](std::uint32_t d) {
      if (in_host) return !is_gpu(d) || gpus_[d]->properties().host_atomics;
      return same(d, f.memory) || peers(d, f.memory).atomics;
    };
    return of(f.a) && of(f.b);
  }

  /// Blocks of one GPU, of two, or of one and a thread, or two threads; a thread at system scope.
  /// \param bounds  a block's: a thread's looks are hundreds of times as fast
  /// \pre   both reach the memory
  /// \throws no_progress, device_error
  [[nodiscard]] litmus_outcomes outcomes(const litmus_finding& f, const litmus_bounds& bounds) {
    if (!is_gpu(f.a) && !is_gpu(f.b)) return cpu_machine::outcomes(f, bounds);
    if (!meeting_) meeting_ = make_area(k_host_memory, sizeof(litmus_meeting<B>));
    for (const std::uint32_t d : {f.a, f.b})
      if (is_gpu(d)) load(d, f.system_scope);
    boards_.resize(gpus_.size() + 1);
    area& board = boards_[memory_place{f.memory + 1}];
    if (!board) board = make_area(f.memory, sizeof(litmus_board<B>));

    const litmus_board<B> fresh;
    board->write(0, &fresh, sizeof fresh);
    std::memset(meeting_->data(), 0, meeting_->bytes());
    const litmus_run run{board->data(), meeting_->data(), bounds};
    std::vector<event> ends;
    std::jthread thread;
    const std::uint32_t blocks = same(f.a, f.b) ? 2 : 1;
    for (std::uint32_t rank = 0; rank != k_litmus_participants; rank += blocks) {
      const std::uint32_t d = rank == 0 ? f.a : f.b;
      if (is_gpu(d)) {
        ends.push_back(start(d, f.system_scope, {run, rank}, blocks));
      } else {
        thread = start_participant({run.board, run.meeting, bounds_of_thread(bounds.rounds)}, rank);
      }
    }
    if (thread.joinable()) thread.join();
    wait(ends);
    litmus_board<B> left;
    board->read(&left, 0, sizeof left);
    return judge(*reinterpret_cast<litmus_meeting<B>*>(meeting_->data()), left);
  }

  /// \throws no_progress, device_error
  [[nodiscard]] std::vector<std::uint64_t> measure(std::uint32_t d, bool system,
                                                   measurement m) const {
    if (!is_gpu(d)) return cpu_machine::measure(d, system, m);
    std::vector<std::uint64_t> results(m.batches);
    const auto out = memory(d, std::vector<std::uint64_t>(16 + m.batches));
    m.sink = reinterpret_cast<std::uint64_t*>(out.get());
    m.results = m.sink + 16;  // on a line of their own
    wait({launch(d,
                 system ? Port::template measure_kernel<scope::system_t>()
                        : Port::template measure_kernel<scope::device_t>(),
                 m, 1, k_copy_piece)});
    gpus_[d]->read(results.data(), m.results, m.batches * sizeof(std::uint64_t));
    return results;
  }
  /// \throws std::bad_alloc, device_error
  [[nodiscard]] std::shared_ptr<std::byte> memory(memory_place m,
                                                  const std::vector<std::uint64_t>& image) const {
    if (m != k_host_memory && !is_gpu(m)) return cpu_machine::memory(m, image);
    const std::size_t bytes = image.size() * sizeof image.front();
    const area all = make_area(m, bytes);
    all->write(0, image.data(), bytes);
    return {all, all->data()};
  }

 private:
  [[nodiscard]] bool is_gpu(std::uint32_t d) const { return gpus_[d] != nullptr; }
  /// A GPU may be there twice.
  [[nodiscard]] bool same(std::uint32_t d, std::uint32_t other) const {
    return d == other || (is_gpu(d) && is_gpu(other) && gpus_[d]->index() == gpus_[other]->index());
  }
  [[nodiscard]] gpu::peer_properties peers(std::uint32_t from, std::uint32_t to) const {
    return api::peers(gpus_[from]->index(), gpus_[to]->index());
  }
  [[nodiscard]] area make_area(memory_place m, std::size_t bytes) const {
    using memory = gpu::area<api>;
    const auto give_back = [](memory* a) {
      if (!kernel_lost) delete a;
    };
    if (m == k_host_memory) return {new memory(bytes), give_back};
    return {new memory(*gpus_[m], bytes, gpu::reach::shared), give_back};
  }

  /// Starts a kernel of one warp a block.
  template <class Arguments>
  [[nodiscard]] event launch(std::uint32_t d, void (*kernel)(Arguments), const Arguments& arguments,
                             std::uint32_t blocks, std::size_t shared_bytes) const {
    const auto stream = gpus_[d]->kernels();
    api::use(gpus_[d]->index());
    const event ended(new typename api::event(api::make_event()), [](auto* e) {
      api::destroy(*e);
      delete e;
    });
    api::launch(kernel, arguments,
                {.blocks = blocks, .threads = B::team::k_lanes, .shared_bytes = shared_bytes},
                stream);
    api::record(*ended, stream);
    return ended;
  }
  [[nodiscard]] event start(std::uint32_t d, bool system, const gpu::litmus_arguments& a,
                            std::uint32_t blocks) const {
    return launch(d,
                  system ? Port::template litmus_kernel<scope::system_t>()
                         : Port::template litmus_kernel<scope::device_t>(),
                  a, blocks, 0);
  }
  /// Brings the kernel onto the GPU. Without it the first run's participants may miss each other:
  /// loading takes long, and may wait for whatever the GPU is running.
  void load(std::uint32_t d, bool system) const {
    static_cast<void>(start(d, system, {.run = {.bounds = {.chosen = 0}}}, 1));
    api::wait(gpus_[d]->kernels());
  }
  /// Waits for kernels' ends, a short time with all attention.
  /// \throws no_progress if one has not come in time; the kernel is lost, and so is its GPU for
  /// this process (no_progress::lost_workers) \throws device_error if a kernel failed
  void wait(const std::vector<event>& ends) const {
    const auto began = std::chrono::steady_clock::now();
    for (const event& ended : ends)
      while (!api::done(*ended)) {
        const auto waited = std::chrono::steady_clock::now() - began;
        if (waited >= timeout_) {
          kernel_lost = true;
          throw no_progress("a kernel of the probe did not end in time", "", 1);
        }
        std::this_thread::yield();
        if (waited > std::chrono::milliseconds(5))
          std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
  }
  std::chrono::duration<double> timeout_;
  std::vector<std::shared_ptr<device>> gpus_;  ///< by position; null: the CPU
  area meeting_;
  std::vector<area>
      boards_;  ///< by position + 1; the first: in host memory, k_host_memory + 1 is 0
};

}  // namespace mgws
