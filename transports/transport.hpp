/// \file
/// The host's side of every transport: owns the areas that workers share, in whosever memory they
/// lie, brings them to their start, and looks at them.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include <mgws/core/transport.hpp>
#include <mgws/transports/block.hpp>
#include <mgws/transports/view.hpp>

namespace mgws {

/// How much a transport must provide.
struct transport_request {
  std::uint32_t workers = 0;
  std::uint32_t queues = 0;
  std::size_t queue_bytes = 0;                ///< slots of one public queue
  std::size_t frame_bytes = 0;                ///< of one worker's frames
  std::uint32_t frame_lines = 0;              ///< that say which of them are free
  std::uint32_t global_cells = 0;             ///< of the termination detector
  std::vector<std::uint32_t> device_cells{};  ///< the same, by device; empty: one device, none
  std::uint32_t channels = 0;                 ///< of a bridge to other coherence domains
  std::uint32_t inboxes = 0;                  ///< of each device
  std::size_t inbox_bytes = 0;                ///< slots of one
  std::vector<device_range> devices{};        ///< where each device has its own memory
  /// The counters of initial tasks and the boards lie with the signals, not with the queues.
  bool counters_with_signals = false;
};

/// What a transport allocates, each in one piece a memory. All but the slots are words.
enum class transport_memory : std::uint8_t {
  queues,   ///< queue words and the detector's cells for all
  signals,  ///< what workers and host tell each other, and the detector's cells of each device
  mirror,   ///< the signals for a host that cannot look at the others; in its memory
  slots,    ///< public queues' tasks and the boards', and frames
  inboxes   ///< what the host and workers reach by loads and stores: in the host's memory
};

/// What a runtime asks of a transport on the host's side.
template <class T>
concept host_side_transport = transport_view<typename T::view> &&
    requires(T& t, const T& c, std::uint32_t device) {
  /// Everything as at the start of a run. \pre no worker is running
  t.reset();
  /// The view that every worker is given.
  { c.workers_view(static_cast<const void*>(nullptr)) } -> std::same_as<typename T::view>;
  /// Makes host_view() and live_view() show what is so now.
  c.look();
  c.look_at_signals();
  { c.host_view() } -> std::same_as<typename T::view>;
  { c.live_view() } -> std::same_as<typename T::view>;
  /// Asks the workers of a device to stop.
  c.stop(device, stop_reason::cancelled);
  /// Bytes of public queues, and of everything else that is shared.
  { c.queue_bytes() } -> std::same_as<std::size_t>;
  { c.control_bytes() } -> std::same_as<std::size_t>;
};

/// \tparam View  a placed_view
template <class View, class Area>
class transport {
  static_assert(transport_view<View> && transport_area<Area>);
  using B = typename View::backend;

 public:
  using view = View;

  /// \param make  make(m, what, bytes) returns an Area for what belongs to memory m: device m's if
  ///              each has its own
  template <class Make>
  transport(const transport_request& r, Make&& make)
      : request_(r), parking_(std::make_unique<typename B::parking>()) {
    if constexpr (view::one_memory) request_.devices = {{0, r.workers, 0, r.queues}};
    for (const std::uint32_t cells : r.device_cells)
      device_cells_ = std::max(device_cells_, cells);
    for (std::uint32_t m = 0; m != request_.devices.size(); ++m) {
      memory& all = memories_.emplace_back();
      for (std::size_t i = 0; i != k_blocks; ++i) {
        view unused;
        const auto what = static_cast<transport_memory>(i);
        const std::size_t bytes = lay_out(unused, m, i, 0, false);
        all.blocks[i] = block<Area>([&] { return make(m, what, bytes); }, start_of(m, i));
      }
      all.slots = make(m, transport_memory::slots,
                       (request_.devices[m].queues + devices()) * r.queue_bytes +
                           request_.devices[m].workers * r.frame_bytes);
      if (r.inboxes != 0)
        all.inboxes = make(m, transport_memory::inboxes,
                           devices() * r.inboxes * (sizeof(inbox_head<B>) + r.inbox_bytes));
    }
    reset();
  }
  /// All of it in the host's memory.
  explicit transport(const transport_request& r)
      : transport(r, [](std::uint32_t /*m*/, transport_memory /*what*/, std::size_t bytes) {
          return Area(bytes);
        }) {}

  void reset();

  /// Forgets what has come back to frames (core/returns.hpp), of a run that was stopped: the next
  /// one would take it for its own. \pre no worker is running
  void clear_frames();

  /// \param initial_slots  as the device of the workers in question reaches them; the caller's
  [[nodiscard]] view workers_view(const void* initial_slots) const;

