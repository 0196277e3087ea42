/// \file
/// The p2p transport: each GPU keeps the queues, cells and progress of its own workers in its own
/// memory, with the counter of its part of the initial tasks, and every worker reaches all of them.
/// Of the termination detector's counters for all GPUs there is one, on the first GPU; what
/// everybody reads (where things are) every GPU has for itself.
///
/// Scope: device where all workers are on one GPU, else system for every object. On one GPU this is
/// the plain device-memory configuration.
///
/// Where the memory lies is the maker's choice. With queues and cells in host memory it is the host
/// transport of GPU workers, with everything in a GPU that does not compute the remote transport:
/// the same views, so that the same kernels serve all three. On the host transport two things are
/// on the worker's GPU all the same: what workers and host tell each other (control, progress),
/// which has no part in the algorithm, and the detector's cells of that GPU, which no other one
/// reads. Where the host cannot look there while workers run, it has a second record in its own
/// memory (mirrored_view).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <mgws/core/transport.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// How much a p2p transport must provide; everything by device.
struct p2p_request {
  std::vector<device_range> devices;
  std::size_t queue_bytes = 0;              ///< slots of one public queue
  std::uint32_t global_cells = 0;           ///< of the termination detector
  std::vector<std::uint32_t> device_cells;  ///< the same, by device
  /// The counters of initial tasks and the boards lie with the signals, in the GPUs' own memory,
  /// though queues and detector lie elsewhere.
  bool near_initial_counter = false;
};

/// The kinds of memory of a p2p transport.
enum class p2p_memory : std::uint8_t {
  shared,   ///< queue words and the counters around them, the detector's for all and the initial
            ///< set's
  slots,    ///< public queues' tasks
  signals,  ///< what workers and host tell each other, and the detector's cells of that device
  mirror    ///< the same, for a host that cannot look at the others; in its memory
};

/// Most GPUs of a run. A view carries a base for each, and a view is a kernel's argument.
inline constexpr std::uint32_t k_most_gpus = 16;

/// What a worker holds: where each device's memory begins, as this worker's device sees it, and
/// where in it everything is.
template <backend B, scope_tag Scope>
class p2p_view {
 public:
  using backend = B;
  static constexpr Scope queue_scope{};
  static constexpr Scope device_scope{};
  static constexpr Scope global_scope{};
  static constexpr bool one_device = std::is_same_v<Scope, scope::device_t>;
  static constexpr bool mirrored = !B::host_looks;

  [[nodiscard]] MGWS_FN queue_head<B>& head(std::uint32_t queue) const {
    const base& b = base_of(queue);
    return reinterpret_cast<queue_head<B>*>(b.shared + b.heads)[queue - b.range.first_queue];
  }
  [[nodiscard]] MGWS_FN void* slots(std::uint32_t queue) const {
    const base& b = base_of(queue);
    return b.slots + (queue - b.range.first_queue) * queue_bytes_;
  }
  [[nodiscard]] MGWS_FN cell<B>& global_cell(std::uint32_t i) const {
    return reinterpret_cast<cell<B>*>(bases_[0].shared + k_cells)[i];
  }
  [[nodiscard]] MGWS_FN cell<B>& device_cell(std::uint32_t device, std::uint32_t i) const {
    const base& b = bases_[one_device ? 0 : device];
    return reinterpret_cast<cell<B>*>(b.signals + b.cells)[i];
  }
  [[nodiscard]] MGWS_FN const void* initial_slots() const { return initial_; }
  [[nodiscard]] MGWS_FN cell<B>& initial_next(std::uint32_t device) const {
    const base& b = bases_[one_device ? 0 : device];
    return *reinterpret_cast<cell<B>*>(near_counter_ ? b.signals + k_initial : b.shared);
  }
  [[nodiscard]] MGWS_FN board_head<B>& board(std::uint32_t device) const {
    const base& b = bases_[one_device ? 0 : device];
    return *reinterpret_cast<board_head<B>*>(near_counter_ ? b.signals + k_near_board
                                                           : b.shared + k_board);
  }
  [[nodiscard]] MGWS_FN void* board_slot(std::uint32_t device) const {
    const base& b = bases_[one_device ? 0 : device];
    return b.slots + b.range.queues * queue_bytes_;
  }
  /// Each device its own: a device that fails takes no other's request to stop with it.
  [[nodiscard]] MGWS_FN run_control<B>& control(std::uint32_t device) const {
    return *reinterpret_cast<run_control<B>*>(bases_[one_device ? 0 : device].signals + k_control);
  }
  [[nodiscard]] MGWS_FN worker_progress<B>& progress(std::uint32_t worker) const {
    const base& b = base_of_worker(worker);
    return reinterpret_cast<worker_progress<B>*>(b.signals +
                                                 k_progress)[worker - b.range.first_worker];
  }
  [[nodiscard]] MGWS_FN run_control<B>& host_control(std::uint32_t device) const
      requires(mirrored) {
    return *reinterpret_cast<run_control<B>*>(bases_[one_device ? 0 : device].mirror + k_control);
  }
  [[nodiscard]] MGWS_FN worker_progress<B>& host_progress(std::uint32_t worker) const
      requires(mirrored) {
    const base& b = base_of_worker(worker);
    return reinterpret_cast<worker_progress<B>*>(b.mirror +
                                                 k_progress)[worker - b.range.first_worker];
  }
  [[nodiscard]] MGWS_FN typename B::parking& parking() const {
    return *reinterpret_cast<typename B::parking*>(bases_[own_].signals + k_parking);
  }

