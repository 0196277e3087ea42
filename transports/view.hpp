/// \file
/// What a worker holds of any transport: where each memory's areas begin, as its device sees them,
/// and by that where every shared object is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <mgws/core/transport.hpp>
#include <mgws/transports/queue.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// Most GPUs of a run. A view carries a base for each, and a view is a kernel's argument.
inline constexpr std::uint32_t k_most_gpus = 16;

/// Where a device's part of the initial tasks is handed out, and its board.
template <class B>
struct dealt_out {
  cell<B> next;
  board_head<B> board;
};

/// \tparam Scope     at which objects are reached; scope::device_t: there is one device
/// \tparam Memories  most memories that a run's objects lie in: 1, where the objects of several
///                   devices lie side by side, or as many as devices, each with its own
/// \tparam Bridged   whether its runs may be one of several coherence domains' (bridge.hpp): code
///                   for that is compiled nowhere else
template <backend B, scope_tag Scope, std::uint32_t Memories, bool Bridged = false>
class placed_view {
 public:
  using backend = B;
  static constexpr Scope queue_scope{};
  static constexpr Scope device_scope{};
  static constexpr Scope global_scope{};
  /// Each device has its frames in a memory of its own, where they are for its workers alone.
  static constexpr std::conditional_t<(Memories > 1), scope::device_t, Scope> frame_scope{};
  static constexpr bool one_memory = Memories == 1;
  static constexpr bool bridged = Bridged;
  /// Whether the host cannot look at a device's memory while workers run, and has a second record
  /// of the signals in its own.
  static constexpr bool mirrored = requires { requires !B::host_looks; };

  /// How much of a view there need be where a run has fewer memories than it has room for.
  [[nodiscard]] MGWS_FN static constexpr std::size_t bytes_of(std::uint32_t memories) {
    return sizeof(placed_view) - (memories < Memories ? Memories - memories : 0) * sizeof(base);
  }

  [[nodiscard]] MGWS_FN chosen_head<B>& head(std::uint32_t queue) const {
    const base& b = of_queue(queue);
    return b.heads[queue - first(b.range.first_queue)];
  }
  [[nodiscard]] MGWS_FN void* slots(std::uint32_t queue) const {
    const base& b = of_queue(queue);
    return b.slots + (queue - first(b.range.first_queue)) * queue_bytes_;
  }
  /// A frame of so many bytes, of 2^log a worker.
  [[nodiscard]] MGWS_FN void* frame(std::uint32_t number, std::uint32_t log,
                                    std::size_t bytes) const {
    const base& b = of_worker(number >> log);
    return b.frames + (number - (first(b.range.first_worker) << log)) * bytes;
  }
  /// Which frames of a worker are free, `lines` of it: behind the queues' words.
  [[nodiscard]] MGWS_FN mgws::free_frames<B>* free_frames(std::uint32_t worker,
                                                          std::uint32_t lines) const {
    const base& b = of_worker(worker);
    return reinterpret_cast<mgws::free_frames<B>*>(b.heads + b.range.queues) +
           (worker - first(b.range.first_worker)) * lines;
  }
  /// A device's, which is that of a memory: before the queues' words.
  [[nodiscard]] MGWS_FN return_head<B>& returns(std::uint32_t device) const {
    return reinterpret_cast<return_head<B>*>(of_device(device).heads)[-1];
  }
  [[nodiscard]] MGWS_FN cell<B>& global_cell(std::uint32_t i) const { return global_cells_[i]; }
  [[nodiscard]] MGWS_FN cell<B>& device_cell(std::uint32_t device, std::uint32_t i) const {
    const base& b = of_device(device);
    auto* const cells = reinterpret_cast<cell<B>*>(progress_behind(b.control) + b.range.workers);
    return cells[within(device) * device_cells_ + i];
  }
  [[nodiscard]] MGWS_FN const void* initial_slots() const { return initial_; }
  [[nodiscard]] MGWS_FN cell<B>& initial_next(std::uint32_t device) const {
    return of_device(device).dealt[within(device)].next;
  }
  [[nodiscard]] MGWS_FN board_head<B>& board(std::uint32_t device) const {
    return of_device(device).dealt[within(device)].board;
  }
  [[nodiscard]] MGWS_FN void* board_slot(std::uint32_t device) const {
    const base& b = of_device(device);
    return b.slots + (b.range.queues + within(device)) * queue_bytes_;
  }
  [[nodiscard]] MGWS_FN inbox_head<B>& inbox(std::uint32_t device, std::uint32_t i) const {
    return of_device(device).inboxes[within(device) * inboxes_ + i];
  }
  /// The rings lie behind the heads of their memory.
  [[nodiscard]] MGWS_FN void* inbox_slots(std::uint32_t device, std::uint32_t i) const {
    return of_device(device).inbox_slots + (within(device) * inboxes_ + i) * inbox_bytes_;
  }
  [[nodiscard]] MGWS_FN mgws::inbox_gate<B>& inbox_gate(std::uint32_t device,
                                                        std::uint32_t i) const {
    return of_device(device).gates[within(device) * inboxes_ + i];
  }
  /// Of a channel to or from another coherence domain.
  [[nodiscard]] MGWS_FN mgws::channel_gate<B>& bridge_gate(std::uint32_t channel) const
      requires(Bridged) {
    return bridge_gates_[channel];
  }
  /// One a memory: a device that fails takes no other's request to stop with it.
  [[nodiscard]] MGWS_FN run_control<B>& control(std::uint32_t device) const {
    return *of_device(device).control;
  }
  [[nodiscard]] MGWS_FN worker_progress<B>& progress(std::uint32_t worker) const {
    const base& b = of_worker(worker);
    return progress_behind(b.control)[worker - first(b.range.first_worker)];
  }
  [[nodiscard]] MGWS_FN run_control<B>& host_control(std::uint32_t device) const
      requires(mirrored) {
    return *of_device(device).mirror;
  }
  [[nodiscard]] MGWS_FN worker_progress<B>& host_progress(std::uint32_t worker) const
      requires(mirrored) {
    const base& b = of_worker(worker);
    return progress_behind(b.mirror)[worker - first(b.range.first_worker)];
  }
  [[nodiscard]] MGWS_FN typename B::parking& parking() const { return *parking_; }