  /// A view as workers have it who know at which scope they meet and in how many memories: what is
  /// on the host's side need not be compiled again for each. \pre the run has no more memories
  template <class Theirs>
  [[nodiscard]] static Theirs seen_by(const view& v) {
    if constexpr (std::same_as<Theirs, view>) {
      return v;
    } else {
      static_assert(std::same_as<typename Theirs::backend, B> && Theirs::bridged == view::bridged);
      Theirs t;
      for (std::size_t m = 0; m != std::size(t.bases_); ++m) {
        const auto& from = v.bases_[m];
        auto& to = t.bases_[m];
        to.heads = from.heads;
        to.slots = from.slots;
        to.frames = from.frames;
        to.dealt = from.dealt;
        to.control = from.control;
        to.mirror = from.mirror;
        to.gates = from.gates;
        to.inboxes = from.inboxes;
        to.inbox_slots = from.inbox_slots;
        to.range = from.range;
      }
      t.global_cells_ = v.global_cells_;
      t.bridge_gates_ = v.bridge_gates_;
      t.queue_bytes_ = v.queue_bytes_;
      t.inbox_bytes_ = v.inbox_bytes_;
      t.initial_ = v.initial_;
      t.parking_ = v.parking_;
      t.inboxes_ = v.inboxes_;
      t.device_cells_ = v.device_cells_;
      return t;
    }
  }

  /// Workers may run if the backend's host looks: then each value is true, but together they may
  /// not be of one moment.
  void look() const;
  /// Of each device's control word alone the same in two steps, so that nobody waits in between:
  /// host_view() shows it when the devices have done what they have been given to do so far, and
  /// take_over_requests() was called.
  void look_at_control_behind() const requires device_area<Area> {
    for (const memory& m : memories_)
      m.blocks[index(transport_memory::signals)].look_behind(sizeof(run_control<B>));
  }
  /// Shows requests to stop where host_view() has them. \pre a look
  void take_over_requests() const;
  /// Control and progress alone, for live_view().
  void look_at_signals() const;
  /// What the last look() found. It has no slots that the host could read.
  [[nodiscard]] view host_view() const;
  /// While workers run, after look_at_signals(). Only control and progress can be read.
  [[nodiscard]] view live_view() const;

  void stop(std::uint32_t device, stop_reason reason) const;

  /// Copies a worker's frames, transport_request::frame_bytes of it. \pre no worker is running
  void read_frames(std::uint32_t worker, std::byte* to) const;

  [[nodiscard]] std::size_t queue_bytes() const { return request_.queues * request_.queue_bytes; }
  [[nodiscard]] std::size_t control_bytes() const;

 private:
  static constexpr std::size_t index(transport_memory what) {
    return static_cast<std::size_t>(what);
  }
  /// A mirror only if the view has one.
  static constexpr std::size_t k_blocks =
      index(view::mirrored ? transport_memory::mirror : transport_memory::signals) + 1;
  static constexpr std::size_t k_requests = k_blocks - 1;

  struct alignas(B::line) line {
    std::byte bytes[B::line];
  };

  struct memory {
    block<Area> blocks[k_blocks];  ///< words that workers share
    Area slots;
    Area inboxes;  ///< their heads, then their slots
  };

  [[nodiscard]] static std::uintptr_t address(const volatile void* p) {
    return reinterpret_cast<std::uintptr_t>(p);
  }
  /// Devices that a memory is for.
  [[nodiscard]] std::size_t devices() const {
    return view::one_memory ? std::max<std::size_t>(request_.device_cells.size(), 1) : 1;
  }

  /// Makes what lies in a block, at an address, as it is before a run.
  [[nodiscard]] auto start_of(std::uint32_t m, std::size_t part) const {
    return [this, m, part](std::byte* at, std::byte* /*there*/) {
      view unused;
      lay_out(unused, m, part, address(at), true);
    };
  }
  /// What lies in a block of memory m that begins at an address, in order: says so in the view, and
  /// makes it, as it is before a run, if asked to. Each type fills whole lines.
  /// \return where it ends
  std::uintptr_t lay_out(view& v, std::uint32_t m, std::size_t part, std::uintptr_t at,
                         bool construct) const;

  /// \param where  where(block): its address for whoever is to hold the view
  template <class Where>
  [[nodiscard]] view view_of(Where&& where) const {
    view v;
    v.queue_bytes_ = request_.queue_bytes;
    v.inbox_bytes_ = request_.inbox_bytes;
    v.inboxes_ = request_.inboxes;
    v.device_cells_ = device_cells_;
    v.parking_ = parking_.get();
    for (std::uint32_t m = 0; m != memories_.size(); ++m) {
      v.bases_[m].range = request_.devices[m];
      v.bases_[m].slots = memories_[m].slots.data();
      v.bases_[m].frames = memories_[m].slots.data() +
                           (request_.devices[m].queues + devices()) * request_.queue_bytes;
      if (request_.inboxes != 0) {
        v.bases_[m].inboxes = reinterpret_cast<inbox_head<B>*>(memories_[m].inboxes.data());
        v.bases_[m].inbox_slots =
            memories_[m].inboxes.data() + devices() * request_.inboxes * sizeof(inbox_head<B>);
      }
      for (std::size_t i = 0; i != k_blocks; ++i)
        lay_out(v, m, i, address(where(memories_[m].blocks[i])), false);
    }
    return v;
  }

  transport_request request_;
  std::uint32_t device_cells_ = 0;  ///< of the device that has most
  std::unique_ptr<typename B::parking> parking_;
  std::vector<memory> memories_;
};

}  // namespace mgws

#if !defined(MGWS_COMPILED_APART)
#include <mgws/transports/impl/transport.hpp>
#endif
