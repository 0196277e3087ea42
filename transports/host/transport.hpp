/// \file
/// The host transport: queues, registry and termination in host memory, for the workers of one
/// coherence domain (the CPU alone; one GPU; or all devices whose atomics on host memory are
/// coherent with each other).
///
/// Scope: system for every object. The transport serves whichever devices form the domain, and one
/// object is never reached at two scopes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include <mgws/core/transport.hpp>
#include <mgws_port.hpp>

namespace mgws {

/// How much a transport must provide.
struct transport_request {
  std::uint32_t workers = 0;
  std::uint32_t queues = 0;
  std::size_t queue_bytes = 0;                ///< slots of one public queue
  std::uint32_t global_cells = 0;             ///< of the termination detector
  std::vector<std::uint32_t> device_cells{};  ///< the same, by device
};

/// \tparam Area  the backend's owner of zeroed memory that host and workers reach
template <backend B, class Area>
class host_transport {
 public:
  /// What a worker holds.
  class view {
   public:
    using backend = B;
    static constexpr auto queue_scope = scope::system;
    static constexpr auto device_scope = scope::system;
    static constexpr auto global_scope = scope::system;

    [[nodiscard]] MGWS_FN queue_head<B>& head(std::uint32_t queue) const { return heads_[queue]; }
    [[nodiscard]] MGWS_FN void* slots(std::uint32_t queue) const {
      return slots_ + queue * queue_bytes_;
    }
    [[nodiscard]] MGWS_FN cell<B>& global_cell(std::uint32_t i) const { return cells_[i]; }
    [[nodiscard]] MGWS_FN cell<B>& device_cell(std::uint32_t device, std::uint32_t i) const {
      return cells_[device_cells_[device] + i];
    }
    [[nodiscard]] MGWS_FN const void* initial_slots() const { return initial_; }
    [[nodiscard]] MGWS_FN cell<B>& initial_next(std::uint32_t device) const {
      return initial_next_[device];
    }
    [[nodiscard]] MGWS_FN board_head<B>& board(std::uint32_t device) const {
      return boards_[device];
    }
    [[nodiscard]] MGWS_FN void* board_slot(std::uint32_t device) const {
      return slots_ + (queues_ + device) * queue_bytes_;
    }
    [[nodiscard]] MGWS_FN run_control<B>& control(std::uint32_t /*device*/) const {
      return *control_;
    }
    [[nodiscard]] MGWS_FN worker_progress<B>& progress(std::uint32_t worker) const {
      return progress_[worker];
    }
    [[nodiscard]] MGWS_FN typename B::parking& parking() const { return *parking_; }

   private:
    friend host_transport;

    queue_head<B>* heads_ = nullptr;
    std::byte* slots_ = nullptr;
    std::size_t queue_bytes_ = 0;
    std::size_t queues_ = 0;  ///< behind whose slots each board has room for one
    cell<B>* cells_ = nullptr;
    const std::uint32_t* device_cells_ = nullptr;  ///< where each device's cells begin
    cell<B>* initial_next_ = nullptr;              ///< by device
    board_head<B>* boards_ = nullptr;              ///< by device
    const void* initial_ = nullptr;
    run_control<B>* control_ = nullptr;
    worker_progress<B>* progress_ = nullptr;
    typename B::parking* parking_ = nullptr;
  };
  static_assert(transport_view<view>);

  explicit host_transport(const transport_request& r)
      : request_(r), slots_((r.queues + devices()) * r.queue_bytes) {
    std::uint32_t at = r.global_cells;
    for (const std::uint32_t n : r.device_cells) {
      device_cells_.push_back(at);
      at += n;
    }
    cells_ = at;
    parking_ = std::make_unique<typename B::parking>();
    control_bytes_ = sizeof(run_control<B>) + sizeof(cell<B>) * (cells_ + devices()) +
                     sizeof(board_head<B>) * devices() + sizeof(queue_head<B>) * r.queues +
                     sizeof(worker_progress<B>) * r.workers;
    control_ = Area(control_bytes_);
    reset();
  }

  /// Everything as at the start of a run. \pre no worker is running
  void reset() {
    std::byte* at = control_.data();
    const auto make = [&]<class T>(T*& where, std::size_t n) {
      where = reinterpret_cast<T*>(at);
      std::uninitialized_value_construct_n(where, n);
      at += sizeof(T) * n;
    };
    make(view_.control_, 1);
    make(view_.initial_next_, devices());
    make(view_.boards_, devices());
    make(view_.cells_, cells_);
    make(view_.heads_, request_.queues);
    make(view_.progress_, request_.workers);
    view_.slots_ = slots_.data();
    view_.queue_bytes_ = request_.queue_bytes;
    view_.queues_ = request_.queues;
    view_.device_cells_ = device_cells_.data();
    view_.parking_ = parking_.get();
  }

  /// The view that every worker is given. The initial slots stay the caller's.
  [[nodiscard]] view workers_view(const void* initial_slots) const {
    view v = view_;
    v.initial_ = initial_slots;
    return v;
  }

  /// Bytes of public queues, and of everything else that is shared.
  [[nodiscard]] std::size_t queue_bytes() const { return request_.queues * request_.queue_bytes; }
  [[nodiscard]] std::size_t control_bytes() const {
    return control_bytes_ + slots_.bytes() - queue_bytes();
  }

 private:
  /// A request without cells of devices is for one.
  [[nodiscard]] std::size_t devices() const {
    return std::max<std::size_t>(request_.device_cells.size(), 1);
  }

  transport_request request_;
  Area slots_;
  Area control_;
  std::size_t control_bytes_ = 0;
  std::size_t cells_ = 0;
  std::vector<std::uint32_t> device_cells_;
  std::unique_ptr<typename B::parking> parking_;
  view view_;
};

}  // namespace mgws