 private:
  template <class, class>
  friend class transport;

  /// One memory. Behind the control block lie the workers' progress, then the devices' cells.
  struct base {
    chosen_head<B>* heads = nullptr;
    std::byte* slots = nullptr;  ///< the public queues', then the boards'
    std::byte* frames = nullptr;
    dealt_out<B>* dealt = nullptr;
    run_control<B>* control = nullptr;
    run_control<B>* mirror = nullptr;  ///< in the host's memory
    mgws::inbox_gate<B>* gates = nullptr;
    inbox_head<B>* inboxes = nullptr;  ///< in the host's memory, as their slots
    std::byte* inbox_slots = nullptr;
    device_range range{};  ///< whose objects these are
  };

  MGWS_FN static worker_progress<B>* progress_behind(run_control<B>* control) {
    return reinterpret_cast<worker_progress<B>*>(control + 1);
  }

  // With one memory nothing is searched and nothing subtracted; with one device nothing indexed.
  MGWS_FN static std::uint32_t first(std::uint32_t n) { return one_memory ? 0 : n; }
  MGWS_FN static std::uint32_t within(std::uint32_t device) {
    return one_memory && !std::is_same_v<Scope, scope::device_t> ? device : 0;
  }
  MGWS_FN static std::uint32_t memory_of_device(std::uint32_t device) {
    return one_memory ? 0 : device;
  }
  [[nodiscard]] MGWS_FN const base& of_device(std::uint32_t device) const {
    return bases_[memory_of_device(device)];
  }
  [[nodiscard]] MGWS_FN const base& of_queue(std::uint32_t queue) const {
    std::uint32_t d = 0;
    if constexpr (!one_memory)
      while (queue - bases_[d].range.first_queue >= bases_[d].range.queues)
        ++d;
    return bases_[d];
  }
  [[nodiscard]] MGWS_FN const base& of_worker(std::uint32_t worker) const {
    std::uint32_t d = 0;
    if constexpr (!one_memory)
      while (worker - bases_[d].range.first_worker >= bases_[d].range.workers)
        ++d;
    return bases_[d];
  }

  cell<B>* global_cells_ = nullptr;
  mgws::channel_gate<B>* bridge_gates_ = nullptr;
  std::size_t queue_bytes_ = 0;
  std::size_t inbox_bytes_ = 0;  ///< of one ring
  const void* initial_ = nullptr;
  typename B::parking* parking_ = nullptr;
  std::uint32_t inboxes_ = 0;       ///< of each device
  std::uint32_t device_cells_ = 0;  ///< of each device, where several lie side by side
  base bases_[Memories];            ///< the last: bytes_of()
};

}  // namespace mgws