 private:
  template <mgws::backend, scope_tag, class>
  friend class p2p_transport;

  /// A device's memory, and how far into it the heads and its own cells begin.
  struct base {
    std::byte* shared = nullptr;   ///< the counter, the board, global cells, heads
    std::byte* slots = nullptr;    ///< the public queues', then the board's
    std::byte* signals = nullptr;  ///< control; counter, board if near; progress, own cells
    std::byte* mirror = nullptr;   ///< laid out as the signals, as far as progress
    std::uint32_t heads = 0;
    std::uint32_t cells = 0;
    device_range range{};
  };

  static constexpr std::uint32_t lined(std::size_t bytes) {
    return static_cast<std::uint32_t>((bytes + B::line - 1) / B::line * B::line);
  }
  // Of what is shared: the initial counter first.
  static constexpr std::uint32_t k_board = lined(sizeof(cell<B>));
  static constexpr std::uint32_t k_cells = k_board + lined(sizeof(board_head<B>));
  // Of the signals.
  static constexpr std::uint32_t k_control = 0;
  static constexpr std::uint32_t k_parking = k_control + lined(sizeof(run_control<B>));
  static constexpr std::uint32_t k_initial = k_parking + lined(sizeof(typename B::parking));
  static constexpr std::uint32_t k_near_board = k_initial + lined(sizeof(cell<B>));
  static constexpr std::uint32_t k_progress = k_near_board + lined(sizeof(board_head<B>));

  [[nodiscard]] MGWS_FN const base& base_of(std::uint32_t queue) const {
    if constexpr (one_device) {
      return bases_[0];
    } else {
      std::uint32_t d = 0;
      while (queue - bases_[d].range.first_queue >= bases_[d].range.queues)
        ++d;
      return bases_[d];
    }
  }
  [[nodiscard]] MGWS_FN const base& base_of_worker(std::uint32_t worker) const {
    if constexpr (one_device) {
      return bases_[0];
    } else {
      std::uint32_t d = 0;
      while (worker - bases_[d].range.first_worker >= bases_[d].range.workers)
        ++d;
      return bases_[d];
    }
  }

  base bases_[one_device ? 1 : k_most_gpus];
  std::uint32_t own_ = 0;
  std::size_t queue_bytes_ = 0;
  const void* initial_ = nullptr;
  bool near_counter_ = false;
};

/// \tparam Area  owner of zeroed memory, of a device or of the host, that the host can read and
///               write also while workers run (backends/gpu/device.hpp)
template <backend B, scope_tag Scope, class Area>
class p2p_transport {
 public:
  using view = p2p_view<B, Scope>;
  static_assert(transport_view<view>);

  /// \param make  make(d, what, bytes) returns an Area for what belongs to device d
  template <class Make>
  p2p_transport(const p2p_request& r, Make&& make) {
    all_.queue_bytes_ = r.queue_bytes;
    all_.near_counter_ = r.near_initial_counter;
    for (std::uint32_t d = 0; d != r.devices.size(); ++d) {
      auto& b = all_.bases_[d];
      b.range = r.devices[d];
      // Only the first device's global cells are used.
      const std::size_t cells = d == 0 ? r.global_cells : 0;
      b.heads = view::lined(view::k_cells + cells * sizeof(cell<B>));
      image shared(b.heads + b.range.queues * sizeof(queue_head<B>));
      shared.template make<cell<B>>(0, 1);
      shared.template make<board_head<B>>(view::k_board, 1);
      shared.template make<cell<B>>(view::k_cells, cells);
      shared.template make<queue_head<B>>(b.heads, b.range.queues);
      b.cells = view::lined(view::k_progress + b.range.workers * sizeof(worker_progress<B>));
      const auto signals_of = [&](std::size_t bytes) {
        image signals(bytes);
        signals.template make<run_control<B>>(view::k_control, 1);
        signals.template make<typename B::parking>(view::k_parking, 1);
        signals.template make<cell<B>>(view::k_initial, 1);
        signals.template make<board_head<B>>(view::k_near_board, 1);
        signals.template make<worker_progress<B>>(view::k_progress, b.range.workers);
        return signals;
      };
      image signals = signals_of(b.cells + r.device_cells[d] * sizeof(cell<B>));
      signals.template make<cell<B>>(b.cells, r.device_cells[d]);
      const auto area = [&](p2p_memory what) {
        return [&, what, d](std::size_t bytes) { return make(d, what, bytes); };
      };
      memory& m = devices_.emplace_back();
      m.shared = block(shared, area(p2p_memory::shared));
      m.signals = block(signals, area(p2p_memory::signals));
      if constexpr (view::mirrored) m.mirror = block(signals_of(b.cells), area(p2p_memory::mirror));
      m.slots = make(d, p2p_memory::slots, (b.range.queues + std::size_t{1}) * r.queue_bytes);
      b.shared = m.shared.words.data();
      b.signals = m.signals.words.data();
      if constexpr (view::mirrored) b.mirror = m.mirror.words.data();
      b.slots = m.slots.data();
    }
    reset();
  }

