// A termination detector with one operation less than core needs. Without a macro it has them all.
#include <cstdint>

#include <mgws/backends/cpu/backend.hpp>
#include <mgws/backends/cpu/memory.hpp>
#include <mgws/core/termination/detector.hpp>
#include <mgws/transports/host.hpp>

namespace {

using backend = mgws::cpu_backend::backend;
using view = mgws::host_transport<backend, mgws::cpu_backend::area>::view;

struct detector {
  detector(const view&, const mgws::run_parameters&, std::uint32_t, std::uint32_t) {}
#ifdef OUT_OF_WORK_SAYS_NOTHING
  void out_of_work(std::uint64_t) {}
#elif !defined NO_OUT_OF_WORK
  bool out_of_work(std::uint64_t) {
    return true;
  }
#endif
#ifndef NO_REGAINED_WORK
  void regained_work() {}
#endif
#ifdef ASK_SAYS_BOOL
  bool ask() {
    return true;
  }
#elif !defined NO_ASK
  mgws::verdict ask() {
    return mgws::verdict::over;
  }
#endif
#ifndef NO_OTHERS_IDLE
  bool others_idle() const {
    return false;
  }
#endif
#ifndef NO_HALF_IDLE
  bool half_idle(std::uint32_t /*more*/) const {
    return false;
  }
#endif
#ifndef NO_GLOBAL_CELLS
  static std::uint32_t global_cells(std::uint32_t) {
    return 0;
  }
#endif
  static std::uint32_t device_cells(std::uint32_t) {
    return 0;
  }
};

}  // namespace

static_assert(mgws::termination_detector<detector, view>);
