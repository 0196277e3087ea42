/// \file
/// The lanes of a worker that has one, as core sees them (backend.hpp, worker_group).
#pragma once

#include <cstdint>

#include <mgws_port.hpp>

namespace mgws {

struct single_lane {
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t lane() { return 0; }
  [[nodiscard]] MGWS_FN static constexpr std::uint32_t lanes() { return 1; }
  MGWS_FN static void sync() {}
  template <class F>
  MGWS_FN static auto once(F&& f) {
    return f();
  }
};

}  // namespace mgws