  /// Everything as at the start of a run. \pre no worker is running
  void reset() {
    for (const memory& m : devices_) {
      m.shared.reset();
      m.signals.reset();
      if constexpr (view::mirrored) m.mirror.reset();
    }
  }

  /// The view that every worker of a device is given. The initial slots stay the caller's.
  [[nodiscard]] view workers_view(std::uint32_t device, const void* initial_slots) const {
    view v = all_;
    v.own_ = device;
    v.initial_ = initial_slots;
    return v;
  }

  /// Copies what workers share, without the slots, to where the host can read it. Workers may run
  /// if the backend's host looks: then each value is true, but together they may not be of one
  /// moment.
  void look() const {
    for (const memory& m : devices_) {
      m.signals.look();
      m.shared.look();
    }
    if constexpr (view::mirrored) {
      const view seen = host_view();
      for (std::uint32_t d = 0; d != devices_.size(); ++d)
        seen.control(d).stop = seen.host_control(d).stop;
    }
  }
  /// The same of control and progress alone, for live_view().
  void look_at_signals() const {
    if constexpr (!view::mirrored)
      for (const memory& m : devices_)
        m.signals.look();
  }
  /// A view for the host, of what the last look() found. It has no slots.
  [[nodiscard]] view host_view() const {
    view v = workers_view(0, nullptr);
    for (std::uint32_t d = 0; d != devices_.size(); ++d) {
      v.bases_[d].shared = devices_[d].shared.seen();
      v.bases_[d].signals = devices_[d].signals.seen();
      v.bases_[d].slots = nullptr;
    }
    return v;
  }
  /// The same while workers run, after look_at_signals(). Only control and progress can be read.
  [[nodiscard]] view live_view() const {
    view v = host_view();
    if constexpr (view::mirrored)
      for (auto& b : v.bases_)
        b.signals = b.mirror;
    return v;
  }

  /// Asks the workers of a device to stop.
  void stop(std::uint32_t device, stop_reason reason) const {
    const auto word = static_cast<std::uint32_t>(reason);
    using control = run_control<B>;
    static_assert(std::is_standard_layout_v<control> && sizeof(control::stop) == sizeof word);
    const memory& m = devices_[device];
    (view::mirrored ? m.mirror : m.signals)
        .words.write(view::k_control + offsetof(control, stop), &word, sizeof word);
  }

  /// Bytes of public queues, and of everything else that is shared.
  [[nodiscard]] std::size_t queue_bytes() const {
    std::size_t n = 0;
    for (std::size_t d = 0; d != devices_.size(); ++d)
      n += all_.bases_[d].range.queues * all_.queue_bytes_;
    return n;
  }
  [[nodiscard]] std::size_t control_bytes() const {
    std::size_t n = 0;
    for (const memory& m : devices_)
      n += m.shared.bytes() + m.signals.bytes() + m.mirror.bytes() + m.slots.bytes();
    return n - queue_bytes();
  }

 private:
  /// How a block of words looks before a run: made in the host's memory, aligned for it.
  class image {
   public:
    explicit image(std::size_t bytes) : bytes_(bytes), lines_(bytes / B::line + 1) {}
    template <class T>
    void make(std::size_t offset, std::size_t n) {
      std::uninitialized_value_construct_n(
          reinterpret_cast<T*>(reinterpret_cast<std::byte*>(lines_.data()) + offset), n);
    }
    [[nodiscard]] const void* data() const { return lines_.data(); }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

   private:
    struct alignas(B::line) line {
      std::byte bytes[B::line];
    };
    std::size_t bytes_;
    std::vector<line> lines_;
  };

  /// Words that workers share, wherever they are.
  struct block {
    Area words;
    Area at_start;  ///< beside them: bringing them back is a copy on the spot
    Area copy;      ///< as the host last saw them; empty if the host can read the words

    block() = default;
    template <class Make>
    block(const image& start, Make&& make)
        : words(make(start.bytes())), at_start(make(start.bytes())) {
      if (!words.on_host()) copy = Area(start.bytes());
      at_start.write(0, start.data(), start.bytes());
    }
    void reset() const { words.assign(at_start); }
    void look() const {
      if (!words.on_host()) words.read(copy.data(), 0, words.bytes());
    }
    [[nodiscard]] std::byte* seen() const { return words.on_host() ? words.data() : copy.data(); }
    [[nodiscard]] std::size_t bytes() const {
      return words.bytes() + at_start.bytes() + copy.bytes();
    }
  };

  struct memory {
    block shared;
    block signals;
    block mirror;  ///< empty unless the view has one
    Area slots;
  };

  view all_;
  std::vector<memory> devices_;
};

}  // namespace mgws
