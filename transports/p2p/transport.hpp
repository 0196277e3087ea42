/// \file
/// The p2p transport: each GPU keeps the queues, cells and progress of its own workers in its own
/// memory, and every worker reaches all of them. Of what only the first GPU has (the counters of
/// initial tasks and of the termination detector) there is one; what everybody reads (where things
/// are) every GPU has for itself.
///
/// Scope: device where all workers are on one GPU, else system for every object. On one GPU this is
/// the plain device-memory configuration.
///
/// Where the memory lies is the maker's choice. With all of it in host memory, at system scope, it
/// is the host transport of GPU workers: the same view, so that one kernel serves both.
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

  [[nodiscard]] MGWS_FN queue_head<B>& head(std::uint32_t queue) const {
    const base& b = base_of(queue);
    return at<queue_head<B>>(b, b.heads)[queue - b.range.first_queue];
  }
  [[nodiscard]] MGWS_FN void* slots(std::uint32_t queue) const {
    const base& b = base_of(queue);
    return b.slots + (queue - b.range.first_queue) * queue_bytes_;
  }
  [[nodiscard]] MGWS_FN cell<B>& global_cell(std::uint32_t i) const {
    return at<cell<B>>(bases_[0], k_cells)[1 + i];
  }
  [[nodiscard]] MGWS_FN cell<B>& device_cell(std::uint32_t device, std::uint32_t i) const {
    return at<cell<B>>(bases_[one_device ? 0 : device], k_cells)[1 + global_cells_ + i];
  }
  [[nodiscard]] MGWS_FN const void* initial_slots() const { return initial_; }
  [[nodiscard]] MGWS_FN cell<B>& initial_next() const { return *at<cell<B>>(bases_[0], k_cells); }
  /// The own device's: the host keeps them alike.
  [[nodiscard]] MGWS_FN run_control<B>& control() const {
    return *at<run_control<B>>(bases_[own_], k_control);
  }
  [[nodiscard]] MGWS_FN worker_progress<B>& progress(std::uint32_t worker) const {
    const base& b = base_of_worker(worker);
    return at<worker_progress<B>>(b, b.progress)[worker - b.range.first_worker];
  }
  [[nodiscard]] MGWS_FN typename B::parking& parking() const {
    return *at<typename B::parking>(bases_[own_], k_parking);
  }

 private:
  template <mgws::backend, scope_tag, class>
  friend class p2p_transport;

  /// A device's memory, and the offsets of what depends on how many workers it has.
  struct base {
    std::byte* block = nullptr;
    std::byte* slots = nullptr;
    std::uint32_t heads = 0;
    std::uint32_t progress = 0;
    device_range range{};
  };

  static constexpr std::uint32_t lined(std::size_t bytes) {
    return static_cast<std::uint32_t>((bytes + B::line - 1) / B::line * B::line);
  }
  static constexpr std::uint32_t k_control = 0;
  static constexpr std::uint32_t k_parking = k_control + lined(sizeof(run_control<B>));
  static constexpr std::uint32_t k_cells = k_parking + lined(sizeof(typename B::parking));

  template <class T>
  [[nodiscard]] MGWS_FN static T* at(const base& b, std::uint32_t offset) {
    return reinterpret_cast<T*>(b.block + offset);
  }
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
  std::uint32_t global_cells_ = 0;
  std::size_t queue_bytes_ = 0;
  const void* initial_ = nullptr;
};

/// \tparam Area  owner of zeroed memory, of a device or of the host, that the host can read and
///               write also while workers run (backends/gpu/device.hpp)
template <backend B, scope_tag Scope, class Area>
class p2p_transport {
 public:
  using view = p2p_view<B, Scope>;
  static_assert(transport_view<view>);

