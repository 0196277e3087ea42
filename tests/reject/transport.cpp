// A transport's view with one operation less than core needs, or a scope that is none. Without a
// macro it has them all.
#include <cstddef>
#include <cstdint>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/core/transport.hpp>

namespace {

struct view {
  using backend = mgws::cpu_backend::backend;
#ifdef SCOPE_IS_A_NUMBER
  static constexpr int queue_scope = 2;
#else
  static constexpr auto queue_scope = mgws::scope::system;
#endif
  static constexpr auto device_scope = mgws::scope::device;
  static constexpr auto global_scope = mgws::scope::system;
  static constexpr auto frame_scope = mgws::scope::device;

#ifndef NO_HEAD
  mgws::queue_head<backend>& head(std::uint32_t) const;
#endif
#ifndef NO_SLOTS
  void* slots(std::uint32_t) const;
#endif
#ifndef NO_FRAME
  void* frame(std::uint32_t, std::uint32_t, std::size_t) const;
#endif
#ifndef NO_FREE_FRAMES
  mgws::free_frames<backend>* free_frames(std::uint32_t, std::uint32_t) const;
#endif
#ifndef NO_RETURNS
  mgws::return_head<backend>& returns(std::uint32_t) const;
#endif
#ifndef NO_GLOBAL_CELL
  mgws::cell<backend>& global_cell(std::uint32_t) const;
#endif
#ifndef NO_DEVICE_CELL
  mgws::cell<backend>& device_cell(std::uint32_t, std::uint32_t) const;
#endif
  const void* initial_slots() const;
  mgws::cell<backend>& initial_next(std::uint32_t) const;
#ifndef NO_BOARD
  mgws::board_head<backend>& board(std::uint32_t) const;
  void* board_slot(std::uint32_t) const;
#endif
#ifndef NO_INBOX
  mgws::inbox_head<backend>& inbox(std::uint32_t, std::uint32_t) const;
  void* inbox_slots(std::uint32_t, std::uint32_t) const;
  mgws::inbox_gate<backend>& inbox_gate(std::uint32_t, std::uint32_t) const;
#endif
#ifndef NO_CONTROL
  mgws::run_control<backend>& control(std::uint32_t) const;
#endif
#ifndef NO_PROGRESS
  mgws::worker_progress<backend>& progress(std::uint32_t) const;
#endif
#ifndef NO_PARKING
  backend::parking& parking() const;
#endif
};

}  // namespace

static_assert(mgws::transport_view<view>);