  /// \param make  make(d, bytes) returns an Area for what belongs to device d
  template <class Make>
  p2p_transport(const p2p_request& r, Make&& make) {
    image_.global_cells_ = r.global_cells;
    image_.queue_bytes_ = r.queue_bytes;
    for (std::uint32_t d = 0; d != r.devices.size(); ++d) {
      auto& b = image_.bases_[d];
      b.range = r.devices[d];
      const std::size_t cells = 1 + r.global_cells + r.device_cells[d];
      b.heads = view::lined(view::k_cells + cells * sizeof(cell<B>));
      b.progress = view::lined(b.heads + b.range.queues * sizeof(queue_head<B>));
      const std::size_t bytes = b.progress + b.range.workers * sizeof(worker_progress<B>);
      memory& m = devices_.emplace_back();
      m.block = make(d, bytes);
      m.at_start = make(d, bytes);
      m.slots = make(d, b.range.queues * r.queue_bytes);
      if (!m.block.on_host()) m.copy = Area(bytes);
      m.at_start.write(0, start_of(b, cells, bytes).data(), bytes);
      b.block = m.block.data();
      b.slots = m.slots.data();
    }
    reset();
  }

  /// Everything as at the start of a run. \pre no worker is running
  void reset() {
    for (const memory& m : devices_)
      m.block.assign(m.at_start);
  }

  /// The view that every worker of a device is given. The initial slots stay the caller's.
  [[nodiscard]] view workers_view(std::uint32_t device, const void* initial_slots) const {
    view v = image_;
    v.own_ = device;
    v.initial_ = initial_slots;
    return v;
  }

  /// Copies what workers share, without the slots, to where the host can read it. Workers may run:
  /// then each value is true, but together they may not be of one moment.
  void look() const {
    for (const memory& m : devices_)
      if (!m.block.on_host()) m.block.read(m.copy.data(), 0, m.block.bytes());
  }
  /// A view of a device for the host, of what the last look() found. It has no slots.
  [[nodiscard]] view host_view(std::uint32_t device = 0) const {
    view v = workers_view(device, nullptr);
    for (std::uint32_t d = 0; d != devices_.size(); ++d) {
      if (!devices_[d].block.on_host()) v.bases_[d].block = devices_[d].copy.data();
      v.bases_[d].slots = nullptr;
    }
    return v;
  }

  /// Asks all workers to stop.
  void stop(stop_reason reason) const {
    const auto word = static_cast<std::uint32_t>(reason);
    using control = run_control<B>;
    static_assert(std::is_standard_layout_v<control> && sizeof(control::stop) == sizeof word);
    for (const memory& m : devices_)
      m.block.write(view::k_control + offsetof(control, stop), &word, sizeof word);
  }

  /// Bytes of public queues, and of everything else that is shared.
  [[nodiscard]] std::size_t queue_bytes() const {
    std::size_t n = 0;
    for (const memory& m : devices_)
      n += m.slots.bytes();
    return n;
  }
  [[nodiscard]] std::size_t control_bytes() const {
    std::size_t n = 0;
    for (const memory& m : devices_)
      n += m.block.bytes() + m.at_start.bytes() + m.copy.bytes();
    return n;
  }

 private:
  struct memory {
    Area block;
    Area at_start;  ///< the block before a run, beside it: bringing it back is a copy on the spot
    Area slots;
    Area copy;  ///< the block as the host last saw it; empty if the host can read the block
  };

  static std::vector<std::byte> start_of(const typename view::base& b, std::size_t cells,
                                         std::size_t bytes) {
    // The host's own memory, aligned for what is made in it.
    struct alignas(B::line) line {
      std::byte bytes[B::line];
    };
    std::vector<line> lines(bytes / B::line + 1);
    auto* const block = reinterpret_cast<std::byte*>(lines.data());
    const auto make = [&]<class T>(std::uint32_t offset, std::size_t n, const T*) {
      std::uninitialized_value_construct_n(reinterpret_cast<T*>(block + offset), n);
    };
    make(view::k_control, 1, static_cast<const run_control<B>*>(nullptr));
    make(view::k_parking, 1, static_cast<const typename B::parking*>(nullptr));
    make(view::k_cells, cells, static_cast<const cell<B>*>(nullptr));
    make(b.heads, b.range.queues, static_cast<const queue_head<B>*>(nullptr));
    make(b.progress, b.range.workers, static_cast<const worker_progress<B>*>(nullptr));
    return {block, block + bytes};
  }

  view image_;
  std::vector<memory> devices_;
};

}  // namespace mgws
